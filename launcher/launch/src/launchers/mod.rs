//! The supported launchers: one file each, listed in [`LAUNCHERS`]. The trait is [`Launcher`].

mod assignments;
mod env_list;
mod flux;
mod hydra;
mod inherited;
mod intel;
mod jsrun;
mod mpich;
mod mpirun_rsh;
mod openmpi;
mod openmpi4;
mod openmpi5;
mod pals;
mod rank_map;
mod srun;
mod srun_blocks;
mod srun_job;
mod srun_options;
mod srun_order;
#[cfg(test)]
mod tests;

use crate::diagnosis;
use crate::error::{LaunchError, Result};
use crate::launch::{self, Launch, Launcher};
use crate::tool;
use rankfold_base::words::did_you_mean;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// All supported launchers.
pub const LAUNCHERS: &[&dyn Launcher] = &[
    &openmpi4::OpenMpi4,
    &openmpi5::OpenMpi5,
    &mpich::MPICH_5_0,
    &mpich::MPICH,
    &intel::INTEL,
    &srun::Srun,
    &flux::Flux,
    &pals::Pals,
    &jsrun::Jsrun,
    &mpirun_rsh::MpirunRsh,
    &inherited::IBRUN,
    &inherited::APRUN,
    &inherited::MPT,
    &inherited::OMPLACE,
    &inherited::CCC,
    &inherited::LIKWID,
    &inherited::TORCHRUN,
];

/// The beginnings of the file names that launchers of all MPI libraries have. A program with
/// another name is not started with `--version`, since it may be the application.
const CALLED: &[&str] = &["mpirun", "mpiexec", "orterun", "prterun"];

/// The file names of launchers that rankfold knows but cannot add options to yet. They are listed
/// so that none of them is taken for the application.
const BY_HAND: &[&str] = &["prun", "palsrun", "lrun", "poe"];

/// Launchers with the file names of [`LAUNCHERS`] and other options, recognised by a part of their
/// version text.
const STRANGERS: &[(&str, &str)] = &[
    ("ParaStation", "ParaStation MPI"),
    ("psmgmt", "ParaStation MPI"),
];

/// The longest wait for a launcher to tell its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// Parses a launch command: the words before the launcher, the launcher, its options and its
/// programs. The launcher is started with `--version` to find out which one it is, unless its file
/// name says so.
///
/// # Errors
/// The command has no launcher, an unknown one, or an option that cannot be followed.
pub fn understand(words: &[OsString]) -> Result<Launch> {
    let (before, words) = words.split_at(before_launcher(words));
    let Some(command) = words.first() else {
        return Err(LaunchError::NoProgram {
            command: launch::join(before),
        });
    };
    Launch::parse(detect(command, PATIENCE)?, before, words)
}

/// The number of words before the launcher: commands such as `nice`, whose options are known, or a
/// tool with any options, where a later word is the name of a launcher.
fn before_launcher(words: &[OsString]) -> usize {
    let known = launch::before(words);
    let mut rest = words[known..].iter();
    if rest.next().is_none_or(|first| is_named(first)) {
        return known;
    }
    let is_there = |word: &OsString| is_named(word) && diagnosis::find(word).is_some();
    rest.position(is_there)
        .map_or(known, |more| known + 1 + more)
}

/// Whether the word is the path or the name of a launcher, whether that is there or not.
fn is_named(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or(word);
    is_name(&name.to_string_lossy())
}

/// The names of all supported launchers. Versions of a launcher with one name are named once.
pub fn launcher_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = LAUNCHERS.iter().map(|launcher| launcher.name()).collect();
    names.dedup();
    names
}

/// Whether this is the file name of a launcher.
pub fn is_name(name: &str) -> bool {
    LAUNCHERS
        .iter()
        .any(|launcher| launcher.called().contains(&name))
        || BY_HAND.contains(&name)
        || CALLED.iter().any(|called| name.starts_with(called))
}

/// The launchers in the directories of `PATH`, each with the name of its family; those of no known
/// family are left out.
pub fn installed() -> Vec<(PathBuf, &'static str)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).filter_map(|place| place.canonicalize().ok());
    let mut files: Vec<PathBuf> = directories
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|file| file.file_name().is_some_and(is_named) && file.is_file())
        .collect();
    files.sort();
    files.dedup();
    let family = |file: &PathBuf| {
        let name = file.file_name()?.to_str()?;
        let by_name = |launcher: &&&dyn Launcher| launcher.called().contains(&name);
        if let Some(launcher) = LAUNCHERS.iter().find(by_name) {
            return Some(launcher.name());
        }
        let version = tool::output(file.to_str()?, &["--version"], PATIENCE).ok()??;
        recognise(&version).map(Launcher::name)
    };
    let known = files.into_iter();
    known
        .filter_map(|file| Some((family(&file)?, file)))
        .map(|(family, file)| (file, family))
        .collect()
}

fn detect(command: &OsStr, patience: Duration) -> Result<&'static dyn Launcher> {
    let unknown = |found: String| LaunchError::UnknownLauncher {
        program: command.to_string_lossy().into_owned(),
        found,
    };
    let name = Path::new(command).file_name().unwrap_or(command);
    let name = name.to_string_lossy();
    let by_name = |launcher: &&dyn Launcher| launcher.called().contains(&&*name);
    if let Some(launcher) = LAUNCHERS.iter().copied().find(by_name) {
        return Ok(launcher);
    }
    if BY_HAND.contains(&&*name) {
        return Err(LaunchError::ByHand {
            launcher: name.into_owned(),
        });
    }
    if diagnosis::find(command).is_none() {
        return Err(no_such(command));
    }
    if !CALLED.iter().any(|called| name.starts_with(called)) {
        return Err(unknown(
            "the command after -- must start with the launcher".into(),
        ));
    }
    let program = command.to_string_lossy().into_owned();
    let (_, version) = tool::ended(&program, &["--version"], patience)
        .map_err(|source| LaunchError::NotStarted { program, source })?;
    if let Some((_, name)) = STRANGERS.iter().find(|(mark, _)| version.contains(mark)) {
        let launcher = format!("mpirun of {name}");
        return Err(LaunchError::ByHand { launcher });
    }
    recognise(&version).ok_or_else(|| unknown(describe(&version)))
}

/// The error where nothing is called so: a whole launch in quotes, or a name that is mistyped.
fn no_such(command: &OsStr) -> LaunchError {
    let program = command.to_string_lossy().into_owned();
    let words = shlex::split(&program).unwrap_or_default();
    if words.len() > 1 && is_named(OsStr::new(&words[0])) {
        return LaunchError::Quoted {
            command: format!("rankfold run -- {program}"),
        };
    }
    let called = LAUNCHERS.iter().flat_map(|launcher| launcher.called());
    let known = called.chain(BY_HAND).chain(CALLED).copied();
    LaunchError::NoSuchCommand {
        meant: if is_named(command) {
            ": give the path of one, or load its module".into()
        } else {
            did_you_mean(&program, known)
        },
        program,
    }
}

fn recognise(version: &str) -> Option<&'static dyn Launcher> {
    LAUNCHERS.iter().copied().find(|l| l.recognises(version))
}

/// A description of a program that is not among [`LAUNCHERS`], from its version text. Versions of
/// Open MPI that are not supported are named as such.
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
