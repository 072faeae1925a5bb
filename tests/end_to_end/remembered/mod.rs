//! `rankfold run` without a machine or a map: the first run of a program is profiled, and later
//! runs are mapped.

mod files;
mod job;
mod machines;
mod partial;
mod shown;
mod slurm;
mod sources;
mod trouble;
mod turns;

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use job::Job;
use partial::{
    counting_ends, crashed, first_part, interrupted, killed, out_of_reach, part_is_no_measure,
};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use serde_json::Value;
use shown::reported;
use sources::{controller, no_source, slurm_addresses, unknown_host};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const HOSTS: &str = "fake:12";
/// The name of the cluster of [`HOSTS`].
const CLUSTER: &str = "n#";
/// Hosts are allocated in steps of this size. Any eight of twelve hosts in that order are
/// different.
const STEP: usize = 5;

pub(crate) fn facts() -> Vec<Fact> {
    let mut facts = vec![
        on_open_mpi(
            "a_program_is_profiled_once_and_mapped_from_then_on",
            mapped_from_then_on,
        ),
        on_open_mpi("predicted_seconds_hold_what_no_order_changes", corrected),
        on_open_mpi(
            "other_hosts_get_a_map_of_their_own_before_the_launch",
            changed_allocation,
        ),
        on_open_mpi(
            "of_more_hosts_than_the_job_needs_near_ones_are_chosen",
            larger_allocation,
        ),
        on_open_mpi(
            "a_map_that_loses_is_dropped_and_the_reason_kept",
            turns::losing_map,
        ),
        on_open_mpi("both_orders_are_compared_in_turn", turns::compared),
        on_open_mpi(
            "a_comparison_ends_with_the_first_run_that_fails",
            turns::compared_and_failed,
        ),
        on_open_mpi(
            "a_run_that_crashes_leaves_no_map_and_no_measurement",
            crashed,
        ),
        on_open_mpi(
            "what_stays_on_hosts_out_of_reach_is_removed_by_the_line_that_is_told",
            out_of_reach,
        ),
        on_open_mpi("a_run_shows_what_was_measured_of_it", reported),
        on_open_mpi("a_run_ends_with_at_most_four_lines", shown::four_lines),
        on_open_mpi(
            "a_run_that_fails_after_its_last_call_says_what_is_kept",
            shown::failed_after_all,
        ),
        on_open_mpi(
            "a_run_with_messages_at_its_start_alone_says_that_no_order_helps",
            shown::early,
        ),
        on_open_mpi(
            "after_a_cold_start_what_is_known_is_told_once",
            shown::told_once,
        ),
        on_open_mpi(
            "where_no_order_gains_the_program_is_not_run_again",
            shown::not_again,
        ),
        on_open_mpi("an_entry_of_another_version_is_made_anew", other_version),
        on_open_mpi(
            "the_first_part_of_a_run_is_mapped_while_it_goes_on",
            first_part,
        ),
        on_open_mpi(
            "the_first_part_of_a_run_is_no_measure_of_whole_ones",
            part_is_no_measure,
        ),
        on_open_mpi(
            "interrupted_while_its_map_is_made_a_run_loses_nothing",
            interrupted,
        ),
        on_open_mpi("a_killed_first_run_is_recovered_and_cleaned", killed),
        on_open_mpi(
            "addresses_of_slurm_are_seen_inside_the_ranks",
            slurm_addresses,
        ),
        on_open_mpi("what_the_controller_of_slurm_shows_is_found", controller),
        on_open_mpi(
            "without_a_source_the_order_stays_and_that_is_said",
            no_source,
        ),
        on_open_mpi("hosts_the_machine_does_not_know_are_refused", unknown_host),
        fact(
            "remembered::an_entry_that_is_being_written_is_not_looked_at",
            &[],
            job::unfinished_entry,
        ),
        fact(
            "remembered::counting_ends_when_its_time_has_come",
            &[Need::Mpi(Mpi::OpenMpi)],
            counting_ends,
        ),
    ];
    facts.extend(files::facts());
    facts.extend(machines::facts());
    facts.extend(slurm::facts());
    facts.extend(trouble::facts());
    facts
}

/// A test under Open MPI on [`HOSTS`].
fn on_open_mpi(name: &str, check: fn() -> Result<()>) -> Fact {
    let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)];
    fact(format!("remembered::{name}"), &needs, check)
}

