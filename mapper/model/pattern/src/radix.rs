//! Grids whose ranks are numbered by rows, or by blocks of any depth, found in the histogram of
//! rank differences.
//!
//! Idea: read a rank as digits of a mixed radix, each counting along one dimension. A step along a
//! dimension that does not carry changes the rank by the stride of the dimension's lowest digit. A
//! carry into the next digit of the same dimension changes it by the stride of that digit, less
//! what the lower digits give back. So every digit is a line in the histogram of rank differences,
//! at a known place and of a known height. Row order is one digit per dimension.
//!
//! ```text
//! 4 x 3 grid in rows            histogram of rank differences
//!  0  1  2                      1: 8 pairs   digit of size 3 and stride 1, 2/3 x 12 pairs
//!  3  4  5                      2: 0
//!  6  7  8                      3: 9 pairs   digit of size 4 and stride 3, 3/4 x 12 pairs
//!  9 10 11                      4: 0 ..
//! ```
//!
//! The digits are found from the fastest on by depth-first search. Traffic with a root and stray
//! messages have differences that occur only once, and so hide no line. The method is the project's
//! own. Cost: O(pairs) for the histogram, and at most [`BUDGET`] steps of the search.

use super::numbering::{Digit, Numbering};
use super::stencil_steps::MAX_DIMS;
use super::traffic::PairTraffic;

/// Least share of a line's height that must be present. Chosen by hand (see
/// [thresholds](super#thresholds-and-their-evidence)).
const LINE: f64 = 0.9;

/// A graph with more than this share of all pairs counts as an all-to-all, not a grid. Graphs of up
/// to [`TINY`] ranks are exempt, since all of them are dense. Chosen by hand.
const DENSE: f64 = 0.75;
const TINY: usize = 3;

/// Most numberings that are verified. Chosen by hand.
const MOST: usize = 16;

/// Most digits tried in one search, since dense histograms have too many combinations. Chosen by
/// hand; not measured.
const BUDGET: usize = 100_000;

/// A way to read member numbers as cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Radix {
    /// Size of every dimension, in the order of their slowest digits.
    pub(super) dims: Vec<usize>,
    /// The digits, the slowest first.
    pub(super) digits: Vec<Digit>,
}

impl Radix {
    /// Plain row order.
    pub(super) fn rows(dims: Vec<usize>) -> Self {
        let digits = dims.iter().enumerate();
        Self {
            digits: digits.map(|(dim, &size)| Digit { dim, size }).collect(),
            dims,
        }
    }

    /// Whether members are numbered in plain row order.
    pub(super) fn is_rows(&self) -> bool {
        self.digits.len() == self.dims.len()
    }

    /// The equivalent numbering.
    pub(super) fn numbering(&self) -> Numbering {
        if self.is_rows() {
            Numbering::Rows
        } else {
            Numbering::Blocks {
                digits: self.digits.clone(),
            }
        }
    }
}

/// All numberings whose lines are present. Those with fewest digits come first, then those that
/// explain most pairs.
pub(super) fn numberings(traffic: &PairTraffic) -> Vec<Radix> {
    let members = traffic.members();
    if members < 2 || is_dense(traffic) {
        return Vec::new();
    }
    let mut search = DigitSearch {
        members,
        histogram: histogram(traffic),
        found: Vec::new(),
        budget: BUDGET,
    };
    search.extend(&mut Vec::new(), &mut Vec::new(), 1, 0);
    let mut found = search.found;
    found.sort_by_key(|(height, radix)| (radix.digits.len(), std::cmp::Reverse(*height)));
    found
        .into_iter()
        .take(MOST)
        .map(|(_, radix)| radix)
        .collect()
}

/// Whether so many pairs exchange bytes that the graph counts as an all-to-all.
pub(super) fn is_dense(traffic: &PairTraffic) -> bool {
    let members = traffic.members();
    members > TINY && traffic.pairs.len() as f64 > DENSE * (members * (members - 1) / 2) as f64
}

/// Number of pairs by the difference of their member numbers.
fn histogram(traffic: &PairTraffic) -> Vec<u32> {
    let mut count = vec![0; traffic.members()];
    for p in &traffic.pairs {
        count[(p.high - p.low) as usize] += 1;
    }
    count
}

struct DigitSearch {
    members: usize,
    histogram: Vec<u32>,
    found: Vec<(u64, Radix)>,
    budget: usize,
}

/// A dimension whose digits are being searched.
#[derive(Clone, Copy)]
struct Axis {
    /// Product of the sizes of its digits.
    size: usize,
    /// The greatest number that its digits add to a rank.
    top: usize,
}

impl DigitSearch {
    /// Tries all digits of stride `stride` that may follow the digits found so far.
    fn extend(&mut self, axes: &mut Vec<Axis>, digits: &mut Vec<Digit>, stride: usize, seen: u64) {
        if stride == self.members {
            self.found.push((seen, radix(axes, digits)));
            return;
        }
        let last = digits.last().map(|d| d.dim);
        let candidates = axes.len() + usize::from(axes.len() < MAX_DIMS);
        // Two adjacent digits of the same dimension would be one digit.
        for dim in (0..candidates).filter(|&dim| Some(dim) != last) {
            let axis = axes.get(dim).copied().unwrap_or(Axis { size: 1, top: 0 });
            let height = self.histogram[stride - axis.top];
            let most = f64::from(height) * axis.size as f64 / (LINE * self.members as f64);
            for size in divisors(self.members / stride) {
                if 1.0 - 1.0 / size as f64 > most || self.budget == 0 {
                    break;
                }
                self.budget -= 1;
                let grown = Axis {
                    size: axis.size * size,
                    top: axis.top + (size - 1) * stride,
                };
                let undo = (axes.len(), axis);
                match axes.get_mut(dim) {
                    Some(axis) => *axis = grown,
                    None => axes.push(grown),
                }
                digits.push(Digit { dim, size });
                self.extend(axes, digits, stride * size, seen + u64::from(height));
                digits.pop();
                axes.truncate(undo.0);
                if let Some(axis) = axes.get_mut(dim) {
                    *axis = undo.1;
                }
            }
        }
    }
}

/// Divisors from 2 on, ascending.
fn divisors(n: usize) -> Vec<usize> {
    let small: Vec<usize> = (1..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).collect();
    let large = small.iter().rev().map(|d| n / d);
    let mut all: Vec<usize> = small.iter().copied().chain(large).skip(1).collect();
    all.dedup();
    all
}

/// Renumbers the dimensions in the order in which they first appear, from the slowest digit on.
fn radix(axes: &[Axis], digits: &[Digit]) -> Radix {
    let mut order: Vec<usize> = Vec::new();
    for digit in digits.iter().rev() {
        if !order.contains(&digit.dim) {
            order.push(digit.dim);
        }
    }
    let name = |dim: usize| order.iter().position(|&d| d == dim).unwrap_or_default();
    Radix {
        dims: order.iter().map(|&dim| axes[dim].size).collect(),
        digits: digits
            .iter()
            .rev()
            .map(|d| Digit {
                dim: name(d.dim),
                size: d.size,
            })
            .collect(),
    }
}
