//! `profiler/world/functions.txt` against the `mpi.h` of every MPI library: each function that
//! takes a communicator has a wrapper, which passes the renumbered world for `MPI_COMM_WORLD`.

use super::{library, under};
use crate::fact::Fact;
use crate::header::{declared, exported};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use std::collections::BTreeSet;
use std::path::Path;

/// The form, in the table, of functions that take a communicator and need no wrapper.
const UNTOUCHED: &str = "untouched ";

pub(super) fn facts() -> Vec<Fact> {
    under(
        &Mpi::ALL,
        "every_function_with_a_communicator_has_a_wrapper",
        every_function_is_wrapped_or_listed,
    )
}

fn every_function_is_wrapped_or_listed(mpi: Mpi) -> Result<()> {
    let exported = exported(&library())?;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler/world");
    let table = std::fs::read_to_string(directory.join("functions.txt"))?;
    let others = std::fs::read_to_string(directory.join("others.txt"))?;
    let others: BTreeSet<&str> = others.split_whitespace().collect();
    let untouched: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix(UNTOUCHED)?.split(" : ").next())
        .flat_map(str::split_whitespace)
        .map(|name| format!("MPI_{name}"))
        .collect();
    let mut problems = Vec::new();
    for function in declared(mpi)? {
        let name = function.name;
        let problem = match (function.takes_comm, exported.contains(&name)) {
            (true, false) if !untouched.contains(&name) => {
                "takes a communicator, and has no wrapper"
            }
            (true, true) if !exported.contains(&format!("P{name}")) => {
                "has no wrapper by its name with P"
            }
            (false, false) if !others.contains(name.as_str()) => {
                "is in neither functions.txt nor others.txt"
            }
            _ => continue,
        };
        problems.push(format!("{name} {problem}"));
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}
