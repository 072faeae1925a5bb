//! Names of the journals of processes that use NCCL.

use crate::error::{Fault, ProfileError};
use crate::journal::{self, Journal, layout};
use crate::own_file;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

/// What stands in place of a rank in the name of a journal: these processes do not know their
/// ranks.
const MARK: &str = "nccl";

/// The file name of the journal of process `pid`. `random` has the purpose described at
/// [`layout::file_name`].
#[must_use]
pub fn journal_name(run: &str, host: &str, pid: u32, random: u64) -> String {
    let (prefix, suffix) = (layout::PREFIX, layout::SUFFIX);
    format!("{prefix}{run}-{host}-{MARK}{pid}-{random:016x}{suffix}")
}

/// Whether a file of this name is the journal of a process that uses NCCL.
pub(crate) fn is_journal(name: &OsStr) -> bool {
    let name = name.to_str();
    let parts = name.and_then(|name| name.strip_suffix(layout::SUFFIX)?.rsplit_once('-'));
    parts.is_some_and(|(rest, _)| {
        let pid = rest
            .rsplit_once('-')
            .and_then(|(_, last)| last.strip_prefix(MARK));
        pid.is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

/// Reads the journal at `path`, which has its full length from its first moment.
///
/// # Errors
/// As [`Journal::read`], and [`Fault::Truncated`] if the end is missing.
pub(crate) fn read(path: &Path) -> Result<Journal, ProfileError> {
    let bytes = journal::contents(path).map_err(|source| Fault::from(source).reading(path))?;
    let parsed = Journal::parse(&bytes).and_then(|journal| {
        let length = bytes.len() as u64;
        let is_whole = journal::is_whole(&bytes);
        is_whole.then_some(journal).ok_or(Fault::Truncated(length))
    });
    parsed.map_err(|fault| fault.reading(path))
}

/// The names of the runs that have left readable journals of NCCL in `directory`.
///
/// # Errors
/// The system's error.
pub fn runs_in(directory: &Path) -> io::Result<BTreeSet<String>> {
    let mut runs = BTreeSet::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if is_journal(&entry.file_name()) && own_file::is_own(&entry.path()) {
            runs.extend(Journal::read(&entry.path()).ok().map(|found| found.run));
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journals_of_nccl_are_told_from_those_of_mpi_by_their_names() {
        let is = |name: &str| is_journal(OsStr::new(name));
        assert!(is(&journal_name("4-5", "n-0", 77, 3)));
        assert!(!is(&layout::file_name("4-5", "n-nccl1", 7, 3)));
        assert!(!is("rankfold-1-2-n0-nccl-0000.rfj"));
        assert!(!is("rankfold-1-2-n0-nccl7-0000.rfp"));
    }
}
