//! Traffic: bytes and messages of every directed pair of ranks, as file formats hold them.

mod between_ranks;

use super::{CommError, PartnerOrders, Result, TurnsOfRanks};
use rankfold_base::Rank;

/// What one rank sent to one other rank, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Sender.
    pub from: Rank,
    /// Receiver; may be the sender itself.
    pub to: Rank,
    /// Payload bytes over the whole run.
    pub bytes: u64,
    /// Messages over the whole run, messages of zero bytes included; 0 where the source does not
    /// count messages.
    pub messages: u64,
}

/// Sparse rows, one for each sender. All file formats convert to and from this type; the mapper
/// makes a [`CommGraph`](super::CommGraph) of it.
///
/// Entries with neither bytes nor messages are dropped. All others are kept, including what ranks
/// send to themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Start of each row in `receivers`, and the end of the last row.
    starts: Vec<usize>,
    receivers: Vec<u32>,
    bytes: Vec<u64>,
    /// Empty if no entry has a message count.
    messages: Vec<u64>,
    /// The [share](super::exchange) of the mean transfer, if the source gives it.
    exchange: Option<f64>,
    /// The order in which ranks send to their partners; empty if the source does not give it.
    partner_orders: PartnerOrders,
    /// For each rank the mean number of messages under way at once; 0 if not known. Empty if the
    /// source does not give it.
    under_way: Vec<f32>,
    /// The turns of ranks; empty if the source does not give them.
    turns: TurnsOfRanks,
    /// The weight of every rank; empty if the source does not give them.
    weights: Vec<u32>,
}

/// What ranks sent to themselves; the graph does not include it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ToItself {
    /// Number of ranks that sent to themselves.
    pub ranks: usize,
    /// Bytes these ranks sent to themselves.
    pub bytes: u128,
}

impl Traffic {
    /// Collects the traffic of a world of `ranks` ranks from entries in any order. Entries of the
    /// same pair are added up.
    ///
    /// # Errors
    /// As [`Builder::push`] and [`Builder::finish`].
    pub fn from_entries(ranks: usize, entries: impl IntoIterator<Item = Entry>) -> Result<Self> {
        let mut builder = Builder::new(ranks);
        for entry in entries {
            builder.push(entry)?;
        }
        builder.finish()
    }

    /// World size.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.receivers.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.receivers.is_empty()
    }

    /// Whether the source counted messages.
    #[must_use]
    pub fn counts_messages(&self) -> bool {
        !self.messages.is_empty()
    }

    /// The [share](super::exchange) of the mean transfer in the predicted time, if the source gives
    /// it.
    #[must_use]
    pub fn exchange(&self) -> Option<f64> {
        self.exchange
    }

    /// Sets the [share](super::exchange) of the mean transfer.
    #[must_use]
    pub fn with_exchange(self, exchange: Option<f64>) -> Self {
        Self { exchange, ..self }
    }

    /// Whether the source gives the order in which ranks send to their partners.
    #[must_use]
    pub fn knows_partner_orders(&self) -> bool {
        !self.partner_orders.is_empty()
    }

    /// Sets the order in which ranks send to their partners.
    #[must_use]
    pub fn with_partner_orders(self, partner_orders: PartnerOrders) -> Self {
        Self {
            partner_orders,
            ..self
        }
    }

    /// Sets for each rank how many messages it has under way at once: the mean over its bytes.
    /// Ranks beyond the list are not known.
    #[must_use]
    pub fn with_under_way(self, means: &[Option<f64>]) -> Self {
        let all = (0..self.ranks()).map(|rank| means.get(rank).copied().flatten());
        Self {
            under_way: all.map(|mean| mean.unwrap_or(0.0) as f32).collect(),
            ..self
        }
    }

    /// Whether the source gives the turns in which ranks exchange messages.
    #[must_use]
    pub fn knows_turns(&self) -> bool {
        self.turns.is_recorded()
    }

    /// Sets the turns in which ranks exchange messages.
    #[must_use]
    pub fn with_turns(self, turns: TurnsOfRanks) -> Self {
        Self { turns, ..self }
    }

    /// The weight of every rank: what it needs of a machine, as graphs say of vertices. Empty if
    /// the source does not give weights.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// Sets the weight of every rank, or none where `weights` is empty.
    #[must_use]
    pub fn with_weights(self, weights: Vec<u32>) -> Self {
        Self { weights, ..self }
    }

    /// Bytes from one rank to another; 0 if there is no entry.
    #[must_use]
    pub fn bytes(&self, from: Rank, to: Rank) -> u64 {
        let row = self.starts[from.index()]..self.starts[from.index() + 1];
        match self.receivers[row.clone()].binary_search(&to.0) {
            Ok(place) => self.bytes[row.start + place],
            Err(_) => 0,
        }
    }

    /// The entries of one sender, by ascending receiver.
    pub fn row(&self, rank: Rank) -> impl Iterator<Item = Entry> + '_ {
        (self.starts[rank.index()]..self.starts[rank.index() + 1]).map(move |i| Entry {
            from: rank,
            to: Rank(self.receivers[i]),
            bytes: self.bytes[i],
            messages: self.messages.get(i).copied().unwrap_or(0),
        })
    }

    /// All entries, ordered by sender, then receiver.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.ranks())
            .map(Rank::at)
            .flat_map(|rank| self.row(rank))
    }

    /// Sums up what ranks sent to themselves.
    pub(super) fn to_itself(&self) -> ToItself {
        let own = self.entries().filter(|e| e.from == e.to && e.bytes > 0);
        own.fold(ToItself::default(), |sum, entry| ToItself {
            ranks: sum.ranks + 1,
            bytes: sum.bytes + u128::from(entry.bytes),
        })
    }

    /// Appends an entry after all others.
    fn append(&mut self, entry: Entry) {
        if entry.messages > 0 && self.messages.is_empty() {
            self.messages.resize(self.len(), 0);
        }
        if entry.messages > 0 || self.counts_messages() {
            self.messages.push(entry.messages);
        }
        self.close_rows(entry.from.index());
        self.receivers.push(entry.to.0);
        self.bytes.push(entry.bytes);
    }

    /// Adds to the last entry.
    fn add_to_last(&mut self, entry: Entry) -> Result<()> {
        let overflow = || CommError::Overflow(entry.from.0, entry.to.0);
        if let Some(bytes) = self.bytes.last_mut() {
            *bytes = bytes.checked_add(entry.bytes).ok_or_else(overflow)?;
        }
        if entry.messages > 0 {
            self.messages.resize(self.len(), 0);
        }
        if let Some(messages) = self.messages.last_mut() {
            *messages = messages.saturating_add(entry.messages);
        }
        Ok(())
    }

    /// Closes all rows before `rank`.
    fn close_rows(&mut self, rank: usize) {
        if self.starts.len() <= rank {
            self.starts.resize(rank + 1, self.len());
        }
    }
}

