//! One change of shape on the way from the grid of ranks to the box of the machine.

use crate::regular::factor::Source;
use crate::regular::maps::IndexMap;
use crate::regular::maps::cycle::cycle;
use crate::regular::maps::helix::Helix;
use crate::regular::maps::squeeze::squeeze;

/// A map of boxes along two dimensions at most.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Rows of dimension `dims.1` squeezed, dimension `dims.0` widened, to the sizes `to`.
    Squeeze {
        dims: (usize, usize),
        to: (usize, usize),
    },
    /// Dimension `dim` cut into pieces of length `fine`, every second one reversed; the number of
    /// the piece takes the dimension's place, the place in the piece is a new last dimension.
    Cut { dim: usize, fine: usize },
    /// The ring `dim` becomes a cycle around the plane `to`: its rows in the dimension's place, its
    /// columns a new last dimension.
    Cycle { dim: usize, to: (usize, usize) },
    /// Dimension `dims.1` becomes tracks around the torus `to`, which is `dims.0` long.
    Wind {
        dims: (usize, usize),
        to: (usize, usize),
    },
    /// The grid becomes a corner of a larger one.
    Pad { to: Vec<usize> },
}

impl Step {
    /// The map of a box of sizes `from`; `None` if it does not fit.
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

    /// What the grid looks like afterwards: its sizes, and the bytes along its dimensions in closed
    /// form.
    pub(super) fn apply(&self, source: &Source) -> Option<Source> {
        let mut after = source.clone();
        match self {
            &Self::Squeeze { dims: (i, j), to } => {
                // Of the steps along i this share takes a step more and one along j; of those along
                // j it goes along i instead.
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

/// A line cut into pieces, every second one reversed, as a plane.
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
