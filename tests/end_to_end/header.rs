//! The functions that the `mpi.h` of an MPI library declares, and those that a library exports.

use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// MPI 3.1, the oldest version of the tested libraries, declares more functions than this. Fewer
/// mean that the header was not read.
const FEWEST: usize = 400;

/// A function that `mpi.h` declares.
pub(crate) struct Declaration {
    pub(crate) name: String,
    /// Whether one of its parameters is a communicator by value.
    pub(crate) takes_comm: bool,
}

/// The names of the functions that `library` exports.
pub(crate) fn exported(library: &Path) -> Result<BTreeSet<String>> {
    let mut command = Command::new("nm");
    command.args(["-D", "--defined-only"]).arg(library);
    let symbols = process::run(&mut command, "")?.success()?.stdout;
    let names = symbols.lines().filter_map(|line| line.split(" T ").nth(1));
    Ok(names.map(str::to_owned).collect())
}

/// The functions with names `MPI_X` and `MPIX_X` that the preprocessed headers of `mpi` declare.
pub(crate) fn declared(mpi: Mpi) -> Result<Vec<Declaration>> {
    let scratch = tempfile::tempdir()?;
    let source = scratch.path().join("all.c");
    let includes =
        "#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n";
    std::fs::write(&source, includes)?;
    let compiler = mpi.compiler();
    let mut command = Command::new(&compiler.command);
    let flags = compiler
        .flags
        .iter()
        .filter(|flag| !flag.starts_with("-l") && !flag.starts_with("-W"));
    command.args(["-E", "-P"]).arg(&source).args(flags);
    let text = process::run(&mut command, "")?.success()?.stdout;
    let mut functions = Vec::new();
    for declaration in text.split([';', '{', '}']) {
        if declaration.contains("typedef") {
            continue;
        }
        functions.extend(function(declaration)?);
    }
    ensure!(
        functions.len() > FEWEST,
        "only {} functions were read from mpi.h",
        functions.len()
    );
    Ok(functions)
}

/// Reads one declaration; `None` if it declares no function of MPI.
fn function(declaration: &str) -> Result<Option<Declaration>> {
    for (at, _) in declaration.match_indices('(') {
        let before = &declaration[..at];
        let name = before
            .trim_end()
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let Some(name) = name.filter(|name| name.starts_with("MPI")) else {
            continue;
        };
        // Macros that were not expanded, and types of callbacks.
        let capitals = !name.chars().any(|letter| letter.is_ascii_lowercase());
        if capitals || name.ends_with("_fn") || name.ends_with("_function") {
            continue;
        }
        let inside = &declaration[at + 1..];
        let end = closing(inside).with_context(|| format!("no end of the parameters of {name}"))?;
        return Ok(Some(Declaration {
            name: name.to_owned(),
            takes_comm: inside[..end].split(',').any(is_comm),
        }));
    }
    Ok(None)
}

/// Whether `parameter` is a communicator by value.
fn is_comm(parameter: &str) -> bool {
    let mut words = parameter.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| word == "MPI_Comm") && !parameter.contains(['*', '['])
}

/// The position in `text` of the parenthesis that closes one opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}
