//! What a run leaves behind: journals in a directory of every host, and a directory of ours that
//! tells where.

use crate::error::LaunchError;
use anyhow::Context;
use rankfold_mapper::cli::output;
use rankfold_mapper::cli::progress::Progress;
use rankfold_profile::journal::layout;
use rankfold_profile::{Recovery, env, own_file, recover_watched};
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file in such a directory that holds a [`Record`].
const RECORD: &str = "run.json";

/// The file in each of them that names its [`Owner`].
const OWNER: &str = "owner.json";

/// Where a run leaves what it counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Traces {
    /// Tells this launch's journals from others in the same directory.
    pub(crate) run: String,
    /// The directory of journals on every host.
    pub(crate) journals: PathBuf,
}

/// What it takes to find a run again once the process that started it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) traces: Traces,
    /// Where the profile belongs.
    pub(crate) output: PathBuf,
    /// The user's launch, and where it was given.
    pub(crate) launch: Vec<OsString>,
    pub(crate) directory: PathBuf,
    /// The process that started it.
    #[serde(flatten)]
    pub(crate) owner: Owner,
}

/// A process of ours.
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

    /// Whether it is still there, as far as this host can tell.
    fn is_running(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        self.is_of_this_host() && pid.is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    fn is_of_this_host(&self) -> bool {
        self.host == host()
    }
}

impl Traces {
    /// What the ranks of this host left in their journals. Of many, it is shown how far that is.
    pub(crate) fn recover(&self) -> anyhow::Result<Option<Recovery>> {
        let mut progress = None;
        let mut watch = |_, journals: usize| {
            let progress = progress.get_or_insert_with(|| Progress::of_steps(journals as u64));
            progress.step("merging what ranks have left".into());
        };
        Ok(recover_watched(&self.journals, &self.run, &mut watch)?)
    }

    /// Every file the run has left in the directory of journals of this host. Only what this user
    /// owns counts.
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

    /// Removes them; how many there were.
    pub(crate) fn sweep(&self) -> usize {
        let files = self.files().unwrap_or_default();
        // Gone already is as good.
        files.iter().for_each(|file| drop(fs::remove_file(file)));
        files.len()
    }
}

/// Whether a file of this name is something a rank leaves: its journal, or the finished profile.
pub(crate) fn is_trace(name: &str) -> bool {
    name.starts_with(layout::PREFIX) && (name.ends_with(layout::SUFFIX) || is_profile(name))
}

/// Whether a file of this name is a finished profile.
pub(crate) fn is_profile(name: &str) -> bool {
    name.ends_with(layout::FINISHED)
}

impl Record {
    /// The record of a launch that this process is about to begin.
    pub(crate) fn new(traces: Traces, output: &Path, launch: &[OsString]) -> Self {
        Self {
            traces,
            output: std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
            launch: launch.to_vec(),
            directory: std::env::current_dir().unwrap_or_default(),
            owner: Owner::this(),
        }
    }

    /// Writes it into one of our directories.
    pub(crate) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("the record of the run")?;
        Ok(output::write(&directory.join(RECORD), text.as_bytes())?)
    }

    /// Reads that of a directory; `None` if it is none of ours.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let bytes = own_file::read(&directory.join(RECORD)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Whether the process that started the run is still there, as far as this host can tell.
    pub(crate) fn is_running(&self) -> bool {
        self.owner.is_running()
    }
}

/// Directories of ours in `parent`.
fn directories(parent: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = |name: &OsStr| name.to_string_lossy().starts_with(env::SCRATCH);
    entries
        .filter(move |entry| ours(&entry.file_name()))
        .map(|entry| entry.path())
}

/// Directories in `parent` without a record, whose process on this host was killed before it could
/// remove them.
pub(crate) fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let is_abandoned = |directory: &PathBuf| {
        let owner = own_file::read(&directory.join(OWNER)).ok();
        let owner = owner.and_then(|bytes| serde_json::from_slice::<Owner>(&bytes).ok());
        owner.is_some_and(|owner| owner.is_of_this_host() && !owner.is_running())
            && Record::read(directory).is_none()
    };
    directories(parent).filter(is_abandoned).collect()
}

