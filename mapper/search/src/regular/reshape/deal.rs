//! Grids dealt out over a box by halves, whatever the sizes.
//!
//! Every dimension of the box gets one or more dimensions of the grid, stacked with reflection, or
//! a piece of one that is cut. The box is halved along its longest side again and again, and the
//! cells are dealt to the halves in the order of their coordinate along it, by exact counts.
//! Nothing needs to divide, so this is how grids fit boxes with a few places to spare, or with none
//! and no common factor. k-d trees have been used so for coordinates of meshes (Deveci et al.,
//! "Multi-jagged", 2016); which dimension goes where is tried out.

use crate::regular::maps::{IndexMap, for_each_cell};
use crate::regular::target::Target;
use std::cmp::Ordering;

/// Ways to deal tried per box, those whose stacked sizes are most like the box's.
const TRIED: usize = 24;

/// Ways to cut the dimensions, and ways to hand the pieces out, that are looked at.
const CUTS: usize = 16;
const MOST: usize = 4096;

/// A digit of a source coordinate, reflected: `coordinate / fine % radix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    dim: usize,
    fine: usize,
    radix: usize,
}

impl Piece {
    fn value(&self, at: &[usize]) -> usize {
        let rest = at[self.dim] / self.fine;
        match (rest / self.radix).is_multiple_of(2) {
            true => rest % self.radix,
            false => self.radix - 1 - rest % self.radix,
        }
    }
}

/// One way to deal.
#[derive(Clone, Debug)]
pub(super) struct Deal {
    dims: Vec<usize>,
    /// The pieces stacked along every dimension of the box, finest first.
    stacks: Vec<Vec<Piece>>,
    ties: Ties,
}

/// Which of two cells goes first to a half when their coordinates along the cut are equal, and
/// which half gets the odd cell. No choice is best on every grid, so all of them are tried.
#[derive(Clone, Copy, Debug)]
struct Ties {
    /// Such cells go by their other coordinates in falling order, not in rising order.
    falling: bool,
    /// The last of the other coordinates counts first.
    last_first: bool,
    /// The first half gets the odd cell.
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

/// Ways to deal a grid out over a box, the most promising first.
pub(super) fn deals(dims: &[usize], target: &Target) -> Vec<Deal> {
    let sides = &target.sizes[..target.sizes.len() - 1];
    let mut found: Vec<(f64, Deal)> = Vec::new();
    for pieces in cuts(dims, sides) {
        let ways = sides.len().saturating_pow(pieces.len() as u32);
        for code in 0..ways.min(MOST) {
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
                found.push((mismatch, Deal { dims, stacks, ties }));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(TRIED);
    found.into_iter().map(|(_, deal)| deal).collect()
}

/// The dimensions as pieces, as many as the box has sides at least: the longest is cut to the
/// length of each side in turn.
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
        next.truncate(CUTS);
        if next.is_empty() {
            break;
        }
        found = next;
    }
    found
}

impl Deal {
    /// From the cells of the grid to the places in the box, which has room for them.
    pub(super) fn map(&self, target: &Target) -> IndexMap {
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

/// The coordinate along one dimension of the box.
fn stacked(stack: &[Piece], at: &[usize]) -> usize {
    let digits = stack.iter().map(|piece| (piece.value(at), piece.radix));
    crate::regular::digits::stack(digits)
}

struct Table<'a> {
    sides: &'a [usize],
    cores: usize,
    ties: Ties,
    image: Vec<u32>,
}

impl Table<'_> {
    /// Deals cells, given with their coordinates, to the box of `size` nodes from `low` on.
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
        let count = match self.ties.up {
            true => (cells.len() * share).div_ceil(nodes),
            false => cells.len() * share / nodes,
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
    use crate::regular::target::Geometry;
    use crate::testing::machine;

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
            let geometry = Geometry::of(&machine(spec, cores)).unwrap();
            for target in geometry.compact_boxes(cells, 4) {
                let deals = deals(dims, &target);
                assert!(!deals.is_empty());
                for deal in deals {
                    let mut image = deal.map(&target).image().to_vec();
                    image.sort_unstable();
                    image.dedup();
                    assert_eq!(
                        image.len(),
                        cells,
                        "{dims:?} on {spec}: {}",
                        deal.describe()
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
