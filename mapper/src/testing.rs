//! Graphs and machines by formula, for the tests of several modules.

use crate::comm::{CommGraph, Message};
use crate::heuristic::{Effort, Objective, Problem};
use crate::ids::Rank;
use crate::machine::{Machine, parse};
use crate::{Affinity, pattern::Pattern};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A grid of ranks, last dimension fastest, whose cells talk along offsets.
pub(crate) struct Grid<'a> {
    pub(crate) dims: &'a [usize],
    pub(crate) periodic: &'a [bool],
}

impl Grid<'_> {
    /// Messages along each offset with the given bytes, in that direction only.
    pub(crate) fn messages(&self, offsets: &[(&[i32], u64)]) -> Vec<Message> {
        let ranks: usize = self.dims.iter().product();
        (0..ranks)
            .flat_map(|from| {
                offsets.iter().filter_map(move |(steps, bytes)| {
                    let to = self.neighbour(from, steps)?;
                    Some(message(from, to, *bytes))
                })
            })
            .collect()
    }

    fn neighbour(&self, rank: usize, steps: &[i32]) -> Option<usize> {
        let (mut rest, mut stride, mut to) = (rank, 1, 0);
        for (dim, &k) in self.dims.iter().enumerate().rev() {
            let moved = (rest % k) as i32 + steps[dim];
            let inside = (0..k as i32).contains(&moved);
            if !inside && !self.periodic[dim] {
                return None;
            }
            to += moved.rem_euclid(k as i32) as usize * stride;
            rest /= k;
            stride *= k;
        }
        Some(to)
    }
}

pub(crate) fn message(from: usize, to: usize, bytes: u64) -> Message {
    Message {
        from: Rank::at(from),
        to: Rank::at(to),
        bytes,
    }
}

pub(crate) fn graph(ranks: usize, messages: Vec<Message>) -> CommGraph {
    CommGraph::from_messages(ranks, messages).unwrap()
}

/// 1000 bytes to every neighbour along an axis.
pub(crate) fn star_stencil(dims: &[usize], periodic: bool) -> CommGraph {
    let axes: Vec<Vec<i32>> = (0..2 * dims.len())
        .map(|i| {
            let mut steps = vec![0; dims.len()];
            steps[i / 2] = if i % 2 == 0 { 1 } else { -1 };
            steps
        })
        .collect();
    stencil(dims, periodic, &axes)
}

/// 1000 bytes to every neighbour, diagonals included.
pub(crate) fn box_stencil(dims: &[usize], periodic: bool) -> CommGraph {
    let cells = 3usize.pow(dims.len() as u32);
    let offsets: Vec<Vec<i32>> = (0..cells)
        .filter(|&c| c != cells / 2)
        .map(|c| {
            (0..dims.len() as u32)
                .map(|d| (c / 3usize.pow(d) % 3) as i32 - 1)
                .collect()
        })
        .collect();
    stencil(dims, periodic, &offsets)
}

/// 1000 bytes along every offset given.
pub(crate) fn stencil(dims: &[usize], periodic: bool, offsets: &[Vec<i32>]) -> CommGraph {
    let grid = Grid {
        dims,
        periodic: &vec![periodic; dims.len()],
    };
    let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|o| (&o[..], 1000)).collect();
    graph(dims.iter().product(), grid.messages(&offsets))
}

/// The same graph, its ranks renumbered at random.
pub(crate) fn shuffled(graph: &CommGraph) -> CommGraph {
    let mut to: Vec<usize> = (0..graph.ranks()).collect();
    to.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(1));
    let messages = graph.messages();
    let messages = messages.map(|m| message(to[m.from.index()], to[m.to.index()], m.bytes));
    self::graph(to.len(), messages.collect())
}

pub(crate) fn machine(spec: &str, cores: u32) -> Machine {
    Machine::uniform(parse(spec).unwrap(), cores)
}

/// What heuristics look at, with the parts that must outlive it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) graph: CommGraph,
    affinity: Affinity,
    pattern: Pattern,
    pub(crate) machine: Machine,
}

impl Case {
    pub(crate) fn new(graph: CommGraph, machine: Machine) -> Self {
        Self {
            affinity: graph.affinity(),
            pattern: crate::pattern::analyze(&graph),
            graph,
            machine,
        }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem {
            graph: &self.graph,
            affinity: &self.affinity,
            machine: &self.machine,
            pattern: &self.pattern,
            seed: 0,
            objective: Objective::default(),
            effort: Effort::default(),
            deadline: None,
        }
    }
}
