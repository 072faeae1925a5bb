//! Sums of what all processes counted, by ranks of the job.

use super::membership::{JobRanks, Membership};
use crate::collective::{Collective, Operation};
use crate::communicator::Communicator;
use crate::form::Form;
use crate::journal::Journal;
use crate::key::Key;
use crate::ledger::{self, Sums, add};
use crate::nccl_process::NcclLoss;
use crate::nccl_record::LostEvents;
use crate::profile::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Bytes and messages from rank to rank.
type Pairs = BTreeMap<u32, BTreeMap<u32, Sums>>;

/// Collectives by the identifier of the communicator, operation, root and size of a call.
type Calls = BTreeMap<(u64, Operation, Option<u32>, u8), Sums>;

/// Sums over all journals of a job.
pub(super) struct Totals<'a> {
    memberships: &'a BTreeMap<u64, Membership>,
    ranks: &'a JobRanks,
    sent_on_network: Pairs,
    /// By sender, from the journals of receivers: used for senders without a journal.
    received_on_network: Pairs,
    sent: Pairs,
    calls: Calls,
    lost: BTreeMap<NcclLoss, Sums>,
}

impl<'a> Totals<'a> {
    pub(super) fn new(memberships: &'a BTreeMap<u64, Membership>, ranks: &'a JobRanks) -> Self {
        Self {
            memberships,
            ranks,
            sent_on_network: Pairs::new(),
            received_on_network: Pairs::new(),
            sent: Pairs::new(),
            calls: Calls::new(),
            lost: BTreeMap::new(),
        }
    }

    /// Adds the counters of the journal with this index.
    pub(super) fn add(&mut self, index: usize, journal: &Journal) {
        let ids: BTreeMap<u32, u64> = journal
            .ledger
            .nccl
            .communicators
            .iter()
            .map(|comm| (comm.number, comm.id))
            .collect();
        let mut own_calls = Calls::new();
        let tallies = journal.ledger.tallies.values();
        for (key, bytes, messages) in tallies.flat_map(ledger::Tally::iter) {
            if (bytes, messages) == (0, 0) {
                continue;
            }
            let sums = (bytes, messages);
            match key {
                Key::NetworkSent { comm, peer, from } => {
                    let pair = self.pair(&ids, comm, from, peer);
                    self.count(pair, sums, |own| &mut own.sent_on_network);
                }
                Key::NetworkReceived { comm, peer, from } => {
                    let pair = self.pair(&ids, comm, peer, from);
                    self.count(pair, sums, |own| &mut own.received_on_network);
                }
                Key::NcclSent { comm, peer } => {
                    let own = self.ranks.of.get(&(index, comm)).copied();
                    let to = ids.get(&comm).and_then(|&id| self.rank(id, peer));
                    self.count(own.zip(to), sums, |own| &mut own.sent);
                }
                Key::NcclCollective {
                    comm,
                    op,
                    root,
                    class,
                } => match ids.get(&comm) {
                    Some(&id) => add(
                        own_calls.entry((id, op, root, class)).or_default(),
                        bytes,
                        messages,
                    ),
                    None => self.lose(NcclLoss::UnknownCommunicator, sums),
                },
                Key::NcclLost(loss) => self.lose(loss, sums),
                _ => {}
            }
        }
        // All members make the same calls. Where some have died, the longest count is the job's.
        for (key, own) in own_calls {
            let all = self.calls.entry(key).or_default();
            if (own.1, own.0) > (all.1, all.0) {
                *all = own;
            }
        }
    }

    /// The rank in the job of a rank in a communicator; `None` if no journal holds that rank.
    fn rank(&self, id: u64, rank: u32) -> Option<u32> {
        let membership = self.memberships.get(&id)?;
        match membership.seats.get(&rank) {
            Some(seat) => self.ranks.of.get(seat).copied(),
            // A communicator of the whole job whose members agree with the job's ranks tells the
            // ranks of processes without a journal, too.
            None => (membership.size() == self.ranks.ranks && self.is_in_order(membership))
                .then_some(rank)
                .filter(|rank| !self.ranks.journal_of.contains_key(rank)),
        }
    }

    /// Whether all members that have journals have the same rank here and in the job.
    fn is_in_order(&self, membership: &Membership) -> bool {
        let mut seats = membership.seats.iter();
        seats.all(|(rank, seat)| self.ranks.of.get(seat) == Some(rank))
    }

    fn pair(&self, ids: &BTreeMap<u32, u64>, comm: u32, from: u32, to: u32) -> Option<(u32, u32)> {
        let &id = ids.get(&comm)?;
        self.rank(id, from).zip(self.rank(id, to))
    }

