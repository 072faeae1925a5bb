//! The communication graph itself, stored as compressed sparse rows.

mod phases;

use super::rows::{Rows, merged, row, rows};
use super::{CommError, Declared, Entry, ToItself, Traffic, exchange};
use crate::ids::Rank;
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

/// Directed bytes between ranks: `(i, j)` and `(j, i)` are two entries and both count.
///
/// Self messages and zero-byte entries are dropped: they load no link.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CommGraph {
    sent: Rows,
    counted: Option<Counted>,
    exchange: f64,
    declared: Declared,
    to_itself: ToItself,
    phases: Vec<CommGraph>,
}

/// Numbers of messages.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Counted {
    /// Messages of every pair, in the order of the rows; predictions need no more than the seven
    /// digits of an `f32`.
    messages: Vec<f32>,
    /// Most that one rank sends to and receives from others, those without bytes included.
    most: u64,
}

impl Traffic {
    /// The graph the mapper works on, in the memory of the rows: bytes between different ranks, and
    /// messages where they were counted.
    ///
    /// # Errors
    /// [`CommError::TooManyBytes`].
    pub fn into_graph(self) -> Result<CommGraph, CommError> {
        let exchange = self.exchange().unwrap_or(exchange::DEFAULT_SHARE);
        let to_itself = self.to_itself();
        let rows = self.between_ranks();
        let graph = CommGraph::from_rows(rows.starts, rows.receivers, rows.bytes)?;
        let graph = CommGraph {
            exchange,
            to_itself,
            ..graph
        };
        Ok(match rows.most_messages {
            Some(most) => graph.with_messages(rows.messages, most),
            None => graph,
        })
    }
}

impl CommGraph {
    /// Builds the graph of a world of `ranks` ranks; messages of one pair are summed.
    ///
    /// # Errors
    /// [`CommError::Empty`], [`CommError::RankOutOfRange`], [`CommError::Overflow`].
    pub fn from_messages(
        ranks: usize,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<Self, CommError> {
        let entries = messages.into_iter().map(|m| Entry {
            from: m.from,
            to: m.to,
            bytes: m.bytes,
            messages: 0,
        });
        Traffic::from_entries(ranks, entries)?.into_graph()
    }

    /// Wraps sorted rows without zeros and without a diagonal.
    fn from_rows(
        starts: Vec<usize>,
        receivers: Vec<u32>,
        bytes: Vec<u64>,
    ) -> Result<Self, CommError> {
        // All bytes together fit 63 bits: channel loads cannot overflow, and gains can be signed.
        let total: u128 = bytes.iter().map(|&b| u128::from(b)).sum();
        if total > i64::MAX as u128 {
            return Err(CommError::TooManyBytes);
        }
        let ranks = starts.len() - 1;
        Ok(Self {
            sent: CsMatI::new((ranks, ranks), starts, receivers, bytes),
            counted: None,
            exchange: exchange::DEFAULT_SHARE,
            declared: Declared::default(),
            to_itself: ToItself::default(),
            phases: Vec::new(),
        })
    }

    /// The same graph with numbers of messages, a pair each, and most that one rank has to do with.
    fn with_messages(mut self, messages: Vec<f32>, most: u64) -> Self {
        assert_eq!(
            messages.len(),
            self.pairs(),
            "one number of messages a pair"
        );
        self.counted = Some(Counted { messages, most });
        self
    }

    /// The same graph of a program whose ranks exchange messages so.
    #[must_use]
    pub fn with_exchange(self, exchange: f64) -> Self {
        let phases = self.phases.into_iter();
        Self {
            exchange,
            phases: phases.map(|p| p.with_exchange(exchange)).collect(),
            ..self
        }
    }

    /// The [share](super::exchange) of the mean transfer that counts in the predicted time, from 0
    /// to 1.
    #[must_use]
    pub fn exchange(&self) -> f64 {
        self.exchange
    }

    /// The same graph of a program that says this of its pattern.
    #[must_use]
    pub fn with_declared(mut self, declared: Declared) -> Self {
        self.declared = declared;
        self
    }

    /// What the program says of its pattern.
    #[must_use]
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// What ranks sent to themselves, as far as this graph was made of traffic.
    #[must_use]
    pub fn to_itself(&self) -> ToItself {
        self.to_itself
    }

    /// World size.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.sent.rows()
    }

