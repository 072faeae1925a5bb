//! Launches while rankfold is switched off.

use crate::config::Origin;
use crate::error::LaunchError;
use crate::launch::quoted;
use rankfold_mapper::cli::terminal;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Replaces this process by the launch as the user gives it. `origin` is where rankfold is switched
/// off. With `dry`, the command is printed and not run.
pub(super) fn launch(words: &[OsString], origin: &Origin, dry: bool) -> anyhow::Result<u8> {
    terminal::note(format_args!(
        "switched off by {origin}: the launch runs as it is"
    ));
    if dry {
        println!("{}", quoted(words));
        return Ok(0);
    }
    let source = Command::new(&words[0]).args(&words[1..]).exec();
    let program = words[0].to_string_lossy().into_owned();
    Err(LaunchError::NotStarted { program, source }.into())
}
