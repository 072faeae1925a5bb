//! `rankfold-map` with the feature `mpi`, for Open MPI or MPICH. The command `scripts/test` builds
//! both programs; a test that runs without that command builds the program that it needs.

use crate::binding::Binding;
use crate::mpi::Mpi;
use crate::rankfold::build_directory;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The program for `mpi`. A test builds an unoptimised program: the graphs of the tests are small.
/// The programs for both MPI libraries share all compiled crates that do not depend on MPI.
///
/// # Errors
/// The program does not compile.
pub fn with_mpi(mpi: Mpi) -> Result<PathBuf> {
    let program = build_directory().join(format!("rankfold-map-{}", mpi.name()));
    if is_fresh(&program, &program.with_extension("d")).unwrap_or(false) {
        return Ok(program);
    }
    let package = Binding::of("../mapper", "map")?;
    let program = package.target.join(format!("rankfold-map-{}", mpi.name()));
    let sources = program.with_extension("d");
    if !is_fresh(&program, &sources).unwrap_or(false) {
        let words = ["build", "--features", "mpi", "--bin", "rankfold-map"];
        package.cargo(mpi, &words, |_| {})?;
        let built = package.target.join("debug/rankfold-map");
        fs::copy(built.with_extension("d"), &sources)?;
        fs::copy(&built, &program)?;
    }
    Ok(program)
}

/// Whether `program` is younger than all files that cargo built it from. Cargo cannot tell, since
/// it knows only the MPI library that it has built for last. `sources` is cargo's list of files, in
/// the syntax of make.
fn is_fresh(program: &Path, sources: &Path) -> Result<bool> {
    let modified = |path: &Path| -> Result<SystemTime> { Ok(fs::metadata(path)?.modified()?) };
    let built = modified(program)?;
    let list = fs::read_to_string(sources)?.replace("\\ ", "\0");
    let listed = list.split_whitespace().skip(1);
    let listed = listed.map(|path| PathBuf::from(path.replace('\0', " ")));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let locked = ["Cargo.lock", "Cargo.toml", "mapper/Cargo.toml"].map(|name| workspace.join(name));
    for source in listed.chain(locked) {
        if modified(&source)? > built {
            return Ok(false);
        }
    }
    Ok(true)
}
