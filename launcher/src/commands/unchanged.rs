//! Launches in which rankfold has nothing to do.

use crate::config::Origin;
use crate::error::LaunchError;
use crate::launch::quoted;
use rankfold_console::terminal;
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Launches while rankfold is switched off. `origin` is where it is switched off.
pub(super) fn switched_off(words: &[OsString], origin: &Origin, dry: bool) -> anyhow::Result<u8> {
    let why = format_args!("switched off by {origin}: the launch runs as it is");
    launch(words, why, dry)
}

/// Replaces this process by the launch as the user gives it, after a line that says why. So the
/// launch costs no more than the time until then. With `dry`, the command is printed and not run.
pub(super) fn launch(words: &[OsString], why: impl Display, dry: bool) -> anyhow::Result<u8> {
    terminal::note(why);
    if dry {
        println!("{}", quoted(words));
        return Ok(0);
    }
    let source = Command::new(&words[0]).args(&words[1..]).exec();
    let program = words[0].to_string_lossy().into_owned();
    Err(LaunchError::NotStarted { program, source }.into())
}
