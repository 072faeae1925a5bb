//! Which neighbours a stencil includes: faces, edges, corners.

use super::Stencil;

/// Names of the neighbours that differ in one, two or three dimensions.
const CALLED: [&str; 3] = ["faces", "edges", "corners"];

impl Stencil {
    /// Whether messages can go round a dimension: it is a ring of more than two cells.
    #[must_use]
    pub fn rings(&self) -> Vec<bool> {
        let dimensions = self.dims.iter().zip(&self.periodic);
        dimensions.map(|(size, ring)| *ring && *size > 2).collect()
    }

    /// For every number of dimensions from 1 on: whether the stencil includes all neighbours that
    /// differ by one step in so many dimensions. `None` if it includes only some of these
    /// neighbours, or others.
    #[must_use]
    pub fn neighbours(&self) -> Option<Vec<bool>> {
        let dims = self.dims.len();
        let mut touched = vec![0; dims];
        for offset in &self.offsets {
            if offset.steps.iter().any(|step| step.abs() > 1) {
                return None;
            }
            let differs = offset.steps.iter().filter(|&&step| step != 0).count();
            *touched.get_mut(differs.checked_sub(1)?)? += 1;
        }
        let whole = |(at, touched): (usize, usize)| match touched {
            0 => Some(false),
            _ => (touched == self.offsets_of_order(at + 1)).then_some(true),
        };
        touched.into_iter().enumerate().map(whole).collect()
    }

    /// Whether the stencil is asymmetric: it includes an offset but not its mirror image. This
    /// happens for meshes of triangles, and where steps within and between blocks of ranks are
    /// mistaken for dimensions.
    pub(super) fn is_skewed(&self) -> bool {
        let has = |steps: &[i32]| {
            let opposite: Vec<i32> = steps.iter().map(|step| -step).collect();
            let mut all = self.offsets.iter().map(|offset| &offset.steps[..]);
            all.any(|known| known == steps || known == opposite)
        };
        self.offsets.iter().any(|offset| {
            let mut mirrors = (0..offset.steps.len()).map(|dim| {
                let mut mirrored = offset.steps.clone();
                // For a step of half a ring, both directions are the same.
                if 2 * mirrored[dim].unsigned_abs() as usize != self.dims[dim]
                    || !self.periodic[dim]
                {
                    mirrored[dim] = -mirrored[dim];
                }
                mirrored
            });
            mirrors.any(|mirrored| !has(&mirrored))
        })
    }

    /// Number of offsets that differ in `order` dimensions, counting opposites once. In a ring of
    /// two cells, both directions are the same.
    fn offsets_of_order(&self, order: usize) -> usize {
        let dims = self.dims.len();
        let chosen = (0u32..1 << dims).filter(|set| set.count_ones() as usize == order);
        chosen
            .map(|set| {
                let signed = (0..dims).filter(|d| set >> d & 1 == 1);
                let free = signed.filter(|&d| !(self.periodic[d] && self.dims[d] == 2));
                1 << free.count().saturating_sub(1)
            })
            .sum()
    }

    /// The neighbours in words, such as `faces, edges, corners`. `None` for more than three
    /// dimensions, unless only faces occur.
    #[must_use]
    pub fn neighbours_in_words(&self) -> Option<String> {
        let orders = self.neighbours()?;
        let touched: Vec<usize> = (0..orders.len()).filter(|&at| orders[at]).collect();
        let name = |&at: &usize| match (self.dims.len(), at) {
            (_, 0) => Some(CALLED[0]),
            // In two dimensions what differs in both is a corner.
            (2, 1) => Some(CALLED[2]),
            (3, _) => Some(CALLED[at]),
            _ => None,
        };
        let words: Option<Vec<&str>> = touched.iter().map(name).collect();
        Some(words?.join(", ")).filter(|words| !words.is_empty())
    }
}
