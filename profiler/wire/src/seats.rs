//! The seats record: where every rank really runs, as seen from inside its process.
//!
//! The record is a text file. The first line is `rankfold-seats 3 RANKS`. One line for each rank
//! follows: `RANK HOST SHARED_WITH LAUNCHER_RANK CORES MEMORY VARIABLES`. Version 2 has only the
//! first five of these words, and version 1 the first three.

use crate::cores::Cores;
use crate::error::{Fault, ProfileError, Result};
use crate::replace::replace;
use crate::version;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const NAME: &str = "rankfold-seats";
const VERSIONS: [u32; 3] = [1, 2, 3];

/// The environment variables that launchers set for each process of a host: its place there, and
/// the devices that it may use.
const VARIABLES: [&str; 12] = [
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "SLURM_LOCALID",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "ZE_AFFINITY_MASK",
    "SLURM_STEP_GPUS",
];

/// The text of memory or variables that are not known.
const UNKNOWN: &str = "-";

/// The seat of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The memory policy of the process, such as `default` or `bind:0-1`; empty where it is not
    /// known.
    pub memory: String,
    /// What [`variables_of_process`] returns in the process; empty where it is not known.
    pub variables: String,
}

/// The variables of this process that give it its place and its devices on its host, in one word:
/// `SLURM_LOCALID=1;CUDA_VISIBLE_DEVICES=0,1`.
#[must_use]
pub fn variables_of_process() -> String {
    let set = VARIABLES.iter().filter_map(|name| {
        let value = env::var(name).ok()?;
        Some(format!(
            "{name}={}",
            value.replace(char::is_whitespace, "_")
        ))
    });
    set.collect::<Vec<_>>().join(";")
}

/// How many cores a launch has chosen for each process, from its host and its cores; 0 where it
/// leaves a process to the system, or binds processes of a host to the same cores. All are 0 where
/// it has not chosen different numbers. Where no host has processes on different cores, it has
/// chosen nothing, unless `is_part` says that some have not all cores of their host.
///
/// A process of an eight-thread rank has eight cores, and no other rank may become that process.
#[must_use]
pub fn chosen_cores(seats: &[(&str, &Cores)], is_part: impl Fn(&str, &Cores) -> bool) -> Vec<u32> {
    let mut of_host: BTreeMap<&str, BTreeMap<&[u32], u32>> = BTreeMap::new();
    for (host, cores) in seats {
        let seats = of_host.entry(host).or_default();
        *seats.entry(cores.numbers()).or_default() += 1;
    }
    let differ = of_host.values().any(|seats| seats.len() > 1);
    let is_bound = differ || seats.iter().any(|(host, cores)| is_part(host, cores));
    let is_known = seats.iter().all(|(_, cores)| !cores.is_unknown());
    // A package with one process may have been left over by a host's others, which share one.
    let share = |seats: &&BTreeMap<_, u32>| seats.values().any(|&processes| processes > 1);
    let sharing = of_host.values().filter(share);
    let shared: BTreeSet<usize> = sharing
        .flat_map(|seats| seats.keys().map(|it| it.len()))
        .collect();
    let chosen = |(_, cores): &(&str, &Cores)| match cores.numbers().len() {
        shares if shared.contains(&shares) => 0,
        own => own as u32,
    };
    let chosen: Vec<u32> = seats.iter().map(chosen).collect();
    let numbers: BTreeSet<&u32> = chosen.iter().filter(|&&own| own > 0).collect();
    if is_known && is_bound && numbers.len() > 1 {
        chosen
    } else {
        vec![0; seats.len()]
    }
}

/// The seats of all ranks; entry r belongs to rank r.
pub type Seats = Vec<Seat>;

