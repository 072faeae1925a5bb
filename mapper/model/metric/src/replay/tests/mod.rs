//! Replays whose times are known.

mod properties;
mod turns;

use super::fair_shares::{FairShares, PathLink};
use super::*;
use crate::time::TimeModel;
use rankfold_graph::samples::{graph, message};
use rankfold_graph::{Entry, Traffic};
use rankfold_machine::samples::machine;
use rankfold_machine::{HEDGE, Timing};

const ANY_WORK: u64 = u64::MAX;

fn replay(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Replay {
    let model = ReplayModel::new(graph, machine).unwrap();
    model.replay(placement, ANY_WORK).unwrap()
}

fn block(graph: &CommGraph, machine: &Machine) -> Replay {
    replay(graph, machine, &Placement::block(graph.ranks()))
}

#[track_caller]
pub(super) fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-7 * expected.abs(),
        "{found}, not {expected}"
    );
}

fn whole(link: u32) -> PathLink {
    PathLink { link, share: 1.0 }
}

#[test]
fn two_flows_on_one_link_share_it_and_the_longer_one_ends_alone() {
    // Both flows pass the link 1 -> 2. Until the shorter one has ended, each has half of it.
    let graph = graph(4, vec![message(0, 2, 300), message(1, 3, 100)]);
    let graph = graph.with_exchange(ALL);
    let machine = machine("mesh:4", 1);
    let replay = block(&graph, &machine);
    assert_near(replay.total, 400.0);
    let exchange = replay.longest().unwrap();
    assert_near(exchange.finished[3], 200.0);
    assert_near(exchange.finished[2], 400.0);
}

#[test]
fn a_parking_lot_gives_the_long_flow_what_its_weight_says() {
    // A flow of weight 1/3 over three links, on each of which it meets a flow of weight 1.
    let rates = |weight: f64| {
        let mut shares = FairShares::new(vec![1.0; 3]);
        let long = shares.add(weight, &[whole(0), whole(1), whole(2)]);
        let short: Vec<u32> = (0..3).map(|link| shares.add(1.0, &[whole(link)])).collect();
        for &flow in short.iter().chain([&long]) {
            shares.start(flow);
        }
        shares.settle();
        (shares.rate(long), shares.rate(short[1]))
    };
    let (long, short) = rates(1.0 / 3.0);
    assert_near(long, 0.25);
    assert_near(short, 0.75);
    let (long, short) = rates(1.0);
    assert_near(long, 0.5);
    assert_near(short, 0.5);
}

#[test]
fn a_flow_that_ends_frees_its_share_for_others_and_they_for_others_again() {
    // Links 0 and 1. Flow a passes both, b link 0, c link 1 with bandwidth 2.
    let mut shares = FairShares::new(vec![1.0, 2.0]);
    let a = shares.add(1.0, &[whole(0), whole(1)]);
    let b = shares.add(1.0, &[whole(0)]);
    let c = shares.add(1.0, &[whole(1)]);
    for flow in [a, b, c] {
        shares.start(flow);
    }
    shares.settle();
    assert_near(shares.rate(a), 0.5);
    assert_near(shares.rate(c), 1.5);
    shares.end(b);
    shares.settle();
    assert_near(shares.rate(a), 1.0);
    assert_near(shares.rate(c), 1.0);
    shares.start(b);
    shares.settle();
    assert_near(shares.rate(c), 1.5);
    assert_eq!((shares.limit(a), shares.limit(c)), (0, 1));
}

#[test]
fn ties_of_an_unknown_way_are_hedged_as_in_the_formula() {
    // Rank 0 sends to 2 over half of the ring: up over 1, or down over 3. Rank 1 sends to 2
    // over the second link of the way up.
    let graph = graph(4, vec![message(0, 2, 1000), message(1, 2, 1000)]).with_exchange(ALL);
    let placement = Placement::block(4);
    let of = |spec: &str| {
        let machine = machine(spec, 1);
        let formula = TimeModel::new(&graph, &machine, ALL).time(&placement);
        (block(&graph, &machine).total, formula.busiest_link)
    };
    let shares = [
        ("torus:4", HEDGE),
        ("torus:4/ties=split", 0.5),
        ("torus:4/ties=+", 1.0),
    ];
    for (spec, share) in shares {
        let (replayed, by_formula) = of(spec);
        assert_near(replayed, 1000.0 + share * 1000.0);
        assert_near(by_formula, 1000.0 + share * 1000.0);
    }
}

#[test]
fn partner_by_partner_a_large_message_waits_for_its_receiver() {
    // Ranks 0-1 and 2-3 come first, then 1-2: that message waits for the longer of both.
    let bytes = 1 << 20;
    let messages = vec![
        message(0, 1, 3 * bytes),
        message(2, 3, bytes),
        message(1, 2, bytes),
    ];
    let graph = graph(4, messages).with_exchange(PAIRWISE);
    let replay = block(&graph, &machine("mesh:4", 1));
    let bytes = bytes as f64;
    assert_near(replay.total, 4.0 * bytes);
    let [exchange] = &replay.exchanges[..] else {
        panic!("{:?}", replay.exchanges);
    };
    assert_near(exchange.finished[3], bytes);
    let path: Vec<(u32, u32, u32)> = exchange
        .critical_path
        .iter()
        .map(|wait| (wait.rank.0, wait.from.0, wait.to.0))
        .collect();
    assert_eq!(path, [(1, 1, 2), (1, 0, 1)]);
}

