//! Wrong data from collectives, and the data that is expected.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A call that gave one rank wrong data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrongData {
    /// The MPI function.
    pub(crate) call: String,
    /// The root of the call, where the function has one.
    pub(crate) root: Option<usize>,
    /// The rank that got the data.
    pub(crate) at: usize,
    /// The length that the call was given, in integers a rank.
    pub(crate) length: usize,
    /// The number of wrong integers.
    pub(crate) wrong: usize,
    /// The number of all integers that the rank got.
    pub(crate) of: usize,
    /// The rank that the first wrong integer should come from, if it is known.
    pub(crate) expected: Option<usize>,
    /// The rank that the first wrong integer comes from, if it is known.
    pub(crate) found: Option<usize>,
}

impl fmt::Display for WrongData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (call, at, wrong, of) = (&self.call, self.at, self.wrong, self.of);
        write!(f, "{call}")?;
        if let Some(root) = self.root {
            write!(f, " with root {root}")?;
        }
        write!(f, " gave rank {at} {wrong} wrong integers of {of}")?;
        match (self.expected, self.found) {
            (Some(expected), Some(found)) => {
                write!(f, ": where rank {expected}'s should be are rank {found}'s")
            }
            (Some(expected), None) => write!(f, ": rank {expected}'s are missing"),
            _ => Ok(()),
        }
    }
}

/// The integer that rank `from` has for rank `to` at index `place`. Hardly any two of these
/// integers are equal, and all are small enough that the sum over many ranks does not overflow.
pub(super) fn value(from: usize, to: usize, place: usize) -> i32 {
    // Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), the
    // mixing step.
    let mut mixed = (from as u64) << 40 ^ (to as u64) << 20 ^ place as u64;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    i32::try_from(mixed >> 43).unwrap_or_default()
}

/// The integer in all places that a call must not write to.
pub(super) const UNTOUCHED: i32 = -1;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn hardly_any_two_values_are_equal_and_none_is_the_mark_of_an_untouched_place() {
        let mut seen = HashSet::new();
        let all =
            (0..10).flat_map(|a| (0..10).flat_map(move |b| (0..10).map(move |k| value(a, b, k))));
        let distinct = all
            .inspect(|v| assert!(*v >= 0))
            .filter(|v| seen.insert(*v))
            .count();
        assert!(distinct > 990, "{distinct}");
    }
}
