//! Turns by the order in which each rank sends to its partners.
//!
//! A profile knows in which order a rank sends, and not from whom it receives meanwhile. Programs
//! do one of two things:
//!
//! * *Exchange.* A rank sends to a partner and receives from the same one, as in
//!   `MPI_Sendrecv(to a, from a)`. The two messages of a pair have the same turn, which comes after
//!   the turns of all pairs that one of both ranks has before it.
//! * *Shift.* All ranks send in one direction and receive from the other one, as in
//!   `MPI_Sendrecv(to the left, from the right)`. All ranks send one message in a turn, except at
//!   the ends of an open row.
//!
//! An order is taken for an exchange if that needs few turns. Where ranks shift along a ring, an
//! exchange would wait in a circle, and along an open row each rank would wait for all ranks before
//! it.
//!
//! Measured in SimGrid's SMPI: a stencil of 64 ranks on a torus and of 128 on a fat tree, shifted
//! north, south, west and east around a ring, six placements each. Replays in this order are off by
//! at most 0.8 % at 256 KiB and 0.1 % at 16 KiB, replays in the order of the numbers by up to 11 %
//! and 22 %.

use super::super::messages::ExchangeMessage;
use rankfold_base::{Csr, Rank};
use rankfold_graph::CommGraph;

/// An order that needs up to this many turns for each partner of the rank with most partners is
/// taken for an exchange. Greedy schedules, where each pair takes the first turn that both ranks
/// have free, need fewer.
const MOST_TURNS_A_PARTNER: usize = 2;

/// The turn of every message. `None` if the graph does not give the order of some rank.
pub(super) fn turns(graph: &CommGraph, messages: &[ExchangeMessage]) -> Option<Vec<u32>> {
    let sent = in_order(graph, messages)?;
    Some(exchanged(&sent, messages).unwrap_or_else(|| shifted(&sent, messages)))
}

/// The messages of every rank by number, in the order in which it sends them.
fn in_order(graph: &CommGraph, messages: &[ExchangeMessage]) -> Option<Csr<u32>> {
    let mut sent = Csr::default();
    let mut first = 0;
    for rank in (0..graph.ranks()).map(Rank::at) {
        let left = &messages[first..];
        let row = &left[..left.partition_point(|message| message.from <= rank)];
        let number = |to: Rank| {
            let place = row.binary_search_by_key(&to, |message| message.to);
            (first + place.expect("the order names receivers of the rank")) as u32
        };
        sent.push_row(graph.partner_order(rank)?.map(number));
        first += row.len();
    }
    Some(sent)
}

/// Turns in which every rank sends its next message. A rank receives from one rank in a turn: if
/// several would send to it, from the one that has most messages left, and the others wait for the
/// next turn. So at the ends of an open row, ranks wait while others use the direction that they
/// lack. Ranks that have equally many messages left send at once.
fn shifted(sent: &Csr<u32>, messages: &[ExchangeMessage]) -> Vec<u32> {
    let mut turns = vec![0; messages.len()];
    let mut left: Vec<&[u32]> = sent.iter().collect();
    let mut most_left = vec![0; sent.rows()];
    for turn in 0.. {
        let next = left.iter().map(|row| Some((*row.first()?, row.len())));
        let next: Vec<_> = next.collect();
        if next.iter().all(Option::is_none) {
            break;
        }
        let receiver = |message: u32| messages[message as usize].to.index();
        most_left.fill(0);
        for &(message, count) in next.iter().flatten() {
            let most = &mut most_left[receiver(message)];
            *most = count.max(*most);
        }
        for (row, next) in left.iter_mut().zip(next) {
            if let Some((message, count)) = next
                && count == most_left[receiver(message)]
            {
                turns[message as usize] = turn;
                *row = &row[1..];
            }
        }
    }
    turns
}

/// Turns in which both messages of a pair of ranks are exchanged together. `None` if pairs would
/// wait for each other in a circle, or if too many turns are needed.
fn exchanged(sent: &Csr<u32>, messages: &[ExchangeMessage]) -> Option<Vec<u32>> {
    let (pair_of, pairs) = numbered_pairs(messages);
    let neighbours = sent.iter().flat_map(|row| row.windows(2));
    let order = neighbours.map(|two| (pair_of[two[0] as usize], pair_of[two[1] as usize]));
    let most_partners = sent.iter().map(<[u32]>::len).max().unwrap_or(0);
    let turn_of_pair = first_turns(pairs, order, MOST_TURNS_A_PARTNER * most_partners)?;
    let turns = pair_of.iter().map(|&pair| turn_of_pair[pair as usize]);
    Some(turns.collect())
}

/// The first turn of every pair that comes after the turns of all pairs before it, where `order`
/// lists a pair and a later one. `None` if that takes more than `most` turns, or if pairs wait for
/// each other in a circle.
fn first_turns(
    pairs: usize,
    order: impl Iterator<Item = (u32, u32)> + Clone,
    most: usize,
) -> Option<Vec<u32>> {
    let later = Csr::grouped(
        pairs,
        order
            .clone()
            .map(|(before, after)| (before as usize, after)),
    );
    let mut waits_for = vec![0u32; pairs];
    order.for_each(|(_, after)| waits_for[after as usize] += 1);
    let is_first = |&pair: &u32| waits_for[pair as usize] == 0;
    let mut ready: Vec<u32> = (0..pairs as u32).filter(is_first).collect();
    let mut turns = vec![0; pairs];
    let mut done = 0;
    for turn in 0..most as u32 {
        done += ready.len();
        for pair in std::mem::take(&mut ready) {
            turns[pair as usize] = turn;
            for &after in later.row(pair as usize) {
                waits_for[after as usize] -= 1;
                if waits_for[after as usize] == 0 {
                    ready.push(after);
                }
            }
        }
    }
    (done == pairs).then_some(turns)
}

/// The number of the pair of ranks of every message, and the number of pairs.
fn numbered_pairs(messages: &[ExchangeMessage]) -> (Vec<u32>, usize) {
    let ends = |number: u32| {
        let ExchangeMessage { from, to, .. } = messages[number as usize];
        (from.min(to), from.max(to))
    };
    let mut by_ends: Vec<u32> = (0..messages.len() as u32).collect();
    by_ends.sort_by_key(|&number| ends(number));
    let mut pair_of = vec![0; messages.len()];
    let mut pairs = 0;
    for both in by_ends.chunk_by(|&a, &b| ends(a) == ends(b)) {
        both.iter()
            .for_each(|&message| pair_of[message as usize] = pairs);
        pairs += 1;
    }
    (pair_of, pairs as usize)
}
