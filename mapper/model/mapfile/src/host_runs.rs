//! Orders of hosts: runs of consecutive ranks, one on each host. Shared by the formats of launchers
//! that fill hosts one after the other.

use super::output::hosts_of;
use super::text::{is_host, lines, malformed, seat};
use super::{MapfileError, Result};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::collections::HashSet;
use std::sync::Arc;

/// Every host with its number of ranks, in the order of the ranks.
///
/// # Errors
/// [`MapfileError::CannotExpress`] if the ranks of a host are not consecutive; `instead` names the
/// formats to use then.
pub(super) fn host_runs<'a>(
    placement: &Placement,
    machine: &'a Machine,
    format: &'static str,
    instead: &str,
) -> Result<Vec<(&'a str, usize)>> {
    let hosts = hosts_of(placement, machine, format)?;
    let runs: Vec<(&str, usize)> = hosts
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len()))
        .collect();
    let mut seen = HashSet::new();
    match runs.iter().find(|(host, _)| !seen.insert(*host)) {
        None => Ok(runs),
        Some((host, _)) => Err(MapfileError::cannot_express(
            format,
            format!(
                "the ranks of host {host} are not consecutive, and {format} fills hosts one after the other: {instead}"
            ),
        )),
    }
}

/// Lines `host slots=N`.
pub(super) fn slot_lines(runs: &[(&str, usize)]) -> String {
    let line = |(host, ranks): &(&str, usize)| format!("{host} slots={ranks}\n");
    runs.iter().map(line).collect()
}

/// Reads lines `host slots=N`: the host of every rank. `None` if the first line is no such line.
pub(super) fn read_slot_lines(text: &str, file: &str) -> Option<Result<Vec<Arc<str>>>> {
    entry(lines(text).next()?.1)?;
    Some(hosts(text, file))
}

fn hosts(text: &str, file: &str) -> Result<Vec<Arc<str>>> {
    let mut hosts = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, count)) = entry(line) else {
            let problem = format!("{line:?} is not \"host slots=N\"");
            return Err(malformed(file, number, problem));
        };
        seat(&mut hosts, host, count).map_err(|problem| malformed(file, number, problem))?;
    }
    Ok(hosts)
}

fn entry(line: &str) -> Option<(&str, usize)> {
    let (host, count) = line.split_once(char::is_whitespace)?;
    let count = count.trim().strip_prefix("slots=")?.parse().ok()?;
    is_host(host).then_some((host, count))
}
