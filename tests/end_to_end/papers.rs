//! The command `scripts/papers`: its ledger, its quick part, and the status it ends with.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::rankfold;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    let needs = [Need::Tool("python3")];
    vec![
        fact(
            "papers::the_quick_part_is_not_worse_than_recorded",
            &needs,
            || {
                let finished = papers(&["--quick"])?;
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
            "papers::a_figure_worse_than_recorded_gives_status_1",
            &needs,
            a_worse_figure_gives_status_1,
        ),
        fact(
            "papers::a_miss_without_a_reason_is_refused",
            &needs,
            a_miss_without_a_reason_is_refused,
        ),
        fact(
            "papers::the_total_in_the_documents_is_that_of_the_ledger",
            &needs,
            the_total_is_that_of_the_ledger,
        ),
    ]
}

/// The slab of the first line is 4 ranks wide; recorded as 5, it is missed now.
fn a_worse_figure_gives_status_1() -> Result<()> {
    let line = "slab of 256 ranks, shorter side\tarithmetic\t4\t+-0\texact\tbhatele.base:256\t4";
    let other = line
        .replace("\t4\t+-0", "\t5\t+-0")
        .replace(":256\t4", ":256\t5");
    let finished = with_ledger(line, &other, &["--quick", "--only", "bhatele"])?;
    ensure!(finished.status == 1, "status {}", finished.status);
    ensure!(finished.stdout.contains("NEW MISS"), "{}", finished.stdout);
    Ok(())
}

/// The same line, recorded as missed.
fn a_miss_without_a_reason_is_refused() -> Result<()> {
    let line = "bhatele.base:256\t4\t-";
    let finished = with_ledger(line, "bhatele.base:256\t5\t-", &["--sentence"])?;
    ensure!(finished.status == 2, "status {}", finished.status);
    ensure!(
        finished.stderr.contains("slab of 256 ranks"),
        "{}",
        finished.stderr
    );
    Ok(())
}

fn the_total_is_that_of_the_ledger() -> Result<()> {
    let finished = papers(&["--sentence"])?;
    ensure!(finished.status == 0, "{}", finished.stderr);
    let (total, phrase) = (finished.stdout.trim(), "published figures are met");
    for name in ["README.md", "launcher/COMPARISON.md"] {
        let words = fs::read_to_string(root().join(name))?;
        let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_told = text.contains(total);
        ensure!(
            is_told || (name == "README.md" && !text.contains(phrase)),
            "{name} does not say: {total}"
        );
    }
    Ok(())
}

/// Runs with a ledger in which one text is replaced by another.
fn with_ledger(text: &str, other: &str, options: &[&str]) -> Result<Finished> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("ledger.tsv");
    let ledger = fs::read_to_string(root().join("scripts/lib/bench/papers_ledger.tsv"))?;
    ensure!(ledger.contains(text), "the ledger has no {text:?}");
    fs::write(&path, ledger.replace(text, other))?;
    let path = path.to_str().context("a name in UTF-8")?;
    papers(&[&["--ledger", path][..], options].concat())
}

fn papers(options: &[&str]) -> Result<Finished> {
    let kept = tempfile::tempdir()?;
    let mut command = Command::new("python3");
    command
        .arg(root().join("scripts/lib/bench/papers.py"))
        .arg("--map")
        .arg(rankfold::build_directory().join("rankfold-map"))
        .arg("--kept")
        .arg(kept.path())
        .args(options)
        // Python would write its compiled modules into the repository.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    process::run(&mut command, "")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
