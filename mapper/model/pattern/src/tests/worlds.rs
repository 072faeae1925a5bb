//! Synthetic communication: grids with every kind of stencil, with noise, and with ranks
//! renumbered.

use crate::{Pattern, Stencil, analyze};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, rand_core::SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_graph::samples::{RankGrid, graph, message};
use rankfold_graph::{CommGraph, Message};
use std::collections::BTreeSet;

/// Bytes of every message unless stated otherwise.
pub(super) const BYTES: u64 = 1000;

/// Which neighbours exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// 3, 5, 7, ... points.
    Star,
    /// 9, 27, ... points.
    Box,
    /// 15 points in 3D: faces and corners.
    Corners,
    /// One and two steps along every dimension.
    Wide,
    /// Like the star, but only upwards along each dimension.
    OneWay,
    /// Like the star, but each dimension has a thousandth of the bytes of the one before.
    Uneven,
}

/// A grid of ranks with its stencil.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) dims: Vec<usize>,
    pub(super) periodic: Vec<bool>,
    pub(super) shape: Shape,
}

impl World {
    pub(super) fn new(dims: &[usize], periodic: &[bool], shape: Shape) -> Self {
        Self {
            dims: dims.to_vec(),
            periodic: periodic.to_vec(),
            shape,
        }
    }

    pub(super) fn ranks(&self) -> usize {
        self.dims.iter().product()
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        let offsets = self.offsets();
        let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|(o, b)| (&o[..], *b)).collect();
        let grid = RankGrid {
            dims: &self.dims,
            periodic: &self.periodic,
        };
        grid.messages(&offsets)
    }

    fn offsets(&self) -> Vec<(Vec<i32>, u64)> {
        let k = self.dims.len();
        let all = (0..5usize.pow(k as u32)).map(|i| -> Vec<i32> {
            (0..k as u32)
                .map(|d| (i / 5usize.pow(d) % 5) as i32 - 2)
                .collect()
        });
        let bytes = |steps: &[i32]| match self.shape {
            Shape::Uneven => {
                let along = steps.iter().position(|&s| s != 0).unwrap_or(0);
                1000u64.pow((k - 1 - along) as u32)
            }
            _ => BYTES,
        };
        all.filter(|steps| self.talks(steps))
            .map(|steps| (steps.clone(), bytes(&steps)))
            .collect()
    }

    fn talks(&self, steps: &[i32]) -> bool {
        let along = steps.iter().filter(|&&s| s != 0).count();
        let longest = steps.iter().map(|s| s.abs()).max().unwrap_or(0);
        match self.shape {
            Shape::Star | Shape::Uneven => along == 1 && longest == 1,
            Shape::OneWay => along == 1 && longest == 1 && steps.iter().sum::<i32>() == 1,
            Shape::Box => along > 0 && longest == 1,
            Shape::Corners => longest == 1 && (along == 1 || along == steps.len()),
            Shape::Wide => along == 1,
        }
    }
}

pub(super) fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Messages with randomly renumbered ranks, and the new number of every rank.
pub(super) fn permuted(
    ranks: usize,
    messages: &[Message],
    seed: u64,
) -> (Vec<Message>, Vec<usize>) {
    let mut number: Vec<usize> = (0..ranks).collect();
    number.shuffle(&mut random(seed));
    let renumbered = messages
        .iter()
        .map(|m| message(number[m.from.index()], number[m.to.index()], m.bytes));
    (renumbered.collect(), number)
}

/// Messages between random ranks, as many as 1 % of the pairs, each as heavy as a random other
/// message.
pub(super) fn strays(ranks: usize, messages: &[Message], seed: u64) -> Vec<Message> {
    let mut random = random(seed);
    let heavy = |random: &mut Xoshiro256PlusPlus| messages[random.random_range(0..messages.len())];
    (0..one_percent(messages))
        .map(|_| {
            let (from, to) = (random.random_range(0..ranks), random.random_range(0..ranks));
            message(from, to, heavy(&mut random).bytes)
        })
        .collect()
}

