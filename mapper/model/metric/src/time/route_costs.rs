//! A lower bound on the time of all bytes on the links of their routes, where links differ.
//!
//! The bound `star` on hop-bytes with the cost of a route in place of hops: a byte costs 1 over the
//! bandwidth of each link of its route. Around the best placed slot, the partners of a rank take
//! the slots of the cheapest routes, the heaviest partner the cheapest. Each pair is counted from
//! both ends, so the sum is halved. Cost: one route for each pair of nodes, and
//! O(nodes² log nodes).

use rankfold_base::{NodeId, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
use rayon::prelude::*;

/// Most nodes with slots whose routes are looked at. Chosen by hand; a million routes of a PERCS
/// machine take some tenths of a second.
const MOST_NODES: usize = 1024;

/// No placement's bytes spend less time on all links together. 0 where there are too many nodes.
pub(super) fn transfer(affinity: &Affinity, machine: &Machine) -> f64 {
    let slots = machine.slots();
    let nodes = (0..slots.nodes()).map(NodeId::at);
    let used: Vec<NodeId> = nodes.filter(|&node| slots.capacity(node) > 0).collect();
    if used.len() > MOST_NODES {
        return 0.0;
    }
    let ranks = || (0..affinity.ranks()).map(Rank::at);
    let most = ranks().map(|rank| affinity.degree(rank)).max().unwrap_or(0);
    let cheapest = cheapest_costs(machine, &used, most);
    let of_rank = |rank: Rank| {
        let mut bytes: Vec<u64> = affinity.partners(rank).map(|(_, bytes)| bytes).collect();
        bytes.sort_unstable_by(|a, b| b.cmp(a));
        let costs = bytes.iter().zip(&cheapest);
        costs.map(|(&bytes, cost)| bytes as f64 * cost).sum::<f64>()
    };
    ranks().map(of_rank).sum::<f64>() / 2.0
}

/// For each number k below `most`, the least cost that the k-th cheapest slot around any slot has.
fn cheapest_costs(machine: &Machine, used: &[NodeId], most: usize) -> Vec<f64> {
    let one_way: Vec<Vec<f64>> = used
        .par_iter()
        .map(|&from| used.iter().map(|&to| cost(machine, from, to)).collect())
        .collect();
    let around = |own: usize| {
        let mut costs = Vec::new();
        for (other, &node) in used.iter().enumerate() {
            let cost = one_way[own][other].min(one_way[other][own]);
            let room = machine.slots().capacity(node) as usize - usize::from(own == other);
            costs.extend(std::iter::repeat_n(cost, room.min(most)));
        }
        costs.sort_unstable_by(f64::total_cmp);
        costs.truncate(most);
        costs.resize(most, f64::INFINITY);
        costs
    };
    let lower = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.min(b));
        a
    };
    let none = || vec![f64::INFINITY; most];
    let all = (0..used.len()).into_par_iter().map(around);
    let mut least = all.reduce(none, lower);
    // No rank has more partners than there are other slots, so nothing infinite is used.
    least
        .iter_mut()
        .filter(|it| it.is_infinite())
        .for_each(|it| *it = 0.0);
    least
}

/// The time of a byte on all links between two nodes.
fn cost(machine: &Machine, from: NodeId, to: NodeId) -> f64 {
    let topology = machine.topology();
    let mut sum = 0.0;
    if from != to {
        let contention = machine.contention();
        topology.route_shares(from, to, &mut |channel, share| {
            let counts = contention.map_or(1.0, |shares| shares[channel.index()]);
            sum += counts * share / topology.bandwidth(channel);
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score;
    use proptest::prelude::*;
    use rankfold_base::Placement;
    use rankfold_graph::samples::{graph, message};
    use rankfold_machine::samples::machine;

    #[test]
    fn the_heaviest_partner_takes_the_fastest_link() {
        let star = graph(
            4,
            vec![message(0, 1, 48), message(0, 2, 5), message(3, 0, 5)],
        );
        // A slot of a drawer has seven others one LL link away.
        let bound = transfer(&star.affinity(), &machine("percs:1", 1));
        assert_eq!(bound, (48.0 + 5.0 + 5.0) / 24.0);
        let bound = transfer(&star.affinity(), &machine("tree:2x2@1,4", 1));
        // Hub: 48 at 2/4, and 10 at 2/4 + 2/1. Leaves: each of them at 2/4.
        assert_eq!(bound, (24.0 + 25.0 + 29.0) / 2.0);
    }

    proptest! {
        #[test]
        fn no_placement_moves_its_bytes_faster(
            spec in prop::sample::select(
                &["tree:3x4@2,1", "torus:4x3@2,1", "percs:1", "mesh:3x4@3,1", "dragonfly:2,2,1,3@3,1"][..],
            ),
            cores in 1u32..3,
            edges in prop::collection::vec((0usize..12, 0usize..12, 1u64..1 << 30), 1..40),
            order in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let machine = machine(spec, cores);
            let messages = edges.into_iter().map(|(a, b, bytes)| message(a, b, bytes));
            let graph = graph(12, messages.collect());
            let placement = Placement::new(order.into_iter().map(rankfold_base::SlotId).collect());
            let bound = transfer(&graph.affinity(), &machine);
            let moved = score(&graph, &machine, &placement).time.mean_transfer * 12.0;
            prop_assert!(bound <= moved * (1.0 + 1e-12), "{bound} {moved}");
        }
    }
}
