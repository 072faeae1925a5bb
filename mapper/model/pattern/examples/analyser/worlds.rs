//! Random grids of ranks with every kind of stencil, numbering, noise and other traffic, and the
//! check that they are recognised.

use crate::numbering;
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use rankfold_graph::samples::{RankGrid, graph, message};
use rankfold_graph::{CommGraph, Message};
use rankfold_pattern::{self as pattern, Pattern};

/// Sizes to draw from.
const GRIDS: &[&[usize]] = &[
    &[16],
    &[100],
    &[1000],
    &[4096],
    &[4, 4],
    &[5, 7],
    &[8, 16],
    &[17, 23],
    &[32, 32],
    &[48, 64],
    &[64, 64],
    &[4, 4, 4],
    &[3, 5, 7],
    &[8, 8, 8],
    &[6, 8, 12],
    &[10, 12, 14],
    &[16, 16, 16],
    &[4, 4, 4, 4],
    &[3, 4, 5, 6],
    &[6, 6, 6, 6],
    &[8, 8, 8, 8],
    &[3, 3, 3, 3, 3],
    &[4, 4, 4, 4, 4],
    &[3, 4, 4, 5, 5],
];
const SHAPES: &[&str] = &["star", "box", "wide"];
const NUMBERINGS: &[&str] = &["rows", "blocks", "bisection", "permuted"];
const REMAINDERS: &[&str] = &["nothing", "multigrid", "tree", "root"];

/// Bytes of every message of the stencil.
const BYTES: u64 = 10_000;

/// A grid, its stencil, and what disturbs it.
#[derive(Debug)]
pub(crate) struct World {
    dims: &'static [usize],
    shape: &'static str,
    periodic: bool,
    numbering: &'static str,
    remainder: &'static str,
    /// Messages between random ranks, in percent of the messages of the stencil.
    noise: u32,
}

impl World {
    /// Draws a grid that can be distinguished from others.
    pub(crate) fn draw(noise: u32, random: &mut impl Rng) -> Self {
        let of = |list: &[&'static str], random: &mut _| *list.choose(random).expect("a list");
        loop {
            let world = Self {
                dims: GRIDS.choose(random).expect("a list"),
                shape: of(SHAPES, random),
                periodic: random.random(),
                numbering: of(NUMBERINGS, random),
                remainder: of(REMAINDERS, random),
                noise,
            };
            if world.is_told_apart() {
                return world;
            }
        }
    }

    /// Whether the grid can be distinguished from others: rings as short as the stencil is wide are
    /// cliques, and a one-dimensional box is a star.
    fn is_told_apart(&self) -> bool {
        let reach = self.reach();
        let least = if self.periodic {
            2 * reach + 2
        } else {
            2 * reach + 1
        };
        self.dims.iter().all(|&size| size >= least) && (self.shape != "box" || self.dims.len() > 1)
    }

    fn reach(&self) -> usize {
        if self.shape == "wide" { 2 } else { 1 }
    }

    fn offsets(&self) -> Vec<Vec<i32>> {
        let k = self.dims.len() as u32;
        let all = (0..5usize.pow(k))
            .map(|i| -> Vec<i32> { (0..k).map(|d| (i / 5usize.pow(d) % 5) as i32 - 2).collect() });
        let talks = |steps: &Vec<i32>| {
            let along = steps.iter().filter(|&&s| s != 0).count();
            let longest = steps.iter().map(|s| s.abs()).max().unwrap_or(0);
            match self.shape {
                "star" => along == 1 && longest == 1,
                "box" => along > 0 && longest == 1,
                _ => along == 1,
            }
        };
        all.filter(talks).collect()
    }

    fn messages(&self, random: &mut impl Rng) -> Vec<Message> {
        let ranks: usize = self.dims.iter().product();
        let periodic = vec![self.periodic; self.dims.len()];
        let grid = RankGrid {
            dims: self.dims,
            periodic: &periodic,
        };
        let offsets = self.offsets();
        let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|o| (&o[..], BYTES)).collect();
        let mut messages = grid.messages(&offsets);
        let strays = messages.len() * self.noise as usize / 100;
        match self.remainder {
            "multigrid" => {
                let levels = [(2, BYTES / 2), (4, BYTES / 4)];
                messages.extend(
                    levels
                        .iter()
                        .flat_map(|&(step, bytes)| self.level(step, bytes)),
                );
            }
            "tree" => messages.extend((1..ranks).flat_map(|rank| {
                let parent = rank & (rank - 1);
                [message(rank, parent, 64), message(parent, rank, 64)]
            })),
            "root" => messages.extend((1..ranks).map(|rank| message(rank, 0, BYTES / 10))),
            _ => {}
        }
        messages.extend((0..strays).map(|_| {
            message(
                random.random_range(0..ranks),
                random.random_range(0..ranks),
                BYTES,
            )
        }));
        messages
    }

