//! Hydra's machine files, shared by several formats: one `host:count` line for every run of ranks
//! on one host.

use super::text::{is_host, lines, malformed, seat, utf8};
use super::{RankPlaces, Result, Seats};
use std::sync::Arc;

/// Writes one line for every run of ranks on one host.
pub(super) fn runs(hosts: &[&str]) -> String {
    let runs = hosts.chunk_by(|a, b| a == b);
    runs.map(|run| format!("{}:{}\n", run[0], run.len()))
        .collect()
}

/// Reads a machine file. `None` if `content` is none.
pub(super) fn read(content: &[u8], file: &str) -> Option<Result<Seats>> {
    let text = utf8(content)?;
    run_of(lines(text).next()?.1)?;
    Some(expand(text, file).map(|hosts| RankPlaces::Hosts(hosts).into()))
}

/// The host of every rank.
fn expand(text: &str, file: &str) -> Result<Vec<Arc<str>>> {
    let mut hosts = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, count)) = run_of(line) else {
            let problem = format!("{line:?} is not host:count");
            return Err(malformed(file, number, problem));
        };
        seat(&mut hosts, host, count).map_err(|problem| malformed(file, number, problem))?;
    }
    Ok(hosts)
}

/// Host and count of a line.
pub(super) fn run_of(line: &str) -> Option<(&str, usize)> {
    let (host, count) = line.split_once(':')?;
    let count = count.parse().ok().filter(|&count| count > 0)?;
    is_host(host).then_some((host, count))
}
