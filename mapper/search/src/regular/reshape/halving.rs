//! Recursive halving of a box: cells are dealt to its halves by exact counts, whatever the sizes.
//!
//! Every dimension of the box gets a stack of grid dimensions, or of pieces of them, as its
//! coordinate. The box is halved along its longest side again and again, and the cells are divided
//! between the halves in the order of their coordinate along that side. No sizes have to divide, so
//! this also fits grids into boxes with a few slots to spare, or with sizes that share no factor.
//!
//! Source: k-d trees place meshes by their coordinates in Deveci et al., "Multi-jagged", 2016. New
//! here is that several assignments of grid dimensions to box dimensions are tried. Cost: O(n log
//! n) for each layout of n cells.

use crate::regular::maps::{IndexMap, for_each_cell};
use crate::regular::target::SlotBox;
use std::cmp::Ordering;

/// Layouts tried for each box: those whose stacked sizes are most similar to the sizes of the box.
const TRIED: usize = 24;

/// Most ways to cut the dimensions into pieces.
const MOST_CUTS: usize = 16;

/// Most ways to assign the pieces to the dimensions of the box.
const MOST_ASSIGNMENTS: usize = 4096;

/// A reflected digit of a source coordinate: `coordinate / fine % radix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    dim: usize,
    fine: usize,
    radix: usize,
}

impl Piece {
    fn value(&self, at: &[usize]) -> usize {
        let rest = at[self.dim] / self.fine;
        let digit = rest % self.radix;
        if (rest / self.radix).is_multiple_of(2) {
            digit
        } else {
            self.radix - 1 - digit
        }
    }
}

/// One assignment of pieces to the dimensions of a box, with a rule for ties.
#[derive(Clone, Debug)]
pub(super) struct HalvingLayout {
    dims: Vec<usize>,
    /// The pieces stacked along every dimension of the box, finest piece first.
    stacks: Vec<Vec<Piece>>,
    ties: Ties,
}

/// The order of cells whose coordinates along a cut are equal, and the half that gets an odd cell.
/// No rule is best on every grid, so all of them are tried.
#[derive(Clone, Copy, Debug)]
struct Ties {
    /// Whether cells with equal coordinates are sorted by falling instead of rising other
    /// coordinates.
    falling: bool,
    /// Whether the last of the other coordinates is compared first.
    last_first: bool,
    /// Whether the first half gets the odd cell.
    up: bool,
}

impl Ties {
    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self {
            falling: bits & 1 > 0,
            last_first: bits & 2 > 0,
            up: bits & 4 > 0,
        })
    }

    fn compare(self, a: &[usize], b: &[usize], dim: usize) -> Ordering {
        let others = (0..a.len()).map(|d| if self.last_first { a.len() - 1 - d } else { d });
        let order = others
            .filter(|&d| d != dim)
            .map(|d| a[d].cmp(&b[d]))
            .fold(Ordering::Equal, Ordering::then);
        let order = if self.falling { order.reverse() } else { order };
        a[dim].cmp(&b[dim]).then(order)
    }
}

