//! The tables of options, compared with the help of every launcher that is installed: an option
//! with a wrong number of words would hide where the program begins.

use super::help::{self, Named};
use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_launch::launch::{Launch, Launcher};
use rankfold_launch::launchers::LAUNCHERS;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub(super) fn facts() -> Vec<Fact> {
    let mut all: Vec<Fact> = Mpi::KINDS
        .into_iter()
        .map(|mpi| {
            let name = format!("launchers::options_of_the_help_are_known_to_{}", mpi.name());
            fact(name, &[Need::Mpi(mpi)], move || of_mpi(mpi))
        })
        .collect();
    all.push(fact(
        "launchers::options_of_the_help_are_known_to_srun",
        &[Need::Tool("srun")],
        of_slurm,
    ));
    all
}

/// A launcher that is asked for its help and started with its options.
struct Asked {
    program: PathBuf,
    launcher: &'static dyn Launcher,
    scratch: TempDir,
}

impl Asked {
    fn new(program: impl Into<PathBuf>, name: &str) -> Result<Self> {
        let launcher = LAUNCHERS.iter().find(|launcher| launcher.name() == name);
        Ok(Self {
            program: program.into(),
            launcher: *launcher.context("no such launcher")?,
            scratch: TempDir::new()?,
        })
    }

    /// Runs the launcher for some seconds at most: options may start debuggers.
    fn run(&self, words: &[&str]) -> Result<Finished> {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "5"]).arg(&self.program);
        command.args(words).current_dir(&self.scratch);
        command.env("SLURM_CONF", self.scratch.path().join("slurm.conf"));
        if let Some(environment) = self.program.parent().and_then(Path::parent) {
            command.env("PRTE_PREFIX", environment);
        }
        process::run(mpi::environment(&mut command), "")
    }

    fn help(&self, words: &[&str]) -> Result<String> {
        let Finished { stdout, stderr, .. } = self.run(words)?;
        Ok(stdout + &stderr)
    }

    /// Checks that every option is known with its number of words.
    fn compare(
        &self,
        named: &[Named],
        measured: impl Fn(&Named) -> Result<Measured>,
    ) -> Result<()> {
        ensure!(named.len() > 20, "the help is not understood: {named:?}");
        let mut wrong = Vec::new();
        for option in named {
            let is_same = |other: &&Named| other.spellings == option.spellings;
            if named
                .iter()
                .filter(is_same)
                .any(|other| other.values > option.values)
            {
                // Shown again with a value.
                continue;
            }
            let values = match option.values {
                Some(values) => Measured::Words(values),
                None => measured(option)?,
            };
            for spelling in &option.spellings {
                let taken = self.taken(spelling);
                let is_right = match (&taken, &values) {
                    (Some(taken), Measured::Words(values)) => taken == values,
                    (taken, Measured::Refused) => taken.is_some(),
                    (None, _) => false,
                };
                if !is_right {
                    wrong.push(format!("{spelling}: {values:?}, but taken are {taken:?}"));
                }
            }
        }
        ensure!(
            wrong.is_empty(),
            "{}:\n{}",
            self.launcher.name(),
            wrong.join("\n")
        );
        Ok(())
    }

    /// The words that the option takes by the table; `None` where it is not known.
    fn taken(&self, spelling: &str) -> Option<usize> {
        // The value may be a file that names programs.
        let value = self.scratch.path().join("programs");
        fs::write(&value, "-n 1 app 0\n").ok()?;
        let words = |values: usize| {
            let values = vec![value.clone().into_os_string(); values];
            let mut words = vec![OsString::from("launcher"), spelling.into()];
            words.extend(values);
            words
        };
        let begins = |launch: &Launch| launch.apps[0].program[0] == *"app";
        (0..4).find(|&values| {
            let listed = Launch::parse(self.launcher, &[], &words(values));
            let mut with_program = words(values);
            with_program.extend(["app", "0"].map(OsString::from));
            let typed = Launch::parse(self.launcher, &[], &with_program);
            listed
                .ok()
                .or(typed.ok())
                .is_some_and(|launch| begins(&launch))
        })
    }
}

/// What a launcher itself makes of an option.
#[derive(Debug)]
enum Measured {
    /// It takes so many words.
    Words(usize),
    /// It starts no program with this option here, whatever follows.
    Refused,
}

fn of_mpi(mpi: Mpi) -> Result<()> {
    let launcher = mpi.launcher();
    match mpi {
        Mpi::OpenMpi => {
            let asked = Asked::new(launcher, "Open MPI 4")?;
            let help = help::orterun(&asked.help(&["--help", "full"])?);
            asked.compare(&help, |_| Ok(Measured::Refused))
        }
        // The help of this `mpirun` names no option; it hands them all to `prterun`.
        Mpi::OpenMpi5 => {
            let asked = Asked::new(Path::new(&launcher).with_file_name("prterun"), "Open MPI 5")?;
            let help = help::prterun(&asked.help(&["--help"])?);
            asked.compare(&help, |_| Ok(Measured::Refused))
        }
        _ => {
            let is_intel = mpi == Mpi::Intel;
            let asked = Asked::new(launcher, if is_intel { "Intel MPI" } else { "MPICH" })?;
            let help = help::hydra(&asked.help(&["--help"])?);
            asked.compare(&help, |named| started(&asked, named))
        }
    }
}

/// Starts programs behind an option of Hydra. The first word that the option does not take is the
/// one that runs.
fn started(asked: &Asked, named: &Named) -> Result<Measured> {
    // Starts a debugger that waits for commands, and outlives the launcher.
    if named.spellings[0] == "-gdb" {
        return Ok(Measured::Refused);
    }
    let programs = [0, 1, 2].map(|number| asked.scratch.path().join(number.to_string()));
    let paths: Vec<&str> = programs.iter().filter_map(|path| path.to_str()).collect();
    let common = ["1", "none", "lo"];
    let values = named.examples.iter().map(String::as_str).chain(common);
    for first in std::iter::once(paths[0]).chain(values) {
        for program in &programs {
            // Options for files of output may have written over it.
            fs::write(program, "#!/bin/sh\n: > \"$0.ran\"\n")?;
            fs::set_permissions(program, fs::Permissions::from_mode(0o755))?;
        }
        asked.run(&["-n", "1", &named.spellings[0], first, paths[1], paths[2]])?;
        let has_run = |path: &&PathBuf| fs::remove_file(path.with_extension("ran")).is_ok();
        if let Some(words) = programs.iter().position(|path| has_run(&path)) {
            return Ok(Measured::Words(words));
        }
    }
    Ok(Measured::Refused)
}

fn of_slurm() -> Result<()> {
    let asked = Asked::new("srun", "Slurm")?;
    let configuration = "ClusterName=none\nSlurmctldHost=none\n";
    fs::write(asked.scratch.path().join("slurm.conf"), configuration)?;
    let help = help::srun(&asked.help(&["--help"])?);
    asked.compare(&help, |named| {
        let last = named.spellings.last().context("no spelling")?;
        let said = asked.help(&[last])?;
        let needs = said.contains("requires an argument");
        Ok(Measured::Words(usize::from(needs)))
    })
}
