//! Contexts and handles of events: numbers in place of addresses.
//!
//! NCCL gives contexts and handles back as it got them, also from a proxy that works for another
//! process (PXN), after the end of their communicator, and after the end of their event. So they
//! are no addresses: each holds all that is to be known, a mark of this process among it, and one
//! that is not of this process is recognised.

use std::ffi::c_void;
use std::ptr;

/// Mark of this process, chosen at random: 16 bits, not all zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u16);

impl Mark {
    /// The mark made of a random number.
    pub(crate) fn of(random: u64) -> Self {
        Self((random as u16).max(1))
    }
}

/// A context: a communicator of some process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    mark: Mark,
    /// 32 bits of the communicator's identifier, by which another process recognises it; 0 where
    /// the identifier is not known yet.
    pub(crate) identifier: u32,
    /// Number of the communicator in its process.
    pub(crate) number: u16,
}

impl Context {
    pub(crate) fn new(mark: Mark, id: u64, number: u16) -> Self {
        let identifier = fold(id);
        Self {
            mark,
            identifier,
            number,
        }
    }

    pub(crate) fn encode(self) -> *mut c_void {
        let word = u64::from(self.mark.0) << 48
            | u64::from(self.identifier) << 16
            | u64::from(self.number);
        ptr::without_provenance_mut(word as usize)
    }

    /// The context, which may be that of another process.
    pub(crate) fn decode(context: *mut c_void) -> Self {
        let word = context.addr() as u64;
        Self {
            mark: Mark((word >> 48) as u16),
            identifier: (word >> 16) as u32,
            number: word as u16,
        }
    }

    /// Whether the process with this mark has made the context.
    pub(crate) fn is_of(self, mark: Mark) -> bool {
        self.mark == mark
    }
}

/// 32 bits of an identifier.
pub(crate) fn fold(id: u64) -> u32 {
    (id >> 32) as u32 ^ id as u32
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handle {
    /// An operation whose progress is told as a sum: an entry of the pool, and which use of that
    /// entry is meant.
    Pooled { entry: u16, turn: u16 },
    /// An operation whose steps are told one by one: the counter that they count in.
    Operation { slot: u32, sends: bool },
    /// A step of such an operation.
    Step { slot: u32, sends: bool },
}

const POOLED: u64 = 1;
const OPERATION: u64 = 2;
const STEP: u64 = 4;

impl Handle {
    pub(crate) fn encode(self, mark: Mark) -> *mut c_void {
        let (kind, content) = match self {
            Self::Pooled { entry, turn } => (POOLED, u64::from(turn) << 16 | u64::from(entry)),
            Self::Operation { slot, sends } => (OPERATION + u64::from(sends), u64::from(slot)),
            Self::Step { slot, sends } => (STEP + u64::from(sends), u64::from(slot)),
        };
        let word = u64::from(mark.0) << 48 | kind << 32 | content;
        ptr::without_provenance_mut(word as usize)
    }

    /// The handle; `None` if it is not of the process with this mark.
    pub(crate) fn decode(handle: *mut c_void, mark: Mark) -> Option<Self> {
        let word = handle.addr() as u64;
        if word >> 48 != u64::from(mark.0) {
            return None;
        }
        let (kind, content) = ((word >> 32) & 0xffff, word as u32);
        let sends = kind & 1 == 1;
        match kind {
            POOLED => Some(Self::Pooled {
                entry: content as u16,
                turn: (content >> 16) as u16,
            }),
            2 | 3 => Some(Self::Operation {
                slot: content,
                sends,
            }),
            4 | 5 => Some(Self::Step {
                slot: content,
                sends,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_back_as_they_were_and_only_to_their_process() {
        let (own, other) = (Mark::of(0x7_1234), Mark::of(0));
        let handles = [
            Handle::Pooled {
                entry: 9,
                turn: 65535,
            },
            Handle::Operation {
                slot: 1 << 20,
                sends: true,
            },
            Handle::Step {
                slot: 0,
                sends: false,
            },
        ];
        for handle in handles {
            let encoded = handle.encode(own);
            assert!(!encoded.is_null());
            assert_eq!(Handle::decode(encoded, own), Some(handle));
            assert_eq!(Handle::decode(encoded, other), None);
        }
        assert_eq!(Handle::decode(ptr::null_mut(), own), None);
    }

    #[test]
    fn a_context_tells_its_process_and_communicator() {
        let mark = Mark::of(77);
        let context = Context::new(mark, 0xdead_beef_0000_0001, 3);
        let back = Context::decode(context.encode());
        assert_eq!(back, context);
        assert!(back.is_of(mark) && !back.is_of(Mark::of(78)));
        assert_eq!(back.identifier, 0xdead_beee);
    }
}
