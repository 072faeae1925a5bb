//! The seats record: where every rank really runs, as seen from inside its process.
//!
//! The record is a text file. The first line is `rankfold-seats 2 RANKS`. One line for each rank
//! follows: `RANK HOST SHARED_WITH LAUNCHER_RANK CORES`. Version 1 has only the first three of
//! these words.

use crate::cores::Cores;
use crate::error::{Fault, ProfileError};
use crate::replace::replace;
use crate::version;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const NAME: &str = "rankfold-seats";
const VERSIONS: [u32; 2] = [1, 2];

/// The seat of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The host, from `gethostname`.
    pub host: String,
    /// The lowest rank of the shared-memory group that the MPI library put this rank in.
    pub shared_with: u32,
    /// The rank that the launcher gave this process. It differs from the rank where ranks were
    /// renumbered.
    pub launcher_rank: u32,
    /// The cores that the process may run on.
    pub cores: Cores,
}

/// The seats of all ranks; entry r belongs to rank r.
pub type Seats = Vec<Seat>;

/// Writes a seats record; on an error no partial file is left.
///
/// # Errors
/// [`ProfileError::Unwritable`].
pub fn write_seats(path: &Path, seats: &[Seat]) -> Result<(), ProfileError> {
    let [_, version] = VERSIONS;
    let mut text = format!("{NAME} {version} {}\n", seats.len());
    for (rank, seat) in seats.iter().enumerate() {
        // Writing to a string does not fail.
        let Seat {
            host,
            shared_with,
            launcher_rank,
            cores,
        } = seat;
        let _ = writeln!(text, "{rank} {host} {shared_with} {launcher_rank} {cores}");
    }
    replace(path, text.as_bytes()).map_err(|source| Fault::from(source).writing(path))
}

/// Reads a seats record.
///
/// # Errors
/// [`ProfileError`], naming the file.
pub fn read_seats(path: &Path) -> Result<Seats, ProfileError> {
    let bytes = fs::read(path).map_err(|source| Fault::from(source).reading(path))?;
    parse(&bytes).map_err(|fault| fault.reading(path))
}

fn parse(bytes: &[u8]) -> Result<Seats, Fault> {
    let foreign = || Fault::Foreign("rankfold seats record");
    let text = std::str::from_utf8(bytes).map_err(|_| foreign())?;
    let mut lines = text.lines();
    let (version, ranks) = version::head(lines.next(), NAME, &VERSIONS, foreign)?;
    let seats = lines.enumerate().map(|(rank, line)| {
        seat(version, rank, line).ok_or_else(|| Fault::Corrupt {
            offset: line.as_ptr() as u64 - text.as_ptr() as u64,
            problem: format!("line {} is no seat of rank {rank}", rank + 2),
        })
    });
    let seats = seats.collect::<Result<Seats, _>>()?;
    if seats.len() == ranks {
        Ok(seats)
    } else {
        Err(Fault::Truncated(bytes.len() as u64))
    }
}

fn seat(version: u32, rank: usize, line: &str) -> Option<Seat> {
    let words: Vec<&str> = line.split(' ').collect();
    let (number, host, shared, more) = match words[..] {
        [number, host, shared] if version == 1 => (number, host, shared, None),
        [number, host, shared, launcher_rank, cores] if version > 1 => {
            (number, host, shared, Some((launcher_rank, cores)))
        }
        _ => return None,
    };
    (number.parse() == Ok(rank)).then_some(())?;
    let (launcher_rank, cores) = match more {
        Some((launcher_rank, cores)) => (launcher_rank.parse().ok()?, cores.parse().ok()?),
        None => (u32::try_from(rank).ok()?, Cores::default()),
    };
    Some(Seat {
        host: host.to_owned(),
        shared_with: shared.parse().ok()?,
        launcher_rank,
        cores,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_come_back_as_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("seats");
        let seats: Seats = [("n0", 0, 0), ("n1", 1, 2), ("n0", 0, 1)]
            .map(|(host, shared_with, launcher_rank)| Seat {
                host: host.to_owned(),
                shared_with,
                launcher_rank,
                cores: (0..launcher_rank).collect(),
            })
            .into();
        write_seats(&path, &seats).expect("written");
        assert_eq!(read_seats(&path).expect("readable"), seats);
    }

    #[test]
    fn the_first_version_knew_one_numbering_and_no_cores() {
        let seats = parse(b"rankfold-seats 1 2\n0 n0 0\n1 n0 0\n").expect("readable");
        assert_eq!(seats[1].launcher_rank, 1);
        assert!(seats[1].cores.is_unknown());
        let mixed = parse(b"rankfold-seats 2 1\n0 n0 0\n");
        assert!(matches!(mixed, Err(Fault::Corrupt { .. })));
    }

    #[test]
    fn another_file_a_short_one_and_a_later_one_are_told_apart() {
        assert!(matches!(parse(b"0 n0 0\n"), Err(Fault::Foreign(_))));
        assert!(matches!(
            parse(b"rankfold-seats 1 2\n0 n0 0\n"),
            Err(Fault::Truncated(26))
        ));
        assert!(matches!(
            parse(b"rankfold-seats 3 0\n"),
            Err(Fault::Newer { found: 3, .. })
        ));
        assert!(matches!(
            parse(b"rankfold-seats 0 0\n"),
            Err(Fault::NoVersion(0))
        ));
        assert!(matches!(
            parse(b"rankfold-seats 1 1\n1 n0 0\n"),
            Err(Fault::Corrupt { .. })
        ));
    }
}
