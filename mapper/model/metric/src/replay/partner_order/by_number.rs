//! Turns by the numbers of the ranks, where no profile tells an order.

use super::super::messages::ExchangeMessage;

/// The turn of every message: both messages between two ranks have the same turn, and no rank has
/// two partners in one turn.
///
/// Pairs of ranks get their turns one after the other, the nearest by number first and among these
/// the lowest numbers first. Each pair gets the first turn that both ranks have free. So a grid of
/// ranks exchanges along its dimensions in their order, and everybody meets the same turns.
pub(super) fn turns(ranks: usize, messages: &[ExchangeMessage]) -> Vec<u32> {
    let ends = |message: &ExchangeMessage| {
        let (a, b) = (message.from.0, message.to.0);
        (a.min(b), a.max(b))
    };
    let mut order: Vec<u32> = (0..messages.len() as u32).collect();
    order.sort_by_key(|&number| {
        let (low, high) = ends(&messages[number as usize]);
        (high - low, low)
    });
    let both = order.chunk_by(|&a, &b| ends(&messages[a as usize]) == ends(&messages[b as usize]));
    let mut taken = vec![Turns::default(); ranks];
    let mut turns = vec![0; messages.len()];
    for pair in both {
        let (low, high) = ends(&messages[pair[0] as usize]);
        let turn = taken[low as usize].first_free_of_both(&taken[high as usize]);
        taken[low as usize].take(turn);
        taken[high as usize].take(turn);
        for &number in pair {
            turns[number as usize] = turn;
        }
    }
    turns
}

/// The turns that a rank has given to a partner, one bit each.
#[derive(Clone, Debug, Default)]
struct Turns(Vec<u64>);

impl Turns {
    fn word(&self, number: usize) -> u64 {
        self.0.get(number).copied().unwrap_or(0)
    }

    fn first_free_of_both(&self, other: &Self) -> u32 {
        let words = (0..).map(|number| self.word(number) | other.word(number));
        let (number, word) = (0..)
            .zip(words)
            .find(|&(_, word)| word != u64::MAX)
            .expect("words end");
        number * u64::BITS + word.trailing_ones()
    }

    fn take(&mut self, turn: u32) {
        let number = (turn / u64::BITS) as usize;
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] |= 1 << (turn % u64::BITS);
    }
}
