//! The communication graph, stored as compressed sparse rows.

mod affinity;
mod contracted;
mod exchanges;
mod phases;

use super::rows::{Rows, row, rows};
use super::turns::PairCounts;
use super::{CommError, Declared, Entry, KnownTurns, Result, ToItself, Traffic, exchange};
pub use affinity::Affinity;
use exchanges::Exchanges;
use rankfold_base::Rank;
use rayon::prelude::*;
use sprs::CsMatI;
use std::collections::VecDeque;

/// Bytes sent from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// Sender.
    pub from: Rank,
    /// Receiver.
    pub to: Rank,
    /// Payload bytes over the whole run.
    pub bytes: u64,
}

/// Directed bytes between ranks: `(i, j)` and `(j, i)` are separate entries.
///
/// Messages of a rank to itself and entries without bytes are dropped, since they load no link.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CommGraph {
    sent: Rows,
    counted: Option<Counted>,
    exchange: f64,
    exchanges: Exchanges,
    declared: Declared,
    to_itself: ToItself,
    phases: Vec<CommGraph>,
    /// The weight of every rank; empty where nobody gave them.
    weights: Vec<u32>,
}

/// Numbers of messages.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Counted {
    /// Messages of every pair, in the order of the rows. Predictions need no more than the seven
    /// digits of an `f32`.
    messages: Vec<f32>,
    /// Most messages that one rank sends to and receives from other ranks, messages without bytes
    /// included.
    most: u64,
}

impl Traffic {
    /// Builds the graph the mapper works on, reusing the memory of the rows. The graph has the
    /// bytes between different ranks, and the messages where they were counted.
    ///
    /// # Errors
    /// [`CommError::TooManyBytes`].
    pub fn into_graph(self) -> Result<CommGraph> {
        let exchange = self.exchange().unwrap_or(exchange::DEFAULT_SHARE);
        let to_itself = self.to_itself();
        let weights = self.weights().to_vec();
        let rows = self.between_ranks();
        let exchanges = Exchanges {
            ordered: rows.ordered(),
            under_way: rows.under_way,
            turns: KnownTurns::NotRecorded,
        };
        let graph = CommGraph::from_rows(rows.starts, rows.receivers, rows.bytes)?;
        let graph = CommGraph {
            exchange,
            exchanges,
            to_itself,
            weights,
            ..graph
        };
        let graph = match rows.most_messages {
            Some(most) => graph.with_messages(rows.messages, most),
            None => graph,
        };
        let turns = rows.turns.of_program(graph.ranks(), || graph.pair_counts());
        Ok(graph.with_turns(turns))
    }
}

