//! Finds the MPI library that belongs to the launcher that has started this process.
//!
//! The variables that the launcher has set tell the MPI family. With a library of another family,
//! MPI would not fail: each process would be a world of its own. The library itself is looked for
//! where the launcher is installed, because a machine may have several MPI libraries. The launcher
//! is a process above this one.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The libraries to try, the most likely first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryCandidates {
    /// Paths, and names that the system's loader looks up.
    pub candidates: Vec<PathBuf>,
}

/// Names of a family's library, the usual one first. Each has its version, because without it a
/// name may lead to any MPI.
const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so.80"];
const MPICH: &[&str] = &[
    "libmpich.so.12",
    "libmpi.so.12",
    "libmpi_cray.so.12",
    "libmpi_gnu_123.so.12",
    "libmpi_gnu_112.so.12",
    "libmpi_abi.so.1",
];

/// Programs that start ranks, by the beginning of their file names.
const STARTERS: &[&str] = &[
    "orterun",
    "orted",
    "mpirun",
    "mpiexec",
    "prterun",
    "prted",
    "prte",
    "hydra_",
    "pmi_proxy",
    "slurmstepd",
    "flux-shell",
    "palsd",
    "jsm",
];

/// All libraries that may fit; only `given` if the user names one.
#[must_use]
pub fn find(given: Option<&Path>) -> LibraryCandidates {
    if let Some(given) = given {
        return LibraryCandidates {
            candidates: vec![given.to_owned()],
        };
    }
    let names = names(|name| env::var_os(name).is_some());
    let mut prefixes: Vec<PathBuf> = ["OPAL_PREFIX", "I_MPI_ROOT", "MPI_ROOT"]
        .iter()
        .filter_map(|name| Some(PathBuf::from(env::var_os(name)?)))
        .collect();
    // Where the launcher is installed comes before the prefixes in the environment, which may
    // belong to another MPI.
    prefixes.splice(0..0, starter().and_then(|path| prefix(&path)));
    let mut candidates: Vec<PathBuf> = prefixes
        .iter()
        .flat_map(|prefix| within(prefix, &names))
        .filter(|path| path.is_file())
        .collect();
    candidates.extend(names.iter().map(PathBuf::from));
    LibraryCandidates { candidates }
}

/// The number of ranks that the launcher has started, if it says so.
#[must_use]
pub fn launched_ranks() -> Option<usize> {
    const SIZES: &[&str] = &[
        "OMPI_COMM_WORLD_SIZE",
        "PMI_SIZE",
        "MPI_LOCALNRANKS",
        "FLUX_JOB_SIZE",
        "PALS_NRANKS",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_NTASKS",
    ];
    SIZES
        .iter()
        .filter_map(|name| env::var(name).ok()?.parse().ok())
        .max()
}

/// The library names of the family to which the environment points, then those of the other family.
fn names(is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let of_mpich = ["PMI_RANK", "PMI_FD", "PMI_PORT", "PMI_SIZE"];
    // PMIx was Open MPI's interface first. MPICH sets the older variables beside those of PMIx.
    let open_mpi = is_set("OMPI_COMM_WORLD_SIZE")
        || (is_set("PMIX_RANK") && !of_mpich.iter().any(|name| is_set(name)));
    let (first, then) = if open_mpi || !of_mpich.iter().any(|name| is_set(name)) {
        (OPEN_MPI, MPICH)
    } else {
        (MPICH, OPEN_MPI)
    };
    [first, then].concat()
}

/// The program file of the nearest process above this one that starts ranks; if there is none, of
/// the parent process. There may be wrappers in between.
fn starter() -> Option<PathBuf> {
    const MOST_WRAPPERS: usize = 6;
    let mut pid = parent("self")?;
    let above = program(&pid);
    for _ in 0..MOST_WRAPPERS {
        let path = program(&pid)?;
        let name = path.file_name().map(OsStr::to_string_lossy);
        if name.is_some_and(|name| STARTERS.iter().any(|starter| name.starts_with(starter))) {
            return Some(path);
        }
        pid = parent(&pid)?;
    }
    above
}

fn program(pid: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// The parent of a process. In `/proc/PID/stat` the name of the process may hold spaces and
/// brackets, so the fields are counted from the last bracket.
fn parent(pid: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = text.rsplit_once(')')?;
    let parent = behind.split_whitespace().nth(1)?;
    (parent != "0").then(|| parent.to_owned())
}

/// The directory in which a program is installed: the one above its `bin`.
fn prefix(program: &Path) -> Option<PathBuf> {
    Some(program.parent()?.parent()?.to_owned())
}

/// The paths within an installation at which a library may be.
fn within(prefix: &Path, names: &[&str]) -> Vec<PathBuf> {
    let triplet = format!("lib/{}-linux-gnu", env::consts::ARCH);
    let directories = ["lib", "lib64", &triplet, "lib/openmpi/lib", "lib/release"];
    names
        .iter()
        .flat_map(|name| {
            directories
                .iter()
                .map(move |directory| prefix.join(directory).join(name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_told_by_the_launchers_variables() {
        let first = |set: &[&str]| names(|name| set.contains(&name))[0];
        assert_eq!(first(&["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"]), OPEN_MPI[0]);
        assert_eq!(first(&["PMIX_RANK"]), OPEN_MPI[0]);
        assert_eq!(first(&["PMI_RANK", "PMI_FD"]), MPICH[0]);
        assert_eq!(first(&["PMI_RANK", "PMIX_RANK"]), MPICH[0]);
        // Some containers set this variable for every user, so it does not show that a launcher is
        // at work.
        assert_eq!(
            first(&["OMPI_ALLOW_RUN_AS_ROOT", "PMI_RANK", "PMI_SIZE"]),
            MPICH[0]
        );
    }

    #[test]
    fn a_library_that_is_named_is_the_only_one() {
        let found = find(Some(Path::new("/opt/mpi/libmpi.so.40")));
        assert_eq!(found.candidates, [Path::new("/opt/mpi/libmpi.so.40")]);
    }

    #[test]
    fn libraries_are_looked_for_where_the_launcher_is_installed() {
        let root = prefix(Path::new("/opt/mpi/bin/orted")).unwrap();
        let places = within(&root, OPEN_MPI);
        assert_eq!(places[0], Path::new("/opt/mpi/lib/libmpi.so.40"));
        assert!(places.contains(&PathBuf::from("/opt/mpi/lib64/libmpi.so.40")));
    }

    #[test]
    fn a_process_knows_its_parent() {
        let parent = parent("self").unwrap();
        assert_eq!(parent, std::os::unix::process::parent_id().to_string());
        assert!(program("self").unwrap().is_file());
    }
}
