//! One launch under the preload library: the files and variables by which the two meet, and the
//! cleaning up.

use crate::error::LaunchError;
use crate::launch::{Exports, Launch};
use crate::library;
use crate::traces::{self, Record, Traces};
use rankfold_mapper::cli::output;
use rankfold_profile::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The profile's name in the directory of a session.
pub(crate) const PROFILE: &str = "profile.rfp";

/// What ranks count besides their messages, and for how long.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CountingOptions {
    /// Who keeps the time inside MPI: a value of [`env::TIME`].
    pub(crate) time: Option<&'static str>,
    /// Nothing is counted any more after so long.
    pub(crate) until: Option<Duration>,
}

impl CountingOptions {
    /// A sample of the ranks keeps the time.
    pub(crate) const SAMPLED: Self = Self {
        time: Some(env::SAMPLE),
        until: None,
    };

    /// All ranks keep the time, or none.
    pub(crate) fn timed(time: bool) -> Self {
        Self {
            time: time.then_some("1"),
            until: None,
        }
    }
}

pub(crate) struct Session {
    pub(crate) traces: Traces,
    /// For the files that ranks write for us: a directory all nodes should share.
    scratch: TempDir,
    library: PathBuf,
}

impl Session {
    /// A session whose files live in a hidden directory beside `output`.
    pub(crate) fn beside(output: &Path) -> Result<Self, LaunchError> {
        let library = library::find()?;
        Ok(Self {
            traces: Traces {
                run: traces::run_name(),
                journals: traces::journals(),
            },
            scratch: traces::scratch(output::directory(output))?,
            library,
        })
    }

    /// Leaves a record of what is about to be launched, should we not see its end.
    pub(crate) fn record(&self, output: &Path, launch: &Launch) -> anyhow::Result<()> {
        Record::new(self.traces.clone(), output, &launch.words()).write(self.scratch.path())
    }

    /// Leaves everything where it is, to be recovered later.
    pub(crate) fn keep(self) {
        // The directory stays with its record.
        let _ = self.scratch.keep();
    }

    /// Removes what there is on this host, where nobody will drop the session.
    pub(crate) fn remove(&self) {
        self.traces.sweep();
        // What is left is known to `rankfold clean`.
        let _ = std::fs::remove_dir_all(self.scratch.path());
    }

    /// A file of this session.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The directory of all of them.
    pub(crate) fn directory(&self) -> &Path {
        self.scratch.path()
    }

    /// Where rank 0 writes the profile.
    pub(crate) fn profile(&self) -> PathBuf {
        self.file(PROFILE)
    }

    /// Where rank 0 writes the seats record.
    pub(crate) fn seats(&self) -> PathBuf {
        self.file("seats")
    }

    /// Whether a rank has called `MPI_Init` with the library loaded, as far as this host can see.
    pub(crate) fn has_begun(&self) -> bool {
        env::begun(&self.profile()).is_some_and(|mark| mark.exists())
    }

    /// Makes every rank of `launch` count its messages.
    ///
    /// # Errors
    /// As [`Session::preload`].
    pub(crate) fn profiling(
        &self,
        launch: &mut Launch,
        counted: CountingOptions,
    ) -> Result<(), LaunchError> {
        self.preload(launch, self.counting(counted))
    }

    /// The variables by which ranks count.
    pub(crate) fn counting(&self, counted: CountingOptions) -> Vec<(&'static str, OsString)> {
        let journals = self.traces.journals.clone().into();
        let profile = self.profile().into();
        let mut variables = vec![(env::PROFILE, profile), (env::JOURNALS, journals)];
        variables.extend(counted.time.map(|who| (env::TIME, who.into())));
        let seconds = counted.until.map(|time| time.as_secs_f64().to_string());
        variables.extend(seconds.map(|seconds| (env::UNTIL, seconds.into())));
        variables
    }

    /// Makes the ranks of `launch` record their seats: host and shared-memory group. They see
    /// `more` variables, too.
    ///
    /// # Errors
    /// As [`Session::preload`].
    pub(crate) fn seating(
        &self,
        launch: &mut Launch,
        more: Vec<(&'static str, OsString)>,
    ) -> Result<(), LaunchError> {
        let seats = (env::SEATS, self.seats().into());
        self.preload(launch, [vec![seats], more].concat())
    }

    /// Makes `MPI_Init` renumber the ranks of `launch` by the plan in `file`, and record their
    /// seats. They see `more` variables, too.
    ///
    /// # Errors
    /// As [`Session::preload`].
    pub(crate) fn renumbering(
        &self,
        launch: &mut Launch,
        file: &Path,
        more: Vec<(&'static str, OsString)>,
    ) -> Result<(), LaunchError> {
        let plan = (env::WORLD, file.into());
        self.seating(launch, [vec![plan], more].concat())
    }

    /// Preloads the libraries that act on `variables` into every rank, ahead of what the user
    /// preloads, with these set.
    ///
    /// # Errors
    /// [`LaunchError::NoWorld`]: the library that renumbers is asked for and is not there.
    pub(crate) fn preload(
        &self,
        launch: &mut Launch,
        mut variables: Vec<(&'static str, OsString)>,
    ) -> Result<(), LaunchError> {
        let libraries = self.libraries(&variables)?;
        variables.push((env::RUN, self.traces.run.clone().into()));
        for handed_on in [env::PATIENCE, env::BUDGET] {
            let set = std::env::var_os(handed_on);
            variables.extend(set.map(|value| (handed_on, value)));
        }
        let exports = Exports::new(variables, libraries).of(launch.before(), launch.command());
        launch.export(&exports);
        Ok(())
    }

    /// The libraries that act on `variables`. In front of the one that renumbers, ranks count under
    /// the numbers that the program sees.
    fn libraries(&self, variables: &[(&'static str, OsString)]) -> Result<OsString, LaunchError> {
        let has = |wanted: &str| variables.iter().any(|(name, _)| *name == wanted);
        let mut libraries = Vec::new();
        if has(env::PROFILE) || (has(env::SEATS) && !has(env::WORLD)) {
            libraries.push(self.library.clone());
        }
        if has(env::WORLD) || has(env::REORDER) {
            libraries.push(library::find_world(&self.library)?);
        }
        let paths = libraries.iter().map(|path| path.as_os_str());
        Ok(paths.collect::<Vec<_>>().join(OsStr::new(":")))
    }

    /// Checks that the journals of `ranks` ranks have room, should they all be on this host.
    pub(crate) fn check_journals(&self, ranks: usize) -> Result<(), LaunchError> {
        const BYTES_A_RANK: usize = 8 << 10;
        const MOST_BYTES: usize = 64 << 20;
        let directory = &self.traces.journals;
        if !directory.is_dir() {
            return Err(LaunchError::NoJournals {
                directory: directory.clone(),
            });
        }
        let room = vec![0; (ranks * BYTES_A_RANK).clamp(BYTES_A_RANK, MOST_BYTES)];
        tempfile::tempfile_in(directory)
            .and_then(|mut file| file.write_all(&room))
            .map_err(|error| LaunchError::Journals {
                directory: directory.clone(),
                problem: format!("no room for the journals of {ranks} ranks ({error})"),
            })
    }
}
