//! A bounded grid with sizes and rings, and the members in its cells.

use super::MemberCells;
use super::template::Template;
use crate::adjacency::Adjacency;
use crate::stencil_steps::{MAX_DIMS, Steps, plus};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most rounds in which misplaced members look for a better cell. Chosen by hand.
const REPAIRS: usize = 6;

/// A layout is repaired only if at least this share of the edges fit, and of the edges that the
/// grid would have. Layouts that were accepted in `scripts/bench analyser --worlds` with 0, 1, 5
/// and 20 % of noise had 0.64 or more (commit 2e54fa6).
const SOUND: f64 = 0.6;

/// A member stays if it is next to this share of its placed neighbours. Its other neighbours are
/// strays, or misplaced themselves. Chosen by hand (commit 2e54fa6).
const WELL: f64 = 0.9;

/// How one dimension ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// `size` cells, starting at `first`.
    Open { first: i32, size: i32 },
    /// A ring: `size` cells, then the first one again.
    Ring { size: i32 },
}

impl Extent {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Open { size, .. } | Self::Ring { size } => size as usize,
        }
    }

    /// Coordinate in the bounded grid; `None` beyond its end.
    fn fold(self, at: i32) -> Option<i32> {
        match self {
            Self::Ring { size } => Some(at.rem_euclid(size)),
            Self::Open { first, size } => Some(at - first).filter(|c| (0..size).contains(c)),
        }
    }
}

/// Members in a bounded grid.
pub(super) struct Finite<'a> {
    adjacency: &'a Adjacency,
    /// The stencil with all rings closed.
    stencil: Template,
    grid: Vec<Extent>,
    at: Vec<Option<Steps>>,
    taken: Vec<Option<u32>>,
    /// Number of edges that are steps of the stencil.
    fitting: usize,
}

impl<'a> Finite<'a> {
    pub(super) fn new(
        adjacency: &'a Adjacency,
        template: &'a Template,
        endless: &[Option<Steps>],
        grid: Vec<Extent>,
    ) -> Self {
        let rings = std::array::from_fn(|d| match grid.get(d) {
            Some(&Extent::Ring { size }) => size,
            _ => 0,
        });
        let mut finite = Self {
            adjacency,
            stencil: template.closed(rings),
            taken: Vec::new(),
            at: vec![None; endless.len()],
            fitting: 0,
            grid,
        };
        finite.taken = vec![None; finite.size()];
        for (member, at) in endless.iter().enumerate() {
            if let Some(cell) = at.and_then(|at| finite.fold(&at)) {
                finite.put(member, cell);
            }
        }
        finite.fitting = adjacency
            .edges()
            .filter(|&(a, b)| finite.fits(a, b))
            .count();
        finite
    }

    /// Number of cells.
    fn size(&self) -> usize {
        self.grid.iter().map(|e| e.size()).product()
    }

    /// Whether too few edges fit, or too few of the edges that the grid would have exist, for a
    /// repair to help.
    pub(super) fn is_weak(&self) -> bool {
        let most = self.adjacency.edges().count().max(self.pairs());
        (self.fitting as f64) < SOUND * most as f64
    }

    /// Number of fitting edges, less the edges that the grid would have and that do not exist.
    pub(super) fn fit(&self) -> i64 {
        2 * self.fitting as i64 - self.pairs() as i64
    }

    /// Number of pairs of neighbouring cells.
    fn pairs(&self) -> usize {
        let ends = self.stencil.steps.iter().map(|step| self.cells_with(step));
        ends.sum::<usize>() / 2
    }

    /// Number of cells from which a step does not leave the grid.
    fn cells_with(&self, step: &Steps) -> usize {
        let along = self.grid.iter().zip(step);
        along
            .map(|(extent, step)| match *extent {
                Extent::Open { size, .. } => (size - step.abs()).max(0) as usize,
                Extent::Ring { size } => size as usize,
            })
            .product()
    }

    fn fold(&self, at: &Steps) -> Option<Steps> {
        let mut folded = [0; MAX_DIMS];
        for (d, extent) in self.grid.iter().enumerate() {
            folded[d] = extent.fold(at[d])?;
        }
        Some(folded)
    }

    fn index(&self, at: &Steps) -> usize {
        let along = self.grid.iter().zip(at);
        along.fold(0, |index, (extent, &c)| index * extent.size() + c as usize)
    }

    /// Puts a member into a cell, unless another member has it.
    fn put(&mut self, member: usize, cell: Steps) {
        let index = self.index(&cell);
        if self.taken[index].is_none() {
            self.taken[index] = Some(member as u32);
            self.at[member] = Some(cell);
        }
    }

    fn fits(&self, a: u32, b: u32) -> bool {
        let (Some(a), Some(b)) = (self.at[a as usize], self.at[b as usize]) else {
            return false;
        };
        self.adjacent(&a, &b)
    }

    fn adjacent(&self, a: &Steps, b: &Steps) -> bool {
        self.stencil.adjacent(a, b)
    }

    fn around<'s>(&'s self, at: &'s Steps) -> impl Iterator<Item = Steps> + 's {
        let moved = self.stencil.steps.iter().map(|step| plus(at, step));
        moved.filter_map(|at| {
            let mut at = at;
            for (d, extent) in self.grid.iter().enumerate() {
                at[d] = match *extent {
                    Extent::Open { size, .. } => Some(at[d]).filter(|c| (0..size).contains(c))?,
                    Extent::Ring { size } => at[d].rem_euclid(size),
                };
            }
            Some(at)
        })
    }

