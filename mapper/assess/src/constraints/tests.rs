use super::*;
use rankfold_graph::samples::star_stencil;
use rankfold_machine::samples::machine;

fn rule(origin: &str, demand: Demand) -> Rule {
    Rule {
        demand,
        origin: origin.into(),
    }
}

fn ranks(numbers: &[u32]) -> Vec<Rank> {
    numbers.iter().copied().map(Rank).collect()
}

/// Rules for 8 ranks on four nodes of two slots; `n`, `s`, `t` and `a` are the kinds of demands.
fn rules(demands: &[(char, &[u32])]) -> Vec<Rule> {
    let demand = |&(kind, numbers): &(char, &[u32])| match kind {
        'n' => Demand::Stay(Rank(numbers[0]), Seat::Node(NodeId(numbers[1]))),
        's' => Demand::Stay(Rank(numbers[0]), Seat::Slot(SlotId(numbers[1]))),
        't' => Demand::Together(ranks(numbers)),
        _ => Demand::Apart(ranks(numbers)),
    };
    let named = |it: &(char, &[u32])| rule(&format!("--{} {:?}", it.0, it.1), demand(it));
    demands.iter().map(named).collect()
}

fn constraints(demands: &[(char, &[u32])]) -> Result<Constraints, Infeasible> {
    Constraints::new(8, &machine("mesh:4", 2), rules(demands), None)
}

#[test]
fn rules_that_contradict_each_other_are_named_and_no_others() {
    let message = |demands: &[(char, &[u32])]| constraints(demands).unwrap_err().to_string();
    assert_eq!(
        message(&[('n', &[8, 0])]),
        "--n [8, 0]: there is no rank 8, as there are 8 ranks"
    );
    assert!(message(&[('n', &[1, 4])]).contains("no slot"));
    let harmless: (char, &[u32]) = ('n', &[7, 0]);
    assert_eq!(
        message(&[harmless, ('n', &[1, 1]), ('n', &[1, 2])]),
        "no placement has rank 1 on node 1, which takes 2 (--n [1, 1]) and rank 1 on node 2, which takes 2 (--n [1, 2])"
    );
    let slots = message(&[('s', &[1, 3]), harmless, ('s', &[2, 3])]);
    assert!(
        slots.contains("rank 1 in slot 1 of node 1 (--s [1, 3]) and rank 2 in"),
        "{slots}"
    );
    assert!(!slots.contains("--n"), "{slots}");
    let crowded = message(&[('s', &[1, 3]), ('n', &[2, 1]), ('n', &[5, 1]), harmless]);
    assert!(
        crowded.contains("rank 5 on node 1, which takes 2"),
        "{crowded}"
    );
    let apart = message(&[harmless, ('a', &[0, 1, 2, 3, 4])]);
    assert_eq!(
        apart,
        "no placement has ranks 0-4 on different hosts (--a [0, 1, 2, 3, 4])"
    );
    let both = message(&[('t', &[0, 1]), harmless, ('a', &[1, 2, 0])]);
    assert!(
        both.contains("ranks 0-1 on one host") && !both.contains("--n"),
        "{both}"
    );
    let large = message(&[('t', &[0, 1]), ('t', &[1, 2])]);
    assert!(
        large.contains("--t [0, 1]") && large.contains("--t [1, 2]"),
        "{large}"
    );
    let far = message(&[('t', &[0, 1]), ('n', &[0, 1]), ('n', &[2, 1])]);
    assert!(far.contains("rank 2 on node 1"), "{far}");
    assert!(constraints(&[('n', &[1, 1]), ('n', &[1, 1]), ('s', &[1, 2])]).is_ok());
}

#[test]
fn a_search_goes_back_where_the_first_choice_leads_nowhere() {
    // Rank 1 would take the node that rank 2 needs, and so on.
    let all = constraints(&[
        ('a', &[0, 1, 2, 3]),
        ('a', &[4, 5, 6, 7]),
        ('t', &[0, 4]),
        ('n', &[5, 0]),
        ('s', &[6, 3]),
        ('a', &[0, 2]),
    ])
    .unwrap();
    let affinity = star_stencil(&[8], false).affinity();
    let placed = all.put_back(Placement::block(8), &affinity, &machine("mesh:4", 2));
    assert!(
        all.are_kept_by(&placed, &machine("mesh:4", 2)),
        "{placed:?}"
    );
}

