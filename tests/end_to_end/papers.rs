//! The benchmark `scripts/bench papers`: its quick part, and the status it ends with.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::rankfold;
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    let needs = [Need::Tool("python3")];
    vec![
        fact(
            "papers::the_quick_part_misses_no_published_figure_but_the_recorded",
            &needs,
            || {
                let finished = quick(&[])?;
                ensure!(
                    finished.status == 0,
                    "{}{}",
                    finished.stdout,
                    finished.stderr
                );
                Ok(())
            },
        ),
        fact(
            "papers::a_miss_that_is_not_recorded_gives_status_1",
            &needs,
            a_new_miss_gives_status_1,
        ),
    ]
}

/// With an empty list of known misses, those of the analytical mapping are new.
fn a_new_miss_gives_status_1() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let recorded = directory.path().join("recorded");
    fs::write(&recorded, "")?;
    let finished = quick(&["--only", "wu", "--recorded", &recorded.to_string_lossy()])?;
    ensure!(finished.status == 1, "status {}", finished.status);
    ensure!(
        finished.stdout.contains("new misses:\n  wu | "),
        "{}",
        finished.stdout
    );
    Ok(())
}

fn quick(options: &[&str]) -> Result<Finished> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new("python3");
    command
        .arg(root.join("scripts/lib/bench/papers.py"))
        .arg("--map")
        .arg(rankfold::build_directory().join("rankfold-map"))
        .arg("--quick")
        .args(options)
        // Python would write its compiled modules into the repository.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    process::run(&mut command, "")
}
