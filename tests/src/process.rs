//! Child processes with a time limit.

use crate::documents;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time after which a process of a test is considered to hang. All launches of the tests are
/// shorter.
const TIME_LIMIT: Duration = Duration::from_secs(240);

/// What the launcher of Open MPI 4 writes when it sees the end of a process before that process has
/// taken leave of it. It happens without any preloaded library, in one or two of a thousand
/// launches of a program of one line (open-mpi/ompi issue 7833), and is mended in Open MPI 5 only.
/// A rank that really ends too early has a process id other than 0.
const LOST_EXIT: &str = "with PID 0 on";

/// What stands before what a long message of rankfold goes on with.
const BROKEN: &str = "\n          ";

/// The result of a child process that has ended by itself.
#[derive(Debug)]
pub struct Finished {
    /// The exit status as a shell shows it: 128 + N after signal N.
    pub status: i32,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error, with every message of rankfold on one line.
    pub stderr: String,
}

impl Finished {
    /// Standard output as one line: a result is wrapped between words.
    #[must_use]
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.stdout.split_whitespace().collect();
        words.join(" ")
    }

    /// Returns this result if the exit status is 0.
    ///
    /// # Errors
    /// It did not; the message holds what it wrote.
    pub fn success(self) -> Result<Self> {
        if self.status != 0 {
            bail!(
                "exit status {}\nstdout: {}\nstderr: {}",
                self.status,
                self.stdout,
                self.stderr
            );
        }
        Ok(self)
    }
}

/// Runs `command` to its end with `input` on its standard input. JSON that rankfold has written is
/// [judged](documents::must_be_valid). A command runs once more if Open MPI 4 has lost the exit of
/// a rank.
///
/// # Errors
/// The command does not start, or is still running when the time limit is over; its process group
/// is killed then. JSON is not as its schema says.
pub fn run(command: &mut Command, input: &str) -> Result<Finished> {
    let first = run_once(command, input)?;
    let finished = if first.status != 0 && first.stderr.contains(LOST_EXIT) {
        run_once(command, input)?
    } else {
        first
    };
    if finished.status == 0 {
        documents::must_be_valid(command, &finished.stdout)?;
    }
    Ok(finished)
}

fn run_once(command: &mut Command, input: &str) -> Result<Finished> {
    let mut child = start(command)?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let input = input.to_owned();
    // A thread writes the input, since a child that never reads may fill the pipe. A child that
    // closes the pipe is no error.
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status = wait(&mut child).with_context(|| format!("{command:?}"))?;
    drop(writer.join());
    Ok(Finished {
        status: as_shell(status),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default().replace(BROKEN, " "),
    })
}

/// Starts `command` in a new process group, with pipes for all three streams.
///
/// # Errors
/// The command does not start.
pub fn start(command: &mut Command) -> Result<Child> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))
}

/// Waits for `child`. At the time limit the whole process group of the child is killed.
///
/// # Errors
/// The time limit, or the system.
pub fn wait(child: &mut Child) -> Result<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < TIME_LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(10));
    }
    end(child)?;
    bail!("still running after {TIME_LIMIT:?}")
}

/// Kills the whole process group of `child`.
///
/// # Errors
/// The system.
pub fn end(child: &mut Child) -> Result<()> {
    kill_process_group(pid(child), Signal::KILL)?;
    child.wait()?;
    Ok(())
}

/// The process id of `child`, as the system calls take it.
#[must_use]
pub fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Whether the tests run as root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The exit status as a shell shows it: 128 + N after signal N.
#[must_use]
pub fn as_shell(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Whether a program of this name can be started.
#[must_use]
pub fn on_path(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
}

fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // Text that arrived before an error is still worth showing.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::{Result, run};
    use std::process::Command;

    /// Ends with status 1 the first time only, and writes `words` then.
    fn fails_once(directory: &std::path::Path, words: &str) -> Command {
        let script = format!("mkdir ran && echo '{words}' >&2 && exit 1; exit 0");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(directory);
        command
    }

    #[test]
    fn only_a_lost_exit_is_run_once_more() -> Result<()> {
        for (words, status) in [
            ("exited due to process rank 0 with PID 0 on node vm", 0),
            ("exited due to process rank 0 with PID 1234 on node vm", 1),
        ] {
            let scratch = tempfile::tempdir()?;
            let finished = run(&mut fails_once(scratch.path(), words), "")?;
            assert_eq!(finished.status, status, "{words}");
        }
        Ok(())
    }
}
