//! Finds out, without a message to rank 0, whether rank 0 lacks this library.
//!
//! Every rank reports to rank 0 or to a rank below it. If rank 0 lacks the library, such a report
//! is never received. MPICH 5 cannot cancel a message, and ends a program in `MPI_Finalize` if a
//! message was not received. So a rank must know that rank 0 has the library before it reports.
//! Where all ranks are on one host, the journal of rank 0 shows it.

use crate::config::Config;
use rankfold_preload::gather::endpoint::Endpoint;
use rankfold_preload::launcher::says_one_host;
use rankfold_wire::journal::layout::{PREFIX, SUFFIX};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The beginning of the version of MPI libraries that cannot cancel a message.
const KEEPING: &str = "MPICH Version: 5.";

/// Waits until rank 0 has a journal, for as long as any rank is waited for. Returns `true` if rank
/// 0 has no journal by then and other ranks have one. Returns `false` at once where ranks are on
/// several hosts, and where MPI can cancel messages.
pub(super) fn is_rootless(config: &Config, world: &Endpoint, host: &str, mpi: &str) -> bool {
    const SHORTEST: Duration = Duration::from_millis(1);
    const LONGEST: Duration = Duration::from_millis(50);
    if world.is_root()
        || config.run.is_empty()
        || !mpi.starts_with(KEEPING)
        || !says_one_host(world.ranks)
    {
        return false;
    }
    let of_run = format!("{PREFIX}{}-{host}-", config.run);
    let deadline = Instant::now() + config.patience;
    // A rank that sees only its own journal may have a directory for itself, as in a container.
    // Other ranks may have removed their journals already, once they were through this function.
    let (mut nap, mut shared) = (SHORTEST, world.ranks == 2);
    loop {
        let ranks = ranks(&config.journals, &of_run);
        if ranks.contains(&0) {
            return false;
        }
        shared |= ranks.len() > 1;
        if Instant::now() >= deadline {
            return shared;
        }
        thread::sleep(nap);
        nap = (nap * 2).min(LONGEST);
    }
}

/// The ranks that have a journal in `directory` whose name begins with `of_run`.
fn ranks(directory: &Path, of_run: &str) -> Vec<u32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| rank(entry.file_name().to_str()?, of_run))
        .collect()
}

/// The rank whose journal has this name, if the name begins with `of_run`.
fn rank(name: &str, of_run: &str) -> Option<u32> {
    let rest = name.strip_prefix(of_run)?.strip_suffix(SUFFIX)?;
    rest.split_once('-')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::journal::layout::file_name;

    #[test]
    fn journals_tell_the_ranks_of_a_run_on_this_host() {
        let of_run = format!("{PREFIX}a-n-1-");
        let rank = |run, host, number| rank(&file_name(run, host, number, 7), &of_run);
        assert_eq!(rank("a", "n-1", 0), Some(0));
        assert_eq!(rank("a", "n-1", 12), Some(12));
        assert_eq!(rank("b", "n-1", 3), None);
        assert_eq!(rank("a", "n-2", 4), None);
    }
}
