//! From an endless grid to a finite one: sizes, rings, and members that growth left out.

use super::MemberCells;
use super::growth::Growth;
use super::template::Template;
use crate::pattern::net::Net;
use crate::pattern::stencil_steps::{MOST_DIMS, Steps, minus, plus};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Share of the cells that may be empty.
const GAPS: f64 = 0.03;

/// Layers at the ends of a dimension with less than these shares of the usual number of members may be
/// slips of growth.
const THIN: [f64; 3] = [0.0, 0.2, 0.6];

/// Times everybody who sits badly looks for a better cell.
const REPAIRS: usize = 6;

/// A ring's length needs this share of the votes of the length with the most.
const VOTED: f64 = 0.25;

/// Shortest ring that is not part of the template.
const SHORTEST: i32 = 3;

/// How one dimension ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Cells from `first` on.
    Open { first: i32, size: i32 },
    /// A ring: after `size` cells comes the first one again.
    Ring { size: i32 },
}

impl Extent {
    fn size(self) -> usize {
        match self {
            Self::Open { size, .. } | Self::Ring { size } => size as usize,
        }
    }

    /// Coordinate in the finite grid; `None` beyond its end.
    fn fold(self, at: i32) -> Option<i32> {
        match self {
            Self::Ring { size } => Some(at.rem_euclid(size)),
            Self::Open { first, size } => Some(at - first).filter(|c| (0..size).contains(c)),
        }
    }
}

/// The finite grid that most edges fit, with everybody in it.
pub(super) fn cells(net: &Net, template: &Template, growth: Growth<'_>) -> Option<MemberCells> {
    let at = growth.at;
    let wraps = wraps(net, template, &at);
    let choices: Vec<Vec<Extent>> = (0..template.dims)
        .map(|d| extents(d, template, &at, &wraps[d]))
        .collect();
    let room = net.grown()..=net.members() + (GAPS * net.members() as f64) as usize;
    let grids = combinations(&choices)
        .into_iter()
        .filter(|grid| room.contains(&grid.iter().map(|e| e.size()).product()));
    let finite = grids.map(|grid| Finite::new(net, template, &at, grid));
    let best = finite.max_by_key(Finite::fit)?;
    Some(best.filled().repaired().layout())
}

/// Lengths that would make steps of the edges that are none, by dimension, with their votes.
fn wraps(net: &Net, template: &Template, at: &[Option<Steps>]) -> Vec<BTreeMap<i32, usize>> {
    let mut votes = vec![BTreeMap::new(); template.dims];
    for (a, b) in net.edges() {
        let (Some(from), Some(to)) = (at[a as usize], at[b as usize]) else {
            continue;
        };
        if template.adjacent(&from, &to) {
            continue;
        }
        let apart = minus(&to, &from);
        for step in &template.steps {
            let rest = template.reduced(&minus(&apart, step));
            let mut along = (0..template.dims).filter(|&d| rest[d] != 0);
            if let (Some(dim), None) = (along.next(), along.next()) {
                *votes[dim].entry(rest[dim].abs()).or_default() += 1;
            }
        }
    }
    votes
}

/// Ways in which a dimension may end.
fn extents(
    dim: usize,
    template: &Template,
    at: &[Option<Steps>],
    votes: &BTreeMap<i32, usize>,
) -> Vec<Extent> {
    if template.ring[dim] > 0 {
        let size = template.ring[dim];
        return vec![Extent::Ring { size }];
    }
    let mut layers: BTreeMap<i32, usize> = BTreeMap::new();
    for at in at.iter().flatten() {
        *layers.entry(at[dim]).or_default() += 1;
    }
    let mut usual: Vec<usize> = layers.values().copied().collect();
    usual.sort_unstable();
    let usual = usual[usual.len() / 2] as f64;
    let mut open = Vec::new();
    for thin in THIN {
        layers.retain(|_, &mut members| members as f64 >= thin * usual);
        let ends = layers.keys().next().zip(layers.keys().next_back());
        open.extend(ends.map(|(&first, &last)| Extent::Open {
            first,
            size: last - first + 1,
        }));
    }
    open.dedup();
    let most = votes.values().copied().max().unwrap_or(0) as f64;
    let rings = votes
        .iter()
        .filter(|&(&size, &count)| size >= SHORTEST && count as f64 >= VOTED * most)
        .map(|(&size, _)| Extent::Ring { size });
    open.into_iter().chain(rings).collect()
}

