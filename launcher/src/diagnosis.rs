//! Why a run left no profile, as far as the program's file tells.

use object::{Object, ObjectSymbol};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The reason, to be read after "no profile was written: ".
pub(crate) fn silence(program: &OsStr) -> String {
    let name = program.to_string_lossy();
    let Some(path) = find(program) else {
        return format!("{name} was not found on this host, and no rank called MPI_Init");
    };
    match std::fs::read(&path) {
        Ok(bytes) => explain(&name, &bytes, is_privileged(&path)),
        Err(error) => format!("{name} cannot be read here ({error}), and no rank called MPI_Init"),
    }
}

fn explain(name: &str, bytes: &[u8], privileged: bool) -> String {
    if bytes.starts_with(b"#!") {
        return format!(
            "{name} is a script, and nothing it started called MPI_Init; if it starts a program that does, \
             that program may be statically linked or unset LD_PRELOAD"
        );
    }
    let Ok(file) = object::File::parse(bytes) else {
        return format!(
            "{name} is no executable this system can look into, and no rank called MPI_Init"
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
    if starts_mpi(file.dynamic_symbols()) {
        return format!("{name} is an MPI program, but no rank called MPI_Init");
    }
    format!(
        "{name} does not use MPI (it refers to no MPI_Init), nor did anything it loaded call MPI_Init"
    )
}

/// The C and Fortran names under which MPI starts.
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

/// The file a launcher would start.
fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(path))
        .find(|path| path.is_file())
}

fn is_privileged(path: &Path) -> bool {
    const SET_ID: u32 = 0o6000;
    std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & SET_ID != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_and_a_text_are_told_apart() {
        assert!(explain("run.sh", b"#!/bin/sh\n", false).starts_with("run.sh is a script"));
        assert!(explain("notes", b"some text", false).starts_with("notes is no executable"));
    }

    #[test]
    fn a_dynamic_program_without_mpi_is_one() {
        let own = std::env::current_exe().unwrap();
        let reason = silence(own.as_os_str());
        assert!(reason.contains("does not use MPI"), "{reason}");
    }

    #[test]
    fn a_missing_program_is_not_looked_into() {
        let reason = silence(OsStr::new("./no-such-program"));
        assert!(reason.contains("was not found"), "{reason}");
    }
}
