//! Lists of ranks as users type them.

use rankfold_base::Rank;
use std::fmt;
use std::str::FromStr;

/// Ranks such as `0,4-7,0:128:16`. What a stride says ends with the ranks of the job, as slices do
/// in Python; a rank that is named has to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RankList {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// First and last rank.
    Range(usize, usize),
    /// First rank, the first one that is too much, and the stride.
    Stride(usize, usize, usize),
}

impl RankList {
    /// The ranks of a job of so many ranks, ascending, each once.
    ///
    /// # Errors
    /// A rank does not exist, or there is none.
    pub(super) fn ranks(&self, ranks: usize) -> Result<Vec<Rank>, String> {
        let mut all = Vec::new();
        for part in &self.parts {
            match *part {
                Part::Range(_, last) if last >= ranks => {
                    return Err(format!(
                        "there is no rank {last}, as there are {ranks} ranks"
                    ));
                }
                Part::Range(first, last) => all.extend((first..=last).map(Rank::at)),
                Part::Stride(first, end, stride) => {
                    all.extend((first..end.min(ranks)).step_by(stride).map(Rank::at));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.is_empty() {
            return Err(format!("there is no such rank, as there are {ranks} ranks"));
        }
        Ok(all)
    }
}

impl FromStr for RankList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(|part| Part::parse(part.trim()));
        let parts = parts.collect::<Option<Vec<Part>>>().ok_or_else(|| {
            format!("{text:?} is no list of ranks such as 0,4-7 or 0:128:16 (from, to, stride)")
        })?;
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        // Ranks have 32 bits, so that no list is too long for memory before it is checked.
        let number = |text: &str| {
            text.trim()
                .parse::<u32>()
                .ok()
                .map(|number| number as usize)
        };
        let parts: Vec<&str> = text.split(':').collect();
        match (&parts[..], text.split_once('-')) {
            ([one], None) => Some(Self::Range(number(one)?, number(one)?)),
            ([_], Some((first, last))) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::Range(first, last))
            }
            ([first, end, stride], None) => {
                let end = if end.trim().is_empty() {
                    usize::MAX
                } else {
                    number(end)?
                };
                let (first, stride) = (number(first)?, number(stride)?);
                (first < end && stride > 0).then_some(Self::Stride(first, end, stride))
            }
            _ => None,
        }
    }
}

impl fmt::Display for RankList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_ranks_ranges_and_strides() {
        let ranks = |text: &str, of| {
            let found = text.parse::<RankList>()?.ranks(of)?;
            Ok::<_, String>(found.into_iter().map(|rank| rank.0).collect::<Vec<_>>())
        };
        assert_eq!(ranks("5, 0-2,2", 8), Ok(vec![0, 1, 2, 5]));
        assert_eq!(ranks("0:128:16", 40), Ok(vec![0, 16, 32]));
        assert_eq!(ranks("1::3", 8), Ok(vec![1, 4, 7]));
        assert_eq!(ranks("0:4:2", 8), Ok(vec![0, 2]));
        assert!(ranks("6-8", 8).unwrap_err().contains("no rank 8"));
        assert!(ranks("0-4000000000", 8).is_err());
        assert!(ranks("8::2", 8).unwrap_err().contains("no such rank"));
        for wrong in [
            "", "a", "3-1", "1-", "-1", "0:8", "0:8:0", "8:8:1", "1,,2", "0:4:1-2",
        ] {
            assert!(wrong.parse::<RankList>().is_err(), "{wrong}");
        }
    }
}
