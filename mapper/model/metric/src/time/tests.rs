use super::*;
use crate::{BoundEffort, congestion_bound, hop_bytes, lower_bound, score};
use crate::{Congestion, flows};
use proptest::prelude::*;
use rankfold_base::Rank;
use rankfold_graph::samples::{graph, message, star_stencil};
use rankfold_graph::{Entry, Traffic};
use rankfold_machine::samples::machine;
use rankfold_machine::{BySize, HEDGE, SizeRow, Timing};

#[test]
fn without_times_it_is_the_busiest_link_and_hop_bytes_over_ranks() {
    let (ranks, torus) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
    let placement = Placement::new((0..16).map(|r| rankfold_base::SlotId(r * 7 % 16)).collect());
    let nodes = placement.nodes(torus.slots());
    let time = time(&ranks, &torus, &placement, 0.5);
    let flows = flows(&ranks, &nodes);
    let loads = routed_loads(torus.topology(), &flows);
    let hedged = hedged_loads(torus.topology(), &flows, &loads);
    assert_eq!(time.busiest_link, Congestion::of(&hedged).max);
    let hop_bytes = hop_bytes(&ranks, torus.topology(), &nodes) as f64;
    assert_eq!(time.mean_transfer, hop_bytes / 16.0);
    assert_eq!((time.latency, time.overhead), (0.0, 0.0));
    assert_eq!(time.unit, Unit::BytesOverOneLink);
    assert_eq!(time.total(), time.busiest_link + 0.5 * time.mean_transfer);
}

#[test]
fn memory_inside_a_node_is_a_link() {
    let ranks = graph(
        4,
        vec![
            message(0, 1, 600),
            message(1, 0, 400),
            message(2, 3, 100),
            message(1, 2, 50),
        ],
    );
    let timing = Timing {
        memory: Some(4.0),
        ..Timing::default()
    };
    let time = |machine: &Machine| time(&ranks, machine, &Placement::block(4), 1.0);
    let pairs = time(&machine("torus:2", 2).with_timing(timing));
    assert_eq!(pairs.busiest_link, 1000.0 / 4.0);
    assert_eq!(pairs.mean_transfer, (1100.0 / 4.0 + 50.0) / 4.0);
    assert_eq!(time(&machine("torus:2", 2)).busiest_link, 50.0);
}

#[test]
fn the_busiest_link_and_the_overhead_hide_each_other() {
    let entries: Vec<_> = (0..4).map(|r| (r, (r + 1) % 4, 1000, 10)).collect();
    let ring = counted(4, &entries);
    let total = |overhead| {
        let timing = Timing {
            overhead,
            ..Timing::default()
        };
        let torus = machine("torus:4@1GB/s", 1).with_timing(timing);
        let time = time(&ring, &torus, &Placement::block(4), 0.0);
        assert_eq!((time.busiest_link, time.overhead), (1e-6, 20.0 * overhead));
        time.total()
    };
    // Each rank sends ten messages and receives ten.
    assert_eq!([total(0.0), total(4e-8), total(1e-7)], [1e-6, 1e-6, 2e-6]);
}

#[test]
fn bytes_count_by_the_share_that_messages_of_their_size_get() {
    let row = |bytes, bandwidth| SizeRow {
        bytes,
        bandwidth,
        latency: 1.0,
    };
    let timing = Timing {
        by_size: BySize::new(vec![row(0, 0.25), row(1000, 0.8)]).unwrap(),
        ..Timing::default()
    };
    let torus = machine("torus:3", 1).with_timing(timing);
    let ranks = graph(3, vec![message(0, 1, 10), message(1, 2, 1000)]);
    let model = TimeModel::new(&ranks, &torus, 0.0);
    let felt: Vec<u64> = model.graph().messages().map(|m| m.bytes).collect();
    assert_eq!(felt, [40, 1250]);
    assert_eq!(model.time(&Placement::block(3)).busiest_link, 1250.0);
}

