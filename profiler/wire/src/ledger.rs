//! The counters of one rank, as read from its journal or sent to rank 0.

use crate::codec::{decode, encode};
use crate::communicator::Communicator;
use crate::cores::Cores;
use crate::key::Key;
use crate::nccl_process::{NcclCommunicator, NcclProcess};
use crate::note::Note;
use crate::parameter::Parameter;
use crate::profile::{Matrix, Numbers, Peer, Plane, Row};
use crate::sizes::SizeKind;
use crate::surroundings::Surroundings;
use crate::topology::{MemberTopology, TopologyShape};
use crate::turns::Turns;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The counters of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The counters of each phase, by its name. The empty name stands for everything outside
    /// phases.
    pub(crate) tallies: BTreeMap<String, Tally>,
    /// The communicators, in the order in which keys number them.
    pub(crate) communicators: Vec<HashedCommunicator>,
    pub(crate) topologies: Vec<MemberTopology>,
    /// What the process sees of its host. Only one rank of each host provides it.
    pub(crate) surroundings: Option<Surroundings>,
    /// The cores that the process may run on.
    pub(crate) cores: Cores,
    /// The numbers that the launcher and the MPI library gave this rank, if they were recorded.
    pub(crate) numbers: Option<Numbers>,
    /// The parameters of the MPI library. Only rank 0 provides them.
    pub(crate) parameters: Vec<Parameter>,
    /// Whether the MPI library reports its messages.
    pub(crate) monitored: bool,
    /// The process and its communicators, if it uses NCCL.
    pub(crate) nccl: NcclLedger,
    /// The turns of each phase, by its name.
    pub(crate) turns: BTreeMap<String, Turns>,
}

/// What a process that uses NCCL says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NcclLedger {
    pub(crate) process: Option<NcclProcess>,
    pub(crate) communicators: Vec<NcclCommunicator>,
}

/// The counters of one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Sums of bytes and messages, by key and detail. The detail of a receiver is 0 here.
    sums: BTreeMap<(u64, u64), Sums>,
    /// The place of each receiver in the order in which the process first sent to them, where it is
    /// known. Places are those of all phases together.
    places: BTreeMap<u32, u64>,
}

/// A communicator and its hash. Only one member sends the communicator to rank 0; the hash tells
/// which communicator the others mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HashedCommunicator {
    pub(crate) hash: u64,
    pub(crate) communicator: Option<Communicator>,
}

impl Ledger {
    /// The counters of the phase called `phase`; the empty name stands for everything outside
    /// phases.
    pub fn tally(&mut self, phase: String) -> &mut Tally {
        self.tallies.entry(phase).or_default()
    }

    /// Adds a note. Communicators are numbered in the order in which they are added.
    pub fn note(&mut self, note: Note) {
        match note {
            Note::Communicator(communicator) => self.communicators.push(HashedCommunicator {
                hash: hash(&communicator),
                communicator: Some(communicator),
            }),
            Note::Topology(laid) => self.topologies.push(laid),
            Note::Surroundings(seen) => self.surroundings = Some(seen),
            Note::Cores(cores) => self.cores = cores,
            Note::Numbers(numbers) => self.numbers = Some(numbers),
            Note::Parameters(parameters) => self.parameters = parameters,
            Note::Monitored => self.monitored = true,
            Note::NcclProcess(process) => self.nccl.process = Some(process),
            Note::NcclCommunicator(known) => self.nccl.communicators.push(known),
            Note::Turns(phase, turns) => _ = self.turns.insert(phase, turns),
        }
    }

    /// Everything but the rows of matrices.
    #[must_use]
    pub fn brief(&self) -> Brief {
        let tallies = self.tallies.iter();
        Brief {
            host: String::new(),
            lost: false,
            rest: Self {
                tallies: tallies
                    .clone()
                    .map(|(phase, tally)| (phase.clone(), tally.rest()))
                    .collect(),
                communicators: self.communicators.clone(),
                topologies: self.topologies.clone(),
                surroundings: self.surroundings.clone(),
                cores: self.cores.clone(),
                numbers: self.numbers,
                parameters: self.parameters.clone(),
                monitored: self.monitored,
                nccl: NcclLedger::default(),
                turns: BTreeMap::new(),
            },
            fetching: self.fetched().next().is_some(),
            in_session: false,
            in_file: false,
            exchanging: tallies
                .filter(|(_, tally)| {
                    tally
                        .iter()
                        .any(|(key, ..)| matches!(key, Key::Exchanged(_)))
                })
                .map(|(phase, _)| phase.clone())
                .collect(),
        }
    }

