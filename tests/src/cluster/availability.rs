//! Whether this machine can make clusters. Test runners start one process for each test, so the
//! answer is kept in a file and found once for each boot of the machine.

use super::{make, remove, script};
use crate::rankfold::build_directory;
use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The files that make a cluster, beside `scripts/cluster` itself, below `scripts/lib`.
const PARTS: [&str; 6] = [
    "cluster-build",
    "cluster-host",
    "common.sh",
    "grid.sh",
    "slurm.sh",
    "tree.sh",
];

/// The programs that the scripts start.
const TOOLS: [&str; 8] = [
    "ip",
    "munged",
    "nsenter",
    "sinfo",
    "slurmctld",
    "slurmd",
    "tc",
    "unshare",
];

/// Why clusters like `spec` cannot be made here. The smallest cluster of the kind is tried.
pub(super) fn missing(spec: &str) -> Option<String> {
    let trial = if spec.starts_with("slurm+") {
        "slurm+fake:1"
    } else if spec.starts_with("fake") {
        "fake:1"
    } else {
        "torus:2x1@1e6,1e6"
    };
    let answer = known(trial).unwrap_or_else(|_| tried(trial));
    (!answer.is_empty()).then_some(answer)
}

/// Why no cluster `trial` can be made; empty if one was made.
fn tried(trial: &str) -> String {
    let attempt = || -> Result<()> {
        let directory = tempfile::tempdir()?;
        make(directory.path(), trial, &[])?;
        remove(directory.path());
        Ok(())
    };
    let reason = attempt().err();
    reason.map_or_else(String::new, |error| {
        format!("no such cluster here: {error:#}")
    })
}

/// The same, from the file if the file is there. One process tries while the others wait for it.
fn known(trial: &str) -> Result<String> {
    let directory = build_directory().join("test-clusters");
    fs::create_dir_all(&directory)?;
    let file = directory.join(format!("{}-{:016x}", trial.replace(':', "-"), machine()?));
    if let Ok(answer) = fs::read_to_string(&file) {
        return Ok(answer);
    }
    let turn = File::create(file.with_extension("lock"))?;
    flock(&turn, FlockOperation::LockExclusive)?;
    if let Ok(answer) = fs::read_to_string(&file) {
        return Ok(answer);
    }
    let answer = tried(trial);
    let draft = file.with_extension("draft");
    fs::write(&draft, &answer)?;
    fs::rename(draft, file)?;
    Ok(answer)
}

/// A hash of all that the answer depends on: this boot of the machine, the rights and namespaces
/// of this process, the scripts, and where their programs are.
fn machine() -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read("/proc/sys/kernel/random/boot_id")?.hash(&mut hasher);
    let status = fs::read_to_string("/proc/self/status")?;
    let rights = status.lines().filter(|line| {
        ["Uid:", "CapEff:", "CapBnd:"]
            .iter()
            .any(|key| line.starts_with(key))
    });
    rights.for_each(|line| line.hash(&mut hasher));
    for namespace in ["user", "mnt", "net", "pid"] {
        fs::read_link(Path::new("/proc/self/ns").join(namespace))?.hash(&mut hasher);
    }
    let script = script();
    let library = script
        .parent()
        .context("the script has a directory")?
        .join("lib");
    let parts = PARTS.iter().map(|name| library.join(name));
    for part in parts.chain([script]) {
        fs::read(part)?.hash(&mut hasher);
    }
    for tool in TOOLS {
        on_path(tool).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Where the shell finds a program.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_file())
}
