//! Collects and removes the files that a run has left on its hosts. The job's own launcher starts
//! one process on every host for that.

mod frames;

use crate::traces::{self, Traces, host, is_trace};
use anyhow::Context;
use frames::{Arrived, Sender};
use rankfold_console::{output, terminal};
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::{Launch, host_lists, quoted};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The hidden command that runs on every host. Other versions of rankfold type it too.
pub(crate) const COMMAND: &str = "host-task";

/// What the process on every host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostTask {
    /// Sends the files of the run.
    Fetch,
    /// Removes the files of the run.
    Remove,
}

/// Longest silence of a launcher that starts one process on every host. Chosen by hand; not
/// measured.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most attempts to fetch files. Launchers cut and mix what processes print, so parts of the files
/// may be lost in one attempt. Chosen by hand; not measured.
const ATTEMPTS: u32 = 5;

/// Whether ranks of `launch` may run on other hosts than this one.
pub(crate) fn leaves_this_host(launch: &Launch) -> bool {
    launch.names_hosts() || launch.launcher.chooses_hosts() || host_lists::are_in_environment()
}

/// The result of a task on all hosts.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The hosts that have completed the task.
    pub(crate) hosts: Vec<String>,
    /// Why other hosts may be missing.
    pub(crate) trouble: Option<String>,
}

/// Copies the files of the run from the hosts of `launch` into `directory`.
///
/// # Errors
/// The directory cannot be written to.
pub(crate) fn fetch(
    launch: &Launch,
    traces: &Traces,
    at: &Path,
    directory: &Path,
) -> anyhow::Result<Outcome> {
    let (mut arrived, mut trouble) = (Arrived::default(), None);
    for _ in 0..ATTEMPTS {
        let (text, problem) = run(launch, traces, HostTask::Fetch, at, directory)?;
        arrived.add(&text);
        trouble = problem;
        if trouble.is_some() || !arrived.is_short() {
            break;
        }
    }
    for (name, bytes) in arrived.files() {
        if is_welcome(name) {
            fs::write(directory.join(name), bytes).context("keeping what other hosts sent")?;
        }
    }
    let short = arrived
        .is_short()
        .then(|| "a part of it was lost on the way".to_owned());
    Ok(Outcome {
        hosts: arrived.hosts().into_iter().map(str::to_owned).collect(),
        trouble: trouble.or(short),
    })
}

/// Whether a file that arrives under this name may be written: it stays in its directory.
fn is_welcome(name: &str) -> bool {
    is_trace(name) && !name.contains('/')
}

/// Removes the files of the run on the hosts of `launch`; returns whether all are removed. If not,
/// the user is told how to remove them.
///
/// # Errors
/// `scratch` cannot be written to.
pub(crate) fn sweep(
    launch: &Launch,
    traces: &Traces,
    at: &Path,
    scratch: &Path,
) -> anyhow::Result<bool> {
    let trouble = remove(launch, traces, at, scratch)?.trouble;
    if let Some(trouble) = &trouble {
        let run = &traces.run;
        terminal::warning(format_args!(
            "what the run has left on its hosts is still there: {trouble}; rankfold clean {run} removes it"
        ));
    }
    Ok(trouble.is_none())
}

/// Removes the files of the run on the hosts of `launch`.
///
/// # Errors
/// `scratch` cannot be written to.
pub(crate) fn remove(
    launch: &Launch,
    traces: &Traces,
    at: &Path,
    scratch: &Path,
) -> anyhow::Result<Outcome> {
    let (text, trouble) = run(launch, traces, HostTask::Remove, at, scratch)?;
    let mut arrived = Arrived::default();
    arrived.add(&text);
    Ok(Outcome {
        hosts: arrived.hosts().into_iter().map(str::to_owned).collect(),
        trouble,
    })
}

/// Performs a task on this host.
///
/// # Errors
/// Standard output is closed.
pub(crate) fn perform(task: HostTask, traces: &Traces) -> io::Result<()> {
    let mut sender = Sender::new(io::stdout(), identity());
    match task {
        HostTask::Fetch => {
            for path in traces.files().unwrap_or_default() {
                let name = path.file_name().and_then(|name| name.to_str());
                if let (Some(name), Ok(bytes)) = (name, traces::contents(&path)) {
                    sender.file(name, &bytes)?;
                }
            }
        }
        HostTask::Remove => {
            traces.sweep();
        }
    }
    sender.end(&host())
}

/// A number for this host and its file systems, the same at every attempt. Containers on one host
/// get different numbers, since they have file systems of their own.
fn identity() -> u64 {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let files = fs::read_link("/proc/self/ns/mnt").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (host(), boot, files).hash(&mut hasher);
    hasher.finish()
}

