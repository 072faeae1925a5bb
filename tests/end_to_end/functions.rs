//! The exports of `librankfold.so` against the `mpi.h` of every MPI library: a function that is
//! neither wrapped nor listed with a reason in `profiler/unwrapped.txt` fails the test.

use crate::fact::{Fact, under};
use crate::header::{declared, exported};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::rankfold::build_directory;
use std::path::Path;

pub(crate) fn facts() -> Vec<Fact> {
    under(
        &Mpi::ALL,
        ("C", "no function that sends is forgotten"),
        "functions::every_function_that_sends_is_wrapped",
        every_function_is_wrapped_or_listed,
    )
}

fn every_function_is_wrapped_or_listed(mpi: Mpi) -> Result<()> {
    let exported = exported(&build_directory().join("librankfold.so"))?;
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler/unwrapped.txt");
    let text = std::fs::read_to_string(&list)?;
    let listed = patterns(&text)?;
    let mut problems = Vec::new();
    for name in declared(mpi)?.into_iter().map(|function| function.name) {
        let plain = name.strip_suffix("_c").unwrap_or(&name);
        let exact = listed.contains(&plain);
        let problem = match exported.contains(&name) {
            true if exact => "is wrapped, and listed in unwrapped.txt as not wrapped",
            true if !exported.contains(&format!("P{name}")) => "has no wrapper by its name with P",
            false if !listed.iter().any(|pattern| matches(pattern, plain)) => {
                "has no wrapper: wrap it in profiler/src/exports if it sends, \
                 and list it in profiler/unwrapped.txt with the reason if not"
            }
            _ => continue,
        };
        problems.push(format!("{name} {problem}"));
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

/// The names, some with an asterisk, that the list holds in front of its reasons.
fn patterns(text: &str) -> Result<Vec<&str>> {
    let mut patterns = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (names, reason) = line.split_once(" : ").context(line.to_owned())?;
        ensure!(!reason.trim().is_empty(), "no reason in {line:?}");
        patterns.extend(names.split_whitespace());
    }
    Ok(patterns)
}

/// Whether `name` is `pattern`, in which one asterisk stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}
