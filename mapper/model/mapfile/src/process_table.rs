//! Tables of processes: one `host local rank` a line, for programs whose processes are told their
//! rank. `local` counts the processes of a host in the order of their slots, so that process
//! `local` keeps its GPU.

use super::output::{names_of, occupied};
use super::text::{is_host, lines, malformed, utf8};
use super::{RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::sync::Arc;

/// Writes the table.
///
/// # Errors
/// [`MapfileError::NeedsHosts`].
pub(super) fn write(
    placement: &Placement,
    machine: &Machine,
    format: &'static str,
) -> Result<String> {
    let names = names_of(machine, format)?;
    let mut text = String::new();
    for (node, ranks) in occupied(placement, machine) {
        for (local, rank) in ranks.iter().enumerate() {
            text += &format!("{} {local} {rank}\n", names[node.index()]);
        }
    }
    Ok(text)
}

/// Reads a table. `None` if `content` is none.
pub(super) fn read(content: &[u8], file: &str) -> Option<Result<Seats>> {
    let text = utf8(content)?;
    entry(lines(text).next()?.1)?;
    Some(hosts(text, file).map(|hosts| RankPlaces::Hosts(hosts).into()))
}

/// The host of every rank.
fn hosts(text: &str, file: &str) -> Result<Vec<Arc<str>>> {
    let mut processes = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, rank)) = entry(line) else {
            let problem = format!("{line:?} is not \"host local rank\"");
            return Err(malformed(file, number, problem));
        };
        processes.push((rank, number, host));
    }
    processes.sort_unstable();
    let in_order = processes.into_iter().enumerate();
    let hosts = in_order.map(|(expected, (rank, number, host))| {
        if rank == expected {
            Ok(Arc::from(host))
        } else {
            let problem = format!(
                "rank {rank} where {expected} was expected: a rank is missing or given twice"
            );
            Err(malformed(file, number, problem))
        }
    });
    hosts.collect()
}

fn entry(line: &str) -> Option<(&str, usize)> {
    let mut words = line.split_whitespace();
    let host = words.next().filter(|host| is_host(host))?;
    let _local: usize = words.next()?.parse().ok()?;
    let rank = words.next()?.parse().ok()?;
    words.next().is_none().then_some((host, rank))
}
