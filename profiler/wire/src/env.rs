//! The environment variables through which the launcher configures the preload libraries. Nothing
//! else passes between them, so a profile can also be taken by hand with `LD_PRELOAD` and these
//! variables.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Absolute path of the profile to write in `MPI_Finalize`. Without it nothing is counted.
pub const PROFILE: &str = "RANKFOLD_PROFILE";
/// Absolute path of the seats record to write in `MPI_Init` (see [`crate::Seats`]). Without it no
/// record is written.
pub const SEATS: &str = "RANKFOLD_SEATS";
/// Directory of the rank journals. Without it they are in node-local memory (`/dev/shm`).
pub const JOURNALS: &str = "RANKFOLD_JOURNALS";
/// Name of the run, part of the name of every journal, so that runs do not use each other's files.
pub const RUN: &str = "RANKFOLD_RUN";
/// Absolute path of the plan (see [`crate::plan`]) by which `librankfold_world.so` renumbers the
/// ranks. Without it that library does nothing. With it, that library writes the seats record.
pub const WORLD: &str = "RANKFOLD_WORLD";
/// Absolute path of a file with which `librankfold_world.so` starts the mapper for virtual
/// topologies that the program lets MPI reorder. The file holds the words of a `rankfold-map map`
/// command, one a line; then an empty line; then the host names of the machine in node order, one a
/// line. Hosts outside the job may be among them. Without the variable, MPI alone reorders such
/// topologies.
pub const REORDER: &str = "RANKFOLD_REORDER";
/// Absolute path of a file like that of [`REORDER`], whose command names a profile. If the hosts of
/// the plan are not those of the job, `librankfold_world.so` has the mapper solve the plan again
/// with that command. Without the variable, the plan's hosts are replaced by the job's hosts in
/// order, provided that the numbers of hosts and of ranks on each host are equal.
pub const SOLVE: &str = "RANKFOLD_SOLVE";
/// Seconds that a rank waits for a mapper it has started. Without it: 1, and 0.2 for every thousand
/// ranks.
pub const BUDGET: &str = "RANKFOLD_BUDGET";
/// Absolute path of the record in which rank 0 writes, in `MPI_Init`, what collectives take on the
/// world and on a renumbered one (see [`crate::WorldTimes`]). Without it nothing is timed.
pub const WORLD_TIMES: &str = "RANKFOLD_WORLD_TIMES";
/// If set to any value, the variables in which launchers pass a process its rank hold the new rank
/// after `MPI_Init` of a renumbered run.
pub const WORLD_VARIABLES: &str = "RANKFOLD_WORLD_VARIABLES";
/// If set to any value, the time inside MPI is recorded, too. Without it, timing costs nothing.
pub const TIME: &str = "RANKFOLD_TIME";
/// The value of [`TIME`] that restricts timing to a sample of the ranks.
pub const SAMPLE: &str = "sample";
/// If set to [`MEASURED`], the MPI library is asked to report what it sends inside collectives.
pub const COLLECTIVES: &str = "RANKFOLD_COLLECTIVES";
/// The value of [`COLLECTIVES`].
pub const MEASURED: &str = "measured";
/// Seconds from the end of `MPI_Init` after which a rank stops counting. Without it, ranks count to
/// the end.
pub const UNTIL: &str = "RANKFOLD_UNTIL";
/// Largest blocking send, in bytes, for which the program's MPI does not wait for the receiver.
/// Without it: 65536. Longer sends count as waits in [`crate::Bursts`].
pub const EAGER: &str = "RANKFOLD_EAGER";
/// Absolute path of the library that counts the calls of PyTorch's c10d for the hook in Python.
/// Without it the hook does nothing.
pub const C10D: &str = "RANKFOLD_C10D";
/// Seconds that a rank waits for other ranks at the start and at the end of a run. Without it: 30.
pub const PATIENCE: &str = "RANKFOLD_PATIENCE";

/// Most memory that the counters of a rank take, in MiB. Without it: 64, and 2 KiB for every rank.
pub const MEMORY: &str = "RANKFOLD_MEMORY";

/// Prefix of the directories in which the launcher has the ranks put their files. The directories
/// are hidden, and removed when all goes well.
pub const SCRATCH: &str = ".rankfold-";

/// The file that rank 0 writes when `MPI_Init` has returned, beside the `result` it is to write
/// later (the profile or the seats record); `None` if that is not in a directory of the launcher's.
/// If the launcher finds neither of the two files, the library was not loaded, or the directory is
/// not shared.
#[must_use]
pub fn begun(result: &Path) -> Option<PathBuf> {
    beside(result, "begun")
}

/// The file that the first process of a run makes before it warns about `topic`, beside `result`;
/// `None` if that is not in a directory of the launcher's.
#[must_use]
pub fn warned(result: &Path, topic: &str) -> Option<PathBuf> {
    beside(result, &format!("warned-{topic}"))
}

/// The file in which rank 0 leaves the [plan](crate::plan) that is followed if it was solved again,
/// beside the seats record and before it; `None` if that is not in a directory of the launcher's.
#[must_use]
pub fn solved(seats: &Path) -> Option<PathBuf> {
    beside(seats, "solved")
}

/// The file called `file` beside `result`, if `result` is in a directory of the launcher's.
fn beside(result: &Path, file: &str) -> Option<PathBuf> {
    let directory = result.parent()?;
    let name = directory.file_name()?.as_encoded_bytes();
    name.starts_with(SCRATCH.as_bytes())
        .then(|| directory.join(file))
}

/// The path in the variable `name`; `None` if the variable is not set or empty.
#[must_use]
pub fn path(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}

/// The time in [`PATIENCE`], at most a day; the default if the variable is not set or no number.
#[must_use]
pub fn patience(value: Option<&str>) -> Duration {
    const USUAL: Duration = Duration::from_secs(30);
    seconds(value).unwrap_or(USUAL)
}

/// The memory in [`MEMORY`], in bytes, for a rank of a world of `ranks`; the default if the
/// variable is not set or no number.
#[must_use]
pub fn memory(value: Option<&str>, ranks: u32) -> usize {
    /// Bytes of a MiB.
    const MIB: f64 = (1_u64 << 20) as f64;
    let usual = (64 << 20) + 2048 * ranks as usize;
    let set = value.and_then(|value| value.parse::<f64>().ok());
    set.filter(|mib| *mib >= 0.0)
        .map_or(usual, |mib| (mib * MIB) as usize)
}

/// The time in [`BUDGET`], at most a day.
#[must_use]
pub fn budget(value: Option<&str>) -> Option<Duration> {
    seconds(value)
}

fn seconds(value: Option<&str>) -> Option<Duration> {
    /// A day: longer waits are shortened to it. Chosen by hand.
    const LONGEST: Duration = Duration::from_secs(86_400);
    let time = Duration::try_from_secs_f64(value?.parse().ok()?).ok();
    time.map(|time| time.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_was_set_or_grows_with_the_world() {
        assert_eq!(memory(Some("0.5"), 1000), 1 << 19);
        for unusable in [None, Some(""), Some("much"), Some("-1"), Some("NaN")] {
            assert_eq!(memory(unusable, 1 << 20), (64 << 20) + (2 << 30));
        }
        assert_eq!(memory(Some("inf"), 1), usize::MAX);
    }
}
