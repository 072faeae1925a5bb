//! Functions for the launchers of all versions of Open MPI.

use crate::error::LaunchError;
use crate::launch::{App, Exports, GivenOption, Options, Role};
use std::ffi::OsString;
use std::fmt::Write;

/// Adds `-x NAME=VALUE` for every variable to every program, and removes the user's own settings of
/// the same variables. `inherited` says whether all programs also get the variables of the first
/// program.
pub(super) fn export(apps: &mut [App], exports: &Exports, inherited: bool) {
    let first = preloaded(&apps[0].options).filter(|_| inherited);
    for app in apps {
        let theirs = preloaded(&app.options).or_else(|| first.clone());
        let variables = exports.beside(theirs.as_deref());
        forget(&mut app.options, &variables);
        app.inserted
            .extend(variables.into_iter().flat_map(|(name, value)| {
                let mut assignment = OsString::from(name);
                assignment.push("=");
                assignment.push(value);
                ["-x".into(), assignment]
            }));
    }
}

/// The options `options`, and the option for one process a node.
pub(super) fn one_a_host(options: &[&GivenOption]) -> Vec<OsString> {
    let given = options.iter().flat_map(|given| given.words.iter().cloned());
    given
        .chain(["--map-by".into(), "ppr:1:node".into()])
        .collect()
}

/// Removes the user's own settings of `variables`.
pub(super) fn forget(options: &mut Options, variables: &[(&str, OsString)]) {
    options.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
}

/// The value in `-x LD_PRELOAD=VALUE`.
fn preloaded(options: &Options) -> Option<String> {
    let given = options.last(|given| exports(given, "LD_PRELOAD"))?;
    let (_, value) = given.words.get(1)?.to_str()?.split_once('=')?;
    Some(value.to_owned())
}

/// The text of a host file in which every host has as many slots as it gets ranks.
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

/// The hosts of every program's ranks: `hosts`, with one host a rank, cut into one part a program.
///
/// # Errors
/// One of several programs has no number of ranks.
pub(super) fn shares<'a>(
    apps: &[App],
    hosts: &'a [String],
) -> Result<Vec<&'a [String]>, LaunchError> {
    if apps.len() == 1 {
        return Ok(vec![hosts]);
    }
    let mut rest = hosts;
    let mut shares = Vec::new();
    for app in apps {
        let Some((ranks, _)) = app.ranks()? else {
            return Err(LaunchError::Option {
                option: "-n".into(),
                problem: format!(
                    "to place several programs, say how many ranks {} has",
                    app.program[0].display()
                ),
            });
        };
        let (share, after) = rest.split_at(ranks.min(rest.len()));
        rest = after;
        shares.push(share);
    }
    Ok(shares)
}

/// Whether the option is `-x NAME` or `-x NAME=VALUE`.
fn exports(given: &GivenOption, name: &str) -> bool {
    let word = given.words.get(1).and_then(|word| word.to_str());
    given.role == Role::Export
        && word
            .and_then(|word| word.strip_prefix(name))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
