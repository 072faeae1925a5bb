//! Templates: stencils in an endless grid, as the neighbourhood of a member far from the edges of
//! its grid.

use crate::stencil_steps::{MAX_DIMS, REACH, Steps, at_index, index, minus, short_way, table_len};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Lengths of rings that show in the neighbourhood of a member. A ring of 2 is a dimension of size
/// 2.
const SHORT_RINGS: [i32; 3] = [2, 3, 4];
/// The same for wide stencils, which reach further round a ring.
const SHORT_WIDE_RINGS: [i32; 7] = [2, 3, 4, 5, 6, 7, 8];

/// A stencil of a grid that is endless except for short rings.
#[derive(Debug)]
pub(super) struct Template {
    /// Number of dimensions.
    pub(super) dims: usize,
    /// Length of a short ring; 0 for an endless dimension.
    pub(super) ring: [i32; MAX_DIMS],
    /// All neighbours of the origin.
    pub(super) steps: Vec<Steps>,
    /// Dimensions with the same class can be exchanged without changing the stencil.
    class: [u8; MAX_DIMS],
    /// Whether steps lead to a neighbour, by the [`index`] of the steps.
    is_neighbour: Vec<bool>,
}

impl Template {
    /// The steps, with those along short rings taken the short way round.
    pub(super) fn reduced(&self, at: &Steps) -> Steps {
        std::array::from_fn(|d| match self.ring[d] {
            0 => at[d],
            k => short_way(at[d], k),
        })
    }

    /// Whether two cells are neighbours.
    pub(super) fn adjacent(&self, a: &Steps, b: &Steps) -> bool {
        self.is_step(&self.reduced(&minus(a, b)))
    }

    /// Whether steps lead to a neighbour; they must be taken the short way round.
    pub(super) fn is_step(&self, steps: &Steps) -> bool {
        index(steps, self.dims).is_some_and(|i| self.is_neighbour[i])
    }

    /// Whether every step is one cell along one dimension.
    pub(super) fn is_star(&self) -> bool {
        let length = |step: &Steps| step.iter().map(|s| s.abs()).sum::<i32>();
        self.steps.iter().all(|step| length(step) == 1)
    }

    /// Neighbours that a cell shares with the origin, as indices into [`steps`](Self::steps).
    pub(super) fn around(&self, at: &Steps) -> Vec<u32> {
        let all = 0..self.steps.len() as u32;
        all.filter(|&i| self.adjacent(&self.steps[i as usize], at))
            .collect()
    }

    /// A key of steps that does not change if equivalent dimensions are exchanged or reversed.
    pub(super) fn orbit(&self, steps: &Steps) -> Vec<(u8, i32, i32)> {
        let mut orbit: Vec<_> = (0..self.dims)
            .map(|d| (self.class[d], self.ring[d], steps[d].abs()))
            .collect();
        orbit.sort_unstable();
        orbit
    }

    /// This stencil with dimensions closed to rings of these lengths; length 0 leaves a dimension
    /// as it is.
    pub(super) fn closed(&self, rings: [i32; MAX_DIMS]) -> Self {
        let ring = std::array::from_fn(|d| rings[d].max(self.ring[d]));
        Self::of_steps(self.dims, ring, self.class, self.steps.iter().copied())
    }

    /// Whether every dimension is a short ring.
    fn is_closed(&self) -> bool {
        self.ring[..self.dims].iter().all(|&k| k > 0)
    }

    /// Whether one of two stencils is the other with some endless dimensions closed to rings. Both
    /// then lead to the same grids, since growth in endless dimensions shows where rings close.
    pub(super) fn leads_where(&self, other: &Self) -> bool {
        self.closes(other) || other.closes(self)
    }

    fn closes(&self, open: &Self) -> bool {
        let mut rings = self.ring.iter().zip(&open.ring);
        self.dims == open.dims
            && rings.all(|(&closed, &open)| open == 0 || open == closed)
            && open.closed(self.ring).steps == self.steps
    }

    fn of_steps(
        dims: usize,
        ring: [i32; MAX_DIMS],
        class: [u8; MAX_DIMS],
        steps: impl Iterator<Item = Steps>,
    ) -> Self {
        let mut template = Self {
            dims,
            ring,
            steps: Vec::new(),
            class,
            is_neighbour: vec![false; table_len(dims)],
        };
        let mut reached: Vec<Steps> = steps
            .map(|s| template.reduced(&s))
            .filter(|s| *s != [0; MAX_DIMS])
            .collect();
        reached.sort_unstable();
        reached.dedup();
        for steps in &reached {
            if let Some(index) = index(steps, dims) {
                template.is_neighbour[index] = true;
            }
        }
        template.steps = reached;
        template
    }
}

/// The set of steps of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One step along at most so many dimensions at once: 1 is the star of 5, 7, ... points; 2 has
    /// 19 points in three dimensions.
    Diagonal(usize),
    /// One step along one dimension or along all dimensions: 15 points in 3D.
    Corners,
    /// Diagonals only among the first so many dimensions: layers of 9-point stencils.
    Layered(usize),
    /// Up to two steps along each of the first so many dimensions, one step along the others. In
    /// four dimensions, only along all.
    Wide(usize),
    /// At most two steps in all: 13 points in 2D, 25 in 3D.
    Diamond,
}