/// Number of unordered entries that are held before entries of the same pair are added up. Chosen
/// by hand; not measured.
const MAX_UNORDERED: usize = 1 << 20;

/// Collects entries. Entries in ascending order are appended directly; the others are sorted in at
/// the end. Memory grows with the number of pairs, not with the number of entries.
#[derive(Debug)]
pub struct Builder {
    /// World size, if it is known before the entries.
    ranks: Option<usize>,
    /// One more than the highest rank met.
    seen: usize,
    sorted: Traffic,
    last: Option<(Rank, Rank)>,
    unordered: Vec<Entry>,
    /// Length of `unordered` at which its entries are next added up.
    sum_at: usize,
}

impl Builder {
    /// An empty world of `ranks` ranks.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        Self {
            ranks: Some(ranks),
            ..Self::growing()
        }
    }

    /// A world whose last rank is the highest rank met.
    #[must_use]
    pub fn growing() -> Self {
        Self {
            ranks: None,
            seen: 0,
            sorted: Traffic::default(),
            last: None,
            unordered: Vec::new(),
            sum_at: MAX_UNORDERED,
        }
    }

    /// Makes sure that a growing world has at least `ranks` ranks.
    pub fn reach(&mut self, ranks: usize) {
        self.seen = self.seen.max(ranks);
    }

    /// Adds one entry.
    ///
    /// # Errors
    /// [`CommError::RankOutOfRange`], [`CommError::Overflow`].
    pub fn push(&mut self, entry: Entry) -> Result<()> {
        self.reach(entry.from.max(entry.to).index() + 1);
        if let Some(ranks) = self.ranks
            && self.seen > ranks
        {
            return Err(CommError::RankOutOfRange {
                from: entry.from.0,
                to: entry.to.0,
                ranks,
            });
        }
        if entry.bytes == 0 && entry.messages == 0 {
            return Ok(());
        }
        let key = Some((entry.from, entry.to));
        if key > self.last {
            self.last = key;
            self.sorted.append(entry);
        } else if key == self.last {
            self.sorted.add_to_last(entry)?;
        } else {
            if self.unordered.len() == self.sum_at {
                self.sum_unordered()?;
            }
            self.unordered.push(entry);
        }
        Ok(())
    }

    /// Adds up the unordered entries of each pair. The next time comes when the list has doubled,
    /// so that all sorting together costs at most a constant factor more than the last sort.
    fn sum_unordered(&mut self) -> Result<()> {
        self.unordered.sort_unstable();
        let mut kept = 0;
        for i in 1..self.unordered.len() {
            let entry = self.unordered[i];
            let last = &mut self.unordered[kept];
            if (last.from, last.to) == (entry.from, entry.to) {
                let overflow = || CommError::Overflow(entry.from.0, entry.to.0);
                last.bytes = last.bytes.checked_add(entry.bytes).ok_or_else(overflow)?;
                last.messages = last.messages.saturating_add(entry.messages);
            } else {
                kept += 1;
                self.unordered[kept] = entry;
            }
        }
        self.unordered.truncate(kept + 1);
        self.sum_at = MAX_UNORDERED.max(2 * self.unordered.len());
        Ok(())
    }

    /// Returns the traffic of all entries.
    ///
    /// # Errors
    /// [`CommError::Empty`] for no ranks at all, [`CommError::Overflow`].
    pub fn finish(mut self) -> Result<Traffic> {
        let ranks = self.ranks.unwrap_or(self.seen);
        if ranks == 0 {
            return Err(CommError::Empty);
        }
        self.sorted.close_rows(ranks);
        if self.unordered.is_empty() {
            return Ok(self.sorted);
        }
        self.unordered.extend(self.sorted.entries());
        drop(self.sorted);
        self.unordered.sort_unstable();
        Traffic::from_entries(ranks, self.unordered)
    }
}

#[cfg(test)]
mod tests;
