//! A placement for ranks that have started already and are renumbered: rank 0 stays where it is.
//!
//! Standard input arrives at the process that the launcher has started as rank 0, so that process
//! stays rank 0 whatever a placement says.

use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric as metric;

/// Limit of the messages that are routed in search of better placements. Chosen by hand: below a
/// second on one core.
const MOST_WORK: u64 = 1 << 20;

/// The placement with rank 0 on the node where it has `started` that is predicted to be fastest,
/// among these: `found` with rank 0 in the place of a rank on that node, or with both nodes
/// exchanged, each improved by exchanges of two other ranks; and `started` itself. So the result is
/// never predicted to be slower than the order in which the ranks have started.
#[must_use]
pub fn keep(
    graph: &CommGraph,
    machine: &Machine,
    found: &Placement,
    started: &Placement,
) -> Placement {
    let mut search = Search {
        graph,
        machine,
        left: MOST_WORK,
        each: graph.pairs().max(1) as u64,
    };
    let mut best = started.clone();
    let mut least = search.time(&best);
    for mut candidate in with_first_rank_on(found, machine, first_node(started, machine)) {
        let time = search.improve(&mut candidate);
        if time < least {
            (best, least) = (candidate, time);
        }
    }
    best
}

fn first_node(placement: &Placement, machine: &Machine) -> NodeId {
    machine.slots().node_of(placement.slot(Rank(0)))
}

/// A placement as it is, if it has rank 0 on `node`; else with rank 0 in the place of each rank
/// there, and with all ranks of both nodes exchanged, where these are as many.
fn with_first_rank_on(found: &Placement, machine: &Machine, node: NodeId) -> Vec<Placement> {
    let other = first_node(found, machine);
    if other == node {
        return vec![found.clone()];
    }
    let nodes = found.nodes(machine.slots());
    let ranks_on = |node: NodeId| -> Vec<Rank> {
        let ranks = (0..nodes.len()).filter(|&rank| nodes[rank] == node);
        ranks.map(Rank::at).collect()
    };
    let exchanged = |pairs: &[(Rank, Rank)]| {
        let mut placement = found.clone();
        pairs.iter().for_each(|&(a, b)| placement.swap(a, b));
        placement
    };
    let (here, there) = (ranks_on(node), ranks_on(other));
    let mut all: Vec<Placement> = here
        .iter()
        .map(|&rank| exchanged(&[(Rank(0), rank)]))
        .collect();
    if here.len() == there.len() {
        let pairs: Vec<(Rank, Rank)> = there.into_iter().zip(here).collect();
        all.push(exchanged(&pairs));
    }
    all
}

/// A search by exchanges, which stops when its work is done.
struct Search<'a> {
    graph: &'a CommGraph,
    machine: &'a Machine,
    /// Messages that may still be routed.
    left: u64,
    /// Messages of one prediction.
    each: u64,
}

impl Search<'_> {
    fn time(&mut self, placement: &Placement) -> f64 {
        self.left = self.left.saturating_sub(self.each);
        metric::score_of_routes(self.graph, self.machine, placement)
            .time
            .total()
    }

    /// Exchanges two ranks other than rank 0 as long as that is predicted to be faster. Returns the
    /// predicted time.
    fn improve(&mut self, placement: &mut Placement) -> f64 {
        let mut least = self.time(placement);
        loop {
            let before = least;
            for a in 1..placement.ranks() {
                for b in a + 1..placement.ranks() {
                    if self.left == 0 {
                        return least;
                    }
                    let (a, b) = (Rank::at(a), Rank::at(b));
                    placement.swap(a, b);
                    let time = self.time(placement);
                    if time < least {
                        least = time;
                    } else {
                        placement.swap(a, b);
                    }
                }
            }
            if least >= before {
                return least;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::samples::star_stencil;
    use rankfold_machine::HostList;

    /// Six nodes of a torus of twelve, as a scheduler may give them, for a grid of ranks.
    fn case() -> (CommGraph, Machine, Vec<u32>) {
        let list = "a,b,c,d,e,f,-,-,-,-,-,-";
        let hosts = HostList::from_list(list).unwrap();
        let torus = rankfold_machine::parse("torus:3x4").unwrap();
        let machine = Machine::new(torus, 1, Some(hosts)).unwrap();
        (star_stencil(&[2, 3], true), machine, (0..6).collect())
    }

    fn placement(nodes: &[u32], machine: &Machine) -> Placement {
        let nodes: Vec<NodeId> = nodes.iter().map(|&node| NodeId(node)).collect();
        Placement::from_nodes(&nodes, machine.slots()).unwrap()
    }

    #[test]
    fn rank_0_stays_on_its_node_and_no_order_is_slower_than_the_started_one() {
        let (graph, machine, nodes) = case();
        let started = placement(&nodes, &machine);
        let time = |placement: &Placement| {
            metric::score_of_routes(&graph, &machine, placement)
                .time
                .total()
        };
        for turn in 0..nodes.len() {
            let mut turned = nodes.clone();
            turned.rotate_left(turn);
            let found = placement(&turned, &machine);
            let kept = keep(&graph, &machine, &found, &started);
            assert_eq!(first_node(&kept, &machine), NodeId(0), "{turned:?}");
            assert!(time(&kept) <= time(&started), "{turned:?}");
            let mut swapped = found.clone();
            let there = turned.iter().position(|&node| node == 0).unwrap();
            swapped.swap(Rank(0), Rank::at(there));
            assert!(time(&kept) <= time(&swapped), "{turned:?}");
        }
    }

    #[test]
    fn a_placement_that_is_slower_than_the_started_order_is_not_taken() {
        let (_, machine, nodes) = case();
        let ring = star_stencil(&[6], false);
        let started = placement(&nodes, &machine);
        let kept = keep(
            &ring,
            &machine,
            &placement(&[0, 4, 1, 5, 2, 3], &machine),
            &started,
        );
        let time = |placement: &Placement| {
            metric::score_of_routes(&ring, &machine, placement)
                .time
                .total()
        };
        assert!(time(&kept) <= time(&started));
    }
}
