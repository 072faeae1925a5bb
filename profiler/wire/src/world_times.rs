//! The times of collectives on a renumbered world, beside those on the world as the launcher made
//! it.
//!
//! The record is a text file:
//!
//! ```text
//! rankfold-world-times 1 RANKS
//! VERSION                              the first line of the MPI library's version
//! CALL BYTES LAUNCHED/RENUMBERED ...   for each kind of call: nanoseconds, by round
//! ```

use crate::error::{Fault, ProfileError};
use crate::replace::replace;
use crate::version;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

const NAME: &str = "rankfold-world-times";
const VERSIONS: [u32; 1] = [1];

/// What collectives take in both worlds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldTimes {
    /// The number of ranks.
    pub ranks: u32,
    /// The first line of the version that the MPI library reports.
    pub mpi: String,
    /// The kinds of calls.
    pub calls: Vec<CallTimes>,
}

/// What one kind of call takes in both worlds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTimes {
    /// The MPI function.
    pub call: String,
    /// The bytes of the call.
    pub bytes: u64,
    /// Nanoseconds of a call in every round: on the world as launched, and on a renumbered one.
    pub rounds: Vec<(u64, u64)>,
}

impl Display for WorldTimes {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let [version] = VERSIONS;
        writeln!(f, "{NAME} {version} {}\n{}", self.ranks, self.mpi)?;
        for CallTimes {
            call,
            bytes,
            rounds,
        } in &self.calls
        {
            write!(f, "{call} {bytes}")?;
            for (launched, renumbered) in rounds {
                write!(f, " {launched}/{renumbered}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Writes a record; on an error no partial file is left.
///
/// # Errors
/// [`ProfileError::Unwritable`].
pub fn write_world_times(path: &Path, times: &WorldTimes) -> Result<(), ProfileError> {
    let text = times.to_string();
    replace(path, text.as_bytes()).map_err(|source| Fault::from(source).writing(path))
}

/// Reads the text of a record; `None` for any other text.
#[must_use]
pub fn read_world_times(text: &str) -> Option<WorldTimes> {
    let mut lines = text.lines();
    let foreign = || Fault::Foreign("record of times");
    let (_, ranks) = version::head(lines.next(), NAME, &VERSIONS, foreign).ok()?;
    Some(WorldTimes {
        ranks: u32::try_from(ranks).ok()?,
        mpi: lines.next()?.to_owned(),
        calls: lines.map(call).collect::<Option<_>>()?,
    })
}

fn call(line: &str) -> Option<CallTimes> {
    let mut words = line.split(' ');
    let (call, bytes) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    let round = |word: &str| {
        let (launched, renumbered) = word.split_once('/')?;
        Some((launched.parse().ok()?, renumbered.parse().ok()?))
    };
    let rounds = words.map(round).collect::<Option<_>>()?;
    Some(CallTimes {
        call,
        bytes,
        rounds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_as_written_and_nothing_else_is_read() {
        let call = |call: &str, rounds: &[(u64, u64)]| CallTimes {
            call: call.into(),
            bytes: 8,
            rounds: rounds.into(),
        };
        let times = WorldTimes {
            ranks: 64,
            mpi: "Open MPI v4.1.4, package: Debian".into(),
            calls: vec![
                call("MPI_Barrier", &[(3, 4), (5, 60)]),
                call("MPI_Bcast", &[]),
            ],
        };
        let text = times.to_string();
        assert_eq!(read_world_times(&text), Some(times));
        for (from, to) in [
            (NAME, "rankfold-seats"),
            (" 1 64", " 2 64"),
            (" 64", " many"),
            ("3/4", "3"),
            ("3/4", "-3/4"),
            ("3/4", ""),
            (" 8", ""),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text);
            assert_eq!(read_world_times(&broken), None, "{broken}");
        }
        assert_eq!(read_world_times(""), None);
    }
}
