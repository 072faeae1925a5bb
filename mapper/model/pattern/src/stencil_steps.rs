//! Steps between two cells, and the table of all steps of a stencil.

/// Most dimensions of a grid. Chosen by hand: programs hardly use more, and tables of all steps
/// grow with 5 to the power of the dimensions.
pub(super) const MAX_DIMS: usize = 5;

/// Most steps of a stencil along one dimension: wide stencils (as of fourth order) reach two cells.
pub(super) const REACH: i32 = 2;

const SIDE: usize = 2 * REACH as usize + 1;

/// Steps or coordinates along every dimension; zero beyond the grid's dimensions.
pub(super) type Steps = [i32; MAX_DIMS];

/// Number of entries in a table of all steps of a stencil in `dims` dimensions.
pub(super) fn table_len(dims: usize) -> usize {
    SIDE.pow(dims as u32)
}

/// Index of steps in this table; `None` if a step is too long.
pub(super) fn index(steps: &Steps, dims: usize) -> Option<usize> {
    steps[..dims].iter().try_fold(0, |index, &s| {
        (s.abs() <= REACH).then(|| index * SIDE + (s + REACH) as usize)
    })
}

/// The inverse of [`index`].
pub(super) fn at_index(mut index: usize, dims: usize) -> Steps {
    let mut steps = [0; MAX_DIMS];
    for step in steps[..dims].iter_mut().rev() {
        *step = (index % SIDE) as i32 - REACH;
        index /= SIDE;
    }
    steps
}

/// `a + b`.
pub(super) fn plus(a: &Steps, b: &Steps) -> Steps {
    std::array::from_fn(|d| a[d] + b[d])
}

/// `a - b`.
pub(super) fn minus(a: &Steps, b: &Steps) -> Steps {
    std::array::from_fn(|d| a[d] - b[d])
}

/// The short way round a ring of `k` cells; half of the ring is positive.
pub(super) fn short_way(step: i32, k: i32) -> i32 {
    // Most steps are shorter than the ring; a division would dominate the time of this function.
    let step = if step.abs() < k { step } else { step % k };
    match 2 * step {
        far if far > k => step - k,
        far if far <= -k => step + k,
        _ => step,
    }
}
