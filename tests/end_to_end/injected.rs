//! Calls of the system that fail inside of rankfold and its library, one after the other: the
//! program's outcome never changes. A process that is killed at any of these calls leaves nothing
//! that `rankfold recover` and `rankfold clean` cannot deal with.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::{mpi, rankfold};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// EACCES, EROFS, ENOSPC, EMFILE, EINTR, ENOMEM and EAGAIN.
const ERRORS: [i32; 7] = [13, 30, 28, 24, 4, 12, 11];

/// The functions that fail inside of this program.
const OURS: &[&str] = &[
    "open",
    "mkdir",
    "rename",
    "ftruncate",
    "write",
    "thread",
    "spawn",
];

/// What is tried: the command before the launch, the objects inside of which calls fail, and the
/// functions that fail there. Of this program itself no `mmap` fails: Rust maps a stack for its own
/// signal handler before `main`, and ends the process without it.
const TRIED: [(&str, &[&str], &str, &[&str]); 4] = [
    (
        "a_rank",
        &["profile", "-o", "run.rfp"],
        "librankfold",
        &["open", "mkdir", "rename", "mmap", "ftruncate", "write"],
    ),
    ("profile", &["profile", "-o", "run.rfp"], "rankfold", OURS),
    ("run", &["run"], "rankfold", OURS),
    (
        "a_mapped_run",
        &["run", "--map", "../map"],
        "rankfold",
        OURS,
    ),
];

pub(crate) fn facts() -> Vec<Fact> {
    let one =
        |(what, command, inside, calls): (&str, &'static [&str], &'static str, &'static [&str])| {
            [
                fact(
                    format!("injected::no_failing_call_in_{what}_changes_the_outcome"),
                    &[Need::Tool("cc")],
                    move || {
                        calls
                            .iter()
                            .try_for_each(|call| fail(command, inside, call))
                    },
                ),
                fact(
                    format!("injected::what_a_kill_in_{what}_leaves_is_dealt_with"),
                    &[Need::Tool("cc")],
                    move || {
                        calls
                            .iter()
                            .try_for_each(|call| kill(command, inside, call))
                    },
                ),
            ]
        };
    let limit = fact(
        "injected::no_limit_on_the_size_of_files_changes_the_outcome",
        &[Need::Tool("cc")],
        || TRIED.iter().try_for_each(|(_, command, ..)| limit(command)),
    );
    TRIED.into_iter().flat_map(one).chain([limit]).collect()
}

/// A launch of `steady` on the stub of MPI, by a launcher that starts one process.
struct Bed {
    scratch: tempfile::TempDir,
    program: PathBuf,
    failing: PathBuf,
}