#[test]
fn all_bytes_of_a_full_graph_still_fit_63_bits() {
    let timing = Timing {
        by_size: BySize::new(vec![SizeRow {
            bytes: 0,
            bandwidth: 1e-6,
            latency: 1.0,
        }])
        .unwrap(),
        ..Timing::default()
    };
    let torus = machine("torus:3", 1).with_timing(timing);
    let ranks = graph(3, vec![message(0, 1, 1 << 61), message(1, 2, 1 << 60)]);
    let felt = TimeModel::new(&ranks, &torus, 0.0);
    assert!(felt.graph().total_bytes() <= i64::MAX as u128);
}

#[test]
fn one_rank_and_no_traffic_take_no_time() {
    for (ranks, spec) in [(1, "torus:1"), (4, "tree:2x2")] {
        let silent = graph(ranks, Vec::new());
        let time = time(&silent, &machine(spec, 1), &Placement::block(ranks), 1.0);
        assert_eq!((time.total(), time.mean_transfer), (0.0, 0.0), "{spec}");
    }
    let together = graph(2, vec![message(0, 1, 9)]);
    let time = time(&together, &machine("torus:2", 2), &Placement::block(2), 1.0);
    assert_eq!(time.total(), 0.0);
}

/// Visits all assignments of ranks to nodes with enough slots.
fn every_placement(machine: &Machine, ranks: usize, of: &mut impl FnMut(&[NodeId])) {
    fn extend(
        nodes: &mut Vec<NodeId>,
        ranks: usize,
        machine: &Machine,
        of: &mut impl FnMut(&[NodeId]),
    ) {
        if nodes.len() == ranks {
            return of(nodes);
        }
        for node in (0..machine.slots().nodes()).map(NodeId::at) {
            let taken = nodes.iter().filter(|&&n| n == node).count();
            if taken < machine.slots().capacity(node) as usize {
                nodes.push(node);
                extend(nodes, ranks, machine, of);
                nodes.pop();
            }
        }
    }
    extend(&mut Vec::new(), ranks, machine, of);
}

/// The least total of any placement, and the least value of every part.
fn least(model: &TimeModel<'_>, machine: &Machine, ranks: usize) -> [f64; 4] {
    let mut least = [f64::INFINITY; 4];
    every_placement(machine, ranks, &mut |nodes| {
        let flows = flows(model.graph(), nodes);
        let loads = routed_loads(machine.topology(), &flows);
        let time = model.time_of_loads(nodes, &flows, &loads);
        let parts = [
            time.total(),
            time.busiest_link,
            time.latency,
            time.mean_transfer,
        ];
        for (least, part) in least.iter_mut().zip(parts) {
            *least = least.min(part);
        }
    });
    least
}

fn bound(model: &TimeModel<'_>, graph: &CommGraph, machine: &Machine) -> Time {
    let effort = crate::BoundEffort::Standard;
    let hop_bytes = crate::lower_bound(graph, machine, effort).hop_bytes;
    let congestion = crate::congestion_bound(graph, machine, hop_bytes, effort).congestion;
    model.lower_bound(KnownBounds {
        hop_bytes,
        congestion,
        effort,
    })
}

fn counted(ranks: usize, entries: &[(u32, u32, u64, u64)]) -> CommGraph {
    let entries = entries.iter().map(|&(from, to, bytes, messages)| Entry {
        from: Rank(from),
        to: Rank(to),
        bytes,
        messages,
    });
    Traffic::from_entries(ranks, entries)
        .unwrap()
        .into_graph()
        .unwrap()
}