    /// Number of directed pairs with traffic.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.sent.nnz()
    }

    /// All bytes between different ranks.
    #[must_use]
    pub fn total_bytes(&self) -> u128 {
        self.sent.data().iter().map(|&b| u128::from(b)).sum()
    }

    /// Receivers of `rank`'s bytes, ascending.
    pub fn sent_by(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64)> + Clone {
        row(&self.sent, rank.index()).map(|(to, bytes)| (Rank(to), bytes))
    }

    /// Whether the source counted messages.
    #[must_use]
    pub fn counts_messages(&self) -> bool {
        self.counted.is_some()
    }

    /// Receivers of `rank`'s bytes, ascending, with bytes and number of messages; 1 message where
    /// nobody counted.
    pub fn sent_with_messages(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64, f64)> + '_ {
        let first = self.sent.indptr().outer_inds_sz(rank.index()).start;
        let messages = move |place: usize| match &self.counted {
            Some(counted) => f64::from(counted.messages[first + place]),
            None => 1.0,
        };
        let sent = self.sent_by(rank).enumerate();
        sent.map(move |(place, (to, bytes))| (to, bytes, messages(place)))
    }

    /// Most messages that one rank sends and receives: those without bytes included if they were
    /// counted, one a pair if nobody counted.
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

    /// The same pairs with other bytes, at least 1, and messages, both from both.
    pub(crate) fn reweighed(&self, of: impl Fn(u64, f64) -> (u64, f64)) -> Self {
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

    /// Bytes from one rank to another, 0 without traffic.
    #[must_use]
    pub fn bytes(&self, from: Rank, to: Rank) -> u64 {
        self.sent.get(from.index(), to.index()).map_or(0, |&b| b)
    }

    /// Every directed pair with traffic, ordered by sender, then receiver.
    pub fn messages(&self) -> impl Iterator<Item = Message> + Clone {
        (0..self.ranks()).map(Rank::at).flat_map(|from| {
            self.sent_by(from)
                .map(move |(to, bytes)| Message { from, to, bytes })
        })
    }

    /// The sum of `of` over all ranks, in parallel: integers add up to the same in any order.
    pub(crate) fn sum_over_ranks(&self, of: impl Fn(Rank) -> u128 + Sync) -> u128 {
        let ranks = (0..self.ranks()).into_par_iter();
        ranks.map(|rank| of(Rank::at(rank))).sum()
    }

    /// The undirected view: `a(u, v) = w(u, v) + w(v, u)`.
    #[must_use]
    pub fn affinity(&self) -> Affinity {
        if let Some(both) = self.answered() {
            return Affinity { both };
        }
        let received: Rows = self.sent.transpose_view().to_csr();
        Affinity {
            both: rows(
                self.ranks(),
                |rank| {
                    let both = merged(row(&self.sent, rank), row(&received, rank));
                    both.count()
                },
                |rank, entries| {
                    let both = merged(row(&self.sent, rank), row(&received, rank));
                    entries.fill(both);
                },
            ),
        }
    }

    /// Bytes both ways if whoever gets any answers with some; `None` if not. Needs no transposed
    /// copy.
    fn answered(&self) -> Option<Rows> {
        let (columns, bytes) = (self.sent.indices(), self.sent.data());
        let range = |rank: usize| self.sent.indptr().outer_inds_sz(rank);
        let mut both = bytes.to_vec();
        // Ranks come in order, so that in each row the answer to the next one stands next.
        let mut next: Vec<usize> = (0..self.ranks()).map(|rank| range(rank).start).collect();
        for rank in 0..self.ranks() {
            for place in range(rank) {
                let to = columns[place] as usize;
                let answer = next[to];
                if answer == range(to).end || columns[answer] as usize != rank {
                    return None;
                }
                next[to] += 1;
                both[place] += bytes[answer];
            }
        }
        let starts = self.sent.indptr().raw_storage().to_vec();
        let shape = (self.ranks(), self.ranks());
        Some(CsMatI::new(shape, starts, columns.to_vec(), both))
    }

    /// All ranks, those next to each other in the graph close together: breadth first along
    /// messages.
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

    /// The same messages with `order[r]` as rank r; `order` holds every rank once. What the program
    /// declared, which names ranks as they were, is left out.
    pub(crate) fn renumbered(&self, order: &[Rank]) -> Self {
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
        }
    }
}

/// Symmetric bytes between ranks, both directions added: what hop-bytes sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Affinity {
    both: Rows,
}

impl Affinity {
    /// World size.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.both.rows()
    }

    /// Number of ranks `rank` exchanges bytes with.
    #[must_use]
    pub fn degree(&self, rank: Rank) -> usize {
        self.both.indptr().nnz_in_outer_sz(rank.index())
    }

    /// Partners of `rank`, ascending, with the bytes of both directions.
    pub fn partners(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64)> + '_ {
        row(&self.both, rank.index()).map(|(to, bytes)| (Rank(to), bytes))
    }

    /// Bytes both ways between two ranks, if there are any.
    #[must_use]
    pub fn bytes_between(&self, a: Rank, b: Rank) -> Option<u64> {
        self.both.get(a.index(), b.index()).copied()
    }

    /// The matrix itself, for orderings.
    #[must_use]
    pub fn matrix(&self) -> &Rows {
        &self.both
    }
}

#[cfg(test)]
mod tests;
