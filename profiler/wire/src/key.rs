//! What a slot of a journal counts.

use crate::collective::Operation;
use crate::form::Form;
use crate::nccl_process::NcclLoss;
use crate::sizes::SizeKind;
use crate::time::CallClass;
use crate::timed_function::TimedFunction;
use crate::unseen::Unseen;

/// What a slot of a journal counts, as a key of 64 bits and a detail.
///
/// | bits of the key | content |
/// |---|---|
/// | 0 to 31 | 1 + a rank, communicator, class, function, size of a burst, or bits of a size |
/// | 32 to 39 | kind, see below |
/// | 40 to 47 | operation of a collective or of a block; kind of the messages of a size |
/// | 48 to 55 | size class of a collective or of a block: bits of the bytes of one call |
/// | 56 to 63 | [form](Form::encode) of a collective or of a block |
///
/// Kinds are 0 sent, 1 fetched, 2 exchanged, 3 sent out of the world, 4 collective, 5 time, 6
/// burst, 7 unseen, 8 size, 9 block, 10 reported, 11 unreported, 12 sent over the network by NCCL,
/// 13 received over it, 14 sent with `ncclSend`, 15 collective of NCCL, 16 lost event of NCCL, 17
/// sent or fetched with a function, and 18 without counters.
/// The detail of a collective is 1 + its root. The detail of sent messages is 1 + the number of
/// slots for sent messages that the process had before this one, or 0 if it is not known. The
/// detail of kinds 12 to 14 is the communicator, plus 2^32 times the rank on this side. The detail
/// of a time is 1 + the number of the function, or 0 for the time of the whole run. All other
/// details are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Messages that this rank sends to the given rank.
    Sent(u32),
    /// Data that this rank fetches from the given rank by remote memory access.
    Fetched(u32),
    /// Blocks that this rank sends to the given rank in a collective that is an exchange.
    Exchanged(u32),
    /// Messages that this rank sends to processes outside the world.
    Foreign,
    /// Calls of a collective.
    Collective {
        /// Number of the communicator, in the order in which communicators were noted.
        comm: u32,
        /// The operation.
        op: Operation,
        /// The root's rank in the communicator.
        root: Option<u32>,
        /// Number of bits of the bytes of one call.
        class: u8,
        /// How it is called.
        form: Form,
    },
    /// Time in a function, or in a class of calls without one: the slot holds nanoseconds in place
    /// of bytes, and calls in place of messages.
    Time(CallClass, Option<TimedFunction>),
    /// Bursts of this many messages, which are fewer than 2^32 - 1. The slot holds the bytes of all
    /// these bursts, and the number of bursts in place of messages: see [`crate::Bursts`].
    Burst(u32),
    /// How often the program used a way of moving data that is not counted. The slot holds no
    /// bytes.
    Unseen(Unseen),
    /// Messages of one kind whose number of bytes has this many bits.
    Size(SizeKind, u32),
    /// This rank's block in calls of a collective in which the members have blocks of different
    /// sizes: see [`crate::MemberBlocks`].
    Block {
        /// As in [`Self::Collective`].
        comm: u32,
        /// `Allgatherv` or `ReduceScatter`.
        op: Operation,
        /// As in [`Self::Collective`].
        class: u8,
        /// As in [`Self::Collective`].
        form: Form,
    },
    /// Messages to the given rank that the MPI library reports: its own and those of the program.
    Reported(u32),
    /// Messages to the given rank that are counted as [`Self::Sent`], but that the MPI library does
    /// not report: those of persistent requests and of remote memory access. Counted only in runs
    /// in which the library reports messages.
    Unreported(u32),
    /// What NCCL's proxy in this process has sent over the network, from one rank of a communicator
    /// to another. The sender is mostly this process, but a proxy may send for others.
    NetworkSent {
        /// The receiver's rank in the communicator.
        peer: u32,
        /// Number of the communicator, in its [note](crate::NcclCommunicator).
        comm: u32,
        /// The sender's rank in the communicator.
        from: u32,
    },
    /// As [`Self::NetworkSent`], but received: `from` receives, and `peer` has sent.
    #[allow(missing_docs, reason = "the fields of `NetworkSent`")]
    NetworkReceived { peer: u32, comm: u32, from: u32 },
    /// What the program has sent with `ncclSend`.
    #[allow(missing_docs, reason = "the fields of `NetworkSent`")]
    NcclSent { peer: u32, comm: u32 },
    /// Calls of a collective of NCCL. The bytes are those of NCCL's count: for `ReduceScatter` the
    /// part that one member gets.
    #[allow(missing_docs, reason = "the fields of `Collective`")]
    NcclCollective {
        comm: u32,
        op: Operation,
        root: Option<u32>,
        class: u8,
    },
    /// Events of NCCL that are not counted, for this reason.
    NcclLost(NcclLoss),
    /// What is counted as [`Self::Sent`] or [`Self::Fetched`] because the program has called this
    /// function, for all receivers together.
    Function(TimedFunction),
    /// Messages and calls that have no counters, because the memory of this rank's counters is
    /// bounded.
    Others,
}

