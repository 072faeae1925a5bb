//! Lists of cores in the notation of the kernel (`cpulist`): `0-3,8`.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

/// Logical CPUs of a host, by their numbers in the operating system, in ascending order without
/// repetition. The empty list means that the cores are unknown or do not matter. Its text is `-`,
/// in binary files, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cores(Arc<[u32]>);

/// A pool of lists that are in use. The ranks of a large run have few different lists, which share
/// their memory by way of the pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoreLists(HashSet<Cores>);

impl CoreLists {
    /// Returns the list of the pool that equals `cores`.
    pub(crate) fn shared(&mut self, cores: Cores) -> Cores {
        if let Some(known) = self.0.get(&cores) {
            return known.clone();
        }
        self.0.insert(cores.clone());
        cores
    }
}

/// Numbers from here on are refused, so that a typing error does not become a list of a billion
/// CPUs. Chosen by hand, above the number of CPUs of any host.
const MOST: u32 = 1 << 20;

/// The error for a text that is no list of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no list of cores such as 0-3,8, nor -")]
pub struct NoCores;

impl Cores {
    /// The CPU numbers, in ascending order.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// Whether the cores are unknown or do not matter.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of cores that are in both lists.
    #[must_use]
    pub fn in_common(&self, other: &Self) -> usize {
        let named = |core: &&u32| other.0.binary_search(core).is_ok();
        self.0.iter().filter(named).count()
    }

    /// The cores as a hexadecimal bit mask, which options and variables of launchers take: `0x3`
    /// for cores 0 and 1.
    #[must_use]
    pub fn mask(&self) -> String {
        let highest = self.0.last().copied().unwrap_or_default();
        let digit = |place: u32| {
            let set = |bit: &u32| self.0.binary_search(&(place * 4 + bit)).is_ok();
            let value: u32 = (0..4).filter(set).map(|bit| 1 << bit).sum();
            char::from_digit(value, 16).unwrap_or('0')
        };
        let digits: String = (0..=highest / 4).rev().map(digit).collect();
        format!("0x{digits}")
    }
}

impl FromIterator<u32> for Cores {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut numbers: Vec<u32> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(numbers.into())
    }
}

impl Display for Cores {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if self.is_unknown() {
            return f.write_str("-");
        }
        let runs = self.0.chunk_by(|before, after| before + 1 == *after);
        for (number, run) in runs.enumerate() {
            let comma = if number == 0 { "" } else { "," };
            match run {
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [only] => write!(f, "{comma}{only}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl FromStr for Cores {
    type Err = NoCores;

    fn from_str(text: &str) -> Result<Self, NoCores> {
        if text == "-" {
            return Ok(Self::default());
        }
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if number < MOST => Ok(number),
            _ => Err(NoCores),
        };
        let mut numbers = Vec::new();
        for run in text.split(',') {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(NoCores);
            }
            numbers.extend(first..=last);
        }
        Ok(numbers.into_iter().collect())
    }
}

impl From<Cores> for String {
    fn from(cores: Cores) -> Self {
        cores.to_string()
    }
}

impl TryFrom<String> for Cores {
    type Error = NoCores;

    fn try_from(text: String) -> Result<Self, NoCores> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel_come_back_as_written() {
        for text in ["-", "0", "0-3", "0-3,8", "1,3,5-7"] {
            let cores: Cores = text.parse().expect(text);
            assert_eq!(cores.to_string(), text);
        }
        let mixed: Cores = "7,1-2,2".parse().expect("a list");
        assert_eq!(mixed.numbers(), [1, 2, 7]);
        assert_eq!(mixed.in_common(&"2-9".parse().expect("a list")), 2);
    }

    #[test]
    fn a_mask_has_a_bit_for_every_core() {
        let mask = |text: &str| text.parse::<Cores>().unwrap().mask();
        assert_eq!(mask("0"), "0x1");
        assert_eq!(mask("0-3,8"), "0x10f");
        assert_eq!(mask("65-66"), "0x60000000000000000");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "a", "3-1", "1,", "-1", "0-9999999999", "0-2000000"] {
            assert_eq!(text.parse::<Cores>(), Err(NoCores), "{text}");
        }
    }
}
