//! Rows of traffic between different ranks, from which a graph is made.

use crate::{PartnerOrders, Traffic, TurnsOfRanks};

/// Rows of bytes between different ranks, ready for a graph.
pub struct RowsBetweenRanks {
    pub starts: Vec<usize>,
    pub receivers: Vec<u32>,
    pub bytes: Vec<u64>,
    /// Messages of every entry; empty where they were not counted.
    pub messages: Vec<f32>,
    /// Most messages that one rank sends to and receives from other ranks, if they were counted.
    pub most_messages: Option<u64>,
    /// For each rank the mean number of messages under way at once; empty if not known.
    pub under_way: Vec<f32>,
    /// The turns of ranks.
    pub turns: TurnsOfRanks,
    partner_orders: PartnerOrders,
}

impl RowsBetweenRanks {
    /// The receivers of every row in the order in which the rank sends to them; `None` if the
    /// source does not give it.
    pub fn ordered(&self) -> Option<Vec<u32>> {
        if self.partner_orders.is_empty() {
            return None;
        }
        let mut ordered = Vec::with_capacity(self.receivers.len());
        for (rank, row) in self.starts.windows(2).enumerate() {
            let row = &self.receivers[row[0]..row[1]];
            ordered.extend(self.partner_orders.arranged(rank, row));
        }
        Some(ordered)
    }
}

impl Traffic {
    /// Drops entries of ranks to themselves and entries without bytes, reusing the memory of the
    /// rows.
    pub fn between_ranks(mut self) -> RowsBetweenRanks {
        let most_messages = self.most_messages();
        let mut messages = Vec::with_capacity(self.messages.len());
        let mut kept = 0;
        for rank in 0..self.ranks() {
            let row = self.starts[rank]..self.starts[rank + 1];
            self.starts[rank] = kept;
            for i in row {
                if self.bytes[i] > 0 && self.receivers[i] as usize != rank {
                    (self.receivers[kept], self.bytes[kept]) = (self.receivers[i], self.bytes[i]);
                    // A pair with bytes exchanged at least one message, whatever the source
                    // counted.
                    messages.extend(self.messages.get(i).map(|&count| count.max(1) as f32));
                    kept += 1;
                }
            }
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept;
        }
        self.receivers.truncate(kept);
        self.bytes.truncate(kept);
        RowsBetweenRanks {
            starts: self.starts,
            receivers: self.receivers,
            bytes: self.bytes,
            messages,
            most_messages,
            under_way: self.under_way,
            turns: self.turns,
            partner_orders: self.partner_orders,
        }
    }

    /// Most messages that one rank sends to and receives from other ranks, messages without bytes
    /// included. `None` if messages were not counted.
    fn most_messages(&self) -> Option<u64> {
        if !self.counts_messages() {
            return None;
        }
        let mut of_rank = vec![0u64; self.ranks()];
        for entry in self.entries().filter(|e| e.from != e.to) {
            for rank in [entry.from, entry.to] {
                let sum = &mut of_rank[rank.index()];
                *sum = sum.saturating_add(entry.messages);
            }
        }
        of_rank.into_iter().max()
    }
}