/// Writes a seats record; on an error no partial file is left.
///
/// # Errors
/// [`ProfileError::Unwritable`].
pub fn write_seats(path: &Path, seats: &[Seat]) -> Result<(), ProfileError> {
    let [.., version] = VERSIONS;
    let word = |text: &str| if text.is_empty() { UNKNOWN } else { text }.to_owned();
    let mut text = format!("{NAME} {version} {}\n", seats.len());
    for (rank, seat) in seats.iter().enumerate() {
        // Writing to a string does not fail.
        let Seat {
            host,
            shared_with,
            launcher_rank,
            cores,
            memory,
            variables,
        } = seat;
        let (memory, variables) = (word(memory), word(variables));
        let _ = writeln!(
            text,
            "{rank} {host} {shared_with} {launcher_rank} {cores} {memory} {variables}"
        );
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

fn parse(bytes: &[u8]) -> Result<Seats> {
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
    let wanted = match version {
        1 => 3,
        2 => 5,
        _ => 7,
    };
    (words.len() == wanted && words[0].parse() == Ok(rank)).then_some(())?;
    let own = u32::try_from(rank).ok()?;
    let text = |place: usize| match words.get(place) {
        None | Some(&UNKNOWN) => String::new(),
        Some(word) => (*word).to_owned(),
    };
    Some(Seat {
        host: words[1].to_owned(),
        shared_with: words[2].parse().ok()?,
        launcher_rank: words.get(3).map_or(Some(own), |word| word.parse().ok())?,
        cores: words
            .get(4)
            .map_or(Some(Cores::default()), |word| word.parse().ok())?,
        memory: text(5),
        variables: text(6),
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
                memory: ["", "default"][usize::from(launcher_rank > 0)].into(),
                variables: "SLURM_LOCALID=1;CUDA_VISIBLE_DEVICES=0,1".into(),
            })
            .into();
        write_seats(&path, &seats).expect("written");
        assert_eq!(read_seats(&path).expect("readable"), seats);
    }

    #[test]
    fn a_launch_chooses_cores_where_its_processes_have_different_ones() {
        let chosen = |seats: &[(&str, &str)], is_part: bool| {
            let cores: Vec<Cores> = seats.iter().map(|(_, it)| it.parse().unwrap()).collect();
            let hosts = seats.iter().map(|(host, _)| *host);
            let seats: Vec<(&str, &Cores)> = hosts.zip(&cores).collect();
            chosen_cores(&seats, |_, cores| is_part && cores.numbers().len() < 8)
        };
        let hybrid = [("a", "0-7"), ("b", "0"), ("b", "1")];
        assert_eq!(chosen(&hybrid, false), [8, 1, 1]);
        let unbound = [("a", "0-7"), ("a", "0-7"), ("b", "0-15")];
        assert_eq!(chosen(&unbound, false), [0; 3]);
        let packages = [("a", "0-7"), ("a", "0-7"), ("a", "8-14"), ("b", "0-7")];
        assert_eq!(chosen(&packages, false), [0; 4], "left over");
        let few = [("a", "0"), ("a", "1"), ("b", "0-1"), ("b", "0-1")];
        assert_eq!(
            chosen(&few, false),
            [0; 4],
            "of an odd number, the last are unbound"
        );
        let alone = [("a", "0-7"), ("b", "0"), ("c", "0-7")];
        assert_eq!(
            chosen(&alone, false),
            [0; 3],
            "perhaps hosts of these sizes"
        );
        assert_eq!(chosen(&alone, true), [8, 1, 8]);
        let unknown = [("a", "0"), ("a", "1-2"), ("a", "-")];
        assert_eq!(chosen(&unknown, true), [0; 3]);
    }

    #[test]
    fn the_first_version_knew_one_numbering_and_no_cores() {
        let seats = parse(b"rankfold-seats 1 2\n0 n0 0\n1 n0 0\n").expect("readable");
        assert_eq!(seats[1].launcher_rank, 1);
        assert!(seats[1].cores.is_unknown());
        let second = parse(b"rankfold-seats 2 1\n0 n0 0 0 0-3\n").expect("readable");
        assert_eq!(
            (second[0].cores.to_string(), &*second[0].memory),
            ("0-3".into(), "")
        );
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
            parse(b"rankfold-seats 4 0\n"),
            Err(Fault::Newer { found: 4, .. })
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
