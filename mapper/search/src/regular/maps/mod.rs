//! One-to-one maps between the cells of boxes, the building blocks of grid-to-grid mapping.
//!
//! Each submodule maps a line or a plane into a plane in O(cells). [`IndexMap`] applies such a map
//! along one or two dimensions of a larger box, and chains maps.

pub(super) mod cycle;
pub(super) mod helix;
pub(super) mod squeeze;

/// A one-to-one map of the cells of one box into the cells of another, as a table.
///
/// Cells are numbered with the last dimension fastest. The target box may have more cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexMap {
    from: Vec<usize>,
    to: Vec<usize>,
    image: Vec<u32>,
}

impl IndexMap {
    /// The map that sends cell `i` of a box of sizes `from` to cell `image[i]` of a box of sizes
    /// `to`.
    pub(super) fn new(from: Vec<usize>, to: Vec<usize>, image: Vec<u32>) -> Self {
        debug_assert_eq!(from.iter().product::<usize>(), image.len());
        Self { from, to, image }
    }

    /// The map that keeps every coordinate; `to` is at least as large as `from` in every dimension.
    pub(super) fn pad(from: &[usize], to: &[usize]) -> Self {
        let strides = strides(to);
        let mut image = Vec::with_capacity(from.iter().product());
        for_each_cell(from, |at| {
            image.push(dot(at, &strides) as u32);
        });
        Self::new(from.to_vec(), to.to_vec(), image)
    }

    /// Sizes of the target box.
    pub(super) fn to(&self) -> &[usize] {
        &self.to
    }

    /// The target cell of every source cell.
    pub(super) fn image(&self) -> &[u32] {
        &self.image
    }

    /// This map followed by `next`; the target box of this map is the source box of `next`.
    pub(super) fn then(&self, next: &Self) -> Self {
        debug_assert_eq!(self.to, next.from);
        let image = self.image.iter().map(|&c| next.image[c as usize]);
        Self::new(self.from.clone(), next.to.clone(), image.collect())
    }

    /// This map of a plane, applied along dimensions `i` and `j` of the box `from`.
    pub(super) fn along(&self, from: &[usize], (i, j): (usize, usize)) -> Self {
        debug_assert_eq!(self.from, [from[i], from[j]]);
        let mut to = from.to_vec();
        (to[i], to[j]) = (self.to[0], self.to[1]);
        let strides = strides(&to);
        let mut image = Vec::with_capacity(from.iter().product());
        for_each_cell(from, |at| {
            let plane = self.image[at[i] * from[j] + at[j]] as usize;
            let others = dot(at, &strides) - at[i] * strides[i] - at[j] * strides[j];
            let (a, b) = (plane / self.to[1], plane % self.to[1]);
            image.push((others + a * strides[i] + b * strides[j]) as u32);
        });
        Self::new(from.to_vec(), to, image)
    }

    /// This map of a line into a plane, applied along dimension `dim` of the box `from`. The
    /// plane's first dimension replaces `dim`; its second dimension becomes a new last dimension.
    pub(super) fn unrolled(&self, from: &[usize], dim: usize) -> Self {
        debug_assert_eq!(self.from, [from[dim]]);
        let mut to = from.to_vec();
        to[dim] = self.to[0];
        to.push(self.to[1]);
        let strides = strides(&to);
        let mut image = Vec::with_capacity(from.iter().product());
        for_each_cell(from, |at| {
            let plane = self.image[at[dim]] as usize;
            let others = dot(at, &strides) - at[dim] * strides[dim];
            image.push((others + plane / self.to[1] * strides[dim] + plane % self.to[1]) as u32);
        });
        Self::new(from.to_vec(), to, image)
    }
}

#[cfg(test)]
impl IndexMap {
    /// The source cell of every target cell; `None` where no cell is mapped.
    pub(super) fn preimage(&self) -> Vec<Option<u32>> {
        let mut preimage = vec![None; self.to.iter().product()];
        for (cell, &image) in self.image.iter().enumerate() {
            preimage[image as usize] = Some(cell as u32);
        }
        preimage
    }
}

/// Calls `visit` with the coordinates of every cell of a box, in the order of the cell numbers.
pub(super) fn for_each_cell(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut at = vec![0; sizes.len()];
    for _ in 0..sizes.iter().product() {
        visit(&at);
        for (c, &size) in at.iter_mut().zip(sizes).rev() {
            *c += 1;
            if *c < size {
                break;
            }
            *c = 0;
        }
    }
}

/// For every dimension, by how much the cell number grows in one step along it.
pub(super) fn strides(sizes: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; sizes.len()];
    for dim in (1..sizes.len()).rev() {
        strides[dim - 1] = strides[dim] * sizes[dim];
    }
    strides
}

pub(super) fn dot(at: &[usize], strides: &[usize]) -> usize {
    at.iter().zip(strides).map(|(c, s)| c * s).sum()
}

#[cfg(test)]
mod tests;
