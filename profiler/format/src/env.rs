//! The environment variables by which the launcher speaks to the preload library. Nothing else
//! passes between them, so a profile can also be taken by hand with `LD_PRELOAD` and these.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Absolute path of the profile to write at `MPI_Finalize`; without it nothing is counted.
pub const PROFILE: &str = "RANKFOLD_PROFILE";
/// Absolute path of the seats record to write at `MPI_Init` (see [`crate::Seats`]); without it none
/// is.
pub const SEATS: &str = "RANKFOLD_SEATS";
/// Directory of the rank journals; node-local memory (`/dev/shm`) without it.
pub const JOURNALS: &str = "RANKFOLD_JOURNALS";
/// Name of this run, part of every journal's file name, so that runs do not meet.
pub const RUN: &str = "RANKFOLD_RUN";
/// Absolute path of the plan (see [`crate::plan`]) by which `librankfold_world.so` renumbers the
/// ranks; without it that library does nothing. With it, that library is the one which writes the
/// seats record.
pub const WORLD: &str = "RANKFOLD_WORLD";
/// Absolute path of the file that tells `librankfold_world.so` how to start the mapper, for virtual
/// topologies that the program lets MPI reorder: the words of a `rankfold-map map` command, one a
/// line, an empty line, and the names of the machine's hosts in node order, one a line, which need
/// not all be the job's. Without it such topologies are MPI's affair.
pub const REORDER: &str = "RANKFOLD_REORDER";
/// Absolute path of a file like that of [`REORDER`], whose command names a profile: by it
/// `librankfold_world.so` has the mapper solve a plan anew whose hosts are not those of the job.
/// Without it the plan is followed in the order of its hosts, where they are as many with as many
/// ranks each.
pub const SOLVE: &str = "RANKFOLD_SOLVE";
/// Seconds for which a rank waits for a mapper it has started; 1, and 0.2 for every thousand ranks,
/// without it.
pub const BUDGET: &str = "RANKFOLD_BUDGET";
/// Set to anything, the variables in which launchers tell a process its rank hold the new one after
/// `MPI_Init` of a renumbered run.
pub const WORLD_VARIABLES: &str = "RANKFOLD_WORLD_VARIABLES";
/// Set to anything, the time inside MPI is kept too; without it there is no cost.
pub const TIME: &str = "RANKFOLD_TIME";
/// The value of [`TIME`] by which only a sample of the ranks keeps it, 64 at most.
pub const SAMPLE: &str = "sample";
/// Seconds after which a rank stops counting, from the end of its `MPI_Init`; without it, it counts
/// to the end.
pub const UNTIL: &str = "RANKFOLD_UNTIL";
/// Bytes up to which a blocking send of the program's MPI does not wait for the receiver; 65536
/// without it. Longer ones count as waits in [`crate::Bursts`].
pub const EAGER: &str = "RANKFOLD_EAGER";
/// Seconds for which a rank waits for another at the start and at the end of a run; 30 without it.
pub const PATIENCE: &str = "RANKFOLD_PATIENCE";

/// What the names of the directories begin with in which the launcher has the ranks leave their
/// files. They are hidden, and gone when all goes well.
pub const SCRATCH: &str = ".rankfold-";

/// Where rank 0 leaves a file when it has come through `MPI_Init`, beside the profile or the seats
/// record it is to write, if that is in a directory of the launcher's: who finds neither knows that
/// the library was not loaded, or that the directory is not shared.
#[must_use]
pub fn begun(result: &Path) -> Option<PathBuf> {
    beside(result, "begun")
}

/// Where rank 0 leaves the [plan](crate::plan) that is followed in the place of the one given, when
/// that was solved anew: beside the seats record, and before it, if that is in a directory of the
/// launcher's.
#[must_use]
pub fn solved(seats: &Path) -> Option<PathBuf> {
    beside(seats, "solved")
}

/// A file beside `result`, if that is in a directory of the launcher's.
fn beside(result: &Path, file: &str) -> Option<PathBuf> {
    let directory = result.parent()?;
    let name = directory.file_name()?.as_encoded_bytes();
    name.starts_with(SCRATCH.as_bytes())
        .then(|| directory.join(file))
}

/// The path in the variable `name`; none where it is not set or empty.
#[must_use]
pub fn path(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}

/// What [`PATIENCE`] asks for: at most a day, and what is usual where it is not set or no number.
#[must_use]
pub fn patience(value: Option<&str>) -> Duration {
    const USUAL: Duration = Duration::from_secs(30);
    seconds(value).unwrap_or(USUAL)
}

/// What [`BUDGET`] asks for, at most a day.
#[must_use]
pub fn budget(value: Option<&str>) -> Option<Duration> {
    seconds(value)
}

fn seconds(value: Option<&str>) -> Option<Duration> {
    /// Nobody waits for ever.
    const LONGEST: Duration = Duration::from_secs(86_400);
    let time = Duration::try_from_secs_f64(value?.parse().ok()?).ok();
    time.map(|time| time.min(LONGEST))
}
