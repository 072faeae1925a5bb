//! Runs programs of the system and reads their output.

use anyhow::{Context, bail};
use std::io::{ErrorKind, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The standard output of a program; `None` where there is no such program.
///
/// # Errors
/// The program fails, or takes longer than `patience`, in which case it is ended.
pub fn output(
    program: &str,
    arguments: &[&str],
    patience: Duration,
) -> anyhow::Result<Option<String>> {
    let Some((status, text)) = ended(program, arguments, patience)? else {
        return Ok(None);
    };
    if !status.success() {
        bail!("{program} failed ({status})");
    }
    Ok(Some(text))
}

/// How a program ended, and its standard output; `None` where there is no such program.
///
/// # Errors
/// The program cannot be started, or takes longer than `patience`, in which case it is ended.
pub(crate) fn ended(
    program: &str,
    arguments: &[&str],
    patience: Duration,
) -> anyhow::Result<Option<(ExitStatus, String)>> {
    let started = Command::new(program)
        .args(arguments)
        .env_remove("LD_PRELOAD")
        // It would cut the lines of `scontrol show topology`.
        .env_remove("SLURM_TOPO_LEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match started {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        started => started.with_context(|| format!("cannot start {program}"))?,
    };
    let mut stdout = child.stdout.take().context("no standard output")?;
    let (sender, received) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    let Ok(read) = received.recv_timeout(patience) else {
        let _ = child.kill();
        let _ = child.wait();
        bail!("{program} did not answer within {} s", patience.as_secs());
    };
    let status = child
        .wait()
        .with_context(|| format!("waiting for {program}"))?;
    let text = String::from_utf8_lossy(&read?).into_owned();
    Ok(Some((status, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_not_waited_for_for_ever() {
        let second = Duration::from_secs(5);
        assert_eq!(output("no-such-program", &[], second).unwrap(), None);
        assert_eq!(output("echo", &["x"], second).unwrap().unwrap(), "x\n");
        assert!(output("false", &[], second).is_err());
        let error = output("sleep", &["60"], Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("did not answer"), "{error}");
    }
}
