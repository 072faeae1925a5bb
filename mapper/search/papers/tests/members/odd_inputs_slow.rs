//! Graphs and machines nobody has in mind: every heuristic answers with a valid placement or a
//! reason.

use crate::{hop_bytes, names, request};
use rankfold_base::Placement;
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::{HostList, Machine, MachineError, parse};
use rankfold_problem::heuristic::Effort;
use rankfold_problem::testing::{graph, machine, message};
use rankfold_search::select::{Request, SelectError, Selection, select};

/// Ranks that all sit in slots of their own, and hop-bytes that are what they are said to be.
fn check(chosen: &Selection, graph: &CommGraph, machine: &Machine, name: &str) {
    for candidate in &chosen.candidates {
        let Ok(solution) = &candidate.outcome else {
            continue;
        };
        let mut slots = solution.placement().slots().to_vec();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(
            slots.len(),
            graph.ranks(),
            "{name}: {}",
            candidate.heuristic
        );
        assert!(
            slots
                .iter()
                .all(|slot| slot.index() < machine.slots().len())
        );
        let found = hop_bytes(graph, machine, solution.placement());
        assert_eq!(
            solution.score().hop_bytes,
            found,
            "{name}: {}",
            candidate.heuristic
        );
        assert!(
            found >= chosen.bounds.hop_bytes,
            "{name}: {}",
            candidate.heuristic
        );
    }
}

/// Every heuristic alone, then the portfolio with `effort`.
fn answer(name: &str, graph: &CommGraph, machine: &Machine, effort: Effort) {
    for heuristic in names() {
        let request = Request {
            effort: Effort::Fast,
            ..request(Some(heuristic))
        };
        match select(graph, machine, &request) {
            Ok(chosen) => check(&chosen, graph, machine, name),
            Err(SelectError::NotApplicable { .. }) => {}
            Err(other) => panic!("{name}: {heuristic}: {other}"),
        }
    }
    let request = Request {
        effort,
        ..request(None)
    };
    let chosen = select(graph, machine, &request).unwrap();
    check(&chosen, graph, machine, name);
    assert!(chosen.winner().1.value <= chosen.block.value, "{name}");
}

fn everywhere(name: &str, graph: &CommGraph) {
    for (spec, cores, effort) in [
        ("torus:4x4x4", 2, Effort::Balanced),
        ("mesh:100", 1, Effort::Hurried),
        ("tree:5x5x5", 1, Effort::Fast),
    ] {
        answer(name, graph, &machine(spec, cores), effort);
    }
}

fn star(leaves: usize) -> Vec<Message> {
    (1..=leaves)
        .map(|leaf| message(0, leaf, 1 << (leaf % 50)))
        .collect()
}

#[test]
fn disconnected_graphs_and_isolated_ranks() {
    let rings = (0..60).map(|rank| message(rank, rank / 6 * 6 + (rank + 1) % 6, 5));
    everywhere("ten rings", &graph(60, rings.clone().collect()));
    everywhere("ten rings and idle ranks", &graph(100, rings.collect()));
    everywhere("one pair", &graph(100, vec![message(3, 90, 1)]));
}

#[test]
fn a_star() {
    everywhere("star", &graph(100, star(99)));
}

#[test]
fn one_rank_and_silent_ranks() {
    everywhere("one rank", &graph(1, vec![]));
    everywhere("silence", &graph(100, vec![]));
    let zeros = (0..99).map(|rank| message(rank, rank + 1, 0));
    everywhere("zero bytes", &graph(100, zeros.collect()));
}

#[test]
fn weights_from_1_to_2_to_the_53() {
    let wild = (1..100).map(|i| message(i * 37 % 100, (i * 53 + 11) % 100, 1 << (i * 7 % 54)));
    everywhere("wild weights", &graph(100, wild.collect()));
}

#[test]
fn hop_bytes_beyond_64_bits() {
    let heavy = (0..50).map(|i| message(i, 99 - i, (i64::MAX / 51) as u64));
    let graph = graph(100, heavy.collect());
    let machine = machine("mesh:100", 1);
    let block = hop_bytes(&graph, &machine, &Placement::block(100));
    assert!(block > u128::from(u64::MAX), "{block}");
    everywhere("heavy", &graph);
}

#[test]
fn nodes_without_slots_and_more_slots_than_ranks() {
    let hosts: Vec<String> = (0..64)
        .map(|node| match node % 3 {
            0 => "-".into(),
            slots => format!("n{node} slots={slots}"),
        })
        .collect();
    let hosts = HostList::from_text(&hosts.join("\n"), "hosts").unwrap();
    let machine = Machine::new(parse("torus:4x4x4").unwrap(), 1, Some(hosts)).unwrap();
    let ring = |ranks: usize| (0..ranks).map(move |r| message(r, (r * 5 + 1) % ranks, 9));
    for ranks in [2, 30, machine.slots().len()] {
        answer(
            "holes",
            &graph(ranks, ring(ranks).collect()),
            &machine,
            Effort::Fast,
        );
    }
}

#[test]
fn too_few_slots_are_refused_with_both_numbers() {
    let refused = select(
        &graph(100, star(99)),
        &machine("torus:4x4x4", 1),
        &Request::default(),
    );
    let error = refused.unwrap_err();
    assert!(matches!(
        error,
        SelectError::Machine(MachineError::TooFewSlots {
            ranks: 100,
            slots: 64,
            ..
        })
    ));
    let text = error.to_string();
    assert!(
        text.contains("100 ranks") && text.contains("64 slots"),
        "{text}"
    );
}

#[test]
fn a_large_clique_is_placed_by_the_fast_portfolio() {
    let ranks = 300;
    let pairs = (0..ranks).flat_map(|a| (0..a).map(move |b| message(a, b, 1 + (a * b % 7) as u64)));
    let graph = graph(ranks, pairs.collect());
    let machine = machine("torus:7x7x7", 1);
    let request = Request {
        effort: Effort::Fast,
        ..request(None)
    };
    let chosen = select(&graph, &machine, &request).unwrap();
    check(&chosen, &graph, &machine, "clique");
}

#[test]
fn a_number_of_loops_is_for_heuristics_that_leave_it_to_the_user() {
    let (graph, machine) = (graph(2, vec![message(0, 1, 1)]), machine("mesh:2", 1));
    let refused = |heuristic: Option<&str>| {
        let request = Request {
            loops: Some(3),
            ..request(heuristic)
        };
        let chosen = select(&graph, &machine, &request);
        chosen.err().map(|error| error.to_string())
    };
    for heuristic in [None, Some("auto"), Some("rcm")] {
        let error = refused(heuristic).unwrap();
        assert!(
            error.contains("--loops") && error.contains("ohtma"),
            "{error}"
        );
    }
    assert_eq!(refused(Some("ohtma")), None);
}
