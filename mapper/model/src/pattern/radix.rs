//! Offset histogram: grids whose ranks are numbered by rows, or by blocks of any depth.
//!
//! Read a rank as digits of a mixed radix, each counting along one dimension. A step along a
//! dimension that does not carry changes the rank by the stride of the dimension's lowest digit; a
//! carry into the next digit of the same dimension changes it by that digit's stride less all the
//! lower digits give back. So every digit is a line in the histogram of rank differences, at a
//! known place and of a known height. Row order is one digit per dimension.
//!
//! The digits are found from the fastest on by depth-first search; traffic with a root and stray
//! messages have differences that occur once and hide no line.

use super::numbering::{Digit, Numbering};
use super::stencil_steps::MOST_DIMS;
use super::traffic::PairTraffic;

/// Share of a line's height that must be there.
const LINE: f64 = 0.9;

/// Share of all pairs from which a graph is rather an all-to-all than a grid; for worlds above
/// [`TINY`] ranks, since below every graph is dense.
const DENSE: f64 = 0.75;
const TINY: usize = 3;

/// Most numberings looked at.
const MOST: usize = 16;

/// Most digits tried in one search: dense histograms would allow too many.
const BUDGET: usize = 100_000;

/// A way to read member numbers as cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Radix {
    /// Size of every dimension, in the order in which their slowest digits come.
    pub(super) dims: Vec<usize>,
    /// The slowest first.
    pub(super) digits: Vec<Digit>,
}

impl Radix {
    /// Plain rows.
    pub(super) fn rows(dims: Vec<usize>) -> Self {
        let digits = dims.iter().enumerate();
        Self {
            digits: digits.map(|(dim, &size)| Digit { dim, size }).collect(),
            dims,
        }
    }

    /// Whether members are numbered by plain rows.
    pub(super) fn is_rows(&self) -> bool {
        self.digits.len() == self.dims.len()
    }

    /// The numbering that reads members so.
    pub(super) fn numbering(&self) -> Numbering {
        match self.is_rows() {
            true => Numbering::Rows,
            false => Numbering::Blocks {
                digits: self.digits.clone(),
            },
        }
    }
}

/// Every numbering whose lines are all there; those with the fewest digits, then those that explain
/// most pairs, come first.
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

/// Whether so many pairs talk that this is rather an all-to-all.
pub(super) fn is_dense(traffic: &PairTraffic) -> bool {
    let members = traffic.members();
    members > TINY && traffic.pairs.len() as f64 > DENSE * (members * (members - 1) / 2) as f64
}

/// Pairs by the difference of their numbers.
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

/// A dimension while its digits are being found.
#[derive(Clone, Copy)]
struct Axis {
    /// Product of its digits' sizes.
    size: usize,
    /// The greatest number its digits add to a rank.
    top: usize,
}

impl DigitSearch {
    /// Adds every digit that may come next, above those found, whose stride is `stride`.
    fn extend(&mut self, axes: &mut Vec<Axis>, digits: &mut Vec<Digit>, stride: usize, seen: u64) {
        if stride == self.members {
            self.found.push((seen, radix(axes, digits)));
            return;
        }
        let last = digits.last().map(|d| d.dim);
        let candidates = axes.len() + usize::from(axes.len() < MOST_DIMS);
        // Two digits of one dimension next to each other are one digit.
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

/// Dimensions renamed in the order in which they appear from the slowest digit on.
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
