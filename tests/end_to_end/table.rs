//! Compares the table in the profiler's documentation with the list of tests.

use crate::fact::{Cell, Fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const START: &str = "<!-- the tests -->\n";
const END: &str = "<!-- end of the tests -->\n";
/// The variable that makes the test write the table instead of comparing it.
const WRITE: &str = "RANKFOLD_WRITE_TABLE";

/// Fails unless the table shows the cells of `facts` and no others.
pub(crate) fn fact(facts: &[Fact]) -> Fact {
    let cells: Vec<Cell> = facts.iter().filter_map(|fact| fact.cell.clone()).collect();
    crate::fact::fact(
        "table::the_documentation_shows_exactly_the_tests",
        &[],
        move || is_shown(&cells),
    )
}

fn is_shown(cells: &[Cell]) -> Result<()> {
    let path = document();
    let text = fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(START).context("no start of the table")?;
    let (shown, after) = rest.split_once(END).context("no end of the table")?;
    let table = table(cells);
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, [before, START, &table, END, after].concat())?;
        return Ok(());
    }
    ensure!(
        shown == table,
        "{} does not show the tests; run this test once with {WRITE}=1. It should be\n{table}",
        path.display()
    );
    Ok(())
}

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiler/README.md")
}

/// The table: one row for each language and feature, in the order of the tests, and one column for
/// each MPI library.
fn table(cells: &[Cell]) -> String {
    let tested: BTreeSet<&Cell> = cells.iter().collect();
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for cell in cells {
        if !rows.contains(&(cell.language, cell.feature)) {
            rows.push((cell.language, cell.feature));
        }
    }
    let titles = Mpi::ALL.map(Mpi::title).join(" | ");
    let mut table = format!(
        "| language | feature | {titles} |\n| --- | --- |{}\n",
        " :-: |".repeat(Mpi::ALL.len())
    );
    for (language, feature) in rows {
        let marks = Mpi::ALL.map(|mpi| {
            let cell = Cell {
                language,
                feature,
                mpi,
            };
            if tested.contains(&cell) { "yes" } else { "" }
        });
        table += &format!("| {language} | {feature} | {} |\n", marks.join(" | "));
    }
    table
}
