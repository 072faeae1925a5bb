//! `tiles`: a grid of ranks on any machine in tiles of tiles, by group, leaf switch and node.
//!
//! The cells of the grid are divided among the clusters of the machine by exact counts, so nodes
//! may differ in slots, sizes need not divide, and the network need not be a grid. The division
//! follows a k-d tree or strips, for bricks that fill one node each or for single ranks. All
//! variants are scored with the messages of the graph; the best ones are improved by exchanges,
//! first of whole bricks, then of ranks.
//!
//! ```text
//! 8x4 ranks on 2 leaf switches of 4 nodes of 4 slots
//! a a b b | e e f f
//! a a b b | e e f f      nodes a to h; the bar divides the leaf switches
//! c c d d | g g h h
//! c c d d | g g h h
//! ```
//!
//! Source: Hunold et al., "Efficient process-to-node mapping algorithms for stencil computations",
//! 2020, for k-d trees and strips. The paper maps to equal nodes; exact capacities, the hierarchy
//! of the machine, bricks and the exchanges are added here. Cost: O(n log n) for n ranks and each
//! k-d tree or set of strips, O(m) for each score with m pairs, then the exchanges.

mod clusters;
mod region;

use super::factor::SourceGrid;
use super::grid_ranks::GridRanks;
use clusters::Cluster;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::Machine;
use rankfold_metric::hop_bytes_over;
use rankfold_pattern::Stencil;
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use rankfold_refine::{Chain, Swap};
use rayon::prelude::*;
use region::{BrickGrid, bricks};

/// The most brick shapes that a search tries. It tries those with the least surface.
const BRICKS: usize = 3;

/// Widest strips tried, in cells.
const WIDEST_STRIP: usize = 16;

/// Number of layouts that exchanges improve, and the most ranks for which they do: up to there the
/// exchanges take little time.
const POLISHED: usize = 3;
const POLISHED_RANKS: usize = 16_384;

/// Pairs of ranks that scoring looks up in total.
///
/// Low efforts score fewer layouts since commit d773a3a, to save time; no measurement is recorded.
fn most_lookups(effort: Effort) -> usize {
    match effort {
        Effort::Hurried | Effort::Fast => 1_250_000,
        Effort::Balanced | Effort::Best => 5_000_000,
    }
}

/// The heuristic `tiles`.
#[derive(Debug)]
pub struct Tiles;

impl Heuristic for Tiles {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "tiles",
            Family::Regular,
            "grid in tiles by group, leaf and node of any machine, by k-d trees and strips (after Hunold et al. 2020)",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let stencil = problem.pattern.stencil();
        let stencil = stencil.ok_or_else(|| NotApplicable("the ranks form no grid".into()))?;
        let grid_ranks = GridRanks::of(stencil, problem);
        let tilings = tilings(problem, stencil, &grid_ranks);
        let mut laid = laid_out(problem, &tilings, &grid_ranks);
        laid.sort_by_key(|&(hop_bytes, ..)| hop_bytes);
        laid.dedup_by_key(|&mut (hop_bytes, ..)| hop_bytes);
        polished(problem, &laid)
            .ok_or_else(|| NotApplicable("a node would get more ranks than it has slots".into()))
    }
}

/// The grid divided into bricks, or single ranks, and the clusters of nodes that take them.
struct Tiling<'a> {
    stencil: &'a Stencil,
    brick: Vec<usize>,
    pieces: BrickGrid,
    cluster: Cluster,
}

/// The division into single ranks, and the divisions into bricks that fill a node.
fn tilings<'a>(
    problem: &Problem<'_>,
    stencil: &'a Stencil,
    grid_ranks: &GridRanks<'_>,
) -> Vec<Tiling<'a>> {
    let source = SourceGrid::of(stencil);
    let slots = problem.machine.slots();
    let used = grid_ranks.used(stencil.cells());
    let single = vec![1; stencil.dims.len()];
    let mut found = vec![Tiling {
        stencil,
        pieces: BrickGrid::new(&source, &single, |cell| used[cell]),
        brick: single,
        cluster: Cluster::of(problem.machine, &|node| slots.capacity(node) as usize),
    }];
    let largest = (0..slots.nodes()).map(|n| slots.capacity(NodeId::at(n)));
    let cores = largest.max().unwrap_or(1) as usize;
    let full = |node: NodeId| usize::from(slots.capacity(node) as usize == cores);
    let nodes: usize = (0..slots.nodes()).map(|n| full(NodeId::at(n))).sum();
    if cores > 1 && nodes * cores >= stencil.cells() {
        let fitting = bricks(&source, cores).into_iter().take(BRICKS);
        found.extend(fitting.map(|brick| Tiling {
            stencil,
            pieces: BrickGrid::new(&source, &brick, |_| true),
            cluster: Cluster::of(problem.machine, &full),
            brick,
        }));
    }
    found
}

impl Tiling<'_> {
    /// The node of every cell of the grid, given the node of every brick.
    fn cells(&self, node_of_piece: &[NodeId]) -> Vec<NodeId> {
        let cells = 0..self.stencil.cells();
        cells.map(|cell| node_of_piece[self.piece(cell)]).collect()
    }

    /// The brick that holds a cell.
    fn piece(&self, cell: usize) -> usize {
        let (mut rest, mut piece, mut stride) = (cell, 0, 1);
        for (d, &k) in self.stencil.dims.iter().enumerate().rev() {
            piece += rest % k / self.brick[d] * stride;
            rest /= k;
            stride *= self.pieces.dims()[d];
        }
        piece
    }
}