/// The messages without a random 1 % of the pairs.
pub(super) fn thinned(messages: &[Message], seed: u64) -> Vec<Message> {
    let mut pairs: Vec<(u32, u32)> = pairs(messages).into_iter().collect();
    pairs.shuffle(&mut random(seed));
    pairs.truncate(one_percent(messages));
    let silent: BTreeSet<(u32, u32)> = pairs.into_iter().collect();
    let talks = |m: &&Message| !silent.contains(&(m.from.0.min(m.to.0), m.from.0.max(m.to.0)));
    messages.iter().filter(talks).copied().collect()
}

fn one_percent(messages: &[Message]) -> usize {
    (pairs(messages).len() + 50) / 100
}

fn pairs(messages: &[Message]) -> BTreeSet<(u32, u32)> {
    let pair = |m: &Message| (m.from.0.min(m.to.0), m.from.0.max(m.to.0));
    messages.iter().map(pair).collect()
}

/// Checks that a grid among `ranks` ranks is recognised in row order and, except for `slack` of the
/// neighbours, in random order.
pub(super) fn check_both(world: &World, ranks: usize, messages: &[Message], slack: f64) {
    let order: Vec<usize> = (0..ranks).collect();
    check(world, &order, &graph(ranks, messages.to_vec()), 0.0).unwrap();
    let (shuffled, number) = permuted(ranks, messages, 9);
    check(world, &number, &graph(ranks, shuffled), slack).unwrap();
}

/// Checks that the best reading is the given grid, in any order of its dimensions: same sizes and
/// rings, and neighbours along a dimension remain neighbours, except for a share of `slack`. A ring
/// of 4 counts as two dimensions of 2.
pub(super) fn check(
    world: &World,
    number: &[usize],
    graph: &CommGraph,
    slack: f64,
) -> Result<(), String> {
    let pattern = analyze(graph);
    let Pattern::Regular { best, .. } = &pattern else {
        return Err(format!("{world:?}: {pattern:?}"));
    };
    let text = |why: &str| {
        Err(format!(
            "{world:?}: {why} {:?} {:?}",
            best.dims, best.periodic
        ))
    };
    if sizes(&best.dims, &best.periodic) != sizes(&world.dims, &world.periodic) {
        return text("taken for");
    }
    let unit = World {
        shape: Shape::Star,
        ..world.clone()
    };
    let pairs = pairs(&unit.messages());
    let apart = |&&(a, b): &&(u32, u32)| !neighbours(best, number[a as usize], number[b as usize]);
    let wrong = pairs.iter().filter(apart).count();
    if wrong as f64 > slack * pairs.len() as f64 {
        return text(&format!("{wrong} of {} neighbours apart in", pairs.len()));
    }
    Ok(())
}

fn sizes(dims: &[usize], periodic: &[bool]) -> Vec<(usize, bool)> {
    let mut sizes: Vec<(usize, bool)> = dims
        .iter()
        .zip(periodic)
        .flat_map(|(&k, &ring)| match (k, ring) {
            (4, true) => vec![(2, false); 2],
            (1, _) => Vec::new(),
            _ => vec![(k, ring && k > 2)],
        })
        .collect();
    sizes.sort_unstable();
    sizes
}

fn neighbours(stencil: &Stencil, a: usize, b: usize) -> bool {
    let at = |rank| {
        let cell = stencil.cell(rankfold_base::Rank::at(rank))?;
        Some(stencil.coordinates(cell))
    };
    let (Some(a), Some(b)) = (at(a), at(b)) else {
        return false;
    };
    let steps = (0..a.len()).map(|d| {
        let apart = a[d].abs_diff(b[d]);
        if stencil.periodic[d] {
            apart.min(stencil.dims[d] - apart)
        } else {
            apart
        }
    });
    steps.sum::<usize>() == 1
}

pub(super) fn graph_of(ranks: usize, messages: Vec<Message>) -> CommGraph {
    graph(ranks, messages)
}
