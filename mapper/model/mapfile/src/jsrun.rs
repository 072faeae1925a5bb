//! `jsrun`: explicit resource file of IBM's `jsrun`, `rank: R: { host: H; cpu: {A-B} } : app 0`.
//! Hosts count from 1.
//!
//! Core numbers are logical, since jsrun rejects physical ones. The format requires a core for
//! every rank. Where the cores of a slot are not known, the n-th rank of a node gets the n-th core.

use super::output::indices_among;
use super::rankfile::listed;
use super::text::{lines, malformed, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::{Placement, Rank};
use rankfold_machine::Machine;
use std::fmt::Write;

/// Format `jsrun`.
pub(super) struct Jsrun;

impl MapfileFormat for Jsrun {
    described!(
        "jsrun",
        "jsrun: jsrun --erf_input FILE (explicit resource file; its first line names the program)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = indices_among(placement, machine, &machine.launch_order());
        let mut text = "app 0: ./app\ncpu_index_using: logical\noverlapping_rs: allow\n".to_owned();
        for (rank, host) in hosts.iter().enumerate() {
            let slot = placement.slot(Rank::at(rank));
            let node = machine.slots().node_of(slot);
            let first = machine.slots().on(node).next().map_or(0, |first| first.0);
            let place = slot.0 - first;
            let cores = machine.cores(slot);
            let cores = cores.unwrap_or(place..place + machine.width(slot));
            let (host, cores) = (host + 1, listed(cores));
            writeln!(
                text,
                "rank: {rank}: {{ host: {host}; cpu: {{{cores}}} }} : app 0"
            )
            .expect("writing to a string cannot fail");
        }
        Ok(Mapfile::new(text, "jsrun --erf_input {}"))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        let of_ranks = |line: &str| line.starts_with("rank:");
        lines(text).any(|(_, line)| of_ranks(line)).then_some(())?;
        let (mut hosts, mut cores) = (Vec::new(), Vec::new());
        for (number, line) in lines(text).filter(|(_, line)| of_ranks(line)) {
            let Some((rank, host, core)) = seat(line) else {
                let problem = format!("{line:?} is not \"rank: R: {{ host: H; cpu: {{A-B}} }}\"");
                return Some(Err(malformed(file, number, problem)));
            };
            if rank != hosts.len() {
                let due = hosts.len();
                let problem = format!("rank {rank} found, rank {due} expected");
                return Some(Err(malformed(file, number, problem)));
            }
            hosts.push(host);
            cores.push(Some(core));
        }
        Some(Ok(Seats {
            places: RankPlaces::Allocated(hosts),
            cores,
        }))
    }
}

/// The rank, the index of the host counted from 0, and the first core of a line.
fn seat(line: &str) -> Option<(usize, usize, u32)> {
    let (rank, rest) = line.strip_prefix("rank:")?.split_once(':')?;
    let rest = rest.trim().strip_prefix('{')?;
    let host = after(rest, "host:")?.parse::<usize>().ok()?;
    let core = after(rest, "cpu:")?.parse().ok()?;
    Some((rank.trim().parse().ok()?, host.checked_sub(1)?, core))
}

/// The digits after `key`, skipping spaces and opening braces.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start_matches([' ', '{']);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    Some(&rest[..end])
}
