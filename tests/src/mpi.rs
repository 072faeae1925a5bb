//! The MPI libraries under which tests run.

use crate::process::{self, Finished};
use crate::program::{self, Compiler};
use crate::rankfold::build_directory;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An MPI library with its headers and its launcher: from Debian, or from a wheel that
/// `scripts/mpis` installs.
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
    /// All MPI libraries.
    pub const ALL: [Self; 7] = [
        Self::OpenMpi,
        Self::OpenMpi5,
        Self::Mpich,
        Self::Mpich5,
        Self::Mpich5Abi,
        Self::Intel,
        Self::IntelAbi,
    ];

    /// One MPI library of each kind. They differ in launcher, in version, and in what they do when
    /// a rank dies.
    pub const KINDS: [Self; 5] = [
        Self::OpenMpi,
        Self::OpenMpi5,
        Self::Mpich,
        Self::Mpich5,
        Self::Intel,
    ];

    /// All MPI libraries but MPICH 4.0, under which the program `neighbours` hangs in every other
    /// run, without rankfold as well.
    pub const ALL_BUT_MPICH_4: [Self; 6] = [
        Self::OpenMpi,
        Self::OpenMpi5,
        Self::Mpich5,
        Self::Mpich5Abi,
        Self::Intel,
        Self::IntelAbi,
    ];

    /// Those of [`Self::KINDS`] that are in [`Self::ALL_BUT_MPICH_4`].
    pub const KINDS_BUT_MPICH_4: [Self; 4] =
        [Self::OpenMpi, Self::OpenMpi5, Self::Mpich5, Self::Intel];

    /// The MPI libraries of Debian.
    pub const DEBIAN: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// The name in the names of tests.
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

    /// The name in the documentation.
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

    /// Whether this library is a version of Open MPI.
    #[must_use]
    pub fn is_open_mpi(self) -> bool {
        matches!(self, Self::OpenMpi | Self::OpenMpi5)
    }

    /// The virtual environment of the wheel; `None` for a library of Debian.
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

    /// A tool: the path of `wheel` in the virtual environment, or the name of `debian`.
    fn tool(self, wheel: &str, debian: &str) -> String {
        match self.environment() {
            Some(environment) => environment.join("bin").join(wheel).display().to_string(),
            None => format!("{debian}.{}", self.name()),
        }
    }

    /// The compiler for C. Ranks of MPICH are [patient](program::patient).
    #[must_use]
    pub fn compiler(self) -> Compiler {
        let patient = program::sources().join("patient.c");
        let patient = |wrapper: &str| {
            Compiler::plain(&self.tool(wrapper, "mpicc")).with(&patient.display().to_string())
        };
        match self {
            Self::Mpich | Self::Mpich5 => patient("mpicc"),
            Self::Mpich5Abi => patient("mpicc_abi"),
            Self::OpenMpi | Self::OpenMpi5 => Compiler::plain(&self.tool("mpicc", "mpicc")),
            Self::Intel => self.intel("gcc", &["-lmpi"]),
            Self::IntelAbi => self.intel("gcc", &["-DMPI_ABI", "-lmpi_abi"]),
        }
    }

    /// The compiler wrapper for C that comes with the library. Intel's wrapper finds the library by
    /// a variable that [`environment`] sets.
    #[must_use]
    pub fn wrapper(self) -> String {
        match self {
            Self::Intel | Self::IntelAbi => self.tool("mpicc", ""),
            _ => self.compiler().command,
        }
    }

    /// The compiler for Fortran, for libraries that have modules of `gfortran`.
    #[must_use]
    pub fn fortran(self) -> Option<Compiler> {
        match self {
            Self::OpenMpi | Self::Mpich => Some(Compiler::plain(&self.tool("", "mpif90"))),
            Self::Intel => {
                let modules = self.environment()?.join("include/mpi/gfortran/12.4.0");
                let mut compiler = self.intel("gfortran", &["-lmpifort", "-lmpi"]);
                compiler.flags.push(format!("-I{}", modules.display()));
                // The Fortran library finds the C library by the program's search path only if that
                // path is an RPATH, not a RUNPATH.
                compiler.flags.push("-Wl,--disable-new-dtags".into());
                Some(compiler)
            }
            _ => None,
        }
    }

    /// Intel's libraries with a plain compiler. The wrappers in the wheel still contain a
    /// placeholder that an installer would replace.
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
            // `mpirun` of Intel MPI is a script that looks for the launcher in `PATH`.
            Self::Intel | Self::IntelAbi => self.tool("mpiexec.hydra", ""),
            _ => self.tool("mpirun", "mpirun"),
        }
    }

    /// Why tests cannot use this library on this machine.
    #[must_use]
    pub fn missing(self) -> Option<String> {
        match self.environment() {
            // The script writes this file last.
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

    /// The words `mpirun -n RANKS PROGRAM ARGS`.
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
        environment(&mut command);
        until_the_launcher_survives(|| process::run(&mut command, ""))
    }
}

/// The exit status of a launcher that SIGPIPE has ended.
const BROKEN_PIPE: i32 = 128 + 13;

/// Runs a launch, and repeats it some times if SIGPIPE has ended the launcher. Hydra, the launcher
/// of MPICH and of Intel MPI, sometimes ends so when processes fail. That happened in 7 of 300
/// aborts under Intel MPI with nothing preloaded, and once in a whole run of the tests under MPICH.
///
/// # Errors
/// Those of the launch.
pub fn until_the_launcher_survives(
    mut launch: impl FnMut() -> Result<Finished>,
) -> Result<Finished> {
    let mut finished = launch()?;
    for _ in 0..4 {
        if finished.status != BROKEN_PIPE {
            break;
        }
        finished = launch()?;
    }
    Ok(finished)
}

/// The directory in which `scripts/mpis` installs.
#[must_use]
pub fn environments() -> PathBuf {
    let target = build_directory();
    target.parent().unwrap_or(&target).join("mpis")
}

/// Sets the variables with which every launcher starts many ranks on few cores of one host, as root
/// or as any other user.
pub fn environment(command: &mut Command) -> &mut Command {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // There are more ranks than cores, so a rank that waits must leave its core to others.
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1")
        .env("I_MPI_THREAD_YIELD", "2")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .env("PRTE_MCA_hwloc_default_binding_policy", "none")
        // Open MPI 5 sleeps for a second and a half when it starts libfabric.
        .env("OMPI_MCA_btl", "^ofi")
        .env("OMPI_MCA_mtl", "^ofi")
        .env("I_MPI_ROOT", environments().join("intel"))
        // Without libfabric a launch of Intel MPI on one host costs 0.35 s of processor time, with
        // it 0.85 s (three ranks of `survive none`, sum of user and system time, by `time`).
        .env("I_MPI_FABRICS", "shm")
        // Tests must not share the cache of rankfold. Clusters have a directory for it.
        .env("XDG_CACHE_HOME", "/dev/null/none")
        // Nor may a configuration of this machine or this user change them.
        .env("RANKFOLD_SITE_CONFIG", "")
        .env("XDG_CONFIG_HOME", "/dev/null/none")
        // Most tests look at single steps of a run.
        .env("RANKFOLD_VERBOSE", "1")
        .env("I_MPI_PIN", "0")
        // Without this variable `MPI_Comm_spawn` of the wheel ends in a segmentation fault.
        .env("I_MPI_SPAWN", "1")
}

/// Lets Intel MPI use libfabric, which it needs between hosts and for `MPI_Comm_spawn`.
pub fn with_network(command: &mut Command) -> &mut Command {
    command.env_remove("I_MPI_FABRICS")
}
