//! Exchanges in turns whose times are known.

use super::{assert_near, block};
use crate::replay::{ExchangeWay, ReplayModel, time_bound};
use crate::time::KnownBounds;
use rankfold_base::Rank;
use rankfold_graph::samples::{graph, message};
use rankfold_graph::{CommGraph, Held, KnownTurns, ProgramTurns, TurnMessage};
use rankfold_machine::samples::machine;

/// Above the eager limit.
const LONG: u64 = 1 << 20;

/// One message: sender, receiver, bytes, turn of the sender, turns in which the receiver is ready
/// and waits.
type Planned = (u32, u32, u64, u32, [u32; 2]);

/// The graph of messages in turns, with the number of turns of each rank.
fn in_turns(of_rank: &[u32], exchanges: f64, planned: &[Planned]) -> CommGraph {
    let bytes = |&(from, to, bytes, ..): &Planned| {
        message(from as usize, to as usize, bytes * exchanges as u64)
    };
    let turn_of = |&(from, to, _, sent, [ready, waited]): &Planned| TurnMessage {
        from: Rank(from),
        to: Rank(to),
        messages: 1.0,
        share: 1.0,
        sent: Held {
            started: sent,
            waited: sent,
        },
        received: Held {
            started: ready,
            waited,
        },
    };
    let turns = ProgramTurns {
        exchanges,
        synchronised: false,
        of_rank: of_rank.to_vec(),
        messages: planned.iter().map(turn_of).collect(),
    };
    let graph = graph(of_rank.len(), planned.iter().map(bytes).collect());
    graph.with_turns(KnownTurns::Known(turns))
}

#[test]
fn a_turn_starts_when_all_of_the_turn_before_is_there() {
    // Ranks 1 and 2 wait for the ends of the row first, then for each other.
    let planned = [
        (0, 1, 300, 0, [0, 0]),
        (3, 2, 100, 0, [0, 0]),
        (1, 2, 50, 1, [1, 1]),
        (2, 1, 50, 1, [1, 1]),
    ];
    let replay = block(
        &in_turns(&[1, 2, 2, 1], 1.0, &planned),
        &machine("mesh:4", 1),
    );
    assert_near(replay.total, 350.0);
    let exchange = replay.longest().unwrap();
    assert_eq!(exchange.way, ExchangeWay::InTurns(2));
    // The message of rank 2 is small, so it comes before rank 1 waits for it.
    assert_near(exchange.finished[1], 300.0);
    assert_near(exchange.finished[2], 350.0);
}

#[test]
fn a_halo_one_dimension_after_the_other_takes_one_message_for_each() {
    // A torus of 4 x 4: each link carries one message in one of two turns.
    let at = |row: u32, column: u32| row % 4 * 4 + column % 4;
    let mut planned = Vec::new();
    for rank in 0..16 {
        let (row, column) = (rank / 4, rank % 4);
        let sides = [
            (at(row + 1, column), 0),
            (at(row + 3, column), 0),
            (at(row, column + 1), 1),
            (at(row, column + 3), 1),
        ];
        planned.extend(sides.map(|(to, turn)| (rank, to, LONG, turn, [turn; 2])));
    }
    let graph = in_turns(&[2; 16], 10.0, &planned);
    let machine = machine("torus:4x4/ties=+", 1);
    let replay = block(&graph, &machine);
    let each = LONG as f64;
    assert_near(replay.total, 10.0 * 2.0 * each);
    // No placement is better, and the bound knows that.
    let replays = ReplayModel::new(&graph, &machine).unwrap();
    assert_near(replays.lower_bound(10.0 * each), replay.total);
    let known = KnownBounds {
        hop_bytes: 0,
        congestion: 0.0,
        effort: crate::BoundEffort::Fast,
    };
    assert_near(
        time_bound(&graph, &machine, known).replayed.unwrap(),
        replay.total,
    );
}

#[test]
fn a_receive_that_is_posted_before_lets_a_long_message_set_out() {
    // Rank 1 is busy with rank 2 first. Rank 0 sends meanwhile if rank 1 is ready for it.
    let of = |ready| {
        let planned = [(2, 1, 3 * LONG, 0, [0, 0]), (0, 1, 2 * LONG, 0, [ready, 1])];
        block(&in_turns(&[1, 2, 1], 1.0, &planned), &machine("mesh:3", 1)).total
    };
    assert_near(of(1), 5.0 * LONG as f64);
    assert_near(of(0), 3.0 * LONG as f64);
}

#[test]
fn exchanges_of_a_front_overlap() {
    // Each rank receives, then sends: rank 0 begins again while the front moves on. After the first
    // exchange each takes two messages, as a rank in the middle receives and sends one.
    let front = [
        (0, 1, LONG, 0, [0, 0]),
        (1, 2, LONG, 1, [0, 0]),
        (2, 3, LONG, 1, [0, 0]),
    ];
    let graph = in_turns(&[1, 2, 2, 1], 10.0, &front);
    let replay = block(&graph, &machine("mesh:4", 1));
    assert_near(replay.total, (3.0 + 9.0 * 2.0) * LONG as f64);
}

#[test]
fn ranks_that_would_wait_in_a_circle_have_no_turns() {
    // Each of the two receives before it sends, which no eager limit helps.
    let circle = [(0, 1, LONG, 1, [0, 0]), (1, 0, LONG, 1, [0, 0])];
    let graph = in_turns(&[2, 2], 1.0, &circle);
    let replay = block(&graph, &machine("mesh:2", 1));
    let ways: Vec<ExchangeWay> = replay.exchanges.iter().map(|it| it.way).collect();
    assert_eq!(
        ways,
        [ExchangeWay::PartnerByPartner, ExchangeWay::AllAtOnce]
    );
}

#[test]
fn the_flag_for_the_way_to_exchange_sets_turns_aside() {
    let planned = [(0, 1, LONG, 0, [0, 0]), (1, 0, LONG, 1, [1, 1])];
    let graph = in_turns(&[2, 2], 1.0, &planned);
    let machine = machine("mesh:2", 1);
    assert_near(block(&graph, &machine).total, 2.0 * LONG as f64);
    let at_once = graph.with_exchange(rankfold_graph::exchange::ALL);
    assert_near(block(&at_once, &machine).total, LONG as f64);
}