#[test]
fn placements_are_put_right() {
    let (graph, machine) = (star_stencil(&[8], false), machine("mesh:4", 2));
    let affinity = graph.affinity();
    for demands in [
        rules(&[
            ('n', &[0, 3]),
            ('s', &[1, 0]),
            ('n', &[2, 0]),
            ('n', &[7, 3]),
        ]),
        rules(&[('t', &[0, 7]), ('t', &[1, 4]), ('a', &[2, 5])]),
        rules(&[('a', &[0, 1, 2, 3]), ('a', &[4, 5, 6, 7]), ('n', &[5, 2])]),
    ] {
        let all = Constraints::new(8, &machine, demands, None).unwrap();
        for turn in 0..8 {
            let slots = (0..8).map(|rank| SlotId((rank + turn) % 8)).collect();
            let found = all.put_back(Placement::new(slots), &affinity, &machine);
            assert!(all.are_kept_by(&found, &machine), "{found:?}");
        }
    }
}

#[test]
fn both_nodes_change_places_where_that_costs_nothing() {
    let (graph, machine) = (star_stencil(&[4], false), machine("mesh:2", 2));
    let there = Placement::new([2, 3, 0, 1].map(SlotId).to_vec());
    let constraints = Constraints::in_seats_of(&Placement::block(4), &machine, &[0; 4], true);
    let found = constraints.put_back(there, &graph.affinity(), &machine);
    assert_eq!(found, Placement::block(4));
}

#[test]
fn as_few_ranks_leave_a_map_as_other_constraints_ask_for() {
    let machine = machine("mesh:4", 2);
    let start = |moves| Start {
        placement: Placement::block(8),
        moves,
        origin: "--start app.map".into(),
    };
    let of = |demands: &[(char, &[u32])], moves| {
        Constraints::new(8, &machine, rules(demands), Some(start(moves)))
    };
    let error = of(&[('n', &[0, 3])], 1).unwrap_err().to_string();
    assert_eq!(
        error,
        "--start app.map: the other constraints need 2 ranks to move, and 1 may"
    );
    for (demands, moves) in [
        (&[('n', &[0, 3][..])][..], 2),
        (&[('a', &[0, 1])], 2),
        // Ranks 2 and 3 make room for 0 and 1, or the other way round.
        (&[('t', &[0, 1, 2])], 0),
        (&[('t', &[0, 2]), ('t', &[1, 3])], 2),
        (&[], 0),
    ] {
        let kept = of(demands, moves);
        if demands == [('t', &[0, 1, 2][..])] {
            assert!(matches!(kept, Err(Infeasible::Conflict { .. })));
            continue;
        }
        let kept = kept.unwrap();
        let (begin, _) = kept.start().unwrap();
        assert!(kept.are_kept_by(begin, &machine), "{demands:?}");
        let held = kept.held_at(begin);
        let stay = (0..8).map(Rank).filter(|&rank| held.seats(rank)).count();
        assert_eq!(stay, 8 - moves, "{demands:?}");
    }
}

#[test]
fn moves_are_allowed_as_a_whole() {
    let all = constraints(&[('t', &[0, 1]), ('a', &[2, 4]), ('n', &[7, 3])]).unwrap();
    let block = Placement::block(8).nodes(machine("mesh:4", 2).slots());
    let allows = |moves: &[(u32, u32)]| {
        let moves = moves.iter().map(|&(rank, node)| (Rank(rank), NodeId(node)));
        all.allows(&moves, |rank| block[rank.index()])
    };
    assert!(!allows(&[(0, 1), (2, 0)]), "0 leaves 1");
    assert!(allows(&[(0, 1), (1, 1), (2, 0), (3, 0)]));
    assert!(!allows(&[(0, 1), (1, 2)]));
    assert!(!allows(&[(2, 2), (5, 1)]), "2 meets 4");
    assert!(allows(&[(2, 2), (4, 1)]));
    assert!(!allows(&[(2, 0), (4, 0)]), "both meet elsewhere");
    assert!(!allows(&[(7, 2), (5, 3)]));
    assert!(allows(&[(3, 2), (5, 1)]));
}

#[test]
fn other_numbers_of_ranks_change_nothing() {
    let machine = machine("mesh:4", 2);
    let start = Start {
        placement: Placement::block(8),
        moves: 4,
        origin: String::new(),
    };
    let demands = rules(&[('t', &[0, 3]), ('a', &[2, 4]), ('n', &[7, 2])]);
    let all = Constraints::new(8, &machine, demands, Some(start)).unwrap();
    let original = |rank: Rank| Rank((rank.0 * 3 + 1) % 8);
    let other = all.renumbered(original);
    let (begin, _) = all.start().unwrap();
    let slots = (0..8).map(|new| begin.slot(original(Rank(new))));
    let renumbered = Placement::new(slots.collect());
    assert_eq!(other.start().unwrap().0, &renumbered);
    assert!(other.are_kept_by(&renumbered, &machine));
    assert!(!other.are_kept_by(begin, &machine));
}