/// One extent for every dimension, in every way.
fn combinations(choices: &[Vec<Extent>]) -> Vec<Vec<Extent>> {
    choices.iter().fold(vec![Vec::new()], |grids, extents| {
        let longer = |grid: &Vec<Extent>| -> Vec<Vec<Extent>> {
            let each = extents.iter();
            each.map(|&e| [&grid[..], &[e]].concat()).collect()
        };
        grids.iter().flat_map(longer).collect()
    })
}

/// Members in a finite grid.
struct Finite<'a> {
    net: &'a Net,
    /// The stencil with all rings closed.
    stencil: Template,
    grid: Vec<Extent>,
    at: Vec<Option<Steps>>,
    taken: Vec<Option<u32>>,
    /// Edges that are steps of the template.
    fitting: usize,
}

impl<'a> Finite<'a> {
    fn new(
        net: &'a Net,
        template: &'a Template,
        endless: &[Option<Steps>],
        grid: Vec<Extent>,
    ) -> Self {
        let rings = std::array::from_fn(|d| match grid.get(d) {
            Some(&Extent::Ring { size }) => size,
            _ => 0,
        });
        let mut finite = Self {
            net,
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
        finite.fitting = net.edges().filter(|&(a, b)| finite.fits(a, b)).count();
        finite
    }

    /// Number of cells.
    fn size(&self) -> usize {
        self.grid.iter().map(|e| e.size()).product()
    }

    /// Fitting edges, less those that the grid would have but are not there.
    fn fit(&self) -> i64 {
        let ends = (0..self.size()).map(|cell| self.around(&self.coordinates(cell)).count());
        2 * self.fitting as i64 - (ends.sum::<usize>() / 2) as i64
    }

    fn fold(&self, at: &Steps) -> Option<Steps> {
        let mut folded = [0; MOST_DIMS];
        for (d, extent) in self.grid.iter().enumerate() {
            folded[d] = extent.fold(at[d])?;
        }
        Some(folded)
    }

    fn index(&self, at: &Steps) -> usize {
        let along = self.grid.iter().zip(at);
        along.fold(0, |index, (extent, &c)| index * extent.size() + c as usize)
    }

    /// A member stays without a cell if another one has it.
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

    /// Members left over take the free cells that most of their neighbours are next to; those nobody
    /// speaks for, hubs among them, the cells left.
    fn filled(mut self) -> Self {
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

    /// Members whose edges do not all fit change places where more edges fit then.
    fn repaired(mut self) -> Self {
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

    /// Moves a member to the cell that suits it best, if whoever is there loses less by the exchange.
    fn repair(&mut self, member: u32) -> bool {
        let Some(here) = self.at[member as usize] else {
            return false;
        };
        let around = self.net.of_member(member).iter();
        let placed: Vec<Steps> = around.filter_map(|&m| self.at[m as usize]).collect();
        if placed.iter().all(|at| self.adjacent(at, &here)) {
            return false;
        }
        let mut votes: BTreeMap<Steps, usize> = BTreeMap::new();
        for at in &placed {
            for cell in self.around(at).filter(|c| *c != here) {
                *votes.entry(cell).or_default() += 1;
            }
        }
        let most = votes.values().copied().max().unwrap_or(0);
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

    /// Edges that fit only after a member has exchanged cells with whoever is in the other one.
    fn gain(&self, member: u32, here: &Steps, there: &Steps) -> i64 {
        let other = self.taken[self.index(there)];
        let sum = |of_member: &Steps, of_other: &Steps| {
            self.suits(member, of_member) + other.map_or(0, |m| self.suits(m, of_other))
        };
        // The edge between the two fits as before, but each was looked for where it no longer is.
        let between = other.filter(|&m| self.net.adjacent(m, member) && self.adjacent(here, there));
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

    /// Edges of a member that would fit if it were in this cell.
    fn suits(&self, member: u32, cell: &Steps) -> usize {
        let around = self.net.of_member(member).iter();
        let placed = around.filter_map(|&m| self.at[m as usize]);
        placed.filter(|at| self.adjacent(at, cell)).count()
    }

    /// Members without a cell, by the number of their neighbours around this one.
    fn votes(&self, cell: usize) -> BTreeMap<u32, usize> {
        let at = self.coordinates(cell);
        let mut votes = BTreeMap::new();
        for placed in self.around(&at).filter_map(|c| self.taken[self.index(&c)]) {
            for &member in self.net.of_member(placed) {
                if self.at[member as usize].is_none() {
                    *votes.entry(member).or_default() += 1;
                }
            }
        }
        votes
    }

    fn coordinates(&self, cell: usize) -> Steps {
        let dims: Vec<usize> = self.grid.iter().map(|e| e.size()).collect();
        crate::pattern::grid_fit::coordinates(cell, &dims)
    }

    /// The grid with its longest dimension first.
    fn layout(&self) -> MemberCells {
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
