//! The plan of a renumbered run: which rank shall be on which host.
//!
//! `librankfold_world.so` reads it in `MPI_Init` of every process of the launcher's and gives the
//! ranks their processes.
//!
//! # The file, version 1
//!
//! Text, words between single blanks. The first line is `rankfold-plan 1 RANKS`. Then follow the
//! hosts and the ranks, each numbered from 0 without gaps:
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
//! | line | says |
//! |---|---|
//! | `host NUMBER NAME` | the hosts in the order in which the launcher starts ranks on them; `+` as a name is whichever host comes there |
//! | `rank RANK HOST CORES PROCESS` | the number of the rank's host; its [`Cores`] or `-`; the rank that the launcher gives the process which it shall be, or `-`, which leaves that to the library |
//!
//! Instead of hosts and ranks there may be the one line `shuffle SEED`, with any number of `RANKS`
//! in the first line, which counts for nothing then: ranks are put into an order that only depends
//! on the seed and on their number. It is for finding out whether a program minds being renumbered.
//!
//! ```
//! use rankfold_profile::plan::{RenumberingPlan, PlannedRank};
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

/// What `MPI_COMM_WORLD` shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenumberingPlan {
    /// Every rank has its host.
    Seats(Seating),
    /// A random order from this seed, in which rank 0 stays.
    Shuffled(u64),
}

/// Hosts, and the ranks on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    hosts: Vec<Option<String>>,
    ranks: Vec<PlannedRank>,
}

/// Where one rank shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRank {
    /// Index of its host in [`Seating::hosts`].
    pub host: u32,
    /// Its cores there; unknown where any will do.
    pub cores: Cores,
    /// The rank the launcher gives the process which this rank shall be, where the maker of the
    /// plan knows that.
    pub process: Option<u32>,
}

impl PlannedRank {
    /// On any cores of a host, as any of the processes there.
    #[must_use]
    pub fn on(host: u32) -> Self {
        Self {
            host,
            cores: Cores::default(),
            process: None,
        }
    }
}

/// Why hosts and ranks are no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// Nobody is planned.
    #[error("a plan without ranks")]
    NoRanks,
    /// A rank is on a host that is not listed.
    #[error("rank {rank} is on host {host}, and there are {hosts} hosts")]
    NoHost {
        /// The rank.
        rank: usize,
        /// Its host.
        host: u32,
        /// How many there are.
        hosts: usize,
    },
    /// A name that cannot be told from another word of the file.
    #[error("{0:?} is no name of a host")]
    NoName(String),
    /// A host is listed twice.
    #[error("host {0} is listed twice")]
    HostTwice(String),
    /// The process of a rank is none of the launcher's.
    #[error("rank {rank} shall be process {process} of {ranks}")]
    NoProcess {
        /// The rank.
        rank: usize,
        /// Its process.
        process: u32,
        /// How many there are.
        ranks: usize,
    },
    /// Two ranks are the same process.
    #[error("two ranks shall be process {0}")]
    ProcessTwice(u32),
}

impl RenumberingPlan {
    /// The ranks, of which entry r is rank r, on hosts in the order in which the launcher starts
    /// processes on them. `None` is a host whose name is not known yet.
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
    /// [`ProfileError`], naming the file, and the line where one is wrong.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let bytes = fs::read(path).map_err(|source| Fault::from(source).reading(path))?;
        text::parse(&bytes).map_err(|fault| fault.reading(path))
    }

    /// Writes a plan, whole or not at all.
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

    /// Entry r is rank r.
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