    /// Places the remaining members. Each takes the free cell that has most of its neighbours
    /// around it. Members without placed neighbours, hubs among them, take the cells that remain.
    pub(super) fn filled(mut self) -> Self {
        let free = (0..self.size()).filter(|&c| self.taken[c].is_none());
        let mut wishes: Vec<(usize, u32, usize)> = Vec::new();
        for cell in free {
            let votes = self.votes(cell).into_iter();
            wishes.extend(votes.map(|(member, votes)| (votes, member, cell)));
        }
        wishes.sort_by_key(|&(votes, member, cell)| (Reverse(votes), member, cell));
        for (_, member, cell) in wishes {
            if self.at[member as usize].is_none() {
                self.put(member as usize, self.coordinates(cell));
            }
        }
        let mut free = (0..self.size())
            .filter(|&c| self.taken[c].is_none())
            .collect::<Vec<_>>();
        for member in (0..self.at.len())
            .rev()
            .filter(|&m| self.at[m].is_none())
            .collect::<Vec<_>>()
        {
            if let Some(cell) = free.pop() {
                self.put(member, self.coordinates(cell));
            }
        }
        self
    }

    /// Exchanges members whose edges do not all fit, as long as more edges fit afterwards.
    pub(super) fn repaired(mut self) -> Self {
        for _ in 0..REPAIRS {
            let mut moved = false;
            for member in 0..self.at.len() as u32 {
                moved |= self.repair(member);
            }
            if !moved {
                break;
            }
        }
        self
    }

    /// Moves a member to the cell that fits it best, if the member there loses less by the
    /// exchange.
    fn repair(&mut self, member: u32) -> bool {
        let Some(here) = self.at[member as usize] else {
            return false;
        };
        let around = self.adjacency.of_member(member).iter();
        let placed: Vec<Steps> = around.filter_map(|&m| self.at[m as usize]).collect();
        let fitting = placed.iter().filter(|at| self.adjacent(at, &here)).count();
        if fitting as f64 >= WELL * placed.len() as f64 {
            return false;
        }
        let mut votes: Vec<usize> = Vec::new();
        for at in &placed {
            votes.extend(self.around(at).map(|cell| self.index(&cell)));
        }
        votes.sort_unstable();
        let votes = votes.chunk_by(|a, b| a == b);
        let votes = votes.map(|same| (self.coordinates(same[0]), same.len()));
        let votes: Vec<(Steps, usize)> = votes.filter(|(cell, _)| *cell != here).collect();
        let most = votes.iter().map(|&(_, votes)| votes).max().unwrap_or(0);
        let wanted = votes.into_iter().filter(|&(_, v)| v + 1 >= most);
        let best = wanted
            .map(|(cell, _)| (self.gain(member, &here, &cell), cell))
            .max();
        let Some((1.., there)) = best else {
            return false;
        };
        self.exchange(member, here, there);
        true
    }

    /// Number of additional edges that fit after a member has exchanged cells with the member at
    /// `there`, if any.
    fn gain(&self, member: u32, here: &Steps, there: &Steps) -> i64 {
        let other = self.taken[self.index(there)];
        let sum = |of_member: &Steps, of_other: &Steps| {
            self.suits(member, of_member) + other.map_or(0, |m| self.suits(m, of_other))
        };
        // The edge between the two members fits as before, but both sums looked for it at the old
        // cells.
        let between =
            other.filter(|&m| self.adjacency.adjacent(m, member) && self.adjacent(here, there));
        let kept = 2 * i64::from(between.is_some());
        sum(there, here) as i64 + kept - sum(here, there) as i64
    }

    fn exchange(&mut self, member: u32, here: Steps, there: Steps) {
        let (from, to) = (self.index(&here), self.index(&there));
        let other = self.taken[to].replace(member);
        self.taken[from] = other;
        self.at[member as usize] = Some(there);
        if let Some(other) = other {
            self.at[other as usize] = Some(here);
        }
    }

    /// Number of edges of a member that would fit if it were in this cell.
    fn suits(&self, member: u32, cell: &Steps) -> usize {
        let around = self.adjacency.of_member(member).iter();
        let placed = around.filter_map(|&m| self.at[m as usize]);
        placed.filter(|at| self.adjacent(at, cell)).count()
    }

    /// Members without a cell, by the number of their neighbours around this cell.
    fn votes(&self, cell: usize) -> BTreeMap<u32, usize> {
        let at = self.coordinates(cell);
        let mut votes = BTreeMap::new();
        for placed in self.around(&at).filter_map(|c| self.taken[self.index(&c)]) {
            for &member in self.adjacency.of_member(placed) {
                if self.at[member as usize].is_none() {
                    *votes.entry(member).or_default() += 1;
                }
            }
        }
        votes
    }

    fn coordinates(&self, cell: usize) -> Steps {
        let dims: Vec<usize> = self.grid.iter().map(|e| e.size()).collect();
        crate::grid_fit::coordinates(cell, &dims)
    }

    /// The cells of all members, with the longest dimension first.
    pub(super) fn layout(&self) -> MemberCells {
        let mut order: Vec<usize> = (0..self.grid.len()).collect();
        order.sort_by_key(|&d| Reverse(self.grid[d].size()));
        let dims: Vec<usize> = order.iter().map(|&d| self.grid[d].size()).collect();
        let cell = |at: &Steps| {
            let along = order.iter().zip(&dims);
            along.fold(0, |cell, (&d, &k)| cell * k as u32 + at[d] as u32)
        };
        MemberCells {
            cells: self.at.iter().map(|at| at.as_ref().map(cell)).collect(),
            dims,
        }
    }
}