const KIND: u32 = 32;
const OPERATION: u32 = 40;
const CLASS: u32 = 48;
const FORM: u32 = 56;

impl Key {
    /// Encodes this value as key and detail. The key is never 0.
    #[must_use]
    #[inline(always)]
    pub const fn encode(self) -> (u64, u64) {
        match self {
            Self::Sent(rank) => (key(0, rank), 0),
            Self::Fetched(rank) => (key(1, rank), 0),
            Self::Exchanged(rank) => (key(2, rank), 0),
            Self::Foreign => (key(3, 0), 0),
            Self::Collective {
                comm,
                op,
                root,
                class,
                form,
            } => {
                let key = key(4, comm) | called(op, class, form);
                match root {
                    Some(root) => (key, root as u64 + 1),
                    None => (key, 0),
                }
            }
            Self::Time(class, None) => (key(5, class as u32), 0),
            Self::Time(class, Some(function)) => (key(5, class as u32), function.number() + 1),
            Self::Burst(messages) => (key(6, messages), 0),
            Self::Unseen(way) => (key(7, way as u32), 0),
            Self::Size(kind, bits) => (key(8, bits) | (kind as u64) << OPERATION, 0),
            Self::Block {
                comm,
                op,
                class,
                form,
            } => (key(9, comm) | called(op, class, form), 0),
            Self::Reported(rank) => (key(10, rank), 0),
            Self::Unreported(rank) => (key(11, rank), 0),
            Self::NetworkSent { peer, comm, from } => (key(12, peer), sides(comm, from)),
            Self::NetworkReceived { peer, comm, from } => (key(13, peer), sides(comm, from)),
            Self::NcclSent { peer, comm } => (key(14, peer), sides(comm, 0)),
            Self::NcclCollective {
                comm,
                op,
                root,
                class,
            } => {
                let key = key(15, comm) | (op as u64) << OPERATION | (class as u64) << CLASS;
                match root {
                    Some(root) => (key, root as u64 + 1),
                    None => (key, 0),
                }
            }
            Self::NcclLost(loss) => (key(16, loss as u32), 0),
            Self::Function(function) => (key(17, function.number() as u32), 0),
            Self::Others => (key(18, 0), 0),
        }
    }

    /// Decodes a key and its detail; `None` for a kind of a later version, or if the key is none.
    #[must_use]
    pub fn decode(key: u64, detail: u64) -> Option<Self> {
        let index = u32::try_from(key % (1 << KIND)).ok()?.checked_sub(1)?;
        let byte = |shift: u32| (key >> shift) as u8;
        let plain = key >> OPERATION == 0;
        match byte(KIND) {
            0 if plain => Some(Self::Sent(index)),
            1 if plain => Some(Self::Fetched(index)),
            2 if plain => Some(Self::Exchanged(index)),
            3 if plain => Some(Self::Foreign),
            4 => Some(Self::Collective {
                comm: index,
                op: *Operation::ALL.get(usize::from(byte(OPERATION)))?,
                root: match detail.checked_sub(1) {
                    Some(root) => Some(u32::try_from(root).ok()?),
                    None => None,
                },
                class: byte(CLASS),
                form: Form::decode(byte(FORM))?,
            }),
            5 if plain => Some(Self::Time(
                *CallClass::ALL.get(index as usize)?,
                match detail.checked_sub(1) {
                    Some(number) => Some(TimedFunction::numbered(number)?),
                    None => None,
                },
            )),
            6 if plain => Some(Self::Burst(index)),
            7 if plain => Some(Self::Unseen(*Unseen::ALL.get(index as usize)?)),
            8 if key >> CLASS == 0 && index <= u64::BITS => {
                let kind = SizeKind::ALL.get(usize::from(byte(OPERATION)))?;
                Some(Self::Size(*kind, index))
            }
            9 => Some(Self::Block {
                comm: index,
                op: *Operation::ALL.get(usize::from(byte(OPERATION)))?,
                class: byte(CLASS),
                form: Form::decode(byte(FORM))?,
            }),
            10 if plain => Some(Self::Reported(index)),
            11 if plain => Some(Self::Unreported(index)),
            12 if plain => Some(Self::NetworkSent {
                peer: index,
                comm: detail as u32,
                from: (detail >> 32) as u32,
            }),
            13 if plain => Some(Self::NetworkReceived {
                peer: index,
                comm: detail as u32,
                from: (detail >> 32) as u32,
            }),
            14 if plain && detail >> 32 == 0 => Some(Self::NcclSent {
                peer: index,
                comm: detail as u32,
            }),
            15 if key >> (CLASS + 8) == 0 => Some(Self::NcclCollective {
                comm: index,
                op: *Operation::ALL.get(usize::from(byte(OPERATION)))?,
                root: match detail.checked_sub(1) {
                    Some(root) => Some(u32::try_from(root).ok()?),
                    None => None,
                },
                class: byte(CLASS),
            }),
            16 if plain => Some(Self::NcclLost(*NcclLoss::ALL.get(index as usize)?)),
            17 if plain => Some(Self::Function(TimedFunction::numbered(index.into())?)),
            18 if plain => Some(Self::Others),
            _ => None,
        }
    }
}