    /// Data that this rank has fetched, with the rank it came from.
    pub fn fetched(&self) -> impl Iterator<Item = (u32, Fetched<'_>)> {
        self.tallies.iter().flat_map(|(phase, tally)| {
            tally.iter().filter_map(move |(key, bytes, messages)| {
                let Key::Fetched(source) = key else {
                    return None;
                };
                let fetched = Fetched {
                    phase,
                    bytes,
                    messages,
                };
                Some((source, fetched))
            })
        })
    }

    /// Counts data that `receiver` has fetched from this rank as sent by this rank.
    pub fn send(&mut self, phase: &str, receiver: u32, bytes: u64, messages: u64) {
        let tally = self.tally(phase.to_owned());
        for key in [Key::Sent(receiver), Key::Unreported(receiver)] {
            let (key, detail) = key.encode();
            tally.add([key, bytes, messages, detail]);
        }
    }

    /// This rank's row of a matrix.
    #[must_use]
    pub fn row(&self, plane: &Plane) -> Row {
        self.row_with(&Self::default(), plane)
    }

    /// This rank's row of a matrix, added to that of `other`.
    pub(crate) fn row_with(&self, other: &Self, plane: &Plane) -> Row {
        let mut sums = BTreeMap::new();
        self.sum(plane, &mut sums);
        other.sum(plane, &mut sums);
        Row {
            order: self.order(plane),
            turns: self.turns(plane),
            ..row(sums)
        }
    }

    /// The receivers in a matrix, in the order in which this rank first sent to them.
    fn order(&self, plane: &Plane) -> Vec<u32> {
        let mut places = BTreeMap::new();
        if plane.matrix == Matrix::Sent {
            for tally in self.of_phase(plane) {
                tally.places.iter().for_each(|(&rank, &place)| {
                    let first = places.entry(rank).or_insert(place);
                    *first = place.min(*first);
                });
            }
        }
        let mut order: Vec<u32> = places.keys().copied().collect();
        // The sort is stable, so receivers with the same place stay in ascending order.
        order.sort_by_key(|rank| places[rank]);
        order
    }

    /// The turns of the messages in a matrix. Those of a whole run with phases are those of its
    /// phases, so there are none.
    fn turns(&self, plane: &Plane) -> Turns {
        let is_one = !plane.phase.is_empty() || self.tallies.keys().all(String::is_empty);
        let turns = self.turns.get(&plane.phase);
        let turns = turns.filter(|_| is_one && plane.matrix == Matrix::Sent);
        turns.cloned().unwrap_or_default()
    }

    /// The tallies that belong to a matrix.
    fn of_phase(&self, plane: &Plane) -> impl Iterator<Item = &Tally> {
        let wanted = |phase: &String| plane.phase.is_empty() || plane.phase == *phase;
        let tallies = self.tallies.iter().filter(move |(phase, _)| wanted(phase));
        tallies.map(|(_, tally)| tally)
    }