#[test]
fn a_small_message_does_not_wait_for_its_receiver() {
    // The first message of rank 2 is eager: rank 2 goes on although rank 1 is busy with rank 0.
    let messages = vec![
        message(0, 1, 1 << 20),
        message(2, 1, 1000),
        message(2, 3, 1000),
    ];
    let graph = graph(4, messages).with_exchange(PAIRWISE);
    let replay = block(&graph, &machine("mesh:4", 1));
    let exchange = replay.longest().unwrap();
    assert!(exchange.finished[3] <= 2000.0, "{:?}", exchange.finished);
    assert_near(exchange.finished[1], f64::from(1 << 20));
}

#[test]
fn latency_and_overhead_are_paid_for_each_message_and_one_after_the_other() {
    // Rank 0 sends to 1 and 2, busy for 1 us with each; one and two links of 1 us; 1000 bytes at
    // 1 GB/s. The second message leaves later and passes the first link later.
    let timing = Timing {
        overhead: 1e-6,
        ..Timing::default()
    };
    let machine = machine("mesh:3@1GB/s+1us", 1).with_timing(timing);
    let graph = graph(3, vec![message(0, 1, 1000), message(0, 2, 1000)]).with_exchange(ALL);
    let replay = block(&graph, &machine);
    let finished = &replay.longest().unwrap().finished;
    // The first: 1 us at the sender, 1 us of latency, 1 us of bytes, 1 us at the receiver.
    assert_near(finished[1], 4e-6);
    // The second: 2 us at the sender, 2 us of latency, 1 us of bytes, 1 us at the receiver.
    assert_near(finished[2], 6e-6);
}

#[test]
fn messages_inside_a_node_move_at_the_bandwidth_of_memory_where_that_is_known() {
    let graph = graph(4, vec![message(0, 1, 1000), message(2, 3, 1000)]).with_exchange(ALL);
    let on_one_node = |memory| {
        let timing = Timing {
            memory,
            ..Timing::default()
        };
        block(&graph, &machine("mesh:2@1GB/s", 4).with_timing(timing))
    };
    assert_eq!(on_one_node(None).total, 0.0);
    let replay = on_one_node(Some(2e9));
    assert_near(replay.total, 1e-6);
    let exchange = replay.longest().unwrap();
    assert_near(exchange.finished[3], 0.5e-6);
    let wait = exchange.waits[3].unwrap();
    assert_eq!((wait.limit, wait.partner()), (None, Rank(2)));
}

#[test]
fn a_run_of_equal_exchanges_takes_as_many_times_as_long() {
    let entry = |messages| Entry {
        from: Rank(0),
        to: Rank(1),
        bytes: 8000,
        messages,
    };
    let run = |messages| {
        let traffic = Traffic::from_entries(2, [entry(messages)]).unwrap();
        let graph = traffic.into_graph().unwrap().with_exchange(ALL);
        block(&graph, &machine("mesh:2@1GB/s+1us", 1)).total
    };
    assert_near(run(1), 9e-6);
    assert_near(run(8), 16e-6);
}

#[test]
fn the_share_s_weighs_both_ways_to_exchange() {
    let graph = graph(3, vec![message(1, 0, 1 << 20), message(1, 2, 1 << 20)]);
    let machine = machine("mesh:3", 1);
    let total = |s| block(&graph.clone().with_exchange(s), &machine).total;
    let (all, pairwise) = (total(ALL), total(PAIRWISE));
    assert_near(pairwise, 2.0 * all);
    assert_near(total(0.25), 0.75 * all + 0.25 * pairwise);
}

#[test]
fn the_rank_that_waits_longest_is_told_with_its_link() {
    let graph = graph(4, vec![message(0, 2, 300), message(1, 3, 100)]).with_exchange(ALL);
    let machine = machine("mesh:4", 1);
    let replay = block(&graph, &machine);
    let path = &replay.longest().unwrap().critical_path;
    let [wait] = &path[..] else {
        panic!("{path:?}");
    };
    assert_eq!((wait.rank, wait.partner()), (Rank(2), Rank(0)));
    assert!(wait.limit.is_some());
    assert_near(wait.arrived, 400.0);
}

#[test]
fn too_much_work_has_no_result() {
    let graph = graph(4, vec![message(0, 2, 300), message(1, 3, 100)]);
    let machine = machine("mesh:4", 1);
    let model = ReplayModel::new(&graph, &machine).unwrap();
    assert!(model.replay(&Placement::block(4), 2).is_none());
}

#[test]
fn no_traffic_takes_no_time() {
    let machine = machine("torus:4@1GB/s+1us", 1);
    let replay = block(&graph(4, Vec::new()), &machine);
    assert_eq!(
        (replay.total, replay.longest().unwrap().critical_path.len()),
        (0.0, 0)
    );
}