/// The bits of an operation, a size class and a form.
#[inline(always)]
const fn called(op: Operation, class: u8, form: Form) -> u64 {
    (op as u64) << OPERATION | (class as u64) << CLASS | (form.encode() as u64) << FORM
}

/// The detail of traffic of NCCL: the communicator, and the rank on this side.
#[inline(always)]
const fn sides(comm: u32, from: u32) -> u64 {
    comm as u64 | (from as u64) << 32
}

#[inline(always)]
const fn key(kind: u64, index: u32) -> u64 {
    kind << KIND | (index as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Operator;

    #[test]
    fn every_key_is_read_back() {
        let calls = |op| Key::Collective {
            comm: 7,
            op,
            root: Some(0),
            class: 64,
            form: Form {
                nonblocking: true,
                in_place: op == Operation::Allreduce,
                operator: Operator::Ordered,
            },
        };
        let collectives = Operation::ALL.map(calls);
        let times = CallClass::ALL.map(|class| Key::Time(class, None));
        let functions = ["MPI_Wait", "MPI_Send"].map(TimedFunction::of_symbol);
        let functions = functions.map(|function| Key::Time(CallClass::Wait, Some(function)));
        let unseen = Unseen::ALL.map(Key::Unseen);
        let sizes = SizeKind::ALL.map(|kind| Key::Size(kind, 64));
        let others = [
            Key::Sent(0),
            Key::Fetched(1 << 23),
            Key::Exchanged(3),
            Key::Foreign,
            Key::Burst(1 << 30),
            Key::Block {
                comm: 3,
                op: Operation::ReduceScatter,
                class: 9,
                form: Form {
                    operator: Operator::Commutative,
                    ..Form::default()
                },
            },
            Key::Reported(5),
            Key::Unreported(0),
            Key::NetworkSent {
                peer: 7,
                comm: 3,
                from: 1 << 20,
            },
            Key::NetworkReceived {
                peer: 0,
                comm: 0,
                from: 0,
            },
            Key::NcclSent { peer: 9, comm: 2 },
            Key::NcclCollective {
                comm: 1,
                op: Operation::Bcast,
                root: Some(3),
                class: 64,
            },
            Key::NcclLost(NcclLoss::NotUnderstood),
            Key::Function(TimedFunction::of_symbol("MPI_Send")),
            Key::Others,
        ];
        for all in [
            &collectives[..],
            &times,
            &functions,
            &unseen,
            &sizes,
            &others,
        ] {
            for &key in all {
                let (bits, detail) = key.encode();
                assert_ne!(bits, 0);
                assert_eq!(Key::decode(bits, detail), Some(key));
            }
        }
    }

    #[test]
    fn later_kinds_and_no_key_are_none() {
        for bits in [
            0,
            19 << KIND | 1,
            8 << KIND | 66,
            3 << OPERATION | 8 << KIND | 1,
            1 << KIND,
            1 << OPERATION | 1,
            17 << OPERATION | 4 << KIND | 1,
            12 << FORM | 4 << KIND | 1,
        ] {
            assert_eq!(Key::decode(bits, 0), None, "{bits:x}");
        }
    }
}
