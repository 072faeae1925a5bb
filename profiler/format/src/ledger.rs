//! What one rank counted, as it lies in its journal or travels to rank 0.

use crate::communicator::Communicator;
use crate::cores::Cores;
use crate::key::Key;
use crate::profile::{Matrix, Numbers, Peer, Plane, Row};
use crate::sizes::SizeKind;
use crate::surroundings::Surroundings;
use crate::topology::TopologyShape;
use bincode::config::{self, Configuration, Fixint};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// As in a profile, without its limit: a rank's own memory is one.
const CODEC: Configuration<config::LittleEndian, Fixint> = config::standard()
    .with_little_endian()
    .with_fixed_int_encoding();

/// What one rank counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// By the name of the phase; that of what no phase holds is empty.
    pub(crate) tallies: BTreeMap<String, Tally>,
    /// Those the keys number.
    pub(crate) communicators: Vec<HashedCommunicator>,
    pub(crate) topologies: Vec<MemberTopology>,
    /// One rank of each host tells.
    pub(crate) surroundings: Option<Surroundings>,
    /// The cores that the process may run on.
    pub(crate) cores: Cores,
    /// What others make of this rank, if it has told.
    pub(crate) numbers: Option<Numbers>,
}

/// Sums of bytes and messages by key and detail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally(BTreeMap<(u64, u64), (u64, u64)>);

/// A communicator: its members need to be told by one rank only, the others tell which it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HashedCommunicator {
    pub(crate) hash: u64,
    pub(crate) communicator: Option<Communicator>,
}

/// A topology laid over a communicator, as one member sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemberTopology {
    /// Number of the communicator, in the order of the notes.
    pub comm: u32,
    /// The member.
    pub member: u32,
    /// As [`crate::Topology::reorder`].
    pub reorder: bool,
    /// A graph holds one list, this member's.
    pub shape: TopologyShape,
}

/// What a rank writes down once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A communicator, to be known by how many were noted before.
    Communicator(Communicator),
    /// A topology.
    Topology(MemberTopology),
    /// What this process sees of its host.
    Surroundings(Surroundings),
    /// The cores that this process may run on.
    Cores(Cores),
    /// What others make of this rank.
    Numbers(Numbers),
}

impl Note {
    /// The note as it lies in a journal.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        decode(bytes)
    }
}

impl Ledger {
    /// What was counted in the phase of this name; empty for what no phase holds.
    pub fn tally(&mut self, phase: String) -> &mut Tally {
        self.tallies.entry(phase).or_default()
    }

    /// Adds a note; the order of communicators matters.
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
        }
    }

    /// All that is not in the rows of matrices.
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
            },
            fetching: self.fetched().next().is_some(),
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

    /// What this rank has fetched, by the rank it came from.
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

    /// Adds what `receiver` has fetched from this rank as sent to it.
    pub fn send(&mut self, phase: &str, receiver: u32, bytes: u64, messages: u64) {
        let (key, detail) = Key::Sent(receiver).encode();
        let tally = self.tally(phase.to_owned());
        tally.add([key, bytes, messages, detail]);
    }

    /// This rank's row of a matrix.
    #[must_use]
    pub fn row(&self, plane: &Plane) -> Row {
        let mut sums = BTreeMap::new();
        self.sum(plane, &mut sums);
        row(sums)
    }

    /// The same, together with that of `other`.
    pub(crate) fn row_with(&self, other: &Self, plane: &Plane) -> Row {
        let mut sums = BTreeMap::new();
        self.sum(plane, &mut sums);
        other.sum(plane, &mut sums);
        row(sums)
    }

    fn sum(&self, plane: &Plane, sums: &mut BTreeMap<u32, Sums>) {
        let wanted = |phase: &String| plane.phase.is_empty() || plane.phase == *phase;
        for (_, tally) in self.tallies.iter().filter(|(phase, _)| wanted(phase)) {
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

/// What a rank has fetched from another in one phase, whose name is empty for what no phase holds.
pub struct Fetched<'a> {
    /// The phase.
    pub phase: &'a str,
    /// Bytes.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
}

/// What a rank tells before the rows of the matrices: little, and needed before the first of them
/// is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// Where the rank is; empty unless its host was told.
    pub host: String,
    /// Whether it has lost some of what it counted.
    pub lost: bool,
    /// Whether it has fetched something.
    pub fetching: bool,
    pub(crate) rest: Ledger,
    /// Phases in which it has given something in an exchange.
    pub(crate) exchanging: BTreeSet<String>,
}

impl Brief {
    /// For the way to rank 0. What all members of a communicator know only the first one tells,
    /// whose world rank this is or not: `rank`.
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
        let told: Vec<bool> = communicators
            .iter()
            .map(|known| known.communicator.is_some())
            .collect();
        let telling = |laid: &MemberTopology| told.get(laid.comm as usize) == Some(&true);
        topologies.retain(|laid| !matches!(laid.shape, TopologyShape::Cart(_)) || telling(laid));
        encode(&self)
    }

    /// What [`Self::pack`] packed; empty if it is damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Self {
        decode(bytes).unwrap_or_default()
    }
}

impl Row {
    /// For the way to rank 0.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        encode(self)
    }

    /// What [`Self::pack`] packed; empty if it is damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Self {
        decode(bytes).unwrap_or_default()
    }
}

impl Plane {
    /// Several, to tell other ranks.
    #[must_use]
    pub fn pack(planes: &[Self]) -> Vec<u8> {
        encode(&planes)
    }

    /// What [`Self::pack`] packed; none if it is damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Vec<Self> {
        decode(bytes).unwrap_or_default()
    }
}

/// Bytes and messages.
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
    Row {
        peers: sums.into_iter().map(peer).collect(),
    }
}

impl Tally {
    /// Adds the key, bytes, messages and detail of a slot, unless that is empty.
    pub fn add(&mut self, [key, bytes, messages, detail]: [u64; 4]) {
        if key != 0 {
            add(self.0.entry((key, detail)).or_default(), bytes, messages);
        }
    }

    /// Adds the bytes and the number of the point-to-point messages of one size, if there are any.
    pub fn add_size(&mut self, bits: u32, [bytes, messages]: [u64; 2]) {
        if messages > 0 {
            let (key, detail) = Key::Size(SizeKind::Message, bits).encode();
            self.add([key, bytes, messages, detail]);
        }
    }

    /// Without what is in the rows of matrices.
    fn rest(&self) -> Self {
        let in_row = |(key, detail)| {
            matches!(
                Key::decode(key, detail),
                Some(Key::Sent(_) | Key::Fetched(_) | Key::Exchanged(_))
            )
        };
        let mut rest = self.clone();
        rest.0.retain(|&key, _| !in_row(key));
        rest
    }

    /// Keys with bytes and messages; those from a later version are left out.
    pub fn iter(&self) -> impl Iterator<Item = (Key, u64, u64)> {
        self.0
            .iter()
            .filter_map(|(&(key, detail), &(bytes, messages))| {
                Some((Key::decode(key, detail)?, bytes, messages))
            })
    }
}

/// The same in every process of a run, which is as far as it goes.
fn hash(communicator: &Communicator) -> u64 {
    let mut hasher = DefaultHasher::new();
    communicator.hash(&mut hasher);
    hasher.finish()
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    // Nothing here can fail to be written to memory.
    bincode::serde::encode_to_vec(value, CODEC).unwrap_or_default()
}

fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, _) = bincode::serde::decode_from_slice(bytes, CODEC).ok()?;
    Some(value)
}
