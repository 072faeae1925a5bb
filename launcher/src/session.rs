//! One launch with the preload libraries: the files that the ranks read and write, the environment
//! variables that name these files to the ranks, and their removal.

use crate::traces::{self, Record, Traces};
use crate::{c10d_hook, library};
use rankfold_console::output;
use rankfold_launch::diagnosis;
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::{Exports, Launch};
use rankfold_wire::{WorldTimes, env, read_world_times};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The file name of the profile in the directory of a session.
pub(crate) const PROFILE: &str = "profile.rfp";

/// The variable by which NCCL finds a plugin of its profiler interface.
const NCCL_PLUGIN: &str = "NCCL_PROFILER_PLUGIN";

/// Options of a profiled launch: which ranks measure time, and how long ranks count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CountingOptions {
    /// The ranks that measure the time inside MPI: a value of [`env::TIME`]; `None` for no rank.
    pub(crate) time: Option<&'static str>,
    /// Whether the MPI library is asked to report what it sends inside collectives.
    pub(crate) monitored: bool,
    /// Ranks stop counting after this time; `None` to count until the end.
    pub(crate) until: Option<Duration>,
    /// Whether the ranks find out what collectives take on a renumbered world.
    pub(crate) world_times: bool,
}

impl CountingOptions {
    /// A sample of the ranks measures the time, and all ranks count until the end.
    pub(crate) const SAMPLED: Self = Self {
        time: Some(env::SAMPLE),
        monitored: false,
        until: None,
        world_times: false,
    };

    /// All ranks measure the time, or none.
    pub(crate) fn timed(time: bool) -> Self {
        Self {
            time: time.then_some("1"),
            ..Self::default()
        }
    }
}

/// The files of one launch. They are removed when the session is dropped.
pub(crate) struct Session {
    /// The journals of the run.
    pub(crate) traces: Traces,
    /// The directory for all other files; all nodes should share it.
    scratch: TempDir,
    library: PathBuf,
}

impl Session {
    /// A session with its files in a hidden directory beside `output`, if one can be made there.
    ///
    /// # Errors
    /// The preload library is missing, or the directory cannot be made.
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

    /// Writes the record of the launch, by which `rankfold recover` finds the run if this process
    /// is killed.
    pub(crate) fn record(&self, output: &Path, launch: &Launch) -> anyhow::Result<()> {
        Record::new(self.traces.clone(), output, &launch.words()).write(self.scratch.path())
    }

    /// Ends the session without removing its files, so that the run can be recovered later.
    pub(crate) fn keep(self) {
        let _ = self.scratch.keep();
    }

    /// Removes the files on this host before the process exits without dropping the session.
    pub(crate) fn remove(&self) {
        self.traces.sweep();
        // `rankfold clean` finds the directory if it cannot be removed now.
        let _ = std::fs::remove_dir_all(self.scratch.path());
    }

    /// The path of a file of this session.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The directory of these files.
    pub(crate) fn directory(&self) -> &Path {
        self.scratch.path()
    }

    /// The file into which rank 0 writes the profile.
    pub(crate) fn profile(&self) -> PathBuf {
        self.file(PROFILE)
    }

    /// The file into which rank 0 writes the seats record: where every rank runs.
    pub(crate) fn seats(&self) -> PathBuf {
        self.file("seats")
    }

    /// The variable that makes ranks find out what collectives take on a renumbered world.
    pub(crate) fn timing_worlds(&self) -> (&'static str, OsString) {
        (env::WORLD_TIMES, self.file("world-times").into())
    }

    /// What the ranks have found out about that.
    pub(crate) fn world_times(&self) -> Option<WorldTimes> {
        let (_, path) = self.timing_worlds();
        read_world_times(&std::fs::read_to_string(path).ok()?)
    }

    /// Whether a rank has called `MPI_Init` with the library loaded. False also where this host
    /// does not see the directory of that rank.
    pub(crate) fn has_begun(&self) -> bool {
        env::begun(&self.profile()).is_some_and(|mark| mark.exists())
    }

    /// Makes all ranks of `launch` count their messages.
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

    /// The environment variables that make ranks count.
    pub(crate) fn counting(&self, counted: CountingOptions) -> Vec<(&'static str, OsString)> {
        let journals = self.traces.journals.clone().into();
        let profile = self.profile().into();
        let mut variables = vec![(env::PROFILE, profile), (env::JOURNALS, journals)];
        variables.extend(counted.time.map(|who| (env::TIME, who.into())));
        let monitored = counted.monitored.then(|| env::MEASURED.into());
        variables.extend(monitored.map(|measured| (env::COLLECTIVES, measured)));
        variables.extend(counted.world_times.then(|| self.timing_worlds()));
        let seconds = counted.until.map(|time| time.as_secs_f64().to_string());
        variables.extend(seconds.map(|seconds| (env::UNTIL, seconds.into())));
        variables.extend(self.nccl_plugin().map(|path| (NCCL_PLUGIN, path.into())));
        variables
    }

    /// The plugin for NCCL, unless the user has chosen another one or none. A program that uses no
    /// NCCL does not read the variable.
    fn nccl_plugin(&self) -> Option<PathBuf> {
        let is_free = std::env::var_os(NCCL_PLUGIN).is_none();
        library::find_nccl(&self.library).filter(|_| is_free)
    }

    /// Makes the ranks of `launch` record their seats: host, cores and shared-memory group. The
    /// ranks see the variables `more`, too.
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

    /// Makes `MPI_Init` renumber the ranks of `launch` by the plan in `file`, and makes the ranks
    /// record their seats. The ranks see the variables `more`, too.
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

    /// Sets `variables` for every rank, and preloads the libraries that act on these variables
    /// ahead of the user's own preload libraries.
    ///
    /// # Errors
    /// [`LaunchError::NoWorld`]: the library that renumbers is needed and missing.
    /// [`LaunchError::Musl`]: a program cannot load our libraries.
    pub(crate) fn preload(
        &self,
        launch: &mut Launch,
        mut variables: Vec<(&'static str, OsString)>,
    ) -> Result<(), LaunchError> {
        let programs = launch.apps.iter().map(|app| &app.program[0]);
        if let Some(program) = programs
            .into_iter()
            .find(|name| diagnosis::is_for_musl(name))
        {
            let program = program.to_string_lossy().into_owned();
            return Err(LaunchError::Musl { program });
        }
        let libraries = self.libraries(&variables)?;
        variables.push((env::RUN, self.traces.run.clone().into()));
        if variables.iter().any(|(name, _)| *name == env::PROFILE) {
            variables.extend(c10d_hook::variables(
                launch,
                &self.library,
                self.directory(),
            ));
        }
        for handed_on in [env::PATIENCE, env::BUDGET] {
            let set = std::env::var_os(handed_on);
            variables.extend(set.map(|value| (handed_on, value)));
        }
        let exports = Exports::new(variables, libraries).of(launch.before(), launch.command());
        launch.export(&exports);
        Ok(())
    }

    /// The libraries that act on `variables`, as a value of `LD_PRELOAD`. The counting library
    /// comes before the renumbering one, so that it counts under the rank numbers that the program
    /// sees.
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

    /// Whether the directory of journals exists. It may be full: ranks count in memory then.
    pub(crate) fn has_journals(&self) -> bool {
        self.traces.journals.is_dir()
    }
}