/// The runs that have left a directory in `parent`.
pub(crate) fn records(parent: &Path) -> Vec<(PathBuf, Record)> {
    let mut found: Vec<_> = directories(parent)
        .filter_map(|directory| Record::read(&directory).map(|record| (directory, record)))
        .collect();
    found.sort_by(|a, b| a.1.traces.run.cmp(&b.1.traces.run));
    found
}

/// The run called `run`, or the one whose directory that is.
pub(crate) fn find(run: &str) -> Option<(PathBuf, Record)> {
    let directory = Path::new(run);
    if let Some(record) = Record::read(directory) {
        return Some((directory.to_owned(), record));
    }
    records(Path::new("."))
        .into_iter()
        .find(|(_, record)| record.traces.run == run)
}

/// The names of the runs that have left files in a directory of journals on this host, and how many
/// each.
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

/// The run in the name of a file that one of its ranks has left: two parts with a hyphen between,
/// as [`run_name`] makes them.
fn run_of(name: &str) -> Option<String> {
    let rest = name
        .strip_prefix(layout::PREFIX)
        .filter(|_| is_trace(name))?;
    let mut parts = rest.split('-');
    let (pid, started) = (parts.next()?, parts.next()?);
    Some(format!("{pid}-{started}"))
}

/// A name for a run of this process that no other has.
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

/// Whether a process of this user has the file open.
pub(crate) fn is_open(path: &Path) -> bool {
    let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    let processes = entries(Path::new("/proc")).map(|process| process.path().join("fd"));
    let mut open = processes.flat_map(|directory| entries(&directory).collect::<Vec<_>>());
    open.any(|file| fs::read_link(file.path()).is_ok_and(|target| target == path))
}

/// The name of this host.
pub(crate) fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// A hidden directory in `parent`, gone when dropped. It names this process, so that what a killed
/// one has left is known.
pub(crate) fn scratch(parent: &Path) -> Result<tempfile::TempDir, LaunchError> {
    let created = parent.canonicalize().and_then(|parent| {
        let directory = tempfile::Builder::new()
            .prefix(env::SCRATCH)
            .tempdir_in(parent)?;
        let owner = serde_json::to_vec(&Owner::this())?;
        fs::write(directory.path().join(OWNER), owner)?;
        Ok(directory)
    });
    created.map_err(|source| LaunchError::NoScratch {
        directory: parent.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_found_in_the_names_of_its_files() {
        let run = run_name();
        let journal = format!("rankfold-{run}-n-0-1-3-0123456789abcdef.rfj");
        assert_eq!(run_of(&journal), Some(run.clone()));
        let profile = layout::finished_name(&run, "n-0-1", 7);
        assert_eq!(run_of(&profile), Some(run));
        assert!(is_profile(&profile) && !is_profile(&journal));
        assert_eq!(run_of("rankfold-1-2-x.txt"), None);
        assert_eq!(run_of("other-1-2-x.rfj"), None);
    }

    #[test]
    fn a_record_is_found_by_the_name_of_its_run() {
        let parent = tempfile::tempdir().unwrap();
        let directory = scratch(parent.path()).unwrap();
        assert_eq!(records(parent.path()), []);
        let traces = Traces {
            run: run_name(),
            journals: "/dev/shm".into(),
        };
        let words: Vec<OsString> = vec!["mpirun".into(), "a b".into()];
        let record = Record::new(traces, Path::new("out.rfp"), &words);
        record.write(directory.path()).unwrap();
        assert!(record.is_running());
        let found = records(parent.path());
        assert_eq!(found, [(directory.path().to_owned(), record)]);
    }

    #[test]
    fn a_directory_is_abandoned_when_its_process_is_gone_and_not_before() {
        let parent = tempfile::tempdir().unwrap();
        let directory = scratch(parent.path()).unwrap();
        assert!(abandoned(parent.path()).is_empty());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = Owner {
            pid: child.id(),
            ..Owner::this()
        };
        child.wait().unwrap();
        let name = |owner: &Owner| {
            let text = serde_json::to_vec(owner).unwrap();
            fs::write(directory.path().join(OWNER), text).unwrap();
        };
        name(&gone);
        assert_eq!(abandoned(parent.path()), [directory.path()]);
        let host = "elsewhere".into();
        name(&Owner { host, ..gone });
        assert!(abandoned(parent.path()).is_empty(), "nobody can tell here");
    }
}
