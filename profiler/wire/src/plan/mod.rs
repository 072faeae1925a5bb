//! The plan of a renumbered run: which rank goes to which host.
//!
//! `librankfold_world.so` reads the plan in `MPI_Init` of every process that the launcher started,
//! and assigns the ranks to these processes.
//!
//! # The file, version 1
//!
//! A text file whose words are separated by single blanks. The first line is `rankfold-plan 1
//! RANKS`. Lines for the hosts and for the ranks follow, both numbered from 0 without gaps:
//!
//! ```text
//! rankfold-plan 1 4
//! host 0 n0
//! host 1 +
//! rank 0 0 0-1 -
//! rank 1 1 0-1 -
//! rank 2 1 2-3 -
//! rank 3 0 2-3 -
//! ```
//!
//! * `host NUMBER NAME`: a host. Hosts are in the order in which the launcher starts processes on
//!   them. `+` as a name stands for any host in that position.
//! * `rank RANK HOST CORES PROCESS`: a rank with the number of its host, its [`Cores`] or `-`, and
//!   the rank that the launcher gave the process which becomes this rank. `-` as a process leaves
//!   the choice to the library.
//!
//! A file may hold the single line `shuffle SEED` instead of hosts and ranks. `RANKS` in the first
//! line then has no meaning. The ranks are put into a random order that depends only on the seed
//! and on the number of ranks. This serves to test whether a program tolerates renumbering.
//!
//! ```
//! use rankfold_wire::plan::{RenumberingPlan, PlannedRank};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("plan");
//! let ranks = [0, 1, 1, 0].map(PlannedRank::on);
//! let plan = RenumberingPlan::new(vec![Some("n0".into()), None], ranks.into())?;
//! plan.write(&path)?;
//! assert_eq!(RenumberingPlan::read(&path)?, plan);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod text;

use crate::cores::Cores;
use crate::error::{Fault, ProfileError};
use crate::replace::replace;
use std::fs;
use std::path::Path;

/// The ranks that the processes of `MPI_COMM_WORLD` get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenumberingPlan {
    /// Every rank has a host.
    Seats(Seating),
    /// A random order made from this seed. Rank 0 stays where it is.
    Shuffled(u64),
}

/// The hosts and the ranks of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    hosts: Vec<Option<String>>,
    ranks: Vec<PlannedRank>,
}

/// The host and process of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRank {
    /// Index of its host in [`Seating::hosts`].
    pub host: u32,
    /// The rank's cores on the host; unknown if any cores will do.
    pub cores: Cores,
    /// The rank that the launcher gave the process which becomes this rank; `None` leaves the
    /// choice to the library.
    pub process: Option<u32>,
}

impl PlannedRank {
    /// A rank on any cores of a host, in any of the processes there.
    #[must_use]
    pub fn on(host: u32) -> Self {
        Self {
            host,
            cores: Cores::default(),
            process: None,
        }
    }
}

/// Why hosts and ranks are not a valid plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// The plan has no ranks.
    #[error("the plan has no ranks")]
    NoRanks,
    /// A rank is on a host that the plan does not list.
    #[error("rank {rank} is on host {host}, but hosts are numbered below {hosts}")]
    NoHost {
        /// The rank.
        rank: usize,
        /// The host of the rank.
        host: u32,
        /// Number of hosts.
        hosts: usize,
    },
    /// A host's name would be read as another word of the file.
    #[error("{0:?} is not a valid host name")]
    NoName(String),
    /// A host is listed twice.
    #[error("host {0} is listed twice")]
    HostTwice(String),
    /// The launcher starts no process with this number.
    #[error("rank {rank} is to be process {process}, but processes are numbered below {ranks}")]
    NoProcess {
        /// The rank.
        rank: usize,
        /// The process of the rank.
        process: u32,
        /// Number of processes.
        ranks: usize,
    },
    /// Two ranks have the same process.
    #[error("two ranks are to be process {0}")]
    ProcessTwice(u32),
}

impl RenumberingPlan {
    /// A plan in which entry r of `ranks` is rank r. Hosts are in the order in which the launcher
    /// starts processes on them; `None` is a host whose name is not known yet.
    ///
    /// # Errors
    /// [`InvalidPlan`].
    pub fn new(hosts: Vec<Option<String>>, ranks: Vec<PlannedRank>) -> Result<Self, InvalidPlan> {
        if ranks.is_empty() {
            return Err(InvalidPlan::NoRanks);
        }
        check_names(&hosts)?;
        check_ranks(&ranks, hosts.len())?;
        Ok(Self::Seats(Seating { hosts, ranks }))
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file and, if a line is wrong, the line.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let bytes = fs::read(path).map_err(|source| Fault::from(source).reading(path))?;
        text::parse(&bytes).map_err(|fault| fault.reading(path))
    }

    /// Writes a plan; on an error no partial file is left.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`].
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        let text = text::format(self);
        replace(path, text.as_bytes()).map_err(|source| Fault::from(source).writing(path))
    }
}

impl Seating {
    /// The hosts, in the order in which the launcher starts processes on them.
    #[must_use]
    pub fn hosts(&self) -> &[Option<String>] {
        &self.hosts
    }

    /// The ranks; entry r is rank r.
    #[must_use]
    pub fn ranks(&self) -> &[PlannedRank] {
        &self.ranks
    }
}

fn check_names(hosts: &[Option<String>]) -> Result<(), InvalidPlan> {
    let mut names: Vec<&str> = hosts.iter().flatten().map(String::as_str).collect();
    let is_name = |name: &str| {
        !name.is_empty()
            && name != "+"
            && !name.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    if let Some(name) = names.iter().find(|name| !is_name(name)) {
        return Err(InvalidPlan::NoName((*name).to_owned()));
    }
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(InvalidPlan::HostTwice(pair[0].to_owned())),
        None => Ok(()),
    }
}

fn check_ranks(ranks: &[PlannedRank], hosts: usize) -> Result<(), InvalidPlan> {
    let mut taken = vec![false; ranks.len()];
    for (rank, planned) in ranks.iter().enumerate() {
        if planned.host as usize >= hosts {
            let host = planned.host;
            return Err(InvalidPlan::NoHost { rank, host, hosts });
        }
        let Some(process) = planned.process else {
            continue;
        };
        match taken.get_mut(process as usize) {
            None => {
                let ranks = ranks.len();
                return Err(InvalidPlan::NoProcess {
                    rank,
                    process,
                    ranks,
                });
            }
            Some(true) => return Err(InvalidPlan::ProcessTwice(process)),
            Some(taken) => *taken = true,
        }
    }
    Ok(())
}
