//! Recovers a profile from the journals of a run that did not end well.

use crate::error::{Fault, ProfileError};
use crate::journal::{Journal, State, layout};
use crate::ledger::Ledger;
use crate::profile::{Manifest, Outcome, Profile};
use crate::{nccl_join, nccl_journals, own_file};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A recovered profile, and the files it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// The profile. Its outcome is [`Outcome::Recovered`] unless every rank had reached
    /// `MPI_Finalize` and lacks nothing.
    pub profile: Profile,
    /// Whether every rank had reached `MPI_Finalize`. The profile may lack some counters even then.
    pub finalized: bool,
    /// Every journal of the run, whether readable or not, to be removed once the profile is safe.
    /// All are regular files of this user.
    pub journals: Vec<PathBuf>,
    /// Why the profile of an MPI program lacks what its ranks did with NCCL, if it does.
    pub left_out: Option<String>,
}

/// Merges the journals of `run` in `directory`: those of an MPI program, those of processes that
/// use NCCL, or both. If the run had several MPI worlds, the latest one is merged. An MPI rank
/// whose journal has no readable head counts as missing. `None` if there is no readable journal.
///
/// # Errors
/// [`ProfileError::Unreadable`] if the directory cannot be read. Without an MPI program also
/// [`ProfileError::Damaged`]: a journal of NCCL is half-written, or contradicts another one.
pub fn recover(directory: &Path, run: &str) -> Result<Option<Recovery>, ProfileError> {
    recover_watched(directory, run, &mut |_, _| ())
}

/// As [`recover`]; `watch` receives the number of journals read so far, and the number of all.
///
/// # Errors
/// As [`recover`].
pub fn recover_watched(
    directory: &Path,
    run: &str,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<Option<Recovery>, ProfileError> {
    let unreadable = |source: std::io::Error| Fault::from(source).reading(directory);
    let mut journals = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if is_journal_of(run, &entry.file_name()) && own_file::is_own(&entry.path()) {
            journals.push(entry.path());
        }
    }
    journals.sort();
    let mut readable = Vec::new();
    let mut of_nccl = Vec::new();
    let mut trouble = None;
    for (read, path) in journals.iter().enumerate() {
        watch(read, journals.len());
        if path.file_name().is_some_and(nccl_journals::is_journal) {
            match nccl_journals::read(path) {
                Ok(journal) if journal.run == run => of_nccl.push((path.clone(), journal)),
                Ok(_) => {}
                Err(error) => trouble = trouble.or(Some(error)),
            }
        } else {
            let journal = Journal::read(path).ok();
            readable.extend(journal.filter(|journal| journal.run == run));
        }
    }
    let of_mpi = merge(latest_world(readable));
    let job = match trouble {
        Some(error) => Err(error),
        None => nccl_join::join(&of_nccl),
    };
    let Some((mut profile, finalized)) = of_mpi else {
        return Ok(job?.map(|job| Recovery {
            finalized: job.outcome == Outcome::Finalized,
            profile: job.into_profile(),
            journals,
            left_out: None,
        }));
    };
    let left_out = match job {
        Ok(Some(job)) => profile.add_nccl(job).err(),
        Ok(None) => None,
        Err(error) => Some(error.to_string()),
    };
    Ok(Some(Recovery {
        profile,
        finalized,
        journals,
        left_out,
    }))
}

/// Adds to the profile of an MPI program what its ranks did with NCCL, from the journals of `run`
/// in `directory`. Returns why these journals are left out, if they are.
///
/// # Errors
/// As [`recover`].
pub fn add_nccl_of(
    profile: &mut Profile,
    directory: &Path,
    run: &str,
) -> Result<Option<String>, ProfileError> {
    let unreadable = |source: std::io::Error| Fault::from(source).reading(directory);
    let mut journals = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_meant = is_journal_of(run, &name) && nccl_journals::is_journal(&name);
        if is_meant && own_file::is_own(&path) {
            match nccl_journals::read(&path) {
                Ok(journal) => journals.push((path, journal)),
                Err(error) => return Ok(Some(error.to_string())),
            }
        }
    }
    journals.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(match nccl_join::join(&journals) {
        Ok(Some(job)) => profile.add_nccl(job).err(),
        Ok(None) => None,
        Err(error) => Some(error.to_string()),
    })
}

/// The journals of the latest world. Ranks that were killed in `MPI_Init` do not know their world
/// yet: they are assigned to the latest world if their rank is missing there.
fn latest_world(journals: Vec<Journal>) -> Vec<Journal> {
    let latest = journals.iter().map(|journal| journal.stamp).max();
    let (mut world, others): (Vec<_>, Vec<_>) = journals
        .into_iter()
        .partition(|journal| Some(journal.stamp) == latest);
    let early = others
        .into_iter()
        .filter(|journal| journal.stamp == layout::NO_STAMP);
    for journal in early {
        let is_other = |known: &Journal| known.rank != journal.rank && known.ranks == journal.ranks;
        if world.iter().all(is_other) {
            world.push(journal);
        }
    }
    world
}

/// Whether `name` is a journal of `run`. Host names may contain hyphens, so only the name of the
/// run is compared.
fn is_journal_of(run: &str, name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(layout::PREFIX)?.strip_prefix(run))
        .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(layout::SUFFIX))
}

/// Merges the journals of one MPI world. Returns whether all its ranks had reached `MPI_Finalize`,
/// too.
fn merge(journals: Vec<Journal>) -> Option<(Profile, bool)> {
    let first = journals.first()?;
    let ranks = first.ranks as usize;
    let mut manifest = Manifest {
        program: first.program.clone(),
        mpi: first.mpi.clone(),
        hosts: vec![String::new(); ranks],
        outcome: Outcome::Finalized,
    };
    let mut finalized = true;
    let mut ledgers = vec![None::<Ledger>; ranks];
    let mut lacking = vec![false; ranks];
    for journal in journals {
        let rank = journal.rank as usize;
        if let (Some(host), Some(ledger)) = (manifest.hosts.get_mut(rank), ledgers.get_mut(rank)) {
            finalized &= journal.state == State::Finalized;
            *host = journal.host;
            *ledger = Some(journal.ledger);
            lacking[rank] = journal.lacks_some;
        }
    }
    finalized &= ledgers.iter().all(Option::is_some);
    let known = ledgers.iter().zip(lacking);
    let missing = (0..)
        .zip(known)
        .filter(|(_, (ledger, lacking))| ledger.is_none() || *lacking);
    let missing: Vec<u32> = missing.map(|(rank, _)| rank).collect();
    if !finalized || !missing.is_empty() {
        manifest.outcome = Outcome::Recovered { missing };
    }
    let ledgers: Vec<Ledger> = ledgers.into_iter().map(Option::unwrap_or_default).collect();
    Some((Profile::merge(manifest, &ledgers), finalized))
}