/// A scored layout: hop-bytes, the node of every brick, the tiling, and a description.
type TileLayout<'a> = (u128, Vec<NodeId>, &'a Tiling<'a>, String);

/// The layouts of all tilings by k-d tree and by strips, as many as scoring can afford.
fn laid_out<'a>(
    problem: &Problem<'_>,
    tilings: &'a [Tiling<'a>],
    grid_ranks: &GridRanks<'_>,
) -> Vec<TileLayout<'a>> {
    let affordable = most_lookups(problem.effort) / problem.graph.pairs().max(1);
    let affordable = affordable.max(2 * tilings.len());
    let mut ways: Vec<(&Tiling<'_>, Option<(usize, usize)>)> =
        tilings.iter().map(|tiling| (tiling, None)).collect();
    for width in 1..=WIDEST_STRIP {
        for tiling in tilings {
            let along = 0..tiling.pieces.dims().len();
            ways.extend(along.map(|d| (tiling, Some((d, width)))));
        }
    }
    ways.truncate(affordable);
    let distances = problem.machine.topology().distances();
    ways.into_par_iter()
        .filter_map(|(tiling, strips)| {
            let (pieces, description) = match strips {
                None => (tiling.pieces.by_kd(&tiling.cluster), "k-d tree".into()),
                Some((d, w)) => (
                    tiling.pieces.by_strips(&tiling.cluster, d, w),
                    format!("strips {w} wide along {d}"),
                ),
            };
            let nodes = grid_ranks.nodes(&tiling.cells(&pieces))?;
            let hop_bytes = hop_bytes_over(problem.graph, &distances, &nodes);
            Some((hop_bytes, pieces, tiling, description))
        })
        .collect()
}

/// The best layout after exchanges of bricks and of ranks.
fn polished(problem: &Problem<'_>, laid: &[TileLayout<'_>]) -> Option<Placed> {
    let small = problem.graph.ranks() <= POLISHED_RANKS;
    let count = if small { POLISHED } else { 1 };
    let polished: Vec<_> = laid[..count.min(laid.len())]
        .par_iter()
        .filter_map(|(before, pieces, tiling, description)| {
            let grid_ranks = GridRanks::of(tiling.stencil, problem);
            let moved = small.then(|| exchange_bricks(problem, tiling, &grid_ranks, pieces));
            let pieces = moved.flatten().unwrap_or_else(|| pieces.clone());
            let nodes = grid_ranks.nodes(&tiling.cells(&pieces))?;
            let mut placement = Placement::from_nodes(&nodes, problem.machine.slots())?;
            let mut did = if small {
                polish(problem).refine(problem, &mut placement)
            } else {
                Diagnostics::default()
            };
            let brick: Vec<String> = tiling.brick.iter().map(ToString::to_string).collect();
            did.notes
                .insert(0, format!("{description}, bricks of {}", brick.join("x")));
            let after = did.history.last().copied().unwrap_or(*before);
            Some((after, placement, did))
        })
        .collect();
    let best = polished.into_iter().min_by_key(|&(after, ..)| after)?;
    Some(Placed {
        placement: best.1,
        diagnostics: best.2,
    })
}

/// The refinement that suits the machine: [`Chain`] where it does, [`Swap`] elsewhere.
fn polish(problem: &Problem<'_>) -> &'static dyn Refinement {
    if (Chain.about().suits)(problem.machine) {
        &Chain
    } else {
        &Swap
    }
}

/// Exchanges whole bricks as if each were a rank. `None` if a brick is a single rank, a cell has no
/// rank, or a node has no slots.
fn exchange_bricks(
    problem: &Problem<'_>,
    tiling: &Tiling<'_>,
    grid_ranks: &GridRanks<'_>,
    pieces: &[NodeId],
) -> Option<Vec<NodeId>> {
    let is_single = tiling.brick.iter().all(|&b| b == 1);
    if is_single || grid_ranks.used(tiling.stencil.cells()).contains(&false) {
        return None;
    }
    let slots = problem.machine.slots();
    let usable = (0..slots.nodes()).all(|n| slots.capacity(NodeId::at(n)) > 0);
    let coarse = Machine::uniform(problem.machine.share_topology(), 1);
    if !usable {
        return None;
    }
    let piece = |rank: Rank| {
        let cell = tiling.stencil.cell(rank);
        cell.map(|cell| Rank::at(tiling.piece(cell)))
    };
    let messages = problem.graph.messages().filter_map(|m| {
        Some(Message {
            from: piece(m.from)?,
            to: piece(m.to)?,
            bytes: m.bytes,
        })
    });
    let graph = CommGraph::from_messages(pieces.len(), messages).ok()?;
    let affinity = graph.affinity();
    let problem = Problem {
        graph: &graph,
        affinity: &affinity,
        machine: &coarse,
        ..*problem
    };
    let mut placement = Placement::from_nodes(pieces, coarse.slots())?;
    polish(&problem).refine(&problem, &mut placement);
    Some(placement.nodes(coarse.slots()))
}

#[cfg(test)]
mod tests;
