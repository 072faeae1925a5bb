//! A mapfile written by one command is read by the next.

use crate::fact::{Fact, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::rankfold;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Formats that name hosts, and the one that does not.
const FORMATS: &[&str] = &["nodes", "openmpi4", "seq", "mpich"];

pub(crate) fn facts() -> Vec<Fact> {
    FORMATS
        .iter()
        .map(|format| {
            fact(
                format!("mapfile::eval_of_a_{format}_file_gives_the_figures_of_the_mapping"),
                &[],
                || round_trip(format),
            )
        })
        .chain([fact(
            "mapfile::the_same_seed_gives_the_same_bytes",
            &[],
            same_seed_same_bytes,
        )])
        .collect()
}

fn round_trip(format: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    ring(&path("ring.mtx"), 16)?;
    host_names(&path("hosts"), 8)?;
    let machine = [
        "--machine",
        "torus:4x2",
        "--cores",
        "2",
        "--hosts",
        &path("hosts"),
    ];
    let (input, map, mapped, judged) = (
        path("ring.mtx"),
        path("map"),
        path("mapped.json"),
        path("judged.json"),
    );
    let map_args = ["map", &input, "--to", format, "-o", &map, "--json", &mapped];
    rankfold::run(&[&map_args[..], &machine].concat())?.success()?;
    let eval_args = ["eval", &input, "--placement", &map, "--json", &judged];
    rankfold::run(&[&eval_args[..], &machine].concat())?.success()?;

    let (mapped, judged) = (json(&mapped)?, json(&judged)?);
    for key in ["hop_bytes", "max_congestion", "max_dilation"] {
        let value = mapped
            .get(key)
            .with_context(|| format!("no {key} in {mapped}"))?;
        ensure!(
            judged.get(key) == Some(value),
            "{key}: mapped {value}, judged {judged}"
        );
    }
    Ok(())
}

fn same_seed_same_bytes() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let input = path("ring.mtx");
    ring(&input, 24)?;
    for (output, threads) in [("one", "1"), ("two", "2")] {
        let output = path(output);
        rankfold::run(&[
            "map",
            &input,
            "--machine",
            "torus:6x4",
            "--seed",
            "7",
            "--threads",
            threads,
            "-o",
            &output,
        ])?
        .success()?;
    }
    ensure!(
        fs::read(path("one"))? == fs::read(path("two"))?,
        "one thread and two differ"
    );
    Ok(())
}

/// A shuffled ring with a heavier edge here and there, as a Matrix Market file.
fn ring(path: &str, ranks: usize) -> Result<()> {
    let mut text =
        format!("%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {ranks}\n");
    for rank in 0..ranks {
        // 5 has no common factor with 16 or 24, so this is one ring through all ranks.
        let next = (rank + 5) % ranks;
        writeln!(text, "{} {} {}", rank + 1, next + 1, 1000 + 10 * rank)?;
    }
    Ok(fs::write(path, text)?)
}

fn host_names(path: &str, hosts: usize) -> Result<()> {
    let names: String = (0..hosts).map(|i| format!("host{i}\n")).collect();
    Ok(fs::write(path, names)?)
}

fn json(path: &str) -> Result<Value> {
    let text = fs::read_to_string(Path::new(path)).with_context(|| path.to_owned())?;
    Ok(serde_json::from_str(&text)?)
}