impl Bed {
    fn new() -> Result<Self> {
        let shared = Compiler::plain("cc").with("-shared").with("-fPIC");
        let stub = program::build(&shared, "stub_mpi.c", "so")?;
        let failing = program::build(&shared.with("-ldl"), "failing.c", "so")?;
        let compiler = Compiler::plain("cc").with(&stub.display().to_string());
        let program = program::build(&compiler, "steady.c", "stub")?;
        let scratch = tempfile::tempdir()?;
        let launcher = scratch.path().join("mpirun");
        fs::write(
            &launcher,
            "#!/bin/sh\n\
             [ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit\n\
             while :; do case $1 in\n\
             -x) export \"$2\"; shift 2;; --mca) shift 3;; -n|--hostfile) shift 2;;\n\
             -*) shift;; *) exec \"$@\";; esac; done\n",
        )?;
        fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755))?;
        for directory in ["work", "journals", "cache"] {
            fs::create_dir(scratch.path().join(directory))?;
        }
        fs::write(
            scratch.path().join("map"),
            fs::read_to_string("/proc/sys/kernel/hostname")?,
        )?;
        Ok(Self {
            scratch,
            program,
            failing,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn in_place(&self, command: &mut Command) -> Result<Finished> {
        mpi::environment(command);
        command
            .current_dir(self.path("work"))
            .env("STUB_RANKS", "1")
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("RANKFOLD_JOURNALS", self.path("journals"));
        process::run(command, "")
    }

    /// Runs `rankfold COMMAND -- mpirun -n 1 steady`, where the `at`-th call fails with an error.
    /// Returns the run, and whether there was such a call.
    fn run(
        &self,
        command: &[&str],
        (inside, call): (&str, &str),
        at: u32,
        error: i32,
    ) -> Result<(Finished, bool)> {
        let mark = self.path("mark");
        let mut run = Command::new(rankfold::binary());
        run.args(command)
            .arg("--")
            .arg(self.path("mpirun"))
            .args(["-n", "1"])
            .arg(&self.program)
            .env("LD_PRELOAD", &self.failing)
            .env("FAILING_IN", inside)
            .env("FAILING_CALL", call)
            .env("FAILING_AT", at.to_string())
            .env("FAILING_WITH", error.to_string())
            .env("FAILING_MARK", &mark);
        let finished = self.in_place(&mut run)?;
        Ok((finished, fs::remove_file(&mark).is_ok()))
    }

    /// `rankfold ARGS` without trouble.
    fn afterwards(&self, args: &[&str]) -> Result<Finished> {
        self.in_place(Command::new(rankfold::binary()).args(args))?
            .success()
    }
}

/// Most calls of one function that a process may make. There are some dozens.
const MOST: u32 = 500;

/// Makes the first call fail with every error, then the second one, until there is no such call.
fn fail(command: &[&str], inside: &str, call: &str) -> Result<()> {
    let bed = Bed::new()?;
    for at in 1..MOST {
        let mut any = false;
        for error in ERRORS {
            let (run, failed) = bed.run(command, (inside, call), at, error)?;
            ensure!(
                run.status == 7 && run.stdout == "steady\n",
                "{call} number {at} with error {error}: status {}, {:?}\n{}",
                run.status,
                run.stdout,
                run.stderr
            );
            any |= failed;
        }
        if !any {
            return Ok(());
        }
    }
    anyhow::bail!("{call} is called without end")
}

/// Lets no file grow beyond 0, 512 or 4096 bytes, in rankfold and in all that it starts.
fn limit(command: &[&str]) -> Result<()> {
    let bed = Bed::new()?;
    for blocks in [0, 1, 8] {
        let mut run = Command::new("sh");
        run.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"])
            .arg(rankfold::binary())
            .args(command)
            .arg("--")
            .arg(bed.path("mpirun"))
            .args(["-n", "1"])
            .arg(&bed.program);
        let run = bed.in_place(&mut run)?;
        ensure!(
            run.status == 7 && run.stdout == "steady\n",
            "{blocks} blocks: status {}, {:?}\n{}",
            run.status,
            run.stdout,
            run.stderr
        );
    }
    Ok(())
}

/// Kills the process at the first call, then at the second one, until there is no such call.
fn kill(command: &[&str], inside: &str, call: &str) -> Result<()> {
    let bed = Bed::new()?;
    for at in 1..MOST {
        let (_, killed) = bed.run(command, (inside, call), at, 0)?;
        let listed = bed.afterwards(&["recover"])?.stdout;
        for line in listed.lines().filter(|line| !line.starts_with(' ')) {
            let run = line.split(' ').next().unwrap_or_default();
            // A run may have left nothing that makes a profile, which is said.
            let recovered = bed.in_place(
                Command::new(rankfold::binary()).args(["recover", run, "-o", "late.rfp"]),
            )?;
            ensure!([0, 2].contains(&recovered.status), "{}", recovered.stderr);
        }
        bed.afterwards(&["clean", "--yes"])?;
        let left = ["work", "journals"].map(|name| hidden(&bed.path(name)));
        ensure!(
            left.iter().all(Vec::is_empty),
            "{call} number {at}: {left:?} are left"
        );
        if !killed {
            return Ok(());
        }
    }
    anyhow::bail!("{call} is called without end")
}

/// The names in a directory that are those of rankfold's own files.
fn hidden(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains("rankfold")).collect()
}