#[test]
fn a_ring_on_its_ring_reaches_the_bound() {
    let entries: Vec<_> = (0..6).map(|r| (r, (r + 1) % 6, 1000, 10)).collect();
    let (ring, torus) = (counted(6, &entries), machine("torus:6@1GB/s+1us", 1));
    let model = TimeModel::new(&ring, &torus, 1.0);
    let (bound, block) = (
        bound(&model, &ring, &torus),
        model.time(&Placement::block(6)),
    );
    // 1 us for the bytes, 10 us for ten messages over one link. Nobody knows the way of half-way
    // ties, so a bound counts the share HEDGE of a message on one link.
    assert_eq!(block.busiest_link, 1e-6);
    assert_eq!(bound.busiest_link, HEDGE * 1000.0 / 1e9);
    assert!((block.latency - 1e-5).abs() < 1e-18);
    assert!((bound.latency - block.latency).abs() < 1e-18);
    assert!((bound.mean_transfer - block.mean_transfer).abs() < 1e-18);
    assert!((block.mean_transfer - 1.1e-5).abs() < 1e-18);
}

#[test]
fn everything_on_one_node_is_bound_by_its_memory() {
    let timing = Timing {
        memory: Some(1e9),
        ..Timing::default()
    };
    let one = machine("torus:1@1GB/s+1us", 4).with_timing(timing);
    let all = counted(4, &[(0, 1, 3000, 1), (2, 3, 1000, 1)]);
    let model = TimeModel::new(&all, &one, 1.0);
    let time = model.time(&Placement::block(4));
    assert_eq!(
        (time.busiest_link, time.mean_transfer, time.latency),
        (4e-6, 1e-6, 0.0)
    );
    assert!((bound(&model, &all, &one).mean_transfer - 1e-6).abs() < 1e-18);
}

