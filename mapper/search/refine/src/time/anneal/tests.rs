use super::*;
use proptest::prelude::*;
use rankfold_graph::CommGraph;
use rankfold_machine::Timing;
use rankfold_metric::time::TimeModel;
use rankfold_problem::objective::UnknownTies;
use rankfold_problem::testing::{Case, graph, machine, message, unequal_nodes};

/// With every rule for ties, with one rank a node and several, with links alike and not, with
/// memory as a link, with latencies and without.
const SPECS: [&str; 12] = [
    "torus:4x4",
    "mesh:3x5@2,1",
    "hypercube:4",
    "tree:3x6@4,1",
    "xgft:3,6:1,2",
    "dragonfly:2,3,2,3",
    "percs:1",
    "torus:3x5@2GB/s+3us",
    "tree:3x4@5GB/s+2us,1GB/s+300ns",
    "dragonfly:2,2,2,3@1GB/s+50ns,2GB/s+200ns,4GB/s+900ns",
    "torus:4x4/ties=source,order=1,0",
    "torus:4x4@2GB/s+3us,1GB/s+1us/ties=split",
];

prop_compose! {
    fn case()(
        spec in prop::sample::select(&SPECS[..]),
        unequal in any::<bool>(),
        memory in any::<bool>(),
        overhead in prop::sample::select(&[0.0, 1e-3, 1.0][..]),
        ranks in 2usize..16,
        edges in prop::collection::vec((0usize..16, 0usize..16, 1u64..1 << 30), 1..60),
    ) -> Case {
        let messages = edges.into_iter().map(|(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let all = messages.chain([message(0, 1, 1)]).collect();
        let nodes = rankfold_machine::parse(spec).unwrap().nodes();
        let capacities: Vec<u32> = (0..nodes as u32).map(|node| if unequal { node * 7 % 4 } else { 2 }).collect();
        let machine = unequal_nodes(spec, &capacities);
        let timing = Timing { memory: memory.then_some(3.0), overhead, ..Timing::default() };
        Case::new(graph(ranks, all), machine.with_timing(timing))
    }
}

/// Some placement with holes.
fn spread(case: &Case) -> Placement {
    let (ranks, slots) = (case.graph.ranks(), case.machine.slots().len());
    let slot = |rank| rankfold_base::SlotId::at(rank * slots / ranks);
    Placement::new((0..ranks).map(slot).collect())
}

fn times<'a>(model: &'a TimeModel<'_>) -> LinkTimes<'a> {
    LinkTimes {
        graph: model.graph(),
        transfer_share: model.s(),
        overhead: model.overhead(),
        timed: true,
        unknown_ties: UnknownTies::AsTimed,
    }
}

fn time_of(model: &TimeModel<'_>, placement: &Placement) -> f64 {
    model.time(placement).total()
}

/// Draws an exchange of subtrees from every node in turn.
fn draw_subtrees(search: &LinkAnneal<'_>, walk: &mut Walk<'_>, step: u32) -> bool {
    walk.exchanges.clear();
    let seats = &walk.seats;
    let node = step % search.machine.slots().nodes() as u32;
    let below = |range| walk.proposals.random.random_range(0..range as u32);
    search
        .subtrees
        .draw(node, seats, &mut walk.exchanges, below)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

fn schedule(work: u64) -> Schedule {
    Schedule {
        work,
        deadline: None,
        temperature: FIRST_TEMPERATURE,
    }
}

proptest! {
    #[test]
    fn loads_energy_and_time_kept_move_by_move_are_those_counted_anew(
        case in case(),
        seed in any::<u64>(),
        squarings in 2u32..5,
    ) {
        let model = TimeModel::new(&case.graph, &case.machine, 0.25);
        let search = LinkAnneal::new(times(&model), &case.machine, &case.constraints).unwrap();
        let mut walk = search.walk(&spread(&case), seed).unwrap();
        walk.energy.renew(&walk.board, squarings);
        let mut busiest = walk.board.busiest();
        let mut most = time_of(&model, &spread(&case));
        let longest_of = |walk: &mut Walk<'_>| walk.board.all_waits().iter().map(|pair| pair.0).fold(0.0, f64::max);
        let mut waited = longest_of(&mut walk);
        for step in 0..60 {
            let subtrees = step % 5 == 0 && !search.subtrees.is_empty();
            let drawn = if subtrees {
                draw_subtrees(&search, &mut walk, step)
            } else {
                walk.proposals.draw(&walk.board, &walk.seats, &mut walk.exchanges)
            };
            if !drawn {
                continue;
            }
            let exact = ExactTime::new(&mut walk.board, &walk.energy);
            let (bytes, placement) = (walk.board.loads.clone(), walk.seats.placement());
            walk.open();
            let after = walk.energy.after(&walk.board);
            let time = exact.after(&mut walk.board, &walk.energy, &walk.relocations, after);
            let expected = time_of(&model, &walk.seats.placement());
            most = expected.max(most);
            prop_assert!((time - expected).abs() <= 1e-12 * most, "{} {}", time, expected);
            if step % 2 == 0 {
                walk.take_back();
                prop_assert_eq!(&walk.board.loads, &bytes);
                prop_assert_eq!(walk.seats.placement(), placement);
            } else {
                walk.energy.keep(&walk.board, after);
                walk.board.keep();
                busiest = busiest.max(walk.board.busiest());
                waited = longest_of(&mut walk).max(waited);
            }
        }
        let placement = walk.seats.placement();
        let anew = search.walk(&placement, seed).unwrap();
        prop_assert_eq!(&walk.board.loads, &anew.board.loads);
        prop_assert!(walk.board.change.iter().all(|&change| change == 0));
        let kept = walk.energy.now().energy;
        walk.energy.renew(&walk.board, squarings);
        let longest = walk.energy.renew_waits(&mut walk.board);
        // Where the busiest link ever met has lost nearly all of its bytes, rounding hides what is
        // left of the sum of powers; with the longest wait likewise.
        let left = (walk.board.busiest() / busiest).powi(1 << squarings);
        let waits_left = if waited > 0.0 { (longest / waited).powi(16) } else { 1.0 };
        let same = (kept - walk.energy.now().energy).abs() <= 1e-6 * kept;
        prop_assert!(same || left < 1e-7 || waits_left < 1e-7, "{} {}", kept, walk.energy.now().energy);
        let time = time_of(&model, &placement);
        prop_assert!(close(walk.energy.time() + longest, time), "{} {}", walk.energy.time(), time);
    }

    #[test]
    fn the_first_look_knows_the_change_of_hop_bytes(case in case(), seed in any::<u64>()) {
        let hop_bytes = |placement: &Placement| {
            let nodes = placement.nodes(case.machine.slots());
            rankfold_metric::hop_bytes(&case.graph, case.machine.topology(), &nodes) as f64
        };
        let model = TimeModel::new(&case.graph, &case.machine, 0.25);
        let search = LinkAnneal::new(times(&model), &case.machine, &case.constraints).unwrap();
        let mut walk = search.walk(&spread(&case), seed).unwrap();
        for _ in 0..30 {
            if !walk.proposals.draw(&walk.board, &walk.seats, &mut walk.exchanges) {
                continue;
            }
            let before = hop_bytes(&walk.seats.placement());
            let longer = walk.proposals.longer(&mut walk.board, &walk.seats, &walk.exchanges);
            walk.open();
            walk.board.keep();
            if let Some(longer) = longer {
                prop_assert_eq!(hop_bytes(&walk.seats.placement()) - before, longer);
            }
        }
    }

    #[test]
    fn anneals_end_no_later_than_they_started_and_alike_every_time_slow(
        case in case(),
        seed in any::<u64>(),
    ) {
        let model = TimeModel::new(&case.graph, &case.machine, 0.25);
        let search = LinkAnneal::new(times(&model), &case.machine, &case.constraints).unwrap();
        let start = spread(&case);
        let found = search.anneal(&start, schedule(100_000), seed).unwrap();
        prop_assert!(close(found.after, time_of(&model, &found.placement)));
        prop_assert!(found.after <= time_of(&model, &start) * (1.0 + 1e-12));
        let again = search.anneal(&start, schedule(100_000), seed).unwrap();
        prop_assert_eq!(again.placement, found.placement);
    }
}

#[test]
fn two_streams_to_one_port_are_parted() {
    // Hosts 3 and 5 of leaf 1 share an up port of leaf 0; 3 and 4 do not.
    let streams = vec![message(0, 3, 100), message(1, 5, 100)];
    let case = Case::new(graph(6, streams), machine("xgft:3,2:1,2", 1));
    let model = TimeModel::new(&case.graph, &case.machine, 0.0);
    let search = LinkAnneal::new(times(&model), &case.machine, &case.constraints).unwrap();
    let found = search.anneal(&Placement::block(6), schedule(100_000), 1);
    assert_eq!(model.time(&found.unwrap().placement).busiest_link, 100.0);
}

#[test]
fn where_no_placement_makes_a_difference_nothing_is_searched() {
    let silent = graph(4, Vec::new());
    let talking = graph(4, vec![message(0, 1, 9)]);
    let searched = |graph: &CommGraph, machine: &Machine| {
        LinkAnneal::new(
            times(&TimeModel::new(graph, machine, 0.25)),
            machine,
            Constraints::none(),
        )
        .is_some()
    };
    assert!(!searched(&silent, &machine("torus:2x2", 1)));
    assert!(!searched(
        &talking,
        &unequal_nodes("torus:2x2", &[0, 4, 0, 0])
    ));
    assert!(searched(&talking, &machine("torus:2x2", 1)));
}
