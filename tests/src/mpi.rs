//! The MPI libraries a test can run under.

use crate::process::{self, Finished};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// An MPI library with its compiler wrapper and launcher, as Debian names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    /// Open MPI 4.
    OpenMpi,
    /// MPICH 4.
    Mpich,
}

impl Mpi {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// The name used in test names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The compiler wrapper.
    #[must_use]
    pub fn compiler(self) -> String {
        format!("mpicc.{}", self.name())
    }

    /// The launcher.
    #[must_use]
    pub fn launcher(self) -> String {
        format!("mpirun.{}", self.name())
    }

    /// Why no test can use this library here.
    #[must_use]
    pub fn missing(self) -> Option<String> {
        [self.compiler(), self.launcher()]
            .into_iter()
            .find(|tool| !process::on_path(tool))
            .map(|tool| format!("{tool} is not installed"))
    }

    /// `mpirun -n RANKS PROGRAM ARGS`, ready to be run or to be handed to rankfold.
    #[must_use]
    pub fn launch(self, ranks: u32, program: &Path, args: &[&str]) -> Vec<String> {
        let mut words = vec![self.launcher()];
        if self == Self::OpenMpi {
            words.push("--oversubscribe".into());
        }
        words.extend([
            "-n".into(),
            ranks.to_string(),
            program.display().to_string(),
        ]);
        words.extend(args.iter().map(ToString::to_string));
        words
    }

    /// Runs `PROGRAM ARGS` on `ranks` ranks without rankfold.
    ///
    /// # Errors
    /// The launcher does not start or does not end in time.
    pub fn run(self, ranks: u32, program: &Path, args: &[&str]) -> Result<Finished> {
        let words = self.launch(ranks, program, args);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        process::run(environment(&mut command), "")
    }
}

/// Sets what a launcher needs to start many ranks on few cores, as whatever user runs the tests.
pub fn environment(command: &mut Command) -> &mut Command {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
}
