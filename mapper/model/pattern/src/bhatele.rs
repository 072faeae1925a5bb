//! Algorithm 1 of Bhatele, "Automated mapping of regular communication graphs on mesh
//! interconnects", 2010.
//!
//! Idea: every rank has at most five partners. The rank distance to the upper and lower neighbour
//! is taken from a random rank. The graph is a grid if all ranks exchange messages only over this
//! distance and over distance 1. As described in section IV, traffic with rank 0 and pairs below a
//! fifth of the average weight are ignored. Cost: O(pairs log pairs).
//!
//! The algorithm is implemented as published, with its limits: a pair at distance 1 across the end
//! of a row is accepted, rings are not, and it finds only 5-point stencils in row order. Two points
//! of the paper are ambiguous. Its loop reports success at the first rank that fits; the text says
//! "for all other ranks", which is followed here. A rank at the edge of the grid has no upper or
//! lower neighbour; ranks are drawn until one has.

use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;
use rankfold_base::Rank;
use rankfold_graph::CommGraph;

/// Fraction of the average weight below which a pair is ignored (from the paper, section IV).
const THRESHOLD: f64 = 0.2;

/// Most partners of a rank in a 5-point stencil, rank 0 included (from the paper, section IV).
const MAX_PARTNERS: usize = 5;

/// The sizes `[n / dist, dist]` of the 2D grid, slowest dimension first. `None` if the
/// communication is not regular. The same seed draws the same ranks.
#[must_use]
pub fn algorithm_1(graph: &CommGraph, seed: u64) -> Option<[usize; 2]> {
    let ranks = graph.ranks();
    let partners = partners(graph);
    if partners.iter().any(|list| list.len() > MAX_PARTNERS) {
        return None;
    }
    let mut order: Vec<usize> = (0..ranks).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    let dist = order.iter().find_map(|&start| {
        let mut far = partners[start].iter().map(|&p| p.abs_diff(start));
        far.find(|&d| d > 1)
    })?;
    let fits = |(rank, list): (usize, &Vec<usize>)| {
        let mut distances = list.iter().map(|&p| p.abs_diff(rank));
        distances.all(|d| d == 1 || d == dist)
    };
    let regular = partners.iter().enumerate().all(fits) && ranks.is_multiple_of(dist);
    regular.then(|| [ranks / dist, dist])
}

/// Partners of every rank in either direction, without rank 0 and without light pairs.
fn partners(graph: &CommGraph) -> Vec<Vec<usize>> {
    let affinity = graph.affinity();
    let rows = || (1..graph.ranks()).map(Rank::at);
    let of = |rank: Rank| affinity.partners(rank).filter(|(p, _)| p.0 > 0);
    let (count, bytes) = rows()
        .flat_map(of)
        .fold((0u64, 0.0), |(n, sum), (_, b)| (n + 1, sum + b as f64));
    let light = THRESHOLD * bytes / count.max(1) as f64;
    let mut partners: Vec<Vec<usize>> = rows()
        .map(|rank| {
            let heavy = of(rank).filter(|&(_, bytes)| bytes as f64 >= light);
            heavy.map(|(p, _)| p.index()).collect()
        })
        .collect();
    partners.insert(0, Vec::new());
    partners
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::samples::{box_stencil, graph, message, star_stencil};

    #[test]
    fn open_5_point_grids_in_row_order_are_found() {
        for dims in [[8, 8], [4, 16], [27, 44]] {
            assert_eq!(algorithm_1(&star_stencil(&dims, false), 1), Some(dims));
        }
    }

    #[test]
    fn other_stencils_and_rings_are_not() {
        assert_eq!(algorithm_1(&star_stencil(&[8, 8], true), 1), None);
        assert_eq!(algorithm_1(&star_stencil(&[4, 4, 4], false), 1), None);
        assert_eq!(algorithm_1(&box_stencil(&[8, 8], false), 1), None);
    }

    #[test]
    fn root_and_light_traffic_are_ignored() {
        let grid = star_stencil(&[8, 8], false);
        let mut messages: Vec<_> = grid.messages().collect();
        messages.extend((1..64).map(|r| message(0, r, 100_000)));
        messages.push(message(3, 60, 1));
        assert_eq!(algorithm_1(&graph(64, messages), 1), Some([8, 8]));
    }

    #[test]
    fn a_row_that_runs_on_across_its_end_passes() {
        let mut messages: Vec<_> = star_stencil(&[8, 8], false).messages().collect();
        messages.push(message(7, 8, 1000));
        assert_eq!(algorithm_1(&graph(64, messages), 1), Some([8, 8]));
    }
}
