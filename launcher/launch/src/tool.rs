//! Runs programs of the system and reads their output.

use anyhow::{Context, bail};
use std::io::{self, ErrorKind, Read};
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
    match ended(program, arguments, patience) {
        Ok((status, _)) if !status.success() => bail!("{program} failed ({status})"),
        Ok((_, text)) => Ok(Some(text)),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => Ok(None),
            ErrorKind::TimedOut => bail!("{program} {error}"),
            _ => Err(error).with_context(|| format!("cannot start {program}")),
        },
    }
}

/// How a program ended, and its standard output.
///
/// # Errors
/// The program cannot be started; or it takes longer than `patience`, in which case it is ended.
pub(crate) fn ended(
    program: &str,
    arguments: &[&str],
    patience: Duration,
) -> io::Result<(ExitStatus, String)> {
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove("LD_PRELOAD")
        // It would cut the lines of `scontrol show topology`.
        .env_remove("SLURM_TOPO_LEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().expect("it is piped");
    let (sender, received) = mpsc::channel();
    let reader = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    let problem = format!("did not answer within {} s", patience.as_secs());
    let late = |_| io::Error::new(ErrorKind::TimedOut, problem);
    let read = match reader.and_then(|_| received.recv_timeout(patience).map_err(late)) {
        Ok(read) => read,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
    };
    let status = child.wait()?;
    Ok((status, String::from_utf8_lossy(&read?).into_owned()))
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
