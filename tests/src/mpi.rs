//! The MPI libraries a test can run under.

use crate::process::{self, Finished};
use crate::program::Compiler;
use crate::rankfold::build_directory;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An MPI library with its headers and launcher: Debian's, or from the wheels `scripts/mpis`
/// installs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mpi {
    /// Open MPI 4.1 of Debian.
    OpenMpi,
    /// Open MPI 5.0.
    OpenMpi5,
    /// MPICH 4.0 of Debian.
    Mpich,
    /// MPICH 5.0.
    Mpich5,
    /// MPICH 5.0 behind the standard ABI of MPI 5.
    Mpich5Abi,
    /// Intel MPI 2021.
    Intel,
    /// Intel MPI 2021 behind the standard ABI of MPI 5.
    IntelAbi,
}

impl Mpi {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::OpenMpi,
        Self::OpenMpi5,
        Self::Mpich,
        Self::Mpich5,
        Self::Mpich5Abi,
        Self::Intel,
        Self::IntelAbi,
    ];

    /// One library of each kind: different in launcher, in version, and in what it does when a rank
    /// dies.
    pub const KINDS: [Self; 5] = [
        Self::OpenMpi,
        Self::OpenMpi5,
        Self::Mpich,
        Self::Mpich5,
        Self::Intel,
    ];

    /// Those Debian packages.
    pub const DEBIAN: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// The name used in test names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::OpenMpi5 => "openmpi5",
            Self::Mpich => "mpich",
            Self::Mpich5 => "mpich5",
            Self::Mpich5Abi => "mpich5_abi",
            Self::Intel => "intel",
            Self::IntelAbi => "intel_abi",
        }
    }

    /// The name used in the documentation.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI 4.1",
            Self::OpenMpi5 => "Open MPI 5.0",
            Self::Mpich => "MPICH 4.0",
            Self::Mpich5 => "MPICH 5.0",
            Self::Mpich5Abi => "MPICH 5.0, standard ABI",
            Self::Intel => "Intel MPI 2021",
            Self::IntelAbi => "Intel MPI 2021, standard ABI",
        }
    }

    /// Whether it is a version of Open MPI, with that family's habits.
    #[must_use]
    pub fn is_open_mpi(self) -> bool {
        matches!(self, Self::OpenMpi | Self::OpenMpi5)
    }

    /// The wheels' virtual environment; `None` for what Debian packages.
    #[must_use]
    pub fn environment(self) -> Option<PathBuf> {
        let name = match self {
            Self::OpenMpi | Self::Mpich => return None,
            Self::OpenMpi5 => "openmpi5",
            Self::Mpich5 | Self::Mpich5Abi => "mpich5",
            Self::Intel | Self::IntelAbi => "intel",
        };
        Some(environments().join(name))
    }

    /// A tool of the wheels by its path, or of Debian's by its name.
    fn tool(self, wheel: &str, debian: &str) -> String {
        match self.environment() {
            Some(environment) => environment.join("bin").join(wheel).display().to_string(),
            None => format!("{debian}.{}", self.name()),
        }
    }

    /// What compiles C.
    #[must_use]
    pub fn compiler(self) -> Compiler {
        match self {
            Self::Mpich5Abi => Compiler::plain(&self.tool("mpicc_abi", "")),
            Self::Intel => self.intel("gcc", &["-lmpi"]),
            Self::IntelAbi => self.intel("gcc", &["-DMPI_ABI", "-lmpi_abi"]),
            _ => Compiler::plain(&self.tool("mpicc", "mpicc")),
        }
    }

    /// The library's own compiler wrapper for C. Intel's finds its library by what [`environment`]
    /// sets.
    #[must_use]
    pub fn wrapper(self) -> String {
        match self {
            Self::Intel | Self::IntelAbi => self.tool("mpicc", ""),
            _ => self.compiler().command,
        }
    }

    /// What compiles Fortran, for those that bring modules of `gfortran`.
    #[must_use]
    pub fn fortran(self) -> Option<Compiler> {
        match self {
            Self::OpenMpi | Self::Mpich => Some(Compiler::plain(&self.tool("", "mpif90"))),
            Self::Intel => {
                let modules = self.environment()?.join("include/mpi/gfortran/12.4.0");
                let mut compiler = self.intel("gfortran", &["-lmpifort", "-lmpi"]);
                compiler.flags.push(format!("-I{}", modules.display()));
                // The Fortran library finds the C one by the program's path only if that is of the
                // old kind.
                compiler.flags.push("-Wl,--disable-new-dtags".into());
                Some(compiler)
            }
            _ => None,
        }
    }

    /// The wheel's own compiler wrappers still hold the placeholder of an installer.
    fn intel(self, compiler: &str, flags: &[&str]) -> Compiler {
        let environment = self.environment().unwrap_or_default();
        let (include, libraries) = (environment.join("include"), environment.join("lib"));
        let mut compiler = Compiler::plain(compiler);
        compiler.flags = vec![
            format!("-I{}", include.display()),
            format!("-L{}", libraries.display()),
            format!("-Wl,-rpath,{}", libraries.display()),
        ];
        compiler.flags.extend(flags.iter().map(ToString::to_string));
        compiler
    }

    /// The launcher.
    #[must_use]
    pub fn launcher(self) -> String {
        match self {
            // `mpirun` there is a script that looks for the launcher in `PATH`.
            Self::Intel | Self::IntelAbi => self.tool("mpiexec.hydra", ""),
            _ => self.tool("mpirun", "mpirun"),
        }
    }

    /// Why no test can use this library here.
    #[must_use]
    pub fn missing(self) -> Option<String> {
        match self.environment() {
            // Written last by the script.
            Some(environment) if environment.join("wheels").exists() => None,
            Some(environment) => Some(format!(
                "{} is not installed: run scripts/mpis",
                environment.display()
            )),
            None => [self.compiler().command, self.launcher()]
                .into_iter()
                .find(|tool| !process::on_path(tool))
                .map(|tool| format!("{tool} is not installed")),
        }
    }

    /// `mpirun -n RANKS PROGRAM ARGS`, ready to be run or to be handed to rankfold.
    #[must_use]
    pub fn launch(self, ranks: u32, program: &Path, args: &[&str]) -> Vec<String> {
        let mut words = vec![self.launcher()];
        if self.is_open_mpi() {
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

/// Where `scripts/mpis` installs.
#[must_use]
pub fn environments() -> PathBuf {
    let target = build_directory();
    target.parent().unwrap_or(&target).join("mpis")
}

/// Sets what a launcher needs to start many ranks on few cores, as whatever user runs the tests.
pub fn environment(command: &mut Command) -> &mut Command {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // More ranks than cores: one that waits leaves its core to the others.
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1")
        .env("I_MPI_THREAD_YIELD", "2")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .env("PRTE_MCA_hwloc_default_binding_policy", "none")
        // Open MPI 5 sleeps for a second and a half when it starts libfabric.
        .env("OMPI_MCA_btl", "^ofi")
        .env("OMPI_MCA_mtl", "^ofi")
        .env("I_MPI_ROOT", environments().join("intel"))
        // Nothing is remembered from one test to the next; clusters have a place for it.
        .env("XDG_CACHE_HOME", "/dev/null/none")
        .env("I_MPI_PIN", "0")
        // Without it the wheel's MPI_Comm_spawn ends in a segmentation fault.
        .env("I_MPI_SPAWN", "1")
}
