//! Messages of ranks, sent as lines of standard output. Launchers may add text before these lines.

use crate::job;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The beginning of a message. A launcher may put the number of the rank before it.
const MARK: &str = "rankfold-tells ";

/// Sends a message. Nothing happens if the receiver has ended: the launcher then ends this process,
/// too.
pub(crate) fn tell(what: &impl Serialize) {
    if let Ok(text) = serde_json::to_string(what) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{MARK}{text}").and_then(|()| out.flush());
    }
}

/// The message in a line, if there is one.
fn parsed<T: DeserializeOwned>(line: &str) -> Option<T> {
    let (_, text) = line.split_once(MARK)?;
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .next()?
        .ok()
}

/// How the launch ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status of the launch.
    pub(crate) status: u8,
    /// Whether the launch was ended because its time was over.
    pub(crate) late: bool,
    /// Whether a signal has asked for the end.
    pub(crate) interrupted: bool,
}

/// What the user sees of a launch beside its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// All other lines, on standard error.
    WithOthers,
    /// Nothing.
    Alone,
}

/// Runs the launch `words` for at most `limit`, and calls `heard` with every message.
///
/// # Errors
/// The launch cannot be started.
pub(crate) fn hear<T: DeserializeOwned>(
    words: &[OsString],
    limit: Duration,
    others: Heard,
    heard: impl FnMut(T) + Send,
) -> anyhow::Result<Ended> {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if others == Heard::Alone {
        command.stderr(Stdio::null());
    }
    let (sender, lines) = mpsc::channel();
    let mut listener = Listener {
        lines,
        launcher: None,
        limit,
        start: Instant::now(),
        late: None,
        interrupted: false,
        heard: told_to(heard, others),
    };
    let status = job::run_with(
        &mut command,
        job::Ranks::Own,
        |child| listen(child, sender),
        |ending| {
            listener.look(ending);
            false
        },
        |_, _| (),
    )?;
    listener.rest();
    Ok(Ended {
        status,
        late: listener.late.is_some(),
        interrupted: listener.interrupted,
    })
}

/// A function that passes messages on to `heard`.
fn told_to<T: DeserializeOwned>(
    mut heard: impl FnMut(T) + Send,
    others: Heard,
) -> impl FnMut(&str) + Send {
    move |line| match parsed(line) {
        Some(what) => heard(what),
        None if others == Heard::WithOthers => eprintln!("{line}"),
        None => {}
    }
}

/// What the thread that reads the launcher's output sends.
enum Line {
    /// The launcher's process id, sent first.
    Process(Pid),
    /// A line of its output.
    Text(String),
}

/// Receives the launcher's lines, and ends the launcher when its time is over.
struct Listener<F> {
    lines: Receiver<Line>,
    launcher: Option<Pid>,
    limit: Duration,
    start: Instant,
    /// When the time was over.
    late: Option<Instant>,
    interrupted: bool,
    heard: F,
}

impl<F: FnMut(&str)> Listener<F> {
    /// Handles new lines and the limit of time. To be called again and again while the launcher
    /// runs; `ending` says whether a signal has asked for the end.
    fn look(&mut self, ending: bool) {
        while let Ok(line) = self.lines.try_recv() {
            self.take(line);
        }
        self.interrupted |= ending;
        if self.start.elapsed() > self.limit {
            let since = *self.late.get_or_insert_with(Instant::now);
            if let Some(launcher) = self.launcher {
                end(launcher, since);
            }
        }
    }

    /// Handles the last lines. Processes that the launcher has left behind may hold its standard
    /// output open, so this ends after a silence.
    fn rest(&mut self) {
        /// Chosen by hand; not measured.
        const PATIENCE: Duration = Duration::from_secs(1);
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.take(line);
        }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Process(launcher) => self.launcher = Some(launcher),
            Line::Text(line) => (self.heard)(&line),
        }
    }
}

/// Starts the thread that sends every line of the process.
fn listen(child: &mut Child, lines: mpsc::Sender<Line>) {
    // The receiver exists until the launcher has ended, so this does not fail.
    let _ = lines.send(Line::Process(Pid::from_child(child)));
    let Some(stdout) = child.stdout.take() else {
        return;
    };
    // Without a thread the process has said nothing.
    let _ = thread::Builder::new().spawn(move || {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line).into_owned();
            if lines.send(Line::Text(line)).is_err() {
                break;
            }
        }
    });
}

/// Asks the launcher to end, and kills it a moment later. `since` is when its time was over.
fn end(launcher: Pid, since: Instant) {
    /// Chosen by hand; not measured.
    const MOMENT: Duration = Duration::from_secs(3);
    let signal = if since.elapsed() < MOMENT {
        Signal::TERM
    } else {
        Signal::KILL
    };
    let _ = kill_process(launcher, signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_rank_0_are_found_whatever_stands_before_them() {
        assert_eq!(parsed("rankfold-tells [1,2]"), Some(vec![1, 2]));
        assert_eq!(parsed("[1,0]<stdout>: rankfold-tells [3] "), Some(vec![3]));
        assert_eq!(parsed::<Vec<i32>>("hello"), None);
        assert_eq!(parsed::<Vec<i32>>("rankfold-tells [1,"), None);
    }

    #[test]
    fn what_is_told_is_heard_and_a_launch_that_hangs_is_ended() {
        let shell = |script: &str| ["sh", "-c", script].map(OsString::from);
        let mut heard: Vec<Vec<i32>> = Vec::new();
        let script = "echo 'rankfold-tells [1]'; exec sleep 60";
        let limit = Duration::from_millis(300);
        let ended = hear(&shell(script), limit, Heard::Alone, |what| heard.push(what)).unwrap();
        assert!(ended.late && ended.status != 0, "{ended:?}");
        assert_eq!(heard, [[1]]);
        let ended = hear::<Vec<i32>>(&shell("exit 3"), limit, Heard::Alone, |_| {}).unwrap();
        assert_eq!((ended.status, ended.late), (3, false));
    }
}
