//! What the launchers of all versions of Open MPI have in common.

use crate::launch::{Given, Options, Role};
use std::ffi::OsString;
use std::fmt::Write;

/// `-x NAME=VALUE` for every variable; the user's own settings of them are taken out of `options`.
pub(super) fn export(options: &mut Options, variables: &[(&str, OsString)]) -> Vec<OsString> {
    options.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
    variables
        .iter()
        .flat_map(|(name, value)| {
            let mut assignment = OsString::from(name);
            assignment.push("=");
            assignment.push(value);
            ["-x".into(), assignment]
        })
        .collect()
}

/// The value in `-x LD_PRELOAD=VALUE`.
pub(super) fn preloaded(options: &Options) -> Option<String> {
    let given = options.last(|given| exports(given, "LD_PRELOAD"))?;
    let (_, value) = given.words.get(1)?.to_str()?.split_once('=')?;
    Some(value.to_owned())
}

/// A host file that gives every host as many slots as it gets ranks.
pub(super) fn slots(hosts: &[String]) -> String {
    let mut sorted: Vec<&String> = hosts.iter().collect();
    sorted.sort_unstable();
    let mut text = String::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} slots={}", run[0], run.len());
    }
    text
}

/// Whether the option is `-x NAME` or `-x NAME=VALUE`.
fn exports(given: &Given, name: &str) -> bool {
    let word = given.words.get(1).and_then(|word| word.to_str());
    given.role == Role::Export
        && word
            .and_then(|word| word.strip_prefix(name))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