#[track_caller]
fn must_say(run: &Finished, texts: &[&str]) -> Result<()> {
    for text in texts {
        ensure!(run.stderr.contains(text), "no {text:?} in {}", run.stderr);
    }
    Ok(())
}

fn mapped_from_then_on() -> Result<()> {
    let job = Job::new()?;
    let first = job.run(&[])?.success()?;
    let phrases = [
        "the machine is told by",
        "site.toml (RANKFOLD_TOPOLOGY), just now: 12 hosts",
        "times as fast in communication with the map",
    ];
    must_say(&first, &phrases)?;
    ensure!(!first.stderr.contains("placement"), "{}", first.stderr);
    // The map does not depend on the number of threads.
    let second = job.run(&["--threads", "2"])?.success()?;
    must_say(
        &second,
        &[
            "placement verified 8/8",
            "x in communication",
            "measured once each: too few",
        ],
    )?;
    ensure!(
        second.stdout.starts_with("stencil2d ranks=8"),
        "{}",
        second.stdout
    );
    ensure!(
        !second.stderr.contains("the machine is told"),
        "it was solved again: {}",
        second.stderr
    );
    let dry = job.run(&["--dry-run"])?.success()?.stdout;
    ensure!(dry.contains("RANKFOLD_TIME=sample"), "not what runs: {dry}");
    // With another number of exchanges the program has the same pattern, but takes another time.
    let job = Job {
        arguments: ["2", "4", "100000", "5"].map(str::to_owned).into(),
        ..job
    };
    let third = job.run(&[])?.success()?;
    must_say(
        &third,
        &["placement verified 8/8", "the other order was not measured"],
    )?;
    let (_, entry) = job.entry()?;
    ensure!(
        entry["measured"].as_array().map(Vec::len) == Some(3),
        "{entry}"
    );
    let listed = job.cluster.rankfold(&["cache", "list"])?.success()?.stdout;
    let name = listed
        .split_whitespace()
        .next()
        .context("nothing is listed")?;
    let shown = job
        .cluster
        .rankfold(&["cache", "show", name])?
        .success()?
        .stdout;
    ensure!(
        shown.contains("with the map, ") && shown.contains("n000"),
        "{shown}"
    );
    let shown = ["cache", "show", name, "--json"];
    let shown: Value = serde_json::from_str(&job.cluster.rankfold(&shown)?.success()?.stdout)?;
    ensure!(shown["ranks"] == 8 && shown["name"] == name, "{shown}");
    // The user asks for a new profile of a whole run.
    let once = job.run(&["--once"])?.success()?;
    ensure!(!once.stderr.contains("placement"), "{}", once.stderr);
    job.cluster.rankfold(&["cache", "clear", name])?.success()?;
    let gone = job.cluster.rankfold(&["cache", "show", name])?;
    ensure!(gone.status == 2 && gone.stderr.contains(name), "{gone:?}");
    Ok(())
}

/// A measured run of which messages can account for half: the other half stays when ranks move.
fn corrected() -> Result<()> {
    let job = Job::new()?;
    let site = fs::read_to_string(job.path("site.toml"))?;
    // With latencies, the formula, by which a search before a launch judges, and the replay, which
    // predicts the runs, tell different times.
    let timed = site.replace("4x3", "4x3@1MB/s+1ms");
    fs::write(job.path("site.toml"), timed)?;
    let first = job.run(&[])?.success()?;
    let phrases = [" s moves bytes, ", "predicted to be ", "(from 1 run"];
    must_say(&first, &phrases)?;
    let (path, mut entry) = job.entry()?;
    ensure!(entry["predicted"]["unit"] == "seconds", "{entry}");
    let links = entry["predicted"]["default"]
        .as_f64()
        .context("no prediction")?;
    ensure!(entry["measured"][0]["model"]["time"] == links, "{entry}");
    entry["measured"][0]["seconds"] = Value::from(links);
    entry["measured"][0]["movable"] = Value::from(0.5 * links);
    fs::write(&path, entry.to_string())?;
    let figures = job.path("figures.json");
    let second = job.run(&["--json", &figures])?.success()?;
    must_say(
        &second,
        &["predicted, seconds in MPI a rank", "from 1 run: "],
    )?;
    let figures: Value = serde_json::from_slice(&fs::read(&figures)?)?;
    let of = |value: &Value| value.as_f64().context("no number");
    let model = of(&figures["predicted_time"]["total"])?;
    let corrected = &figures["corrected"];
    let seconds = of(&corrected["seconds"])?;
    ensure!(
        (seconds - 0.5 * (links + model)).abs() < 1e-9 * links,
        "{corrected}, and the model says {}",
        figures["predicted_time"]
    );
    ensure!(
        (of(&corrected["default_seconds"])? - links).abs() < 1e-9 * links,
        "{corrected}"
    );
    ensure!(corrected["runs"] == 1, "{corrected}");
    let of_placements = [
        &figures["predicted_time"],
        &figures["baseline"]["predicted_time"],
    ];
    for time in of_placements.into_iter().chain([corrected]) {
        ensure!(time["predicted_by"] == "replay", "{time}");
    }
    let third = job.run(&[])?.success()?;
    must_say(&third, &["from 2 runs: ", "1 run and median of 2 runs"])
}

