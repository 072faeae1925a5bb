//! One step of a plan: a change of the grid's shape on the way to the box of the machine.

use crate::regular::factor::SourceGrid;
use crate::regular::maps::IndexMap;
use crate::regular::maps::cycle::cycle;
use crate::regular::maps::helix::Helix;
use crate::regular::maps::squeeze::squeeze;

/// A map of a box that changes at most two of its dimensions.
#[derive(Clone, Debug)]
pub(super) enum ShapeStep {
    /// Dimension `dims.1` is squeezed and dimension `dims.0` widened, to the sizes `to`.
    Squeeze {
        dims: (usize, usize),
        to: (usize, usize),
    },
    /// Dimension `dim` is cut into pieces of length `fine`, every second piece reversed. The number
    /// of the piece replaces the dimension; the position in the piece is a new last dimension.
    Cut { dim: usize, fine: usize },
    /// The ring along `dim` becomes a cycle in the plane `to`. Its rows replace the dimension; its
    /// columns are a new last dimension.
    Cycle { dim: usize, to: (usize, usize) },
    /// Dimension `dims.1` becomes the tracks, and `dims.0` their length, around the torus `to`.
    Wind {
        dims: (usize, usize),
        to: (usize, usize),
    },
    /// The grid becomes a corner of a larger one.
    Pad { to: Vec<usize> },
}

impl ShapeStep {
    /// The map of a box of sizes `from`; `None` if the step does not fit the box.
    pub(super) fn map(&self, from: &[usize]) -> Option<IndexMap> {
        match self {
            Self::Squeeze { dims, to } => {
                let plane = squeeze((from[dims.0], from[dims.1]), *to)?;
                Some(plane.along(from, *dims))
            }
            Self::Cut { dim, fine } => Some(cut(from[*dim], *fine).unrolled(from, *dim)),
            Self::Cycle { dim, to } => Some(cycle(*to)?.unrolled(from, *dim)),
            Self::Wind { dims, to } => {
                let helix = Helix::new(from[dims.1], *to)?;
                Some(helix.map().along(from, *dims))
            }
            Self::Pad { to } => Some(IndexMap::pad(from, to)),
        }
    }

    /// The grid after this step: its sizes, and in closed form the bytes along its dimensions.
    /// `None` if the step does not fit.
    pub(super) fn apply(&self, source: &SourceGrid) -> Option<SourceGrid> {
        let mut after = source.clone();
        match self {
            &Self::Squeeze { dims: (i, j), to } => {
                // A step along i takes, in this share of cases, one more step along i and one along
                // j. A step along j goes along i instead in the same share of cases.
                let share = (source.dims[j] - to.1) as f64 / source.dims[j] as f64;
                let (wide, tall) = (source.weights[i], source.weights[j]);
                after.weights[i] = wide * (1.0 + share) + tall * share;
                after.weights[j] = wide * share + tall * (1.0 - share);
                (after.dims[i], after.dims[j]) = to;
                (after.periodic[i], after.periodic[j]) = (false, false);
            }
            &Self::Cut { dim, fine } => {
                let size = source.dims[dim];
                let pieces = size / fine;
                let crossing = (pieces - 1) as f64 / (size - 1) as f64;
                after.dims[dim] = pieces;
                after.weights[dim] *= crossing;
                after.periodic[dim] &= pieces.is_multiple_of(2);
                after.dims.push(fine);
                after.weights.push(source.weights[dim] * (1.0 - crossing));
                after.periodic.push(false);
            }
            &Self::Cycle { dim, to } => {
                let along_rows = (to.1 - 1) as f64 / to.1 as f64;
                after.weights[dim] *= 1.0 - along_rows;
                after.weights.push(source.weights[dim] * along_rows);
                after.dims[dim] = to.0;
                after.dims.push(to.1);
                after.periodic[dim] = false;
                after.periodic.push(false);
            }
            &Self::Wind { dims: (i, j), to } => {
                let up = Helix::new(source.dims[j], to)?.steepness();
                let (along, across) = (source.weights[i], source.weights[j]);
                after.weights[i] = along * (1.0 - up) + across * up;
                after.weights[j] = along * up + across * (1.0 + up);
                (after.dims[i], after.dims[j]) = to;
            }
            Self::Pad { to } => {
                let sizes = to.iter().zip(&source.dims);
                for (periodic, (to, from)) in after.periodic.iter_mut().zip(sizes) {
                    *periodic &= to == from;
                }
                after.dims.clone_from(to);
            }
        }
        Some(after)
    }

    pub(super) fn describe(&self, from: &[usize]) -> String {
        match self {
            Self::Squeeze { dims: (i, j), to } => {
                format!("{}x{} squeezed to {}x{}", from[*i], from[*j], to.0, to.1)
            }
            Self::Cut { dim, fine } => format!("{} cut into pieces of {fine}", from[*dim]),
            Self::Wind { dims: (i, j), to } => {
                format!("{}x{} wound around {}x{}", from[*i], from[*j], to.0, to.1)
            }
            Self::Cycle { dim, to } => format!("{} around {}x{}", from[*dim], to.0, to.1),
            Self::Pad { to } => format!("room for {to:?}"),
        }
    }
}

/// The map of a line, cut into pieces with every second piece reversed, onto a plane.
fn cut(size: usize, fine: usize) -> IndexMap {
    let image = (0..size).map(|along| {
        let (piece, at) = (along / fine, along % fine);
        let at = if piece.is_multiple_of(2) {
            at
        } else {
            fine - 1 - at
        };
        (piece * fine + at) as u32
    });
    IndexMap::new(vec![size], vec![size / fine, fine], image.collect())
}