    /// A coarser level of a multigrid: cells that are `step` apart exchange fewer bytes.
    fn level(&self, step: usize, bytes: u64) -> Vec<Message> {
        let offsets: Vec<Vec<i32>> = self
            .offsets()
            .iter()
            .map(|o| o.iter().map(|s| s.signum() * step as i32).collect())
            .collect();
        let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|o| (&o[..], bytes)).collect();
        let open = vec![false; self.dims.len()];
        let grid = RankGrid {
            dims: self.dims,
            periodic: &open,
        };
        let is_kept = |mut cell: usize| {
            self.dims.iter().rev().all(|&size| {
                let along = cell % size;
                cell /= size;
                along.is_multiple_of(step)
            })
        };
        let mut messages = grid.messages(&offsets);
        messages.retain(|m| is_kept(m.from.index()));
        messages
    }

    /// The communication graph, with ranks numbered as the grid says.
    pub(crate) fn graph(&self, random: &mut impl Rng) -> CommGraph {
        let ranks = self.dims.iter().product();
        let number = match self.numbering {
            "blocks" => numbering::blocks(self.dims),
            "bisection" => numbering::bisection(self.dims),
            "permuted" => numbering::permuted(ranks, random),
            _ => (0..ranks).collect(),
        };
        let messages = self.messages(random);
        let renumbered = messages
            .iter()
            .map(|m| message(number[m.from.index()], number[m.to.index()], m.bytes));
        graph(ranks, renumbered.collect())
    }

    /// What the analyser takes the grid for, or `None` if it recognises the grid in any order of
    /// dimensions.
    pub(crate) fn taken_for(&self, graph: &CommGraph) -> Option<String> {
        let found = pattern::analyze(graph);
        let expected = sizes(self.dims, &vec![self.periodic; self.dims.len()]);
        let grid = match &found {
            Pattern::Regular { best, .. } => best,
            Pattern::Irregular {
                partly: Some(grid), ..
            } => grid,
            Pattern::Irregular { explained, .. } => {
                return Some(format!("no grid, the best explains {explained:.3}"));
            }
        };
        (sizes(&grid.dims, &grid.periodic) != expected).then(|| {
            format!(
                "{:?}, rings {:?}, {} points, confidence {:.3}, carries {:.3}",
                grid.dims, grid.periodic, grid.points, grid.confidence, grid.carried
            )
        })
    }
}

/// Sizes and rings. A ring of 4 counts as two dimensions of 2.
fn sizes(dims: &[usize], periodic: &[bool]) -> Vec<(usize, bool)> {
    let both = dims.iter().zip(periodic);
    let mut sizes: Vec<(usize, bool)> = both
        .flat_map(|(&size, &ring)| match (size, ring) {
            (4, true) => vec![(2, false); 2],
            (1, _) => Vec::new(),
            _ => vec![(size, ring && size > 2)],
        })
        .collect();
    sizes.sort_unstable();
    sizes
}