fn changed_allocation() -> Result<()> {
    let job = Job::new()?;
    job.run(&[])?.success()?;
    job.allocate(1, 8)?;
    let second = job.run(&[])?.success()?;
    let phrases = [
        "the hosts of this job are others than last time",
        "placement verified 8/8",
        "was not measured",
    ];
    must_say(&second, &phrases)?;
    let third = job.run(&[])?.success()?;
    must_say(&third, &["placement verified 8/8"])?;
    ensure!(
        !third.stderr.contains("others than last time"),
        "{}",
        third.stderr
    );
    let allocated = fs::read_to_string(job.path("allocation"))?;
    let (_, entry) = job.entry()?;
    let map = entry["map"].as_array().context("no map")?;
    let known = |host: &Value| host.as_str().is_some_and(|host| allocated.contains(host));
    ensure!(map.len() == 8 && map.iter().all(known), "{entry}");
    Ok(())
}

/// All twelve hosts of a 4 x 3 torus are allocated. A grid of 2 x 4 ranks fits on hosts that are
/// neighbours.
fn larger_allocation() -> Result<()> {
    let job = Job::new()?;
    job.allocate(0, 12)?;
    job.run(&[])?.success()?;
    let second = job.run(&[])?.success()?;
    must_say(&second, &["placement verified 8/8"])?;
    let (_, entry) = job.entry()?;
    let mut map: Vec<&str> = entry["map"]
        .as_array()
        .context("no map")?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    map.sort_unstable();
    map.dedup();
    ensure!(map.len() == 8, "no host takes two ranks: {entry}");
    let (before, after) = (
        &entry["predicted"]["default"],
        &entry["predicted"]["mapped"],
    );
    let gain = before.as_f64().context("no number")? / after.as_f64().context("no number")?;
    ensure!(gain >= 1.5, "neighbours are chosen: {entry}");
    Ok(())
}

/// Pretends that the order as launched took no time at all in every run so far.
fn launched_order_took_nothing(job: &Job) -> Result<()> {
    let (path, mut entry) = job.entry()?;
    for run in entry["measured"].as_array_mut().context("no list")? {
        if run["mapped"] == false {
            run["seconds"] = Value::from(1e-9);
        }
    }
    Ok(fs::write(&path, entry.to_string())?)
}

/// A run that has to take the order as launched.
fn in_launched_order(job: &Job) -> Result<()> {
    let own = job.run(&[])?.success()?;
    must_say(&own, &["as launched, since the map seems to be slower"])?;
    ensure!(!own.stderr.contains("placement"), "{}", own.stderr);
    launched_order_took_nothing(job)
}

fn other_version() -> Result<()> {
    let job = Job::new()?;
    job.run(&[])?.success()?;
    let (path, mut entry) = job.entry()?;
    entry["version"] = Value::from(99);
    fs::write(&path, entry.to_string())?;
    let second = job.run(&[])?.success()?;
    must_say(
        &second,
        &[
            "version 99 of the cache",
            "made anew",
            "in communication with the map",
        ],
    )?;
    let third = job.run(&[])?.success()?;
    must_say(&third, &["placement verified 8/8"])
}
