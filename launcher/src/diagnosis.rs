//! Explains why a run may have left no profile.

use object::{Object, ObjectSymbol};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that start other programs in containers, where the environment and the files differ.
const CONTAINERS: &[&str] = &[
    "apptainer",
    "singularity",
    "docker",
    "podman",
    "podman-hpc",
    "ch-run",
    "shifter",
    "sarus",
    "enroot",
    "charliecloud",
];

/// The possible reasons, as a text that follows "no profile was written: ". `begun` says whether a
/// rank is known to have called `MPI_Init` with the library loaded.
pub(crate) fn silence(program: &OsStr, begun: bool) -> String {
    if begun {
        return "MPI_Init was called with librankfold.so loaded, but no profile came of it: the lines above say why; without one, \
                the ranks were killed before they had counted, or they ran on other hosts, which keep their journals"
            .into();
    }
    let name = program.to_string_lossy();
    let Some(path) = find(program) else {
        return unseen(&format!("{name} was not found on this host"), OTHERS);
    };
    match std::fs::read(&path) {
        Ok(bytes) => explain(&name, &bytes, is_privileged(&path)),
        Err(error) => unseen(&format!("{name} cannot be read here ({error})"), OTHERS),
    }
}

/// Reasons that are possible for any program.
const OTHERS: &[&str] = &[
    "the program ended before MPI_Init",
    "LD_PRELOAD or librankfold.so does not reach the ranks: a script unsets it, a container has files and variables of its own, a host lacks the file",
    "the program finds its MPI past the loader (RTLD_DEEPBIND, dlsym on a handle) or has it statically linked",
    "the ranks run on other hosts, which do not share the directory of the profile",
];

/// The text where no rank was seen in `MPI_Init`: what is known, and the possible causes.
fn unseen(known: &str, causes: &[&str]) -> String {
    format!(
        "no rank is known to have called MPI_Init with librankfold.so loaded; {known}. Possible: {}",
        causes.join("; ")
    )
}

/// The reasons for an executable with these bytes.
fn explain(name: &str, bytes: &[u8], privileged: bool) -> String {
    let stem = Path::new(name).file_name().unwrap_or_default();
    if CONTAINERS.iter().any(|container| stem == *container) {
        let known = format!("{name} starts containers");
        let causes = "librankfold.so and the directory of journals must be bound into the container, and LD_PRELOAD and RANKFOLD_* passed into it";
        return unseen(&known, &[&[causes], OTHERS].concat());
    }
    if bytes.starts_with(b"#!") {
        return unseen(
            &format!("{name} is a script, and what it starts is not known"),
            OTHERS,
        );
    }
    let Ok(file) = object::File::parse(bytes) else {
        return unseen(
            &format!("{name} is no executable this system can look into"),
            OTHERS,
        );
    };
    if file.section_by_name(".interp").is_none() {
        return format!(
            "{name} is statically linked, so no library can be preloaded into it: link it dynamically"
        );
    }
    if privileged {
        return format!(
            "{name} runs with raised privileges (set-user-ID), so the system preloads nothing into it: use a copy without"
        );
    }
    if starts_mpi(file.symbols()) && !starts_mpi(file.dynamic_symbols()) {
        return format!(
            "the MPI library is statically linked into {name}, so its MPI_Init cannot be intercepted: \
             link the shared MPI library"
        );
    }
    let known = if starts_mpi(file.dynamic_symbols()) {
        format!("{name} is an MPI program")
    } else {
        format!("{name} itself refers to no MPI_Init")
    };
    unseen(&known, OTHERS)
}

/// Whether one of the symbols initialises MPI, by its C or its Fortran name.
fn starts_mpi<'data>(mut symbols: impl Iterator<Item = impl ObjectSymbol<'data>>) -> bool {
    const STARTS: &[&str] = &[
        "MPI_Init",
        "MPI_Init_thread",
        "PMPI_Init",
        "PMPI_Init_thread",
        "mpi_init_",
        "mpi_init_thread_",
        "mpi_init_f08_",
        "mpi_init_thread_f08_",
    ];
    symbols.any(|symbol| symbol.name().is_ok_and(|name| STARTS.contains(&name)))
}

/// The file that a launcher would start for the word `program`.
pub(crate) fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(path))
        .find(|path| path.is_file())
}

/// Whether the file has a set-user-ID or set-group-ID bit.
fn is_privileged(path: &Path) -> bool {
    const SET_ID: u32 = 0o6000;
    std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & SET_ID != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_comes_first_and_causes_are_only_possible() {
        let told = explain("run.sh", b"#!/bin/sh\n", false);
        assert!(told.contains("run.sh is a script"), "{told}");
        assert!(
            told.contains("Possible: ") && told.contains("container"),
            "{told}"
        );
        let told = explain("notes", b"some text", false);
        assert!(told.contains("notes is no executable"), "{told}");
        let told = explain("/usr/bin/apptainer", b"\x7fELF", false);
        assert!(
            told.contains("starts containers") && told.contains("bound into"),
            "{told}"
        );
    }

    #[test]
    fn a_dynamic_program_without_mpi_is_one() {
        let own = std::env::current_exe().unwrap();
        let reason = silence(own.as_os_str(), false);
        assert!(reason.contains("refers to no MPI_Init"), "{reason}");
    }

    #[test]
    fn a_missing_program_is_not_looked_into() {
        let reason = silence(OsStr::new("./no-such-program"), false);
        assert!(reason.contains("was not found"), "{reason}");
    }

    #[test]
    fn a_program_that_was_seen_in_mpi_init_is_not_said_to_have_missed_it() {
        let reason = silence(OsStr::new("./no-such-program"), true);
        assert!(reason.starts_with("MPI_Init was called"), "{reason}");
    }
}
