use super::*;
use proptest::prelude::*;
use rankfold_base::{NodeId, Rank};
use rankfold_metric::hop_bytes;
use rankfold_problem::testing::{Case, graph, machine, message, star_stencil};

/// Lines 20-36 as listed: every saving is computed anew, by exchanging and measuring.
fn reference(case: &Case, placement: &mut Placement) {
    let measured = |p: &Placement| {
        let nodes = p.nodes(case.machine.slots());
        hop_bytes(&case.graph, case.machine.topology(), &nodes) as i128
    };
    let ranks = case.graph.ranks();
    let mut locked = vec![false; ranks];
    let (mut best, mut lowest) = (placement.clone(), measured(placement));
    for _ in 0..ranks / 2 {
        let now = measured(placement);
        let mut pick: Option<(i128, usize, usize)> = None;
        for a in 0..ranks {
            for b in a + 1..ranks {
                if locked[a] || locked[b] {
                    continue;
                }
                let mut exchanged = placement.clone();
                exchanged.swap(Rank::at(a), Rank::at(b));
                let saving = now - measured(&exchanged);
                if pick.is_none_or(|(most, ..)| saving > most) {
                    pick = Some((saving, a, b));
                }
            }
        }
        let Some((_, a, b)) = pick else { break };
        placement.swap(Rank::at(a), Rank::at(b));
        (locked[a], locked[b]) = (true, true);
        if measured(placement) < lowest {
            (best, lowest) = (placement.clone(), measured(placement));
        }
    }
    *placement = best;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_incremental_exchange_equals_the_recomputed_one(
        ranks in 1usize..20,
        edges in prop::collection::vec((0usize..20, 0usize..20, 1u64..1 << 20), 0..50),
        spec in prop::sample::select(vec!["torus:3x7", "tianhe3:2x2,5", "tree:5x4", "mesh:20"]),
        cores in 1u32..3,
    ) {
        let messages = edges.iter().map(|&(a, b, w)| message(a % ranks, b % ranks, w)).collect();
        let case = Case::new(graph(ranks, messages), machine(spec, cores));
        let problem = case.problem();
        let start = greedy::place(&problem);
        let (mut narrow, mut wide, mut slow) = (start.clone(), start.clone(), start.clone());
        PairExchange::<i64>::new(&problem, &start, Counting::Exact).run(ranks as u64 / 2, &mut narrow);
        PairExchange::<i128>::new(&problem, &start, Counting::Exact).run(ranks as u64 / 2, &mut wide);
        reference(&case, &mut slow);
        prop_assert_eq!(&narrow, &slow);
        prop_assert_eq!(&wide, &slow);
    }
}

#[test]
fn a_hundred_and_twenty_eight_processes_end_where_the_recomputed_savings_lead() {
    let messages = (0..128)
        .flat_map(|r| [(r, r * 37 % 128, 3 + r as u64), (r, (r + 1) % 128, 200)])
        .map(|(a, b, bytes)| message(a, b, bytes));
    let case = Case::new(graph(128, messages.collect()), machine("torus:4x4x8", 1));
    let problem = case.problem();
    let start = greedy::place(&problem);
    let mut state = PairExchange::<i64>::new(&problem, &start, Counting::Exact);
    for _ in 0..64 {
        let fresh =
            PairExchange::<i64>::new(&problem, &placement_of(&state, &case), Counting::Exact);
        let (saving, a, b) = state.pick().unwrap();
        assert_eq!(saving, fresh.saving(a, b));
        let most = unlocked_pairs(&state)
            .map(|(a, b)| fresh.saving(a, b))
            .max();
        assert_eq!(Some(saving), most);
        let before = state.hop_bytes();
        state.exchange(a, b);
        assert_eq!(state.hop_bytes(), before - i128::from(saving));
    }
}