/// The layouts of a grid in a box that are worth trying, the most promising first.
pub(super) fn layouts(dims: &[usize], target: &SlotBox) -> Vec<HalvingLayout> {
    let sides = &target.sizes[..target.sizes.len() - 1];
    let mut found: Vec<(f64, HalvingLayout)> = Vec::new();
    for pieces in cuts(dims, sides) {
        let ways = sides.len().saturating_pow(pieces.len() as u32);
        for code in 0..ways.min(MOST_ASSIGNMENTS) {
            let mut stacks = vec![Vec::new(); sides.len()];
            let mut rest = code;
            for &piece in &pieces {
                stacks[rest % sides.len()].push(piece);
                rest /= sides.len();
            }
            let sizes = stacks.iter().map(|s| s.iter().map(|p| p.radix).product());
            let unlike = |(size, &side): (usize, &usize)| (size as f64 / side as f64).ln().abs();
            let mismatch = sizes.zip(sides).map(unlike).sum();
            for ties in Ties::all() {
                let dims = dims.to_vec();
                let stacks = stacks.clone();
                found.push((mismatch, HalvingLayout { dims, stacks, ties }));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(TRIED);
    found.into_iter().map(|(_, layout)| layout).collect()
}

/// The dimensions divided into at least as many pieces as the box has sides. The longest piece is
/// cut to the length of each side in turn.
fn cuts(dims: &[usize], sides: &[usize]) -> Vec<Vec<Piece>> {
    let whole = |(dim, &radix): (usize, &usize)| Piece {
        dim,
        fine: 1,
        radix,
    };
    let mut found = vec![dims.iter().enumerate().map(whole).collect::<Vec<_>>()];
    for _ in dims.len()..sides.len() {
        let cut = |pieces: &Vec<Piece>| {
            let longest = (0..pieces.len()).max_by_key(|&p| pieces[p].radix);
            let longest = longest.unwrap_or_default();
            let piece = pieces[longest];
            let lengths = sides.iter().map(move |&side| piece.radix.div_ceil(side));
            let pieces = pieces.clone();
            lengths.filter(|&fine| fine > 1).map(move |fine| {
                let mut cut = pieces.clone();
                cut[longest].radix = fine;
                cut.push(Piece {
                    fine: piece.fine * fine,
                    radix: piece.radix.div_ceil(fine),
                    ..piece
                });
                cut
            })
        };
        let mut next: Vec<_> = found.iter().flat_map(cut).collect();
        next.dedup();
        next.truncate(MOST_CUTS);
        if next.is_empty() {
            break;
        }
        found = next;
    }
    found
}

impl HalvingLayout {
    /// The map from the cells of the grid to the slots of the box, which has at least as many.
    pub(super) fn map(&self, target: &SlotBox) -> IndexMap {
        let (sides, cores) = target.sizes.split_at(target.sizes.len() - 1);
        let mut cells = Vec::with_capacity(self.dims.iter().product());
        for_each_cell(&self.dims, |at| {
            let along = self.stacks.iter().map(|stack| stacked(stack, at));
            cells.push((along.collect(), cells.len()));
        });
        let mut table = Table {
            sides,
            cores: cores[0],
            ties: self.ties,
            image: vec![0; cells.len()],
        };
        table.deal(&mut cells, &vec![0; sides.len()], sides);
        IndexMap::new(self.dims.clone(), target.sizes.clone(), table.image)
    }

    pub(super) fn describe(&self) -> String {
        let stack = |stack: &Vec<Piece>| {
            let pieces: Vec<String> = stack
                .iter()
                .map(|p| match p.fine {
                    1 => format!("{} of {}", p.radix, self.dims[p.dim]),
                    _ => format!("{} pieces of {}", p.radix, self.dims[p.dim]),
                })
                .collect();
            format!("({})", pieces.join(" x "))
        };
        let stacks: Vec<String> = self.stacks.iter().map(stack).collect();
        format!("dealt by halves, {}", stacks.join(" by "))
    }
}

/// The coordinate of a cell along one dimension of the box.
fn stacked(stack: &[Piece], at: &[usize]) -> usize {
    let digits = stack.iter().map(|piece| (piece.value(at), piece.radix));
    crate::regular::digits::stack(digits)
}

/// The map under construction, and the box it leads to.
struct Table<'a> {
    sides: &'a [usize],
    cores: usize,
    ties: Ties,
    image: Vec<u32>,
}

impl Table<'_> {
    /// Divides cells, given with their coordinates, among the box of `size` nodes that begins at
    /// `low`.
    fn deal(&mut self, cells: &mut [(Vec<usize>, usize)], low: &[usize], size: &[usize]) {
        let nodes: usize = size.iter().product();
        if cells.is_empty() {
            return;
        }
        if nodes == 1 {
            let node = low.iter().zip(self.sides).fold(0, |n, (c, k)| n * k + c);
            for (core, (_, cell)) in cells.iter().enumerate() {
                self.image[*cell] = (node * self.cores + core) as u32;
            }
            return;
        }
        let longest = (0..size.len()).rev().max_by_key(|&d| size[d]);
        let dim = longest.unwrap_or_default();
        let (mut first, mut second) = (size.to_vec(), size.to_vec());
        first[dim] = size[dim] / 2;
        second[dim] = size[dim] - first[dim];
        let mut from = low.to_vec();
        from[dim] += first[dim];
        let share: usize = first.iter().product();
        let least = cells.len().saturating_sub((nodes - share) * self.cores);
        let count = if self.ties.up {
            (cells.len() * share).div_ceil(nodes)
        } else {
            cells.len() * share / nodes
        };
        let count = count.max(least).min(share * self.cores).min(cells.len());
        if count < cells.len() {
            let ties = self.ties;
            cells.select_nth_unstable_by(count, |a, b| {
                ties.compare(&a.0, &b.0, dim).then(a.1.cmp(&b.1))
            });
        }
        let (here, there) = cells.split_at_mut(count);
        self.deal(here, low, &first);
        self.deal(there, &from, &second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::target::MachineGeometry;
    use rankfold_problem::testing::machine;

    #[test]
    fn every_cell_gets_a_place_of_its_own_whatever_the_sizes() {
        for (dims, spec, cores) in [
            (&[5, 5, 5][..], "mesh:8x4x4", 1),
            (&[7, 11], "torus:4x4x5", 1),
            (&[3, 3, 5, 7], "mesh:7x7x7", 1),
            (&[7, 7, 7], "mesh:5x5", 14),
            (&[125], "torus:8x4x4", 1),
        ] {
            let cells: usize = dims.iter().product();
            let geometry = MachineGeometry::of(&machine(spec, cores)).unwrap();
            for target in geometry.compact_boxes(cells, 4) {
                let layouts = layouts(dims, &target);
                assert!(!layouts.is_empty());
                for layout in layouts {
                    let mut image = layout.map(&target).image().to_vec();
                    image.sort_unstable();
                    image.dedup();
                    assert_eq!(
                        image.len(),
                        cells,
                        "{dims:?} on {spec}: {}",
                        layout.describe()
                    );
                    assert!(
                        image
                            .last()
                            .is_some_and(|&last| (last as usize) < target.slots())
                    );
                }
            }
        }
    }
}
