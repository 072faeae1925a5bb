//! Explains why a run may have left no profile.

use object::read::ReadCache;
use object::{Object, ObjectSection, ObjectSymbol, ReadRef};
use std::ffi::OsStr;
use std::fs::File;
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

/// A launch that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedLaunch<'a> {
    /// The launcher, as typed.
    pub launcher: &'a OsStr,
    /// The first program, as typed.
    pub program: &'a OsStr,
    /// The exit status, as a shell reports it.
    pub status: u8,
}

/// What happened, then what it means (`consequence`: "no profile was written"), then the possible
/// reasons. `begun` says whether a rank is known to have called `MPI_Init` with the library loaded.
pub fn silence(ended: EndedLaunch<'_>, begun: bool, consequence: &str) -> String {
    if begun {
        return format!(
            "ranks called MPI_Init with librankfold.so loaded, but left nothing: {consequence}. The lines above say why; without one, \
             the ranks were killed before they had counted, or they ran on other hosts, which keep their journals"
        );
    }
    let cause = cause(ended.program);
    let EndedLaunch {
        launcher, status, ..
    } = ended;
    if status == 0 {
        let known = cause.unwrap_or_else(|cause| {
            let causes = cause.causes.unwrap_or(OTHERS);
            format!("{}; possible: {causes}", cause.known)
        });
        return format!(
            "no rank was seen in MPI_Init with librankfold.so loaded: {consequence}; {known}"
        );
    }
    let launcher = Path::new(launcher).file_name().unwrap_or(launcher);
    let known = cause.unwrap_or_else(|cause| cause.known);
    format!(
        "{} ended with status {status}, and no rank is known to have called MPI_Init: {consequence}. The lines above say why; {known}{}",
        launcher.to_string_lossy(),
        if status == NOT_LOADED { MUSL } else { "" }
    )
}

/// The certain cause why no library of rankfold gets into the program; `None` where it may.
pub fn unreachable(program: &OsStr) -> Option<String> {
    cause(program).ok()
}

/// Whether the program itself calls `MPI_Init`, so that no script or tool stands before it.
pub fn starts_mpi_itself(program: &OsStr) -> bool {
    let bytes = find(program).and_then(|path| std::fs::read(path).ok());
    bytes.is_some_and(|bytes| {
        let file = object::File::parse(&*bytes);
        file.is_ok_and(|file| starts_mpi(file.dynamic_symbols()))
    })
}

/// The exit status of a program that cannot be loaded.
const NOT_LOADED: u8 = 127;

/// What this status may also mean.
const MUSL: &str = "; a program linked with musl that a script starts before the ranks cannot load librankfold.so and ends so";

/// What is known of a program that is not the certain cause, and what may be the cause.
struct Unseen {
    known: String,
    causes: Option<&'static str>,
}

/// The certain cause why a program was not seen in `MPI_Init`, or else what is known of it.
fn cause(program: &OsStr) -> Result<String, Unseen> {
    let name = program.to_string_lossy();
    let Some(path) = find(program) else {
        return Err(unseen(&format!("{name} was not found on this host"), None));
    };
    match std::fs::read(&path) {
        Ok(bytes) => explain(&name, &bytes, is_privileged(&path)),
        Err(error) => Err(unseen(
            &format!("{name} cannot be read here ({error})"),
            None,
        )),
    }
}

/// Reasons that are possible for any program.
const OTHERS: &str =
    "it ended before MPI_Init, a script, container or host lacks LD_PRELOAD, or MPI is static";

fn unseen(known: &str, causes: Option<&'static str>) -> Unseen {
    Unseen {
        known: known.into(),
        causes,
    }
}

