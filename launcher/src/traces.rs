//! The files that a run leaves behind: journals in a directory of every host, and a hidden
//! directory with a record that says where the journals are.

use anyhow::Context;
use rankfold_console::{output, progress::Progress};
use rankfold_launch::error::LaunchError;
use rankfold_wire::journal::{self, layout};
use rankfold_wire::{Recovery, env, nccl_runs_in, own_file, recover_watched};
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file with the [`Record`] in the hidden directory of a run.
const RECORD: &str = "run.json";

/// The file with the [`Owner`] in every hidden directory.
const OWNER: &str = "owner.json";

/// The journals of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Traces {
    /// The name of the run, which is part of the file names of its journals.
    pub(crate) run: String,
    /// The directory of journals on every host.
    pub(crate) journals: PathBuf,
}

/// Everything that is needed to recover a run after the process that started it has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) traces: Traces,
    /// The file into which the profile was to be written.
    pub(crate) output: PathBuf,
    /// The user's launch.
    pub(crate) launch: Vec<OsString>,
    /// The directory in which the user gave the launch.
    pub(crate) directory: PathBuf,
    /// The process that started the run.
    #[serde(flatten)]
    pub(crate) owner: Owner,
}

/// A process of rankfold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) pid: u32,
    host: String,
}

impl Owner {
    fn this() -> Self {
        Self {
            pid: std::process::id(),
            host: host(),
        }
    }

    /// Whether the process still runs. False for processes of other hosts, which this host cannot
    /// see.
    fn is_running(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        self.is_of_this_host() && pid.is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    fn is_of_this_host(&self) -> bool {
        self.host == host()
    }
}

impl Traces {
    /// Makes a profile from the journals on this host, and shows a progress bar meanwhile; `None`
    /// where there is no journal.
    pub(crate) fn recover(&self) -> anyhow::Result<Option<Recovery>> {
        let mut progress = None;
        let mut watch = |_, journals: usize| {
            let progress = progress.get_or_insert_with(|| Progress::of_steps(journals as u64));
            progress.step("merging what ranks have left".into());
        };
        Ok(recover_watched(&self.journals, &self.run, &mut watch)?)
    }

    /// All files of the run in the directory of journals on this host that belong to this user.
    pub(crate) fn files(&self) -> io::Result<Vec<PathBuf>> {
        let of_run = format!("{}{}-", layout::PREFIX, self.run);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.journals)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| is_trace(name) && name.starts_with(&of_run))
                && own_file::is_own(&path)
            {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Removes the files of the run on this host, and returns their number.
    pub(crate) fn sweep(&self) -> usize {
        let files = self.files().unwrap_or_default();
        // A file that cannot be removed is mostly one that another process has just removed.
        files.iter().for_each(|file| drop(fs::remove_file(file)));
        files.len()
    }
}

/// Whether a file of this name comes from a rank: a journal, or the finished profile.
pub(crate) fn is_trace(name: &str) -> bool {
    name.starts_with(layout::PREFIX) && (name.ends_with(layout::SUFFIX) || is_profile(name))
}

/// The bytes of a file of a run: of a journal, those that hold anything.
///
/// # Errors
/// The file cannot be read, or is no regular file of this user.
pub(crate) fn contents(path: &Path) -> io::Result<Vec<u8>> {
    if is_profile(&path.to_string_lossy()) {
        own_file::read(path)
    } else {
        journal::contents(path)
    }
}

/// Whether a file of this name is a finished profile.
pub(crate) fn is_profile(name: &str) -> bool {
    name.ends_with(layout::FINISHED)
}

impl Record {
    /// The record of a launch that this process is about to start.
    pub(crate) fn new(traces: Traces, output: &Path, launch: &[OsString]) -> Self {
        Self {
            traces,
            output: std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
            launch: launch.to_vec(),
            directory: std::env::current_dir().unwrap_or_default(),
            owner: Owner::this(),
        }
    }

    /// Writes the record into the hidden directory of its run.
    pub(crate) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("the record of the run")?;
        Ok(output::write(&directory.join(RECORD), text.as_bytes())?)
    }

    /// Reads the record of a hidden directory; `None` where there is none that this user owns.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let bytes = own_file::read(&directory.join(RECORD)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Whether the process that started the run still runs on this host.
    pub(crate) fn is_running(&self) -> bool {
        self.owner.is_running()
    }
}

/// The hidden directories of runs in `parent`.
fn directories(parent: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = |name: &OsStr| name.to_string_lossy().starts_with(env::SCRATCH);
    entries
        .filter(move |entry| ours(&entry.file_name()))
        .map(|entry| entry.path())
}

/// The hidden directories in `parent` that hold no record and whose process, on this host, has
/// ended without removing them.
pub(crate) fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let is_abandoned = |directory: &PathBuf| {
        let owner = own_file::read(&directory.join(OWNER)).ok();
        let owner = owner.and_then(|bytes| serde_json::from_slice::<Owner>(&bytes).ok());
        match owner {
            Some(owner) => {
                let has_ended = owner.is_of_this_host() && !owner.is_running();
                has_ended && Record::read(directory).is_none()
            }
            None => holds_nothing(directory),
        }
    };
    directories(parent).filter(is_abandoned).collect()
}