impl CommGraph {
    /// Builds the graph of a world of `ranks` ranks. Messages of the same pair are added up.
    ///
    /// # Errors
    /// [`CommError::Empty`], [`CommError::RankOutOfRange`], [`CommError::Overflow`].
    pub fn from_messages(
        ranks: usize,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<Self> {
        let entries = messages.into_iter().map(|m| Entry {
            from: m.from,
            to: m.to,
            bytes: m.bytes,
            messages: 0,
        });
        Traffic::from_entries(ranks, entries)?.into_graph()
    }

    /// Makes a graph from sorted rows without zeros and without a diagonal.
    fn from_rows(starts: Vec<usize>, receivers: Vec<u32>, bytes: Vec<u64>) -> Result<Self> {
        // All bytes together fit 63 bits, so channel loads cannot overflow and gains can be signed.
        let total: u128 = bytes.iter().map(|&b| u128::from(b)).sum();
        if total > i64::MAX as u128 {
            return Err(CommError::TooManyBytes);
        }
        let ranks = starts.len() - 1;
        Ok(Self {
            sent: CsMatI::new((ranks, ranks), starts, receivers, bytes),
            counted: None,
            exchange: exchange::DEFAULT_SHARE,
            exchanges: Exchanges::default(),
            declared: Declared::default(),
            to_itself: ToItself::default(),
            phases: Vec::new(),
            weights: Vec::new(),
        })
    }

    /// Adds numbers of messages to the graph: one for each pair, and the most that one rank sends
    /// and receives.
    fn with_messages(mut self, messages: Vec<f32>, most: u64) -> Self {
        assert_eq!(
            messages.len(),
            self.pairs(),
            "one number of messages a pair"
        );
        self.counted = Some(Counted { messages, most });
        self
    }

    /// Sets the [share](super::exchange) of the mean transfer, for the phases too, and drops the
    /// turns, which would say something else.
    #[must_use]
    pub fn with_exchange(self, exchange: f64) -> Self {
        let phases = self.phases.into_iter();
        Self {
            exchange,
            exchanges: Exchanges {
                turns: KnownTurns::NotRecorded,
                ..self.exchanges
            },
            phases: phases.map(|p| p.with_exchange(exchange)).collect(),
            ..self
        }
    }

    /// The [share](super::exchange) of the mean transfer in the predicted time, from 0 to 1.
    #[must_use]
    pub fn exchange(&self) -> f64 {
        self.exchange
    }

    /// Sets the topologies that the program declares.
    #[must_use]
    pub fn with_declared(mut self, declared: Declared) -> Self {
        self.declared = declared;
        self
    }

    /// The topologies that the program declares.
    #[must_use]
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// What ranks sent to themselves. Zero unless the graph was made from [`Traffic`].
    #[must_use]
    pub fn to_itself(&self) -> ToItself {
        self.to_itself
    }

    /// The weight of every rank, as [`Traffic::weights`]; empty where nobody gave them.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// World size.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.sent.rows()
    }

