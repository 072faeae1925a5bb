//! The files, sockets and programs that the preload libraries and NCCL's plugin touch: SECURITY.md
//! lists them, and nothing else is touched.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::program::Compiler;
use rankfold_tests::{process, program, rankfold};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

const RANKS: u32 = 3;

/// The system calls that open, make, rename or remove a file, use a socket, or execute a program.
const CALLS: &str = "trace=open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,unlink,unlinkat,rmdir,\
    rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,bind,connect,execve,execveat";

const SECURITY: &str = include_str!("../../SECURITY.md");

pub(crate) fn facts() -> Vec<Fact> {
    let traced = [Mpi::OpenMpi, Mpi::Mpich].into_iter().flat_map(|mpi| {
        let of_library = move |name: &str, check: fn(Mpi) -> Result<()>| {
            fact(
                format!(
                    "touched::{name}_touches_what_is_listed_under_{}",
                    mpi.name()
                ),
                &[Need::Mpi(mpi), Need::Tool("strace")],
                move || check(mpi),
            )
        };
        [
            of_library("the_profiler", profiler),
            of_library("the_library_that_renumbers", world),
        ]
    });
    let open = Mpi::KINDS.into_iter().map(|mpi| {
        fact(
            format!(
                "touched::neither_library_keeps_a_file_open_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || no_file_stays_open(mpi),
        )
    });
    let nccl = fact(
        "touched::the_library_that_nccl_loads_touches_what_is_listed",
        &[Need::Tool("strace")],
        nccl,
    );
    traced.chain(open).chain([nccl]).collect()
}

/// Environment variables.
type Variables = Vec<(&'static str, OsString)>;

/// The variables that make ranks count, with the profile `run.rfp` in `scratch`.
fn counting(scratch: &Path) -> Variables {
    vec![
        ("LD_PRELOAD", rankfold::library().into()),
        ("RANKFOLD_PROFILE", scratch.join("run.rfp").into()),
        ("RANKFOLD_RUN", rankfold::run_name().into()),
    ]
}

/// The variables that renumber ranks at random, with the record `seats` in `scratch`.
fn renumbering(scratch: &Path) -> Result<Variables> {
    let plan = scratch.join("plan");
    fs::write(&plan, "rankfold-plan 1 0\nshuffle 1\n")?;
    let library = rankfold::library().with_file_name("librankfold_world.so");
    Ok(vec![
        ("LD_PRELOAD", library.into()),
        ("RANKFOLD_WORLD", plan.into()),
        ("RANKFOLD_SEATS", scratch.join("seats").into()),
        ("RANKFOLD_RUN", rankfold::run_name().into()),
    ])
}

/// A launch of `program` with these variables.
fn launch(mpi: Mpi, program: &Path, args: &[&str], variables: Variables) -> Command {
    let words = mpi.launch(RANKS, program, args);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(variables);
    mpi::environment(&mut command);
    command
}

fn profiler(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let touched = touched_by(mpi, scratch.path(), counting(scratch.path()))?;
    let profile = scratch.path().join("run.rfp");
    ensure!(profile.exists(), "the run was not profiled");
    let is_journal = |path: &str| path.starts_with("/dev/shm/rankfold-");
    ensure!(
        touched.values().any(|touch| is_journal(&touch.path)),
        "no journal: {touched:?}"
    );
    must_be_listed(&touched, scratch.path(), is_journal)
}

fn world(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let touched = touched_by(mpi, scratch.path(), renumbering(scratch.path())?)?;
    let seats = scratch.path().join("seats");
    ensure!(seats.exists(), "the ranks were not renumbered");
    // The symbols of the program are read.
    let program = program::compile(mpi, "survive")?.display().to_string();
    must_be_listed(&touched, scratch.path(), |path| path == program)
}

/// A program that stands in for NCCL loads the plugin and replays a few events.
fn nccl() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let compiler = Compiler::plain("cc").with("-pthread").with("-ldl");
    let replay = program::build(&compiler, "nccl_replay.c", "plain")?;
    let (events, journals) = (
        scratch.path().join("events"),
        scratch.path().join("journals"),
    );
    fs::write(
        &events,
        "init 0 77 1 2 0\ncall 0 AllReduce 100 ncclFloat32 0\nend 0\n",
    )?;
    fs::create_dir(&journals)?;
    let mut command = Command::new(&replay);
    let plugin = rankfold::library().with_file_name("librankfold_nccl.so");
    command.arg(plugin).arg("5").arg(&events);
    command.env("RANKFOLD_JOURNALS", &journals);
    let touched = traced(&command, scratch.path())?;
    let mut paths = touched.values().map(|touch| Path::new(&touch.path));
    ensure!(
        paths.any(|path| path.starts_with(&journals)),
        "no journal: {touched:?}"
    );
    let itself = replay.display().to_string();
    must_be_listed(&touched, scratch.path(), |path| path == itself)
}

/// A program that closes descriptors which are not its own, and opens files in their place, finds
/// none of the libraries'.
fn no_file_stays_open(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let program = program::compile(mpi, "open_files")?;
    let open = |variables| -> Result<BTreeSet<String>> {
        let run = process::run(&mut launch(mpi, &program, &[], variables), "")?.success()?;
        Ok(run.stdout.lines().map(without_numbers).collect())
    };
    let bare = open(Variables::new())?;
    for (variables, result) in [
        (counting(scratch.path()), "run.rfp"),
        (renumbering(scratch.path())?, "seats"),
    ] {
        let more: Vec<String> = open(variables)?.difference(&bare).cloned().collect();
        ensure!(more.is_empty(), "open with {result}: {more:?}");
        ensure!(scratch.path().join(result).exists(), "no {result}");
    }
    Ok(())
}

/// One use of a file, a socket or a program.
#[derive(Debug)]
struct Touch {
    call: String,
    path: String,
}

/// What a launch with these variables touches and the same launch without them does not, by the
/// call and the path without what differs from run to run.
fn touched_by(mpi: Mpi, scratch: &Path, variables: Variables) -> Result<BTreeMap<String, Touch>> {
    let program = program::compile(mpi, "survive")?;
    let touches = |variables| traced(&launch(mpi, &program, &["none"], variables), scratch);
    let bare = touches(Variables::new())?;
    let mut touched = touches(variables)?;
    touched.retain(|key, _| !bare.contains_key(key));
    Ok(touched)
}

/// Runs a command, and returns what it and its children touch.
fn traced(command: &Command, scratch: &Path) -> Result<BTreeMap<String, Touch>> {
    let trace = scratch.join("trace");
    let mut tracer = Command::new("strace");
    tracer.args(["-f", "-qq", "-e", CALLS, "-o"]).arg(&trace);
    for (name, value) in command.get_envs() {
        let value = value.unwrap_or_default();
        if name == "LD_PRELOAD" {
            // The tracer itself is started without the library.
            tracer.arg(format!("-ELD_PRELOAD={}", value.display()));
        } else {
            tracer.env(name, value);
        }
    }
    tracer.arg(command.get_program()).args(command.get_args());
    process::run(&mut tracer, "")?.success()?;
    let text = fs::read_to_string(&trace).context("strace has written nothing")?;
    let touches = text.lines().filter_map(touch);
    let with_key = touches.map(|touch| {
        let key = format!("{} {}", touch.call, without_numbers(&touch.path));
        (key, touch)
    });
    Ok(with_key.collect())
}

/// What a line of the trace tells: the process, the call and its arguments. The path is the last
/// quoted argument.
fn touch(line: &str) -> Option<Touch> {
    let (_, line) = line.split_once(' ')?;
    let (call, arguments) = line.trim_start().split_once('(')?;
    let path = match call {
        // The arguments of a program and its path: the path comes first.
        "execve" => arguments.split('"').nth(1),
        _ => arguments.rsplit('"').nth(1),
    };
    Some(Touch {
        call: call.to_owned(),
        path: path?.to_owned(),
    })
}

/// A path without numbers and random letters, which differ from run to run.
fn without_numbers(path: &str) -> String {
    let word = |word: &str| {
        let is_hexadecimal =
            word.len() > 5 && word.chars().all(|letter| letter.is_ascii_hexdigit());
        let is_random = is_hexadecimal || word.len() > 3 && word.starts_with("tmp");
        if is_random || word.contains(|letter: char| letter.is_ascii_digit()) {
            "#".to_owned()
        } else {
            word.to_owned()
        }
    };
    let words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.map(word).collect::<Vec<_>>().join("/")
}

/// Fails unless everything is a file that SECURITY.md says is read, a shared library that the
/// system loads, a file in the directory of the launch, the socket for warnings, or `also` allowed.
fn must_be_listed(
    touched: &BTreeMap<String, Touch>,
    scratch: &Path,
    also: impl Fn(&str) -> bool,
) -> Result<()> {
    let read: Vec<&str> = SECURITY
        .lines()
        .skip_while(|line| !line.starts_with("| files read |"))
        .take_while(|line| !line.starts_with("| files written |"))
        .flat_map(|line| line.split('`'))
        .filter(|word| word.starts_with('/'))
        .collect();
    ensure!(!read.is_empty(), "SECURITY.md lists no file that is read");
    // The only process of which something is read besides this one is its parent.
    let word = |word: &str| match word.parse::<u32>() {
        Ok(_) => "PARENT".to_owned(),
        Err(_) => word.to_owned(),
    };
    for touch in touched.values() {
        let words = touch.path.split('/').map(word);
        let path = words.collect::<Vec<_>>().join("/");
        let is_read = touch.call.starts_with("open")
            && (read
                .iter()
                .any(|listed| Path::new(&path).starts_with(listed))
                || path.contains(".so"));
        let is_socket = touch.call == "bind" && path.starts_with("rankfold-");
        let is_of_launch = Path::new(&path).starts_with(scratch) && touch.call != "execve";
        ensure!(
            is_read || is_socket || is_of_launch || also(&path),
            "SECURITY.md does not list {touch:?}"
        );
    }
    Ok(())
}
