use super::super::messages::ExchangeMessage;
use super::super::steps::Steps;
use super::super::tests::assert_near;
use super::super::{ReplayModel, messages};
use super::turns;
use rankfold_base::{Placement, Rank};
use rankfold_graph::exchange::PAIRWISE;
use rankfold_graph::{CommGraph, Entry, PartnerOrders, Traffic};
use rankfold_machine::samples::machine;

/// Bytes of every message: more than any eager limit.
const BYTES: u64 = 1 << 20;

/// The graph of ranks that send a message to each of their partners, in the order of the lists.
fn ordered(partners: &[Vec<u32>]) -> CommGraph {
    let mut orders = PartnerOrders::default();
    partners.iter().for_each(|list| orders.push(list));
    traffic(partners)
        .with_partner_orders(orders)
        .into_graph()
        .unwrap()
}

fn traffic(partners: &[Vec<u32>]) -> Traffic {
    let of_rank = |(from, list): (u32, &Vec<u32>)| {
        let entry = move |to| Entry {
            from: Rank(from),
            to: Rank(to),
            bytes: BYTES,
            messages: 1,
        };
        list.clone().into_iter().map(entry)
    };
    let entries = (0..).zip(partners).flat_map(of_rank);
    Traffic::from_entries(partners.len(), entries).unwrap()
}

fn messages_of(graph: &CommGraph) -> Vec<ExchangeMessage> {
    messages::of_one_exchange(graph, &machine("tree:64", 1), 1.0)
}

/// The turns of every rank's messages, in the order of its partners.
fn turns_of(partners: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let graph = ordered(partners);
    let messages = messages_of(&graph);
    let turns = turns(&graph, &messages);
    let turn = |from: u32, to: &u32| {
        let is_it = |it: &ExchangeMessage| (it.from, it.to) == (Rank(from), Rank(*to));
        turns[messages.iter().position(is_it).unwrap()]
    };
    let ranks = (0..).zip(partners);
    ranks
        .map(|(from, list)| list.iter().map(|to| turn(from, to)).collect())
        .collect()
}

/// The time of an exchange partner by partner where every node has a link of its own.
fn time(graph: CommGraph) -> f64 {
    let (graph, machine) = (graph.with_exchange(PAIRWISE), machine("tree:64", 1));
    let model = ReplayModel::new(&graph, &machine).unwrap();
    model
        .replay(&Placement::block(graph.ranks()), u64::MAX)
        .unwrap()
        .total
        / BYTES as f64
}

/// The neighbours of every cell of a grid: north, south, west and east, as `stencil2d` among the
/// programs of the end-to-end tests sends to them.
fn north_south_west_east(rows: u32, columns: u32, is_torus: bool) -> Vec<Vec<u32>> {
    let neighbours = |cell: u32| {
        let (row, column) = (cell / columns, cell % columns);
        let all = [
            ((row + rows - 1) % rows, column, row > 0),
            ((row + 1) % rows, column, row + 1 < rows),
            (row, (column + columns - 1) % columns, column > 0),
            (row, (column + 1) % columns, column + 1 < columns),
        ];
        let inside = all
            .into_iter()
            .filter(|&(.., is_inside)| is_torus || is_inside);
        inside
            .map(|(row, column, _)| row * columns + column)
            .collect()
    };
    (0..rows * columns).map(neighbours).collect()
}

#[test]
fn messages_to_the_next_ranks_of_a_ring_are_shifts() {
    // As `sendrecv` of the program `bursts` among the end-to-end tests.
    let partners: Vec<Vec<u32>> = (0..6)
        .map(|rank| vec![(rank + 1) % 6, (rank + 2) % 6])
        .collect();
    assert_eq!(turns_of(&partners), vec![[0, 1]; 6]);
    assert_near(time(ordered(&partners)), 2.0);
    let without_order = traffic(&partners).into_graph().unwrap();
    assert!(time(without_order) > 3.99);
}

#[test]
fn a_stencil_on_a_torus_shifts_along_each_direction() {
    let partners = north_south_west_east(4, 4, true);
    assert_eq!(turns_of(&partners), vec![[0, 1, 2, 3]; 16]);
    assert_near(time(ordered(&partners)), 4.0);
}

#[test]
fn at_the_ends_of_open_rows_ranks_wait_for_the_turn_of_their_direction() {
    // Open from north to south, a ring from west to east. An exchange would wait in a circle.
    let partners: Vec<Vec<u32>> = (0..)
        .zip(north_south_west_east(8, 8, true))
        .map(|(from, list)| {
            let list = list.into_iter();
            list.filter(|&to| u32::abs_diff(from, to) != 56).collect()
        })
        .collect();
    let turns = turns_of(&partners);
    assert_eq!(turns[..8], vec![[1, 2, 3]; 8]);
    assert_eq!(turns[8..56], vec![[0, 1, 2, 3]; 48]);
    assert_eq!(turns[56..], vec![[0, 2, 3]; 8]);
}

#[test]
fn many_messages_to_one_rank_have_one_turn() {
    let partners: Vec<Vec<u32>> = (0..8)
        .map(|rank| if rank == 0 { vec![] } else { vec![0] })
        .collect();
    assert_eq!(turns_of(&partners)[1..], vec![vec![0]; 7]);
    assert_near(time(ordered(&partners)), 7.0);
}

#[test]
fn partners_that_suit_each_other_exchange_both_messages_in_one_turn() {
    // Partners differ in one bit, the highest first; rank 0 leaves out the partner in the middle.
    let partner = |rank: u32, bit: u32| rank ^ (4 >> bit);
    let mut partners: Vec<Vec<u32>> = (0..8)
        .map(|rank| (0..3).map(|bit| partner(rank, bit)).collect())
        .collect();
    partners[0] = vec![4, 1];
    partners[2] = vec![6, 3];
    let turns = turns_of(&partners);
    assert_eq!(turns[5], [0, 1, 2]);
    // Ranks 0 and 1 exchange in the turn that suits rank 1.
    assert_eq!((&turns[0], &turns[1]), (&vec![0, 2], &vec![0, 1, 2]));
    assert_near(time(ordered(&partners)), 3.0);
}

#[test]
fn the_order_of_one_rank_moves_the_turns_of_others() {
    // Rank 1 sends to rank 2 first, although rank 0 is as near by number.
    let partners = [vec![1], vec![2, 0], vec![1, 3], vec![2]];
    assert_eq!(
        turns_of(&partners),
        [vec![1], vec![0, 1], vec![0, 1], vec![1]]
    );
}

#[test]
fn every_rank_meets_its_partners_in_its_own_order() {
    let partners = north_south_west_east(4, 4, false);
    let graph = ordered(&partners);
    let messages = messages_of(&graph);
    let steps = Steps::by_turns(16, &messages, &turns(&graph, &messages));
    for (rank, list) in partners.iter().enumerate() {
        let sends = steps
            .of(rank)
            .flat_map(|step| steps.sends.row(step as usize));
        let met: Vec<u32> = sends
            .map(|&message| messages[message as usize].to.0)
            .collect();
        assert_eq!(met, *list, "rank {rank}");
    }
}
