//! Compares the table of placements in the launcher's documentation with what the launchers can do.

use super::job::Starter;
use super::{LAYOUTS, OWN};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const START: &str = "<!-- the placements -->\n";
const END: &str = "<!-- end of the placements -->\n";
/// The variable that makes the test write the table instead of comparing it.
const WRITE: &str = "RANKFOLD_WRITE_TABLE";

pub(super) fn is_shown() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../launcher/README.md");
    let text = fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(START).context("no start of the table")?;
    let (shown, after) = rest.split_once(END).context("no end of the table")?;
    let mut table = String::from(
        "| launcher | library | block | cyclic | random | our map |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for starter in Starter::ALL {
        for mpi in Mpi::KINDS {
            let way = |layout| {
                if starter.is_native(mpi, layout) {
                    "native"
                } else {
                    "renumbered"
                }
            };
            let layouts = LAYOUTS.map(|(layout, _)| layout).into_iter().chain([OWN]);
            let ways: Vec<&str> = layouts.map(way).collect();
            let ways = ways.join(" | ");
            let launcher = match starter {
                Starter::Own => "its own",
                Starter::Srun if mpi.is_open_mpi() => "`srun --mpi=pmix`",
                Starter::Srun => "`srun --mpi=pmi2`",
            };
            writeln!(table, "| {launcher} | {} | {ways} |", mpi.title())?;
        }
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, [before, START, &table, END, after].concat())?;
        return Ok(());
    }
    ensure!(
        shown == table,
        "run this test once with {WRITE}=1; {} should have\n{table}",
        path.display()
    );
    Ok(())
}