    fn count(
        &mut self,
        pair: Option<(u32, u32)>,
        (bytes, messages): Sums,
        into: impl Fn(&mut Self) -> &mut Pairs,
    ) {
        match pair {
            Some((from, to)) => {
                let row = into(self).entry(from).or_default();
                add(row.entry(to).or_default(), bytes, messages);
            }
            None => self.lose(NcclLoss::UnknownCommunicator, (bytes, messages)),
        }
    }

    fn lose(&mut self, loss: NcclLoss, (bytes, events): Sums) {
        add(self.lost.entry(loss).or_default(), bytes, events);
    }

    /// The rows of what went over the network; empty if nothing did.
    pub(super) fn network(&mut self) -> Vec<Row> {
        let mut received = std::mem::take(&mut self.received_on_network);
        received.retain(|sender, _| !self.ranks.journal_of.contains_key(sender));
        self.sent_on_network.extend(received);
        rows(std::mem::take(&mut self.sent_on_network), self.ranks.ranks)
    }

    /// The rows of what the program sent with `ncclSend`; empty if there was none.
    pub(super) fn sent(&mut self) -> Vec<Row> {
        rows(std::mem::take(&mut self.sent), self.ranks.ranks)
    }

    /// The communicators on which collectives were called, the collectives on them, and a sentence
    /// on communicators of which not all members are known.
    pub(super) fn collectives(&self) -> (Vec<Communicator>, Vec<Collective>, Vec<String>) {
        let mut members_of: BTreeMap<u64, Communicator> = BTreeMap::new();
        let mut notes = Vec::new();
        let called: BTreeSet<u64> = self.calls.keys().map(|key| key.0).collect();
        for id in called {
            let size = self.memberships.get(&id).map_or(0, Membership::size);
            let members = (0..size as u32).map(|rank| self.rank(id, rank));
            let members: Vec<Option<u32>> = members.collect();
            let missing = members.iter().filter(|member| member.is_none()).count();
            if missing > 0 {
                notes.push(format!(
                    "collectives of communicator {id:#x} are left out: {missing} of its {size} members have no journal"
                ));
                continue;
            }
            let communicator = Communicator {
                members: members.into_iter().collect(),
                ..Communicator::default()
            };
            members_of.insert(id, communicator);
        }
        // Communicators with the same members are one in the profile.
        let unlike: BTreeSet<&Communicator> = members_of.values().collect();
        let unlike: Vec<&Communicator> = unlike.into_iter().collect();
        let mut all: BTreeMap<(u32, Operation, Option<u32>, u8), Sums> = BTreeMap::new();
        for (&(id, op, root, class), &(bytes, calls)) in &self.calls {
            let Some(members) = members_of.get(&id) else {
                continue;
            };
            let place = unlike.binary_search(&members).unwrap_or_default();
            let bytes = match op {
                // NCCL counts the part that one member gets.
                Operation::ReduceScatterBlock => bytes.saturating_mul(members.members.len() as u64),
                _ => bytes,
            };
            let sums = all.entry((place as u32, op, root, class)).or_default();
            add(sums, bytes, calls);
        }
        let row = |((comm, op, root, _), (bytes, calls))| Collective {
            comm,
            op,
            root,
            bytes,
            calls,
            form: Form::default(),
        };
        let communicators = unlike.into_iter().cloned().collect();
        (communicators, all.into_iter().map(row).collect(), notes)
    }

    /// Events that were not counted, by reason.
    pub(super) fn lost(&self) -> Vec<LostEvents> {
        let lost = |(&loss, &(bytes, events))| LostEvents {
            loss,
            bytes,
            events,
        };
        self.lost.iter().map(lost).collect()
    }
}

/// Rows of all ranks; none if there is nothing in them.
fn rows(pairs: Pairs, ranks: usize) -> Vec<Row> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let mut all = vec![Row::default(); ranks];
    for (rank, sums) in pairs {
        if let Some(row) = all.get_mut(rank as usize) {
            *row = ledger::row(sums);
            row.peers.retain(|peer| (peer.rank as usize) < ranks);
        }
    }
    all
}

/// Indices of journals whose process has ended without ending its communicators.
pub(super) fn unfinished(journals: &[(PathBuf, Journal)]) -> BTreeSet<usize> {
    let ended = |(_, journal): &(PathBuf, Journal)| {
        journal.state == crate::journal::State::Finalized && !journal.lacks_some
    };
    let all = journals.iter().enumerate();
    all.filter(|(_, source)| !ended(source))
        .map(|(index, _)| index)
        .collect()
}
