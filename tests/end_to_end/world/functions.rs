//! The table of functions against the `mpi.h` of every MPI: whatever takes a communicator has a
//! wrapper that exchanges it.

use super::{library, under};
use crate::fact::Fact;
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What takes a communicator as it comes, by the table.
const UNTOUCHED: &str = "untouched ";

pub(super) fn facts() -> Vec<Fact> {
    under(
        &Mpi::ALL,
        "every_function_with_a_communicator_has_a_wrapper",
        complete,
    )
}

fn complete(mpi: Mpi) -> Result<()> {
    let exported = exported()?;
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
    let functions = declared(mpi)?;
    ensure!(
        functions.len() > 400,
        "{} functions were read",
        functions.len()
    );
    let mut wrong = Vec::new();
    for (name, takes_comm) in functions {
        let wrapped = exported.contains(&name);
        let problem = match (takes_comm, wrapped) {
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
        wrong.push(format!("{name} {problem}"));
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The functions that the library exports.
fn exported() -> Result<BTreeSet<String>> {
    let mut command = Command::new("nm");
    command.args(["-D", "--defined-only"]).arg(library());
    let told = process::run(&mut command, "")?.success()?.stdout;
    let names = told.lines().filter_map(|line| line.split(" T ").nth(1));
    Ok(names.map(str::to_owned).collect())
}

/// The functions that the preprocessed header declares, and whether each takes a communicator by
/// value.
fn declared(mpi: Mpi) -> Result<Vec<(String, bool)>> {
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
    Ok(functions)
}

/// The name of the function of MPI that is declared, without what stands behind its parameters.
fn function(declaration: &str) -> Result<Option<(String, bool)>> {
    let words = |text: &str| -> Vec<String> {
        let letters = |c: char| !c.is_alphanumeric() && c != '_' && c != '*';
        text.replace('*', " * ")
            .split(letters)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    for (at, _) in declaration.match_indices('(') {
        let before = &declaration[..at];
        let name = before
            .trim_end()
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let Some(name) = name.filter(|name| name.starts_with("MPI")) else {
            continue;
        };
        let capitals = !name.chars().any(|letter| letter.is_ascii_lowercase());
        if capitals || name.ends_with("_fn") || name.ends_with("_function") {
            continue;
        }
        let inside = &declaration[at + 1..];
        let end = closing(inside).with_context(|| format!("no end of the parameters of {name}"))?;
        let takes = inside[..end].split(',').any(|parameter| {
            let words = words(parameter);
            words.iter().any(|word| word == "MPI_Comm") && !parameter.contains(['*', '['])
        });
        return Ok(Some((name.to_owned(), takes)));
    }
    Ok(None)
}

/// Where the parenthesis closes that was opened before `text`.
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
