//! Grids on any machine, as tiles of tiles: group by group, leaf by leaf, node by node.
//!
//! Wherever nodes differ in slots, counts do not divide, or the network is no grid, the cells are
//! dealt out by exact counts along the clusters of the machine. Several ways are laid out (bricks a
//! node or single ranks, k-d tree or strips), scored on the graph itself, and the best are
//! polished: first whole bricks change places, then ranks.

mod clusters;
mod region;

use super::factor::Source;
use super::grid_ranks::GridRanks;
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use crate::refine::{Chain, Swap};
use clusters::Cluster;
use rankfold_model::comm::{CommGraph, Message};
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::Machine;
use rankfold_model::metric::hop_bytes_over;
use rankfold_model::pattern::Stencil;
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use region::{Pieces, bricks};

/// Bricks tried, those with the least surface.
const BRICKS: usize = 3;

/// Widest strips tried.
const WIDEST: usize = 16;

/// Placements polished, and the ranks up to which that takes no time to speak of.
const POLISHED: usize = 3;
const POLISHED_RANKS: usize = 16_384;

/// Messages looked at while ways are scored.
fn looks(effort: Effort) -> usize {
    match effort {
        Effort::Hurried | Effort::Fast => 1_250_000,
        Effort::Balanced | Effort::Best => 5_000_000,
    }
}

/// Grids dealt out along the hierarchy of any machine.
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
        let sites = sites(problem, stencil, &grid_ranks);
        let mut laid = laid_out(problem, &sites, &grid_ranks);
        laid.sort_by_key(|&(hop_bytes, ..)| hop_bytes);
        laid.dedup_by_key(|&mut (hop_bytes, ..)| hop_bytes);
        polished(problem, &laid).ok_or_else(|| NotApplicable("a node would overflow".into()))
    }
}

/// A grid of bricks, or of single ranks, and the clusters it goes to.
struct Site<'a> {
    stencil: &'a Stencil,
    brick: Vec<usize>,
    pieces: Pieces,
    cluster: Cluster,
}

fn sites<'a>(
    problem: &Problem<'_>,
    stencil: &'a Stencil,
    grid_ranks: &GridRanks<'_>,
) -> Vec<Site<'a>> {
    let source = Source::of(stencil);
    let slots = problem.machine.slots();
    let used = grid_ranks.used(stencil.cells());
    let single = vec![1; stencil.dims.len()];
    let mut found = vec![Site {
        stencil,
        pieces: Pieces::new(&source, &single, |cell| used[cell]),
        brick: single,
        cluster: Cluster::of(problem.machine, &|node| slots.capacity(node) as usize),
    }];
    let largest = (0..slots.nodes()).map(|n| slots.capacity(NodeId::at(n)));
    let cores = largest.max().unwrap_or(1) as usize;
    let full = |node: NodeId| usize::from(slots.capacity(node) as usize == cores);
    let nodes: usize = (0..slots.nodes()).map(|n| full(NodeId::at(n))).sum();
    if cores > 1 && nodes * cores >= stencil.cells() {
        let fitting = bricks(&source, cores).into_iter().take(BRICKS);
        found.extend(fitting.map(|brick| Site {
            stencil,
            pieces: Pieces::new(&source, &brick, |_| true),
            cluster: Cluster::of(problem.machine, &full),
            brick,
        }));
    }
    found
}

impl Site<'_> {
    /// The node of every cell of the whole grid, given that of every piece.
    fn cells(&self, node_of_piece: &[NodeId]) -> Vec<NodeId> {
        let cells = 0..self.stencil.cells();
        cells.map(|cell| node_of_piece[self.piece(cell)]).collect()
    }

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

/// A layout: hop-bytes, the node of every piece, the site, and how it came about.
type Laid<'a> = (u128, Vec<NodeId>, &'a Site<'a>, String);

fn laid_out<'a>(
    problem: &Problem<'_>,
    sites: &'a [Site<'a>],
    grid_ranks: &GridRanks<'_>,
) -> Vec<Laid<'a>> {
    let affordable = (looks(problem.effort) / problem.graph.pairs().max(1)).max(2 * sites.len());
    let mut ways: Vec<(&Site<'_>, Option<(usize, usize)>)> =
        sites.iter().map(|site| (site, None)).collect();
    for width in 1..=WIDEST {
        for site in sites {
            let along = 0..site.pieces.dims().len();
            ways.extend(along.map(|d| (site, Some((d, width)))));
        }
    }
    ways.truncate(affordable);
    let distances = problem.machine.topology().distances();
    ways.into_par_iter()
        .filter_map(|(site, strips)| {
            let (pieces, how) = match strips {
                None => (site.pieces.by_kd(&site.cluster), "k-d tree".into()),
                Some((d, w)) => (
                    site.pieces.by_strips(&site.cluster, d, w),
                    format!("strips {w} wide along {d}"),
                ),
            };
            let nodes = grid_ranks.nodes(&site.cells(&pieces))?;
            let hop_bytes = hop_bytes_over(problem.graph, &distances, &nodes);
            Some((hop_bytes, pieces, site, how))
        })
        .collect()
}

fn polished(problem: &Problem<'_>, laid: &[Laid<'_>]) -> Option<Placed> {
    let small = problem.graph.ranks() <= POLISHED_RANKS;
    let count = if small { POLISHED } else { 1 };
    let polished: Vec<_> = laid[..count.min(laid.len())]
        .par_iter()
        .filter_map(|(before, pieces, site, how)| {
            let grid_ranks = GridRanks::of(site.stencil, problem);
            let moved = small.then(|| exchange_bricks(problem, site, &grid_ranks, pieces));
            let pieces = moved.flatten().unwrap_or_else(|| pieces.clone());
            let nodes = grid_ranks.nodes(&site.cells(&pieces))?;
            let mut placement = Placement::from_nodes(&nodes, problem.machine.slots())?;
            let mut did = match small {
                true => polish(problem).refine(problem, &mut placement),
                false => Diagnostics::default(),
            };
            let brick: Vec<String> = site.brick.iter().map(ToString::to_string).collect();
            did.notes
                .insert(0, format!("{how}, bricks of {}", brick.join("x")));
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

/// What a layout is improved by.
fn polish(problem: &Problem<'_>) -> &'static dyn Refinement {
    if (Chain.about().suits)(problem.machine) {
        &Chain
    } else {
        &Swap
    }
}

/// Whole bricks exchanged, as if each were a rank; `None` if bricks are ranks or some node is not
/// usable.
fn exchange_bricks(
    problem: &Problem<'_>,
    site: &Site<'_>,
    grid_ranks: &GridRanks<'_>,
    pieces: &[NodeId],
) -> Option<Vec<NodeId>> {
    if site.brick.iter().all(|&b| b == 1) || grid_ranks.used(site.stencil.cells()).contains(&false)
    {
        return None;
    }
    let slots = problem.machine.slots();
    let usable = (0..slots.nodes()).all(|n| slots.capacity(NodeId::at(n)) > 0);
    let coarse = Machine::uniform(problem.machine.share_topology(), 1);
    if !usable {
        return None;
    }
    let piece = |rank: Rank| {
        site.stencil
            .cell(rank)
            .map(|cell| Rank::at(site.piece(cell)))
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