/// Whether a hidden directory has no file but that of its owner, as where a process was killed
/// before it had written its name.
fn holds_nothing(directory: &Path) -> bool {
    let is_owner = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|it| it.file_name() == OWNER);
    fs::read_dir(directory).is_ok_and(|mut entries| entries.all(is_owner))
}

/// The records of all runs with a hidden directory in `parent`.
pub(crate) fn records(parent: &Path) -> Vec<(PathBuf, Record)> {
    let mut found: Vec<_> = directories(parent)
        .filter_map(|directory| Record::read(&directory).map(|record| (directory, record)))
        .collect();
    found.sort_by(|a, b| a.1.traces.run.cmp(&b.1.traces.run));
    found
}

/// The run with the name or the hidden directory `run`.
pub(crate) fn find(run: &str) -> Option<(PathBuf, Record)> {
    let directory = Path::new(run);
    if let Some(record) = Record::read(directory) {
        return Some((directory.to_owned(), record));
    }
    records(Path::new("."))
        .into_iter()
        .find(|(_, record)| record.traces.run == run)
}

/// The journals of NCCL's plugin in a directory, which must be those of one run.
///
/// # Errors
/// [`LaunchError::Journals`]: there are none, or they are of several runs.
pub(crate) fn in_directory(directory: &Path) -> Result<Traces, LaunchError> {
    let problem = |problem: String| LaunchError::Journals {
        directory: directory.to_owned(),
        problem,
    };
    let runs = nccl_runs_in(directory).map_err(|error| problem(error.to_string()))?;
    let mut names = runs.iter();
    match (names.next(), names.next()) {
        (Some(run), None) => Ok(Traces {
            run: run.clone(),
            journals: directory.to_owned(),
        }),
        (None, _) => Err(problem(
            "no readable journal of NCCL's plugin is in it".to_owned(),
        )),
        (Some(one), Some(other)) => Err(problem(format!(
            "it holds journals of the runs {one} and {other}: RANKFOLD_JOURNALS={} rankfold recover {one} takes one of them",
            directory.display()
        ))),
    }
}

/// The names of all runs with files in a directory of journals on this host, and the number of
/// these files.
pub(crate) fn runs(journals: &Path) -> Vec<(String, usize)> {
    let entries = fs::read_dir(journals).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| own_file::is_own(&entry.path()))
        .filter_map(|entry| run_of(entry.file_name().to_str()?))
        .collect();
    names.sort();
    let groups = names.chunk_by(|a, b| a == b);
    groups
        .map(|group| (group[0].clone(), group.len()))
        .collect()
}

/// The name of the run that a file belongs to, read from the file's name. It has two parts with a
/// hyphen between them, as [`run_name`] makes them.
fn run_of(name: &str) -> Option<String> {
    let rest = name
        .strip_prefix(layout::PREFIX)
        .filter(|_| is_trace(name))?;
    let mut parts = rest.split('-');
    let (pid, started) = (parts.next()?, parts.next()?);
    Some(format!("{pid}-{started}"))
}

/// A new name for a run of this process: its process id and the time in nanoseconds.
pub(crate) fn run_name() -> String {
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!(
        "{}-{:x}",
        std::process::id(),
        started.unwrap_or_default().as_nanos()
    )
}

/// The directory of journals: node-local memory unless `RANKFOLD_JOURNALS` names another.
pub(crate) fn journals() -> PathBuf {
    std::env::var_os(env::JOURNALS).map_or_else(|| "/dev/shm".into(), PathBuf::from)
}

/// The journals that processes of this user have mapped: those of ranks that still run.
pub(crate) fn mapped() -> BTreeSet<PathBuf> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mappings = processes.filter_map(|process| fs::read(process.path().join("maps")).ok());
    mappings
        .flat_map(|mappings| journals_in(&mappings))
        .collect()
}

/// The journals in the text of `/proc/PID/maps`, where the path of a mapped file ends a line.
fn journals_in(mappings: &[u8]) -> Vec<PathBuf> {
    let paths = mappings.split(|&byte| byte == b'\n').filter_map(|line| {
        let start = line.iter().position(|&byte| byte == b'/')?;
        Some(Path::new(OsStr::from_bytes(&line[start..])))
    });
    let is_journal = |path: &&Path| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(is_trace)
    };
    paths.filter(is_journal).map(Path::to_owned).collect()
}

/// The name of this host.
pub(crate) fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Makes a hidden directory in `parent` or, where that is impossible, in the system's directory for
/// temporary files, which other hosts may not see. It is removed when the result is dropped. Only
/// the user may look into it. It names this process, so that `rankfold clean` can remove the
/// directories of killed processes.
pub(crate) fn scratch(parent: &Path) -> Result<tempfile::TempDir, LaunchError> {
    scratch_in(parent).or_else(|source| {
        scratch_in(&std::env::temp_dir()).map_err(|_| LaunchError::NoScratch {
            directory: parent.to_owned(),
            source,
        })
    })
}

fn scratch_in(parent: &Path) -> io::Result<tempfile::TempDir> {
    parent.canonicalize().and_then(|parent| {
        let directory = tempfile::Builder::new()
            .prefix(env::SCRATCH)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        let owner = serde_json::to_vec(&Owner::this())?;
        fs::write(directory.path().join(OWNER), owner)?;
        Ok(directory)
    })
}

#[cfg(test)]
mod tests;
