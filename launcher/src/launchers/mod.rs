//! The launchers we speak to: one file each, listed in [`LAUNCHERS`].

mod hydra;
mod intel;
mod mpich;
mod openmpi;
mod openmpi4;
mod openmpi5;
#[cfg(test)]
mod tests;

use crate::error::LaunchError;
use crate::launch::{Known, Launch};
use crate::placement::Plan;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// A family of launchers with one command line.
pub(crate) trait Launcher: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// Whether `--version` output is this family's.
    fn recognises(&self, version: &str) -> bool;

    /// Every option, so that the start of the program is known.
    fn options(&self) -> &'static [Known];

    /// Makes every rank see `variables`, and takes out of `launch` what the user set them to.
    fn export(&self, launch: &mut Launch, variables: &[(&str, OsString)]) -> Vec<OsString>;

    /// What the user preloads already, through the launcher.
    fn preloaded(&self, launch: &Launch) -> Option<String>;

    /// The text of the file by which this launcher places ranks, and the options that name it; takes
    /// out of `launch` what would contradict them. `file` is where the text will be.
    fn place(&self, launch: &mut Launch, plan: &Plan, file: &Path) -> Placing;
}

/// What a launcher needs to place ranks.
pub(crate) struct Placing {
    /// Words to insert.
    pub(crate) words: Vec<OsString>,
    /// Files to write first.
    pub(crate) files: Vec<(std::path::PathBuf, String)>,
    /// What was taken from the user's command, for a message.
    pub(crate) replaced: Vec<String>,
}

/// Every launcher there is.
pub(crate) const LAUNCHERS: &[&dyn Launcher] = &[
    &openmpi4::OpenMpi4,
    &openmpi5::OpenMpi5,
    &mpich::Mpich,
    &intel::Intel,
];

/// Their names, for messages.
pub(crate) fn names() -> String {
    let names: Vec<_> = LAUNCHERS.iter().map(|l| l.name()).collect();
    names.join(", ")
}

/// How the launchers of all MPI libraries are called; asking anything else for its version might run it.
const CALLED: &[&str] = &["mpirun", "mpiexec", "orterun", "prterun"];

/// Takes a launch command apart, asking the launcher which one it is.
pub(crate) fn understand(words: &[OsString]) -> Result<Launch, LaunchError> {
    let Some(command) = words.first() else {
        return Err(LaunchError::NoProgram {
            command: String::new(),
        });
    };
    Launch::parse(detect(command)?, words)
}

fn detect(command: &OsStr) -> Result<&'static dyn Launcher, LaunchError> {
    let unknown = |found: String| LaunchError::UnknownLauncher {
        program: command.to_string_lossy().into_owned(),
        found,
    };
    let name = Path::new(command).file_name().unwrap_or(command);
    let name = name.to_string_lossy();
    if !CALLED.iter().any(|called| name.starts_with(called)) {
        return Err(unknown(
            "the command after -- must start with the launcher".into(),
        ));
    }
    let output = Command::new(command)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| LaunchError::NotStarted {
            program: command.to_string_lossy().into_owned(),
            source,
        })?;
    let version = String::from_utf8_lossy(&output.stdout);
    recognise(&version).ok_or_else(|| unknown(describe(&version)))
}

fn recognise(version: &str) -> Option<&'static dyn Launcher> {
    LAUNCHERS.iter().copied().find(|l| l.recognises(version))
}

/// Names the launchers we know of and cannot serve yet.
fn describe(version: &str) -> String {
    let first = version.lines().find(|line| !line.trim().is_empty());
    let first = first.unwrap_or("it prints no version").trim();
    let open_mpi = ["Open MPI", "OpenRTE", "PRRTE"];
    if open_mpi.iter().any(|name| version.contains(name)) {
        format!("{first} is not supported yet")
    } else {
        format!("its version is {first:?}")
    }
}
