//! Both orders run in turn: a map that loses is dropped, and `--compare` tells which order is
//! faster.

use super::job::Job;
use super::{in_launched_order, launched_order_took_nothing, must_say, partial};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;

pub(super) fn losing_map() -> Result<()> {
    let job = Job::new()?;
    job.run(&[])?.success()?;
    launched_order_took_nothing(&job)?;
    let second = job.run(&[])?.success()?;
    must_say(&second, &["measured once each: too few"])?;
    must_say(&job.run(&[])?.success()?, &["the map seems to be slower"])?;
    // Both orders take turns until four pairs of runs are measured: each one in the order
    // as launched with the run before. The first run of all was cold, and counts no more.
    for _ in 1..4 {
        in_launched_order(&job)?;
        must_say(&job.run(&[])?.success()?, &["placement verified 8/8"])?;
    }
    in_launched_order(&job)?;
    let dropped = job.run(&[])?.success()?;
    must_say(&dropped, &["the map is dropped: the map took"])?;
    ensure!(!dropped.stderr.contains("placement"), "{}", dropped.stderr);
    let later = job.run(&[])?.success()?;
    must_say(&later, &["the order as launched is used: the map took"])?;
    ensure!(!later.stderr.contains("placement"), "{}", later.stderr);
    ensure!(
        later.stdout.starts_with("stencil2d ranks=8"),
        "{}",
        later.stdout
    );
    let listed = job.cluster.rankfold(&["cache", "list"])?.success()?.words();
    ensure!(listed.contains("dropped (the map took"), "{listed}");
    // Long ago, a map that was dropped is tried again.
    let (path, mut entry) = job.entry()?;
    entry["dropped_at"] = Value::from(0);
    for run in entry["measured"].as_array_mut().context("no list")? {
        run["when"] = Value::from(0);
    }
    fs::write(&path, entry.to_string())?;
    let again = job.run(&[])?.success()?;
    must_say(&again, &["it is tried again", "placement verified 8/8"])
}

/// A program that is not known yet is profiled first. Both orders run twice, in turn.
pub(super) fn compared() -> Result<()> {
    let job = Job::new()?;
    let figures = job.path("compared.json");
    let run = job
        .run(&["--compare", "2", "--json", &figures])?
        .success()?;
    must_say(
        &run,
        &[
            "run 1 of 4: in the order as launched",
            "run 2 of 4: with the map",
            "run 3 of 4: with the map",
            "run 4 of 4: in the order as launched",
            "the launch from start to end",
            "communication: ",
            "the launch: ",
            "too few to tell: --compare 4",
        ],
    )?;
    let lines = run.stdout.lines();
    let runs = lines.filter(|line| line.starts_with("stencil2d ranks=8"));
    ensure!(runs.count() == 5, "one profiles: {}", run.stdout);
    let figures: Value = serde_json::from_slice(&fs::read(&figures)?)?;
    ensure!(figures["hop_bytes"].is_number(), "no search: {figures}");
    for figure in ["launch", "run", "inside_mpi"] {
        for order in ["default", "mapped"] {
            let times = figures["comparison"][figure][order].as_array();
            let times = times.with_context(|| format!("no {figure}: {figures}"))?;
            let positive = times
                .iter()
                .all(|time| time.as_f64().is_some_and(|t| t > 0.0));
            ensure!(times.len() == 2 && positive, "{figures}");
        }
    }
    let (_, entry) = job.entry()?;
    let measured = entry["measured"].as_array().map(Vec::len);
    ensure!(measured == Some(5), "all runs are remembered: {entry}");
    Ok(())
}

/// The comparison ends with the first run that fails, and with its exit status.
pub(super) fn compared_and_failed() -> Result<()> {
    let job = Job::new()?;
    let (count, inner) = (job.path("count"), job.program.display().to_string());
    let script = format!(
        "{inner} \"$@\" || exit\n[ -n \"$OMPI_COMM_WORLD_RANK\" ] && [ \"$OMPI_COMM_WORLD_RANK\" != 0 ] && exit 0\n\
         echo run >> {count}\n[ $(wc -l < {count}) -lt 4 ] || exit 7\n"
    );
    let job = partial::mapped_as_script(job, &script)?;
    let failed = job.run(&["--compare", "3"])?;
    ensure!(failed.status == 7, "the program's own status: {failed:?}");
    must_say(
        &failed,
        &[
            "run 3 of 6",
            "the comparison ends with this run (status 7): it does not count",
            "the launch: ",
            "too few to tell: --compare 4",
        ],
    )?;
    ensure!(!failed.stderr.contains("run 4 of 6"), "{}", failed.stderr);
    Ok(())
}