/// Starts a task on all hosts, in the directory `at` in which the user gave the launch. Returns
/// what the processes have printed, and what went wrong.
fn run(
    launch: &Launch,
    traces: &Traces,
    task: HostTask,
    at: &Path,
    scratch: &Path,
) -> anyhow::Result<(Vec<u8>, Option<String>)> {
    let (mut words, file) = launch.one_a_host(&scratch.join("host-task-hosts"));
    if let Some((path, text)) = file {
        output::write(&path, text.as_bytes())?;
    }
    let program = std::env::current_exe().context("the path of this program")?;
    let program = installed(program);
    let kind = clap::ValueEnum::to_possible_value(&task).map(|value| value.get_name().to_owned());
    words.extend([
        program.into(),
        COMMAND.into(),
        kind.unwrap_or_default().into(),
    ]);
    words.extend([OsString::from(&traces.run), traces.journals.clone().into()]);
    let mut said = tempfile::tempfile_in(scratch).context("the launcher's messages")?;
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(at)
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // The user has seen what the launcher says of every launch.
        .stderr(said.try_clone().context("the launcher's messages")?)
        // A signal to the process group of the job must not end this collection.
        .process_group(0)
        .spawn()
        .map_err(|source| LaunchError::NotStarted {
            program: words[0].to_string_lossy().into_owned(),
            source,
        })?;
    let (text, ended) = listen(&mut child);
    let trouble = match (ended, child.wait()) {
        (false, _) => Some(format!(
            "{} did not end within {} s",
            quoted(&words),
            PATIENCE.as_secs()
        )),
        (true, Ok(status)) if status.success() => None,
        (true, _) => Some(failure(&words[0], &mut said)),
    };
    Ok((text, trouble))
}

/// That a launcher has failed, with the first line of what it has `said`.
fn failure(launcher: &OsStr, said: &mut File) -> String {
    let mut text = Vec::new();
    let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let has_words = |line: &&str| line.contains(char::is_alphabetic);
    let first = text.lines().find(has_words).unwrap_or("it says nothing");
    format!("{} failed: {}", launcher.to_string_lossy(), first.trim())
}

/// The path of this program's file. If the file was replaced since the start, as by an update, the
/// system adds "(deleted)" to the path.
fn installed(running: PathBuf) -> PathBuf {
    let path = running.as_os_str().as_bytes();
    match path.strip_suffix(b" (deleted)") {
        Some(path) => PathBuf::from(OsStr::from_bytes(path)),
        None => running,
    }
}

/// Everything that the child prints, and whether it has closed its standard output in time. The
/// child is killed if it has not.
fn listen(child: &mut Child) -> (Vec<u8>, bool) {
    let Some(mut stdout) = child.stdout.take() else {
        return (Vec::new(), true);
    };
    let (sender, received) = mpsc::channel();
    // Without a thread the child has printed nothing.
    let _ = thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        while let Ok(length @ 1..) = stdout.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut text = Vec::new();
    // The time begins anew with everything that the launcher prints.
    loop {
        match received.recv_timeout(PATIENCE) {
            Ok(chunk) => text.extend(chunk),
            Err(mpsc::RecvTimeoutError::Disconnected) => return (text, true),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                end(child);
                return (text, false);
            }
        }
    }
}

/// Ends a launcher, which gets a moment to end the processes that it has started.
fn end(child: &mut Child) {
    /// Chosen by hand; not measured.
    const MOMENT: Duration = Duration::from_secs(2);
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    thread::sleep(MOMENT);
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_launch::launchers::LAUNCHERS;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn no_file_that_arrives_leaves_its_directory() {
        assert!(is_welcome("rankfold-1-a-n0-0-7.rfj"));
        for name in [
            "rankfold-/../../x.rfj",
            "../rankfold-1-a.rfj",
            "/etc/passwd",
            "x.rfj",
        ] {
            assert!(!is_welcome(name), "{name}");
        }
    }

    #[test]
    fn a_program_replaced_during_the_run_is_found_by_its_path() {
        for running in ["/opt/rankfold", "/opt/rankfold (deleted)"] {
            assert_eq!(installed(running.into()), Path::new("/opt/rankfold"));
        }
    }

    #[test]
    fn a_signal_to_our_process_group_does_not_reach_a_task_on_the_hosts() {
        let directory = tempfile::tempdir().unwrap();
        let launcher = directory.path().join("mpirun");
        fs::write(&launcher, "#!/bin/sh\ncut -d ' ' -f 5 /proc/$$/stat\n").unwrap();
        fs::set_permissions(&launcher, Permissions::from_mode(0o700)).unwrap();
        let words = [launcher.into(), "-n".into(), "1".into(), "app".into()];
        let launch = Launch::parse(LAUNCHERS[0], &[], &words).unwrap();
        let traces = Traces {
            run: "1-a".into(),
            journals: directory.path().to_owned(),
        };
        let at = directory.path();
        let (text, trouble) = run(&launch, &traces, HostTask::Remove, at, at).unwrap();
        assert_eq!(trouble, None);
        let group: i32 = String::from_utf8(text).unwrap().trim().parse().unwrap();
        assert_ne!(group, rustix::process::getpgrp().as_raw_nonzero().get());
    }
}
