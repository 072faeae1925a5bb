//! Rankfiles of Open MPI 4 and 5: `rank R=HOST slot=CORES`, ranks ascending.

use super::text::{is_host, lines, malformed, utf8};
use super::{RankPlaces, Result, Seats};
use std::ops::Range;
use std::sync::Arc;

/// The cores of one slot, as written in rankfiles and lists of cores.
pub(super) fn listed(cores: Range<u32>) -> String {
    match cores.len() {
        1 => cores.start.to_string(),
        _ => format!("{}-{}", cores.start, cores.end - 1),
    }
}

/// Reads a rankfile. `None` if `content` is none.
pub(super) fn read(content: &[u8], file: &str) -> Option<Result<Seats>> {
    let text = utf8(content)?;
    let (_, first) = lines(text).next()?;
    first.starts_with("rank ").then(|| seats(text, file))
}

/// The host of a line: a name, or `+n` for the n-th allocated host.
enum Host {
    Named(String),
    Nth(usize),
}

fn seats(text: &str, file: &str) -> Result<Seats> {
    let (mut named, mut nth, mut cores) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, (number, line)) in lines(text).enumerate() {
        let wrong = |problem| malformed(file, number, problem);
        let (host, core) = seat(rank, line).map_err(wrong)?;
        match host {
            Host::Named(name) => named.push(name),
            Host::Nth(index) => nth.push(index),
        }
        if !named.is_empty() && !nth.is_empty() {
            let problem = "hosts by name and by +number in one file".to_owned();
            return Err(malformed(file, number, problem));
        }
        cores.push(core);
    }
    let places = if nth.is_empty() {
        RankPlaces::Hosts(named.into_iter().map(Arc::from).collect())
    } else {
        RankPlaces::Allocated(nth)
    };
    Ok(Seats { places, cores })
}

/// Host and first core of `rank R=HOST slot=CORES`. Open MPI requires ascending ranks; so does this
/// reader.
fn seat(rank: usize, line: &str) -> Result<(Host, Option<u32>), String> {
    let shape = || format!("{line:?} is not \"rank R=HOST slot=CORES\"");
    let (number, rest) = line
        .strip_prefix("rank ")
        .and_then(|rest| rest.split_once('='))
        .ok_or_else(shape)?;
    match number.trim().parse::<usize>() {
        Ok(found) if found == rank => {}
        Ok(found) => {
            return Err(format!(
                "rank {found} found, rank {rank} expected: list every rank once, in ascending order"
            ));
        }
        Err(_) => return Err(shape()),
    }
    let rest = rest.trim_start();
    let (host, slot) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Ok((
        host_of(host).ok_or_else(|| unnamed(host, line))?,
        core(slot),
    ))
}

fn unnamed(host: &str, line: &str) -> String {
    match host {
        "" => format!("{line:?} is not \"rank R=HOST slot=CORES\""),
        _ => format!("{host:?} is not a host name"),
    }
}

fn host_of(word: &str) -> Option<Host> {
    match word.strip_prefix("+n").or_else(|| word.strip_prefix('+')) {
        Some(index) => index.parse().ok().map(Host::Nth),
        None => (!word.is_empty() && is_host(word)).then(|| Host::Named(word.to_owned())),
    }
}

/// The first core of `slot=10-12`. `None` for cores counted within a package, such as `slot=1:0-2`,
/// which cannot be compared.
fn core(slot: &str) -> Option<u32> {
    let (_, cores) = slot.split_once('=')?;
    let first = cores.trim().split([',', '-']).next()?;
    first.parse().ok()
}
