//! Turns of ranks that become those of a program.

use super::{Held, KnownTurns, ProgramTurns, TurnsOfRanks};
use crate::{CommGraph, Entry, Traffic};
use rankfold_base::Rank;
use rankfold_wire::{Cycle, Turn, TurnReceives, TurnSends, Turns};

/// A turn: receivers and senders, each with a number of messages. A message has 8 bytes.
fn turn(sends: &[(u32, u32)], receives: &[(u32, u32)]) -> Turn {
    let sent = |&(rank, messages): &(u32, u32)| TurnSends {
        rank,
        held: 0,
        messages,
        bytes: 8 * u64::from(messages),
    };
    let received = |&(rank, messages): &(u32, u32)| TurnReceives {
        rank,
        held: 0,
        messages,
    };
    Turn {
        sends: sends.iter().map(sent).collect(),
        receives: receives.iter().map(received).collect(),
    }
}

fn cycle(turns: Vec<Turn>) -> Turns {
    let synchronised = true;
    Turns::Cycle(Cycle {
        synchronised,
        turns,
    })
}

/// A graph of messages of 8 bytes: sender, receiver, number.
fn graph(ranks: usize, messages: &[(u32, u32, u64)], turns: Vec<Turns>) -> CommGraph {
    let entry = |&(from, to, messages): &(u32, u32, u64)| Entry {
        from: Rank(from),
        to: Rank(to),
        bytes: 8 * messages,
        messages,
    };
    let traffic = Traffic::from_entries(ranks, messages.iter().map(entry)).expect("traffic");
    let mut of_ranks = TurnsOfRanks::default();
    turns.into_iter().for_each(|turns| of_ranks.push(turns));
    traffic.with_turns(of_ranks).into_graph().expect("a graph")
}

fn known(graph: &CommGraph) -> &ProgramTurns {
    graph.turns().expect("known turns")
}

/// From, to, turn of the sender, turn of the receiver.
fn starts(turns: &ProgramTurns) -> Vec<(u32, u32, u32, u32)> {
    let messages = turns.messages.iter();
    messages
        .map(|it| (it.from.0, it.to.0, it.sent.started, it.received.started))
        .collect()
}

#[test]
fn messages_of_a_pair_are_received_in_the_order_in_which_they_are_sent() {
    // Both sides of a dimension of two ranks: two turns with the same partner.
    let shift = |partner| cycle(vec![turn(&[(partner, 1)], &[(partner, 1)]); 2]);
    let graph = graph(2, &[(0, 1, 20), (1, 0, 20)], vec![shift(1), shift(0)]);
    let turns = known(&graph);
    assert_eq!(
        (turns.exchanges, turns.most(), turns.synchronised),
        (10.0, 2, true)
    );
    assert_eq!(
        starts(turns),
        [(0, 1, 0, 0), (0, 1, 1, 1), (1, 0, 0, 0), (1, 0, 1, 1)]
    );
    assert!(turns.messages.iter().all(|message| message.share == 0.5));
    assert_eq!(graph.exchanges(), Some(10.0));
}

#[test]
fn a_rank_with_a_shorter_cycle_repeats_it() {
    // Rank 0 sees one turn, again and again; for rank 1 two of them are an exchange, as it sends to
    // rank 2 once in it.
    let turns = vec![
        cycle(vec![turn(&[(1, 1)], &[])]),
        cycle(vec![turn(&[], &[(0, 1)]), turn(&[(2, 1)], &[(0, 1)])]),
        cycle(vec![turn(&[], &[(1, 1)])]),
    ];
    let graph = graph(3, &[(0, 1, 20), (1, 2, 10)], turns);
    let turns = known(&graph);
    assert_eq!(turns.exchanges, 10.0);
    assert_eq!(turns.of_rank, [2, 2, 1]);
    assert_eq!(starts(turns), [(0, 1, 0, 0), (0, 1, 1, 1), (1, 2, 1, 0)]);
}

#[test]
fn several_messages_of_a_turn_may_be_received_one_by_one() {
    let turns = vec![
        cycle(vec![turn(&[(1, 3)], &[])]),
        cycle(vec![turn(&[], &[(0, 1)]), turn(&[], &[(0, 2)])]),
    ];
    let graph = graph(2, &[(0, 1, 30)], turns);
    let counts: Vec<f64> = known(&graph)
        .messages
        .iter()
        .map(|it| it.messages)
        .collect();
    assert_eq!(counts, [1.0, 2.0]);
}

#[test]
fn turns_that_differ_or_do_not_fit_are_not_used() {
    let pair = [(0, 1, 10), (1, 0, 10)];
    let to_other = |rank: u32| cycle(vec![turn(&[(1 - rank, 1)], &[(1 - rank, 1)])]);
    let differing = graph(2, &pair, vec![to_other(0), Turns::Differing]);
    assert_eq!(*differing.known_turns(), KnownTurns::Differing);
    let silent = graph(2, &pair, vec![to_other(0), Turns::NotRecorded]);
    assert_eq!(*silent.known_turns(), KnownTurns::NotRecorded);
    let deaf = cycle(vec![turn(&[(0, 1)], &[])]);
    let unfit = graph(2, &pair, vec![to_other(0), deaf]);
    assert_eq!(*unfit.known_turns(), KnownTurns::Unusable);
    assert_eq!(unfit.exchanges(), Some(10.0), "by the messages alone");
}

#[test]
fn a_small_part_of_the_bytes_may_have_no_turn() {
    let turns = || {
        vec![
            cycle(vec![turn(&[(1, 1)], &[(1, 1)])]),
            cycle(vec![turn(&[(0, 1)], &[(0, 1)])]),
            cycle(Vec::new()),
        ]
    };
    let of = |before: u64| graph(3, &[(0, 1, 100), (1, 0, 100), (0, 2, before)], turns());
    let few = of(10);
    let last = known(&few).messages.iter().find(|it| it.to == Rank(2));
    let only = Held {
        started: 0,
        waited: 0,
    };
    assert_eq!(last.map(|it| (it.sent, it.received)), Some((only, only)));
    assert_eq!(*of(100).known_turns(), KnownTurns::Unusable);
}

#[test]
fn renumbered_ranks_take_their_turns_along() {
    let turns = vec![
        cycle(vec![turn(&[(1, 1)], &[]), turn(&[], &[(1, 1)])]),
        cycle(vec![turn(&[(0, 1)], &[(0, 1)])]),
    ];
    let graph = graph(2, &[(0, 1, 10), (1, 0, 10)], turns);
    let turned = graph.renumbered(&[Rank(1), Rank(0)]);
    assert_eq!(known(&turned).of_rank, [1, 2]);
    let mut found = starts(known(&turned));
    found.sort_unstable();
    assert_eq!(found, [(0, 1, 0, 1), (1, 0, 0, 0)]);
}
