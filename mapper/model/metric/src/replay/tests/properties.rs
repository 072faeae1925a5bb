//! What holds for every replay.

use super::super::fair_shares::{FairShares, PathLink};
use super::super::{ReplayModel, TimeModel};
use super::replay;
use proptest::prelude::*;
use rankfold_base::{Placement, Rank, SlotId};
use rankfold_graph::exchange::{ALL, PAIRWISE};
use rankfold_graph::{CommGraph, Entry, PartnerOrders, Traffic};
use rankfold_machine::samples::machine;
use rankfold_machine::{self as machine, Machine, Sharing, Timing};

/// For each of eight ranks, all ranks in the order in which it sends to them.
fn partner_orders() -> impl Strategy<Value = PartnerOrders> {
    let of_rank = || Just((0..8u32).collect::<Vec<_>>()).prop_shuffle();
    prop::collection::vec(of_rank(), 8).prop_map(|lists| {
        let mut orders = PartnerOrders::default();
        lists.iter().for_each(|list| orders.push(list));
        orders
    })
}

/// A machine with or without times, and a graph of eight ranks that just fill it.
fn cases() -> impl Strategy<Value = (CommGraph, Machine, Placement)> {
    let specs = prop::sample::select(vec![
        ("torus:4x2/ties=source", 1),
        ("torus:4x2/ties=split", 1),
        ("torus:4x2", 1),
        ("torus:2x4@1GB/s+1us", 1),
        ("torus:4@1GB/s+1us/ties=-", 2),
        ("mesh:2x4/routes=spread", 1),
        ("xgft:4,2:1,2", 1),
        ("tree:2x2@2,1", 2),
        ("dragonfly:2,2,1,2@10GB/s+1us,1GB/s+2us", 1),
    ]);
    let entries = prop::collection::vec((0u32..8, 0u32..8, 1u64..200_000, 1u64..4), 1..30);
    let order = Just((0..8u32).collect::<Vec<_>>()).prop_shuffle();
    let times = (
        prop::sample::select(vec![0.0, 1e-6]),
        prop::option::of(1e9..1e11),
    );
    let shares = prop::sample::select(vec![ALL, 0.25, PAIRWISE]);
    let sharing = prop::sample::select(vec![Some(Sharing::ByPath), Some(Sharing::Equal)]);
    let exchange = (shares, prop::option::of(partner_orders()));
    (specs, entries, order, times, exchange, sharing).prop_map(
        |((spec, cores), entries, order, (overhead, memory), (s, partner_orders), sharing)| {
            let machine = machine(spec, cores);
            let is_timed = machine.topology().unit() == machine::Unit::Seconds;
            let timing = Timing {
                overhead: if is_timed { overhead } else { 0.0 },
                memory: memory.filter(|_| is_timed),
                sharing,
                ..Timing::default()
            };
            let entries = entries
                .into_iter()
                .map(|(from, to, bytes, messages)| Entry {
                    from: Rank(from),
                    to: Rank(to),
                    bytes,
                    messages,
                });
            let traffic = Traffic::from_entries(8, entries).unwrap();
            let traffic = traffic.with_partner_orders(partner_orders.unwrap_or_default());
            let graph = traffic.into_graph().unwrap().with_exchange(s);
            let slots = order.into_iter().map(SlotId).collect();
            (graph, machine.with_timing(timing), Placement::new(slots))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_replay_is_shorter_than_its_busiest_link_or_its_busiest_rank(
        (graph, machine, placement) in cases(),
    ) {
        let replay = replay(&graph, &machine, &placement);
        let time = TimeModel::new(&graph, &machine, graph.exchange()).time(&placement);
        let least = time.busiest_link.max(time.overhead);
        prop_assert!(replay.total >= least * (1.0 - 1e-7), "{} below {least}", replay.total);
    }

    #[test]
    fn no_replay_is_shorter_than_the_lower_bound_of_all_placements(
        (graph, machine, placement) in cases(),
    ) {
        let model = ReplayModel::new(&graph, &machine).unwrap();
        let total = replay(&graph, &machine, &placement).total;
        let time = TimeModel::new(&graph, &machine, graph.exchange()).time(&placement);
        let bound = model.lower_bound(time.busiest_link);
        prop_assert!(total >= bound * (1.0 - 1e-7), "{total} below {bound}");
    }

    #[test]
    fn everything_arrives_after_it_was_sent_and_nobody_finishes_before(
        (graph, machine, placement) in cases(),
    ) {
        let replay = replay(&graph, &machine, &placement);
        for exchange in &replay.exchanges {
            for (rank, wait) in exchange.waits.iter().enumerate() {
                let finished = exchange.finished[rank];
                prop_assert!(finished.is_finite() && finished <= exchange.total);
                let Some(wait) = wait else { continue };
                prop_assert!(wait.started <= wait.arrived);
                prop_assert!(wait.arrived <= finished * (1.0 + 1e-8));
            }
            for pair in exchange.critical_path.windows(2) {
                prop_assert!(pair[1].arrived <= pair[0].arrived);
            }
        }
    }

    #[test]
    fn rates_updated_step_by_step_equal_rates_computed_at_once(
        paths in prop::collection::vec(
            (0.1f64..3.0, prop::collection::btree_map(0u32..6, prop::sample::select(vec![0.25, 0.5, 1.0]), 1..5)),
            1..25,
        ),
        bandwidths in prop::collection::vec(0.5f64..4.0, 6),
        events in prop::collection::vec(0usize..25, 1..60),
    ) {
        let fill = |shares: &mut FairShares| {
            for (weight, path) in &paths {
                let path: Vec<PathLink> = path.iter().map(|(&link, &share)| PathLink { link, share }).collect();
                shares.add(*weight, &path);
            }
        };
        let mut stepwise = FairShares::new(bandwidths.clone());
        fill(&mut stepwise);
        let mut is_under_way = vec![false; paths.len()];
        for (number, event) in events.into_iter().enumerate() {
            let flow = event % paths.len();
            is_under_way[flow] ^= true;
            if is_under_way[flow] {
                stepwise.start(flow as u32);
            } else {
                stepwise.end(flow as u32);
            }
            if number % 3 == 0 {
                stepwise.settle();
            }
        }
        stepwise.settle();
        let mut at_once = FairShares::new(bandwidths);
        fill(&mut at_once);
        let under_way = || (0..paths.len() as u32).filter(|&flow| is_under_way[flow as usize]);
        under_way().for_each(|flow| at_once.start(flow));
        at_once.settle();
        for flow in under_way() {
            let (found, expected) = (stepwise.rate(flow), at_once.rate(flow));
            prop_assert!((found - expected).abs() <= 1e-7 * expected, "{flow}: {found}, not {expected}");
        }
    }

    #[test]
    fn the_time_does_not_depend_on_the_numbers_of_the_ranks(
        (graph, machine, placement) in cases(),
        order in Just((0..8u32).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        // Without overhead, all at once or where a profile tells the order of partners, numbers of
        // ranks decide nothing.
        let machine = machine.with_timing(Timing::default());
        let is_ordered = graph.partner_order(Rank(0)).is_some();
        let s = if is_ordered { graph.exchange() } else { ALL };
        let graph = graph.with_exchange(s);
        let order: Vec<Rank> = order.into_iter().map(Rank).collect();
        let moved = Placement::new(order.iter().map(|&rank| placement.slot(rank)).collect());
        let found = replay(&graph.renumbered(&order), &machine, &moved).total;
        let expected = replay(&graph, &machine, &placement).total;
        prop_assert!((found - expected).abs() <= 1e-6 * expected, "{found}, not {expected}");
    }
}
