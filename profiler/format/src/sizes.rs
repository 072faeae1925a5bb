//! Messages by size.

use serde::{Deserialize, Serialize};

/// Messages that are counted by size apart from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SizeKind {
    /// Point to point.
    Message,
    /// The blocks of neighbourhood collectives.
    Neighbour,
    /// Remote memory access.
    OneSided,
}

impl SizeKind {
    /// All of them, in the order of their numbers in a file.
    pub const ALL: [Self; 3] = [Self::Message, Self::Neighbour, Self::OneSided];

    /// A word for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "messages",
            Self::Neighbour => "neighbourhood collectives",
            Self::OneSided => "one-sided",
        }
    }
}

/// Messages of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SizeCount {
    /// What they are.
    pub kind: SizeKind,
    /// Bits of their bytes: 0 for none, else 1 + the logarithm to base 2, rounded down; at most 64.
    pub bits: u32,
    /// Their bytes together.
    pub bytes: u64,
    /// How many.
    pub messages: u64,
}

/// The size class of a message: the bits of its bytes.
///
/// ```
/// use rankfold_profile::size_bits;
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
