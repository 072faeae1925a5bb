//! Launches in which rankfold has nothing to do, or can do nothing. Trouble of ours keeps no
//! program from running, and changes no exit status.

use crate::job;
use rankfold_console::{outln, terminal};
use rankfold_launch::config::Origin;
use rankfold_launch::error::{LaunchError, is_in_words};
use rankfold_launch::launch::{self, quoted};
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::process::CommandExt;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;

/// Launches while rankfold is switched off. `origin` is where it is switched off.
pub(super) fn switched_off(words: &[OsString], origin: &Origin, dry: bool) -> anyhow::Result<u8> {
    let why = format_args!("switched off by {origin}: the launch runs as it is");
    launch(words, why, dry)
}

/// Whether a launch that was not understood, for the reason `error`, starts no program: it asks a
/// launcher for its version or its help, or names the launcher alone.
pub(super) fn starts_nothing(words: &[OsString], error: &LaunchError) -> bool {
    let launcher = &words[launch::before(words)..];
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    match error {
        LaunchError::NoProgram { .. } => true,
        // What is no launcher may be the program.
        LaunchError::UnknownLauncher { .. }
        | LaunchError::NoSuchCommand { .. }
        | LaunchError::Quoted { .. } => false,
        _ => launcher.iter().skip(1).all(is_option),
    }
}

/// Does `work`, which launches `words`. If it fails before anything was launched, and not by
/// mistakes in the user's words, the launch runs as it is, after a line that says so. If it fails
/// later, the exit status is that of the launch. `loss` says what the user does not get.
pub(super) fn in_any_case(
    words: &[OsString],
    loss: &str,
    work: impl FnOnce() -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    let done = panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(anyhow::anyhow!("internal error of rankfold")));
    let error = match done {
        Ok(status) => return Ok(status),
        Err(error) => error,
    };
    match job::last_status() {
        Some(status) => {
            terminal::warning(format_args!("{error:#}"));
            Ok(status)
        }
        None if is_in_words(&error) => Err(error),
        None => {
            terminal::warning(format_args!("{loss}: {error:#}"));
            replace(words)
        }
    }
}

/// Replaces this process by a launch about which there is nothing to say.
pub(super) fn as_given(words: &[OsString], dry: bool) -> anyhow::Result<u8> {
    if dry {
        outln!("{}", quoted(words));
        return Ok(0);
    }
    replace(words)
}

/// Replaces this process by the launch as the user gives it, after a line that says why. So the
/// launch costs no more than the time until then. With `dry`, the command is printed and not run.
pub(super) fn launch(words: &[OsString], why: impl Display, dry: bool) -> anyhow::Result<u8> {
    terminal::note(why);
    as_given(words, dry)
}

fn replace(words: &[OsString]) -> anyhow::Result<u8> {
    let source = Command::new(&words[0]).args(&words[1..]).exec();
    let program = words[0].to_string_lossy().into_owned();
    Err(LaunchError::NotStarted { program, source }.into())
}