    /// Number of directed pairs that exchange bytes.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.sent.nnz()
    }

    /// Bytes of all pairs.
    #[must_use]
    pub fn total_bytes(&self) -> u128 {
        self.sent.data().iter().map(|&b| u128::from(b)).sum()
    }

    /// Receivers of `rank`'s bytes in ascending order, with the bytes.
    pub fn sent_by(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64)> + Clone {
        row(&self.sent, rank.index()).map(|(to, bytes)| (Rank(to), bytes))
    }

    /// Whether the source counted messages.
    #[must_use]
    pub fn counts_messages(&self) -> bool {
        self.counted.is_some()
    }

    /// Messages and bytes of every pair, in the order of the pairs.
    fn pair_counts(&self) -> PairCounts {
        let ranks = (0..self.ranks()).map(Rank::at);
        let pairs = ranks.flat_map(|from| {
            let sent = self.sent_with_messages(from);
            sent.map(move |(to, bytes, messages)| ((from.0, to.0), (messages, bytes)))
        });
        pairs.collect()
    }

    /// Receivers of `rank`'s bytes in ascending order, with bytes and number of messages. The
    /// number is 1 where messages were not counted.
    pub fn sent_with_messages(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64, f64)> + '_ {
        let first = self.sent.indptr().outer_inds_sz(rank.index()).start;
        let messages = move |place: usize| match &self.counted {
            Some(counted) => f64::from(counted.messages[first + place]),
            None => 1.0,
        };
        let sent = self.sent_by(rank).enumerate();
        sent.map(move |(place, (to, bytes))| (to, bytes, messages(place)))
    }

    /// Most messages that one rank sends and receives. Counted messages include those without
    /// bytes; if messages were not counted, every pair counts as one message.
    #[must_use]
    pub fn most_messages(&self) -> f64 {
        if let Some(counted) = &self.counted {
            return counted.most as f64;
        }
        let mut of_rank = vec![0u32; self.ranks()];
        for message in self.messages() {
            of_rank[message.from.index()] += 1;
            of_rank[message.to.index()] += 1;
        }
        f64::from(of_rank.into_iter().max().unwrap_or(0))
    }

    /// The same pairs with new weights. `of` maps bytes and messages of a pair to the new ones; new
    /// bytes must be at least 1.
    pub fn reweighed(&self, of: impl Fn(u64, f64) -> (u64, f64)) -> Self {
        let (mut bytes, mut messages) = (Vec::new(), Vec::new());
        bytes.reserve_exact(self.pairs());
        messages.reserve_exact(self.pairs());
        for rank in (0..self.ranks()).map(Rank::at) {
            for (_, sent, count) in self.sent_with_messages(rank) {
                let (sent, count) = of(sent, count);
                bytes.push(sent);
                messages.push(count as f32);
            }
        }
        let mut other = self.clone();
        other.sent.data_mut().copy_from_slice(&bytes);
        other.counted = Some(Counted {
            messages,
            most: self.most_messages() as u64,
        });
        other
    }

    /// Bytes from one rank to another; 0 if they exchange nothing.
    #[must_use]
    pub fn bytes(&self, from: Rank, to: Rank) -> u64 {
        self.sent.get(from.index(), to.index()).map_or(0, |&b| b)
    }

    /// Every directed pair with its bytes, ordered by sender, then receiver.
    pub fn messages(&self) -> impl Iterator<Item = Message> + Clone {
        (0..self.ranks()).map(Rank::at).flat_map(|from| {
            self.sent_by(from)
                .map(move |(to, bytes)| Message { from, to, bytes })
        })
    }

    /// The sum of `of` over all ranks, computed in parallel. Integer sums do not depend on the
    /// order.
    pub fn sum_over_ranks(&self, of: impl Fn(Rank) -> u128 + Sync) -> u128 {
        let ranks = (0..self.ranks()).into_par_iter();
        ranks.map(|rank| of(Rank::at(rank))).sum()
    }

    /// All ranks in breadth-first order along messages, so that ranks that exchange messages are
    /// close in the order.
    pub(crate) fn breadth_first(&self) -> Vec<Rank> {
        let mut seen = vec![false; self.ranks()];
        let (mut order, mut queue) = (Vec::with_capacity(self.ranks()), VecDeque::new());
        for start in (0..self.ranks()).map(Rank::at) {
            if !std::mem::replace(&mut seen[start.index()], true) {
                queue.push_back(start);
            }
            while let Some(rank) = queue.pop_front() {
                order.push(rank);
                for (to, _) in self.sent_by(rank) {
                    if !std::mem::replace(&mut seen[to.index()], true) {
                        queue.push_back(to);
                    }
                }
            }
        }
        order
    }

    /// The same graph with rank `order[r]` renamed to r; `order` holds every rank once.
    /// Declarations are dropped, since they name ranks by their old numbers.
    #[must_use]
    pub fn renumbered(&self, order: &[Rank]) -> Self {
        let mut number = vec![0; order.len()];
        for (new, old) in (0..).zip(order) {
            number[old.index()] = new;
        }
        let old = |new: usize| order[new].index();
        let messages = |counted: &Counted| {
            let mut messages = Vec::with_capacity(counted.messages.len());
            for &rank in order {
                let sent = self.sent_with_messages(rank);
                let mut sent: Vec<(u32, f64)> = sent
                    .map(|(to, _, count)| (number[to.index()], count))
                    .collect();
                sent.sort_unstable_by_key(|&(to, _)| to);
                messages.extend(sent.into_iter().map(|(_, count)| count as f32));
            }
            messages
        };
        Self {
            exchange: self.exchange,
            exchanges: self.exchanges.renumbered(order, &number, |rank| {
                self.sent.indptr().outer_inds_sz(rank)
            }),
            counted: self.counted.as_ref().map(|counted| Counted {
                messages: messages(counted),
                most: counted.most,
            }),
            sent: rows(
                self.ranks(),
                |new| self.sent.indptr().nnz_in_outer_sz(old(new)),
                |new, entries| {
                    let mut sent: Vec<(u32, u64)> = row(&self.sent, old(new))
                        .map(|(to, bytes)| (number[to as usize], bytes))
                        .collect();
                    sent.sort_unstable_by_key(|&(to, _)| to);
                    entries.fill(sent);
                },
            ),
            declared: Declared::default(),
            to_itself: self.to_itself,
            phases: self.phases.iter().map(|p| p.renumbered(order)).collect(),
            weights: order
                .iter()
                .filter_map(|old| self.weights.get(old.index()).copied())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
