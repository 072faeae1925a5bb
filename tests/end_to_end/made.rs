//! What `scripts/package` makes of the binaries under test.

use anyhow::{Context, Result};
use rankfold_tests::{cluster, process, rankfold};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kinds of packages, the endings of their names, and the programs that make them.
pub(crate) const KINDS: [(&str, &str, &str); 4] = [
    ("tarball", ".tar.gz", "tar"),
    ("deb", ".deb", "dpkg-deb"),
    ("rpm", ".rpm", "rpmbuild"),
    ("wheel", ".whl", "python3"),
];

/// The package of this kind, one of [`KINDS`], of the binaries under test. The tests of one run of
/// `scripts/test` share what the first of them makes; other tests make theirs in `scratch`.
pub(crate) fn package(scratch: &Path, kind: &str) -> Result<PathBuf> {
    let made = match cluster::pool_directory() {
        Some(pool) => shared(&pool.join("packages"))?,
        None => package_with(&[], scratch, &[kind])?,
    };
    let (_, ending, _) = KINDS
        .iter()
        .find(|(known, ..)| *known == kind)
        .context("an unknown kind")?;
    let file = made.into_iter().find(|path| text(path).ends_with(ending));
    file.with_context(|| format!("no {kind} was made"))
}

/// Packages of all kinds that this machine can make, in `directory`. Waits until no other process
/// makes them; only the test runner limits that wait.
fn shared(directory: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(directory)?;
    let turn = File::create(directory.join("turn"))?;
    flock(&turn, FlockOperation::LockExclusive)?;
    let list = directory.join("made");
    if !list.exists() {
        let made = package_with(&[], directory, &makeable())?;
        let lines: String = made.iter().map(|path| text(path) + "\n").collect();
        fs::write(&list, lines)?;
    }
    Ok(fs::read_to_string(list)?
        .lines()
        .map(PathBuf::from)
        .collect())
}

fn makeable() -> Vec<&'static str> {
    let there = KINDS.iter().filter(|(.., tool)| process::on_path(tool));
    there.map(|(kind, ..)| *kind).collect()
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Makes packages of the binaries under test in the directory `to`.
pub(crate) fn package_with(options: &[&str], to: &Path, kinds: &[&str]) -> Result<Vec<PathBuf>> {
    let mut command = Command::new(root().join("scripts/package"));
    command.args(options);
    command.arg("--from").arg(rankfold::build_directory());
    let made = process::run(command.arg("--to").arg(to).args(kinds), "")?.success()?;
    Ok(made.stdout.lines().map(PathBuf::from).collect())
}