    fn sum(&self, plane: &Plane, sums: &mut BTreeMap<u32, Sums>) {
        for tally in self.of_phase(plane) {
            if plane.matrix == Matrix::AsSent {
                tally.sum_as_sent(sums);
                continue;
            }
            for (key, bytes, messages) in tally.iter() {
                match (plane.matrix, key) {
                    (Matrix::Sent, Key::Sent(to)) | (Matrix::Exchanged, Key::Exchanged(to)) => {
                        add(sums.entry(to).or_default(), bytes, messages);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Data that a rank has fetched from another one in one phase.
pub struct Fetched<'a> {
    /// Name of the phase; empty outside phases.
    pub phase: &'a str,
    /// Bytes.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}

/// What a rank sends to rank 0 before the rows of its matrices. It is small, and rank 0 needs it
/// from all ranks before it can write the first row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// The rank's host; empty if not known.
    pub host: String,
    /// Whether the rank has lost some of its counters.
    pub lost: bool,
    /// Whether the rank has fetched data from another one.
    pub fetching: bool,
    /// Whether an MPI session of the rank is open.
    pub in_session: bool,
    /// Whether the rank has a journal that outlives it.
    pub in_file: bool,
    pub(crate) rest: Ledger,
    /// The phases in which the rank has sent blocks in an exchange.
    pub(crate) exchanging: BTreeSet<String>,
}

impl Brief {
    /// Packs the brief of world rank `rank` for sending to rank 0. Information that all members of
    /// a communicator share is sent by its first member only.
    #[must_use]
    pub fn pack(mut self, rank: u32) -> Vec<u8> {
        let first = |comm: &Communicator| {
            let mut sides = [&comm.members, &comm.remote].into_iter();
            sides.any(|side| side.iter().flatten().next() == Some(rank))
        };
        let Ledger {
            communicators,
            topologies,
            ..
        } = &mut self.rest;
        for known in &mut *communicators {
            known.communicator = known.communicator.take().filter(first);
        }
        let has_topology: Vec<bool> = communicators
            .iter()
            .map(|known| known.communicator.is_some())
            .collect();
        let telling = |laid: &MemberTopology| has_topology.get(laid.comm as usize) == Some(&true);
        topologies.retain(|laid| !matches!(laid.shape, TopologyShape::Cart(_)) || telling(laid));
        encode(&self)
    }

    /// Unpacks what [`Self::pack`] packed; empty if the bytes are damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Self {
        decode(bytes).unwrap_or_default()
    }
}

/// Sums of bytes and of messages.
pub(crate) type Sums = (u64, u64);

pub(crate) fn add(sums: &mut Sums, bytes: u64, messages: u64) {
    sums.0 = sums.0.saturating_add(bytes);
    sums.1 = sums.1.saturating_add(messages);
}

pub(crate) fn row(sums: BTreeMap<u32, Sums>) -> Row {
    let peer = |(rank, (bytes, messages))| Peer {
        rank,
        bytes,
        messages,
    };
    Row::of(sums.into_iter().map(peer).collect())
}

impl Tally {
    /// Adds a slot: key, bytes, messages and detail. An empty slot, whose key is 0, is skipped.
    pub fn add(&mut self, [key, bytes, messages, mut detail]: [u64; 4]) {
        if key == 0 {
            return;
        }
        if let (Some(Key::Sent(rank)), 1..) = (Key::decode(key, detail), detail) {
            let place = self.places.entry(rank).or_insert(detail);
            *place = detail.min(*place);
            detail = 0;
        }
        add(self.sums.entry((key, detail)).or_default(), bytes, messages);
    }

    /// Adds bytes and number of the point-to-point messages of one size.
    pub fn add_size(&mut self, bits: u32, [bytes, messages]: [u64; 2]) {
        if messages > 0 {
            let (key, detail) = Key::Size(SizeKind::Message, bits).encode();
            self.add([key, bytes, messages, detail]);
        }
    }

    /// Adds what the MPI library sent inside collectives: what it reports, without what the program
    /// sent and the library reports, too.
    fn sum_as_sent(&self, sums: &mut BTreeMap<u32, Sums>) {
        let of = |kind: fn(u32) -> Key, rank: u32| {
            let sums = self.sums.get(&kind(rank).encode());
            sums.copied().unwrap_or_default()
        };
        let less = |a: Sums, b: Sums| (a.0.saturating_sub(b.0), a.1.saturating_sub(b.1));
        for (key, bytes, messages) in self.iter() {
            if let Key::Reported(to) = key {
                let own = less(of(Key::Sent, to), of(Key::Unreported, to));
                let rest = less((bytes, messages), own);
                if rest != (0, 0) {
                    add(sums.entry(to).or_default(), rest.0, rest.1);
                }
            }
        }
    }

    /// The tally without the keys that make up rows of matrices.
    fn rest(&self) -> Self {
        let in_row = |(key, detail)| {
            matches!(
                Key::decode(key, detail),
                Some(
                    Key::Sent(_)
                        | Key::Fetched(_)
                        | Key::Exchanged(_)
                        | Key::Reported(_)
                        | Key::Unreported(_)
                )
            )
        };
        let mut sums = self.sums.clone();
        sums.retain(|&key, _| !in_row(key));
        Self {
            sums,
            places: BTreeMap::new(),
        }
    }

    /// All keys with their bytes and messages. Keys of a later version are skipped.
    pub fn iter(&self) -> impl Iterator<Item = (Key, u64, u64)> {
        self.sums
            .iter()
            .filter_map(|(&(key, detail), &(bytes, messages))| {
                Some((Key::decode(key, detail)?, bytes, messages))
            })
    }
}

/// The hash of a communicator. It is the same in every process of a run, and never compared between
/// runs.
fn hash(communicator: &Communicator) -> u64 {
    let mut hasher = DefaultHasher::new();
    communicator.hash(&mut hasher);
    hasher.finish()
}