impl Shape {
    fn has(self, steps: &[i32]) -> bool {
        let along = steps.iter().filter(|&&s| s != 0).count();
        let longest = steps.iter().map(|s| s.abs()).max().unwrap_or(0);
        match self {
            Self::Diagonal(most) => longest == 1 && along <= most,
            Self::Corners => longest == 1 && (along == 1 || along == steps.len()),
            Self::Layered(first) => {
                longest == 1 && (along == 1 || steps[first..].iter().all(|&s| s == 0))
            }
            Self::Wide(first) => {
                along == 1 && (longest == 1 || steps[..first].iter().any(|&s| s != 0))
            }
            Self::Diamond => steps.iter().map(|s| s.abs()).sum::<i32>() <= REACH,
        }
    }

    fn class(self, dim: usize) -> u8 {
        match self {
            Self::Layered(first) | Self::Wide(first) => u8::from(dim >= first),
            Self::Diagonal(_) | Self::Corners | Self::Diamond => 0,
        }
    }

    fn rings(self) -> &'static [i32] {
        match self {
            Self::Wide(_) | Self::Diamond => &SHORT_WIDE_RINGS,
            _ => &SHORT_RINGS,
        }
    }

    /// All shapes of a grid of `dims` dimensions, the simpler first.
    fn all(dims: usize) -> Vec<Self> {
        let mut all = vec![Self::Diagonal(1)];
        if dims == MAX_DIMS {
            all.push(Self::Diagonal(dims));
            return all;
        }
        all.extend((2..=dims).map(Self::Diagonal));
        all.extend((dims > 2).then_some(Self::Corners));
        all.extend((2..dims).map(Self::Layered));
        let wide = if dims <= 3 { 1..=dims } else { dims..=dims };
        all.extend(wide.rev().map(Self::Wide));
        all.extend((dims == 2 || dims == 3).then_some(Self::Diamond));
        all
    }
}

/// All templates by number of neighbours, those with fewer dimensions first.
static CATALOGUE: LazyLock<BTreeMap<usize, Vec<Template>>> = LazyLock::new(|| {
    let mut catalogue: BTreeMap<usize, Vec<Template>> = BTreeMap::new();
    for dims in 1..=MAX_DIMS {
        for shape in Shape::all(dims) {
            let class = std::array::from_fn(|d| shape.class(d));
            let all = (0..table_len(dims)).map(|i| at_index(i, dims));
            let steps: Vec<Steps> = all.filter(|s| shape.has(&s[..dims])).collect();
            for ring in rings(shape, dims) {
                let template = Template::of_steps(dims, ring, class, steps.iter().copied());
                let same = catalogue.entry(template.steps.len()).or_default();
                let known =
                    |t: &Template| (t.dims, t.ring, &t.steps) == (dims, ring, &template.steps);
                if !same.iter().any(known) {
                    same.push(template);
                }
            }
        }
    }
    catalogue
});

/// Templates where members have `degree` neighbours, for grids of `least` to `most` cells.
/// Templates without an endless dimension come first: they determine the number of cells, and so
/// either fit or are quickly rejected.
pub(super) fn with_degree(
    degree: usize,
    (least, most): (usize, usize),
) -> impl Iterator<Item = &'static Template> {
    let all = CATALOGUE.get(&degree).into_iter().flatten();
    let fit = all.filter(move |t| {
        let rings = t.ring.iter().filter(|&&k| k > 0);
        let short: usize = rings.map(|&k| k as usize).product();
        (least..=most)
            .any(|cells| cells.is_multiple_of(short) && (!t.is_closed() || cells == short))
    });
    let (closed, endless): (Vec<_>, Vec<_>) = fit.partition(|t| t.is_closed());
    closed.into_iter().chain(endless)
}

/// All choices of endless dimensions and short rings. Among equivalent dimensions, their order does
/// not matter.
fn rings(shape: Shape, dims: usize) -> Vec<[i32; MAX_DIMS]> {
    let mut all = vec![[0; MAX_DIMS]];
    for dim in 0..dims {
        let alike = dim > 0 && shape.class(dim) == shape.class(dim - 1);
        all = all
            .into_iter()
            .flat_map(|ring| {
                let choices = std::iter::once(0).chain(shape.rings().iter().copied());
                choices
                    .filter(move |&k| !alike || k >= ring[dim - 1])
                    .map(move |k| {
                        let mut ring = ring;
                        ring[dim] = k;
                        ring
                    })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: (usize, usize) = (1024, 1024);

    #[test]
    fn templates_without_an_endless_dimension_come_first() {
        let closed: Vec<bool> = with_degree(242, CELLS).map(Template::is_closed).collect();
        assert!(closed.contains(&true) && closed.is_sorted_by_key(|&closed| !closed));
    }

    #[test]
    fn boxes_of_rings_of_four_lead_where_the_endless_box_does() {
        let all: Vec<&Template> = with_degree(242, CELLS).collect();
        assert!(all.iter().all(|template| all[0].leads_where(template)));
    }

    #[test]
    fn grids_of_other_dimensions_lead_elsewhere() {
        let all: Vec<&Template> = with_degree(6, CELLS).collect();
        let of = |dims: usize, ring: i32| {
            let found = all
                .iter()
                .find(|t| t.dims == dims && t.ring[dims - 1] == ring);
            *found.expect("in the catalogue")
        };
        assert!(!of(3, 0).leads_where(of(4, 2)));
    }
}
