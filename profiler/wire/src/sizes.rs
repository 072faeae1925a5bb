//! Messages by size.

use serde::{Deserialize, Serialize};

named! {
    /// Kinds of messages that are counted by size.
    pub enum SizeKind {
        /// Point-to-point messages.
        Message = "messages",
        /// Blocks of neighbourhood collectives.
        Neighbour = "neighbourhood collectives",
        /// Data moved by remote memory access.
        OneSided = "one-sided",
    }
}

/// The messages of one kind and of similar size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SizeCount {
    /// Kind of the messages.
    pub kind: SizeKind,
    /// Number of bits of a message's bytes: 0 for no bytes, otherwise 1 + the logarithm to base 2,
    /// rounded down; at most 64.
    pub bits: u32,
    /// Bytes of all these messages.
    pub bytes: u64,
    /// Number of messages.
    pub messages: u64,
}

/// The size class of a message: the number of bits of its bytes.
///
/// ```
/// use rankfold_wire::size_bits;
/// assert_eq!([0, 1, 2, 3, 4, 1024].map(size_bits), [0, 1, 2, 2, 3, 11]);
/// ```
#[must_use]
#[inline(always)]
pub const fn size_bits(bytes: u64) -> u32 {
    u64::BITS - bytes.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_at_its_number() {
        for (number, kind) in SizeKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number, "{}", kind.name());
        }
    }
}
