//! `rankfold-map` with the feature `mpi`, built on demand for one MPI library or the other.

use crate::mpi::Mpi;
use crate::rankfold::build_directory;
use anyhow::{Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The program for `mpi`. Unoptimised: that is built in half the time, and the graphs of the tests are small. Both MPIs share
/// all that does not depend on them; one is built at a time.
///
/// # Errors
/// The program does not compile.
pub fn with_mpi(mpi: Mpi) -> Result<PathBuf> {
    let target = build_directory().with_file_name("map");
    fs::create_dir_all(&target)?;
    let turn = fs::File::create(target.join("turn"))?;
    rustix::fs::flock(&turn, rustix::fs::FlockOperation::LockExclusive)?;
    let program = target.join(format!("rankfold-map-{}", mpi.name()));
    let sources = program.with_extension("d");
    if is_fresh(&program, &sources).unwrap_or(false) {
        return Ok(program);
    }
    // The build script of the bindings does not look for another MPI by itself.
    cargo(mpi, &target, &["clean", "--package", "mpi-sys"])?;
    cargo(
        mpi,
        &target,
        &["build", "--features", "mpi", "--bin", "rankfold-map"],
    )?;
    fs::copy(target.join("debug/rankfold-map.d"), &sources)?;
    fs::copy(target.join("debug/rankfold-map"), &program)?;
    Ok(program)
}

/// Whether `program` is younger than everything cargo built it from: cargo itself is not asked, as it would build whenever
/// the other MPI had its turn. `sources` is cargo's list, in the syntax of make.
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

/// Runs cargo on the mapper, with no limit of time but the test runner's.
fn cargo(mpi: Mpi, target: &Path, words: &[&str]) -> Result<()> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mapper/Cargo.toml");
    let mut command = Command::new("cargo");
    command
        .args(words)
        .arg("--quiet")
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("MPICC", mpi.wrapper())
        .env_remove("MPI_PKG_CONFIG")
        .env_remove("CRAY_MPICH_DIR");
    let output = command.output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}\n{stderr}");
    Ok(())
}
