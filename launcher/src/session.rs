//! One launch under the preload library: the files and variables by which the two meet, and the cleaning up.

use crate::error::LaunchError;
use crate::launch::Launch;
use crate::library;
use rankfold_mapper::cli::output;
use rankfold_profile::{Recovery, env, recover};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The directory of journals unless `RANKFOLD_JOURNALS` names another.
const NODE_MEMORY: &str = "/dev/shm";

pub(crate) struct Session {
    /// Tells this launch's journals from others in the same directory.
    run: String,
    /// For the files that ranks write for us: a directory all nodes should share.
    scratch: TempDir,
    library: PathBuf,
    journals: PathBuf,
}

/// A hidden directory in `parent`, gone when dropped.
pub(crate) fn scratch(parent: &Path) -> Result<TempDir, LaunchError> {
    let created = parent.canonicalize().and_then(|parent| {
        tempfile::Builder::new()
            .prefix(".rankfold-")
            .tempdir_in(parent)
    });
    created.map_err(|source| LaunchError::NoScratch {
        directory: parent.to_owned(),
        source,
    })
}

impl Session {
    /// A session whose files live in a hidden directory beside `output`.
    pub(crate) fn beside(output: &Path) -> Result<Self, LaunchError> {
        let scratch = scratch(output::directory(output))?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        let started = started.unwrap_or_default().as_nanos();
        Ok(Self {
            run: format!("{}-{started:x}", std::process::id()),
            scratch,
            library: library::find()?,
            journals: std::env::var_os(env::JOURNALS)
                .map_or_else(|| NODE_MEMORY.into(), PathBuf::from),
        })
    }

    /// A file of this session.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Where rank 0 writes the profile.
    pub(crate) fn profile(&self) -> PathBuf {
        self.file("profile.rfp")
    }

    /// Where rank 0 writes the seats record.
    pub(crate) fn seats(&self) -> PathBuf {
        self.file("seats")
    }

    /// Words that make every rank of `launch` count its messages; `time` adds the time inside MPI.
    pub(crate) fn profiling(&self, launch: &mut Launch, time: bool) -> Vec<OsString> {
        let journals = self.journals.clone().into();
        let profile = self.profile().into();
        let mut variables = vec![(env::PROFILE, profile), (env::JOURNALS, journals)];
        if time {
            variables.push((env::TIME, "1".into()));
        }
        self.preload(launch, variables)
    }

    /// Words that make the ranks of `launch` record their seats: host and shared-memory group.
    pub(crate) fn seating(&self, launch: &mut Launch) -> Vec<OsString> {
        self.preload(launch, vec![(env::SEATS, self.seats().into())])
    }

    /// Words that preload the library into every rank, ahead of what the user preloads, with `variables` set.
    fn preload(
        &self,
        launch: &mut Launch,
        mut variables: Vec<(&'static str, OsString)>,
    ) -> Vec<OsString> {
        if let Some(patience) = std::env::var_os(env::PATIENCE) {
            variables.push((env::PATIENCE, patience));
        }
        let theirs = launch
            .launcher
            .preloaded(&launch.options)
            .map(OsString::from)
            .or_else(|| std::env::var_os("LD_PRELOAD"));
        let mut preload = self.library.clone().into_os_string();
        if let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) {
            preload.push(":");
            preload.push(theirs);
        }
        variables.push(("LD_PRELOAD", preload));
        variables.push((env::RUN, self.run.clone().into()));
        let launcher = launch.launcher;
        launcher.export(&mut launch.options, &variables)
    }

    /// Checks that the journals of `ranks` ranks have room, should they all be on this host.
    pub(crate) fn check_journals(&self, ranks: usize) -> Result<(), LaunchError> {
        const BYTES_A_RANK: usize = 8 << 10;
        const MOST_BYTES: usize = 64 << 20;
        let room = vec![0; (ranks * BYTES_A_RANK).clamp(BYTES_A_RANK, MOST_BYTES)];
        tempfile::tempfile_in(&self.journals)
            .and_then(|mut file| file.write_all(&room))
            .map_err(|error| LaunchError::Journals {
                directory: self.journals.clone(),
                problem: format!("no room for the journals of {ranks} ranks ({error})"),
            })
    }

    /// What the ranks of this host left in their journals.
    pub(crate) fn recover(&self) -> anyhow::Result<Option<Recovery>> {
        Ok(recover(&self.journals, &self.run)?)
    }

    /// Removes the journals of this host; those of other hosts are out of reach.
    pub(crate) fn sweep(&self) {
        let Ok(Some(left)) = recover(&self.journals, &self.run) else {
            return;
        };
        for journal in left.journals {
            // Gone already is as good.
            let _ = std::fs::remove_file(journal);
        }
    }
}
