//! What all launchers built on Hydra have in common.

use super::Placing;
use crate::launch::{Given, Launch, Role};
use crate::placement::Plan;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// `-genv NAME VALUE` for every variable, instead of the user's own.
pub(super) fn export(launch: &mut Launch, variables: &[(&str, OsString)]) -> Vec<OsString> {
    launch.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
    variables
        .iter()
        .flat_map(|(name, value)| ["-genv".into(), name.into(), value.clone()])
        .collect()
}

/// What `-genv LD_PRELOAD VALUE` says.
pub(super) fn preloaded(launch: &Launch) -> Option<String> {
    let given = launch
        .options
        .iter()
        .rfind(|given| exports(given, "LD_PRELOAD"))?;
    given.value(1)
}

/// A machine file that gives consecutive ranks of one host in one line.
pub(super) fn place(launch: &mut Launch, plan: &Plan, file: &Path) -> Placing {
    let replaced = launch.take(|given| matches!(given.role, Role::Mapping | Role::Hosts));
    let mut text = String::new();
    for run in plan.hosts.chunk_by(|a, b| a == b) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}:{}", run[0], run.len());
    }
    Placing {
        words: vec!["-f".into(), file.into()],
        files: vec![(file.to_owned(), text)],
        replaced: replaced.iter().map(Given::text).collect(),
    }
}

/// Whether the option is `-genv NAME VALUE` or `-env NAME VALUE`.
fn exports(given: &Given, name: &str) -> bool {
    given.role == Role::Export && given.value(0).as_deref() == Some(name)
}