#[test]
fn no_placement_of_eight_ranks_is_faster_than_the_bound_slow() {
    let entries: Vec<_> = (0..8)
        .flat_map(|r| {
            let next = |step| {
                (
                    r,
                    (r + step) % 8,
                    700 * u64::from(r + step),
                    u64::from(step),
                )
            };
            [next(1), next(3)]
        })
        .collect();
    let ranks = counted(8, &entries);
    for spec in [
        "mesh:2x4@1GB/s+1us,3GB/s+100ns",
        "dragonfly:1,4,1,2@1GB/s+50ns,2GB/s+200ns,4GB/s+900ns",
    ] {
        let machine = machine(spec, 1);
        let model = TimeModel::new(&ranks, &machine, 0.25);
        let bound = bound(&model, &ranks, &machine).total();
        let [least, ..] = least(&model, &machine, 8);
        assert!(
            bound > 0.2 * least,
            "{spec}: {bound} says little of {least}"
        );
        assert!(bound <= least * (1.0 + 1e-12), "{spec}: {bound}, {least}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn latency_is_the_longest_wait_for_the_links_of_a_route(
        spec in prop::sample::select(&[
            "torus:5x3@2GB/s+500ns,1GB/s+70ns", "tree:5x1x3@5GB/s+2us,1GB/s+300ns,1GB/s+50ns",
            "dragonfly:1,5,1,3@1GB/s+50ns,2GB/s+200ns,4GB/s+900ns",
        ][..]),
        seats in Just((0..15).collect::<Vec<usize>>()).prop_shuffle(),
        edges in prop::collection::vec((0u32..15, 0u32..15, 1u64..100_000, 1u64..20), 0..40),
    ) {
        let (graph, machine) = (counted(15, &edges), machine(spec, 1));
        let topology = machine.topology();
        let nodes: Vec<NodeId> = seats.into_iter().map(NodeId::at).collect();
        let mut longest = 0.0f64;
        for from in (0..15).map(Rank::at) {
            for (to, _, messages) in graph.sent_with_messages(from) {
                let mut wait = 0.0;
                topology.route(nodes[from.index()], nodes[to.index()], &mut |link| {
                    wait += messages * topology.latency(link);
                });
                longest = longest.max(wait);
            }
        }
        let found = waits(&graph, topology, &nodes).longest;
        prop_assert!((found - longest).abs() <= 1e-12 * longest, "{found}, not {longest}");
    }

    #[test]
    fn no_placement_is_faster_than_the_bound_slow(
        spec in prop::sample::select(&[
            "torus:5@2GB/s+500ns", "mesh:3x2@1GB/s+1us,3GB/s+100ns", "torus:2x3", "tree:2x3@5GB/s+2us,1GB/s+300ns",
            "xgft:3,2:1,2@1GB/s+1us", "dragonfly:1,2,1,3@1GB/s+50ns,2GB/s+200ns,4GB/s+900ns", "torus:1@1GB/s",
        ][..]),
        cores in 1u32..3,
        memory in prop::option::of(1e8f64..1e10),
        overhead in 0.0f64..1e-5,
        table in prop::bool::ANY,
        s in 0.0f64..1.0,
        edges in prop::collection::vec((0u32..5, 0u32..5, 1u64..100_000, 0u64..20), 0..14),
    ) {
        let row = |bytes, bandwidth, latency| SizeRow { bytes, bandwidth, latency };
        let rows = vec![row(0, 0.4, 1.7), row(1000, 1.1, 1.3), row(20_000, 0.9, 1.0)];
        let cores = if spec.starts_with("torus:1@") { 5 } else { cores };
        let machine = machine(spec, cores);
        let seconds = machine.topology().unit() == Unit::Seconds;
        let timing = Timing {
            overhead: if seconds { overhead } else { 0.0 },
            memory: memory.filter(|_| seconds),
            by_size: BySize::new(if table { rows } else { Vec::new() }).unwrap(),
            ..Timing::default()
        };
        let machine = machine.with_timing(timing);
        let graph = counted(5, &edges);
        let model = TimeModel::new(&graph, &machine, s);
        let bound = bound(&model, &graph, &machine);
        let parts = [bound.total(), bound.busiest_link, bound.latency, bound.mean_transfer];
        for (bound, least) in parts.into_iter().zip(least(&model, &machine, 5)) {
            prop_assert!(bound <= least * (1.0 + 1e-12), "{bound} above {least}");
        }
    }
}

#[test]
fn each_way_of_a_tie_that_nobody_knows_counts_a_share_of_its_bytes() {
    let ranks = graph(4, vec![message(0, 2, 100), message(1, 3, 100)]);
    let of = |spec| time(&ranks, &machine(spec, 1), &Placement::block(4), 0.0);
    let specs = ["torus:4", "torus:4/ties=split", "torus:4/ties=+"];
    let busiest = specs.map(|spec| of(spec).busiest_link);
    assert_eq!(busiest, [200.0 * HEDGE, 100.0, 200.0]);
    assert_eq!(specs.map(|spec| of(spec).mean_transfer), [100.0; 3]);
}

#[test]
fn times_of_phases_add_up_and_their_bound_holds() {
    // Two phases that load different links take the sum of their times, not the time of the
    // busier one.
    let there = graph(4, vec![message(0, 1, 10), message(2, 3, 4)]);
    let back = graph(4, vec![message(1, 0, 7), message(0, 2, 9)]);
    let all: Vec<_> = there.messages().chain(back.messages()).collect();
    let whole = graph(4, all).in_phases(vec![there.clone(), back.clone()]);
    let machine = machine("mesh:4", 1);
    for order in [[0, 1, 2, 3], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let slots = order.map(rankfold_base::SlotId);
        let placement = Placement::new(slots.to_vec());
        let total = |graph| score(graph, &machine, &placement).time.total();
        let (sum, time) = (total(&there) + total(&back), total(&whole));
        assert!((time - sum).abs() < 1e-9 * sum, "{time}, not {sum}");
        let hop_bytes = lower_bound(&whole, &machine, BoundEffort::Fast).hop_bytes;
        let bound = TimeModel::new(&whole, &machine, whole.exchange()).lower_bound(KnownBounds {
            hop_bytes,
            congestion: congestion_bound(&whole, &machine, hop_bytes, BoundEffort::Fast).congestion,
            effort: BoundEffort::Fast,
        });
        assert!(bound.total() <= time, "{bound:?}, {time}");
    }
}