/// The certain cause for an executable with these bytes, or else what is known of it.
fn explain(name: &str, bytes: &[u8], privileged: bool) -> Result<String, Unseen> {
    let stem = Path::new(name).file_name().unwrap_or_default();
    if CONTAINERS.iter().any(|container| stem == *container) {
        let known = format!("{name} starts containers");
        let cause = "librankfold.so and the directory of journals must be bound into the container, and LD_PRELOAD and RANKFOLD_* passed into it";
        return Err(unseen(&known, Some(cause)));
    }
    if bytes.starts_with(b"#!") {
        let known = format!("{name} is a script, and what it starts is not known");
        return Err(unseen(&known, None));
    }
    let Ok(file) = object::File::parse(bytes) else {
        let known = format!("{name} is no executable this system can look into");
        return Err(unseen(&known, None));
    };
    if file.section_by_name(".interp").is_none() {
        return Ok(format!(
            "{name} is statically linked, so no library can be preloaded into it: link it dynamically"
        ));
    }
    if is_loaded_by_musl(&file) {
        return Ok(format!(
            "{name} is linked with musl, whose loader cannot load librankfold.so: link it with glibc"
        ));
    }
    if privileged {
        return Ok(format!(
            "{name} runs with raised privileges (set-user-ID), so the system preloads nothing into it: use a copy without"
        ));
    }
    if starts_mpi(file.symbols()) && !starts_mpi(file.dynamic_symbols()) {
        return Ok(format!(
            "the MPI library is statically linked into {name}, so its MPI_Init cannot be intercepted: \
             link the shared MPI library"
        ));
    }
    let known = if starts_mpi(file.dynamic_symbols()) {
        format!("{name} is an MPI program")
    } else {
        format!("{name} itself refers to no MPI_Init")
    };
    Err(unseen(&known, None))
}

/// Whether a program is linked with musl. A library that is built for glibc keeps it from starting.
pub fn is_for_musl(program: &OsStr) -> bool {
    let Some(file) = find(program).and_then(|path| File::open(path).ok()) else {
        return false;
    };
    let cache = ReadCache::new(file);
    object::File::parse(&cache).is_ok_and(|file| is_loaded_by_musl(&file))
}

fn is_loaded_by_musl<'data>(file: &object::File<'data, impl ReadRef<'data>>) -> bool {
    let loader = file.section_by_name(".interp");
    loader.is_some_and(|loader| {
        let path = loader.data().unwrap_or_default();
        path.windows(4).any(|part| part == b"musl")
    })
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
pub fn find(program: &OsStr) -> Option<PathBuf> {
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

    fn of(program: &OsStr, status: u8, begun: bool) -> String {
        let launcher = OsStr::new("/usr/bin/mpirun");
        let ended = EndedLaunch {
            launcher,
            program,
            status,
        };
        silence(ended, begun, "no profile was written")
    }

    #[test]
    fn what_is_known_comes_first_and_causes_are_only_possible() {
        let it = explain("run.sh", b"#!/bin/sh\n", false).unwrap_err();
        assert!(it.known.contains("run.sh is a script"), "{}", it.known);
        let it = explain("notes", b"some text", false).unwrap_err();
        assert!(it.known.contains("notes is no exec"), "{}", it.known);
        let it = explain("/usr/bin/apptainer", b"\x7fELF", false).unwrap_err();
        assert!(it.known.contains("starts containers"), "{}", it.known);
        assert!(it.causes.unwrap().contains("bound into"));
    }

    #[test]
    fn a_launcher_that_failed_is_said_first_and_shortly() {
        let trouble = of(OsStr::new("./no-such-program"), 213, false);
        assert_eq!(
            trouble,
            "mpirun ended with status 213, and no rank is known to have called MPI_Init: no profile was written. \
             The lines above say why; ./no-such-program was not found on this host"
        );
    }

    #[test]
    fn a_dynamic_program_without_mpi_is_one() {
        let own = std::env::current_exe().unwrap();
        let text = of(own.as_os_str(), 0, false);
        assert!(text.contains("refers to no MPI_Init"), "{text}");
        assert!(text.contains("possible: it ended before"), "{text}");
        assert!(text.len() < 300, "{text}");
    }

    #[test]
    fn a_program_that_was_seen_in_mpi_init_is_not_said_to_have_missed_it() {
        let text = of(OsStr::new("./no-such-program"), 1, true);
        assert!(text.starts_with("ranks called MPI_Init"), "{text}");
    }
}