#[test]
fn the_listing_counts_the_bytes_between_the_two_as_saved() {
    // Processes 0 and 1 talk across three hops: an exchange of the two changes nothing.
    let messages = [(0, 1, 10), (1, 2, 1)].map(|(a, b, w)| message(a, b, w));
    let case = Case::new(graph(4, messages.to_vec()), machine("mesh:4", 1));
    let problem = case.problem();
    let nodes = [0, 3, 2, 1].map(NodeId);
    let start = Placement::from_nodes(&nodes, case.machine.slots()).unwrap();
    let of = |counting| PairExchange::<i64>::new(&problem, &start, counting);
    let saved = |counting| of(counting).saving(Rank(0), Rank(1));
    assert_eq!(
        saved(Counting::Listing),
        saved(Counting::Exact) + 2 * 3 * 10
    );
    // It takes an exchange for the best that in fact costs a hop.
    assert_eq!(of(Counting::Exact).saving(Rank(0), Rank(1)), -1);
    assert_eq!(
        of(Counting::Listing).pick().map(|(_, a, b)| (a, b)),
        Some((Rank(0), Rank(1)))
    );
}

fn placement_of(state: &PairExchange<'_, i64>, case: &Case) -> Placement {
    Placement::from_nodes(&state.node_of, case.machine.slots()).unwrap()
}

fn unlocked_pairs<'a>(state: &'a PairExchange<'_, i64>) -> impl Iterator<Item = (Rank, Rank)> + 'a {
    let open = |&r: &usize| !state.locked[r];
    (0..state.node_of.len()).filter(open).flat_map(move |a| {
        (a + 1..state.node_of.len())
            .filter(open)
            .map(move |b| (Rank::at(a), Rank::at(b)))
    })
}

#[test]
fn the_first_pair_is_the_most_talkative_process_and_the_most_central_node() {
    let messages = [(0, 3, 5), (3, 1, 5), (3, 2, 5), (1, 2, 1)].map(|(a, b, w)| message(a, b, w));
    let case = Case::new(graph(4, messages.to_vec()), machine("mesh:5", 1));
    let nodes = greedy::place(&case.problem()).nodes(case.machine.slots());
    assert_eq!(nodes[3], NodeId(2));
}

#[test]
fn the_greedy_start_stays_compact_around_the_middle() {
    let case = Case::new(star_stencil(&[4, 4], false), machine("mesh:8x8", 1));
    let placement = greedy::place(&case.problem());
    let nodes = placement.nodes(case.machine.slots());
    let grid = case.machine.topology().structure().grid().unwrap();
    for node in nodes {
        let off: Vec<isize> = grid
            .coordinates(node)
            .iter()
            .map(|&x| (2 * x as isize - 7).abs())
            .collect();
        assert!(off.iter().all(|&o| o <= 5), "{node} at {off:?}");
    }
}

/// Section 5.3: OHTMA beats in-order mapping for BT and SP, which exchange along rows, columns and
/// diagonals.
#[test]
fn multipartition_solvers_on_tianhe_gain_on_in_order() {
    let shifts = [(0, 1), (1, 0), (1, 15), (0, 15), (15, 0), (15, 1)];
    let cells = (0..256).flat_map(|r| {
        shifts.map(|(dx, dy)| message(r, (r / 16 + dx) % 16 * 16 + (r % 16 + dy) % 16, 1000))
    });
    let case = Case::new(graph(256, cells.collect()), machine("tianhe3:2x2", 1));
    let of = |p: &Placement| {
        let nodes = p.nodes(case.machine.slots());
        hop_bytes(&case.graph, case.machine.topology(), &nodes)
    };
    let placed = Ohtma.place(&case.problem()).unwrap().placement;
    assert!(of(&placed) < of(&Placement::block(256)));
}

#[test]
fn the_user_says_how_many_exchanges_are_tried() {
    let messages = (0..24).map(|r| message(r, (r * 7 + 5) % 24, 10 + r as u64));
    let case = Case::new(graph(24, messages.collect()), machine("mesh:24", 1));
    let tried = |loops| {
        let problem = Problem {
            loops,
            ..case.problem()
        };
        Ohtma.place(&problem).unwrap().diagnostics.passes
    };
    assert_eq!([Some(0), Some(5), None].map(tried), [0, 5, 12]);
    // Every exchange locks two processes.
    assert_eq!(tried(Some(1000)), 12);
}
