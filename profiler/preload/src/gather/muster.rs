//! Who is here: before anything collective is begun, in which a rank without this library would be
//! waited for in vain.
//!
//! Every rank reports to the first of its block, and these to the first ones of blocks before them,
//! up to rank 0. What that finds comes back the same way to all that have reported, with the hosts
//! of the block. A rank reports with a synchronous send to a rank that may lack the library: unless
//! that one receives it, the report is taken back.

use super::lane::Lane;
use super::layout::{
    Branch, Place, Tree, above_block, blocks_below, first_of, levels, members, runs,
};
use super::wait::{Result, Trouble};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// Bytes of a report: a [`Report`] as a number (8), and the host, cut or padded with zeros.
const REPORT: usize = 8 + 256;
/// Bytes of what comes back: the number that all have in common or 0 (8), the first rank of the
/// receiver's host in the block (4), how many of it follow each other (4), and how many of the
/// block are on that host at all (4).
const VERDICT: usize = 20;

/// What is found when all ranks are counted.
pub enum Found {
    /// All are here, and have this number in common; each has its place.
    All(NonZeroU64, Place),
    /// Some are not here. Those who are missed themselves are named to one rank of those who miss
    /// them.
    Missing(Vec<Missing>),
}

/// A rank that has not reported.
pub struct Missing {
    /// Which one.
    pub rank: u32,
    /// Where the nearest ranks that have are.
    pub neighbours: Vec<String>,
}

/// The worst of all that are reported counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Missing,
    Here,
}

/// What a rank has heard of those below it.
struct Heard {
    worst: Report,
    /// Its own, and of all that have reported to it.
    hosts: Vec<(u32, String)>,
    missing: Vec<u32>,
}

/// Finds out whether all ranks are here; rank 0 makes the number that all have in common.
///
/// # Errors
/// [`Trouble`].
pub fn muster(lane: &Lane, host: &str, make: impl FnOnce() -> NonZeroU64) -> Result<Found> {
    let first = first_of(lane.rank);
    let mut heard = Heard {
        worst: Report::Here,
        hosts: vec![(lane.rank, host.to_owned())],
        missing: Vec::new(),
    };
    let blocks = if lane.rank == first {
        let deadline = lane.deadline(1);
        members(first, lane.ranks).try_for_each(|member| heard.hear(lane, member, deadline))?;
        blocks_below(first, lane.ranks)
    } else {
        Vec::new()
    };
    for block in &blocks {
        // The first of a block waits for its members, and for the blocks below.
        heard.hear(lane, block.first, lane.deadline(1 + block.height))?;
    }
    let block: Vec<&str> = heard
        .hosts
        .iter()
        .filter(|(rank, _)| first_of(*rank) == first)
        .map(|(_, host)| host.as_str())
        .collect();
    let runs = runs(first, &block);
    let on_host_of = |rank: u32| {
        let host = block.get((rank - first) as usize);
        block.iter().filter(|other| Some(*other) == host).count() as u32
    };
    let told = match above(lane.rank) {
        None => Ok((heard.number(make), None, 0)),
        Some(above) => report(lane, above, heard.worst, host),
    };
    if let Err(Trouble::Late(Some(above))) = told {
        heard.missing.push(above);
    }
    if lane.rank == first {
        let number = told.as_ref().map_or(0, |(number, ..)| *number);
        for &(other, _) in heard.hosts.iter().skip(1) {
            let is_member = first_of(other) == first;
            let run = runs.iter().rfind(|run| is_member && run.first <= other);
            let verdict = verdict(number, run.map(|run| (run, on_host_of(other))));
            lane.put(other, verdict, false, lane.deadline(1))?;
        }
    }
    let (number, run, on_host) = match told {
        Err(Trouble::Late(_)) => (0, None, 0),
        other => other?,
    };
    let Some(number) = NonZeroU64::new(number) else {
        return Ok(Found::Missing(named(&heard.missing, &heard.hosts)));
    };
    let place = match run.filter(|_| lane.rank != first) {
        Some(run) => Place {
            tree: Tree::of_member(lane.rank, run),
            on_host,
        },
        None => Place {
            tree: Tree::of_first(first, lane.ranks, &runs),
            on_host: on_host_of(first),
        },
    };
    Ok(Found::All(number, place))
}

/// The beginning of a sentence about those that have not come within `patience`; `None` where that
/// is another's to say.
#[must_use]
pub fn told(missing: &[Missing], patience: Duration) -> Option<String> {
    let first = missing.first()?;
    let others = match missing.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let place = match first.neighbours.join(" and ") {
        hosts if hosts.is_empty() => String::new(),
        hosts => format!(" (its neighbours run on {hosts})"),
    };
    let (rank, seconds) = (first.rank, patience.as_secs_f64());
    Some(format!(
        "rank {rank}{place}{others} did not report within {seconds} s"
    ))
}

impl Heard {
    /// Waits for the report of one rank.
    fn hear(&mut self, lane: &Lane, from: u32, deadline: Instant) -> Result {
        match lane.take(from, REPORT, deadline) {
            Ok(report) => {
                self.worst = self.worst.min(read(&report));
                self.hosts.push((from, host_in(&report)));
            }
            Err(Trouble::Late(_)) => {
                self.worst = Report::Missing;
                self.missing.push(from);
            }
            Err(trouble) => return Err(trouble),
        }
        Ok(())
    }

    fn number(&self, make: impl FnOnce() -> NonZeroU64) -> u64 {
        match self.worst {
            Report::Here => make().get(),
            Report::Missing => 0,
        }
    }
}

/// Whom `rank` reports to.
fn above(rank: u32) -> Option<u32> {
    let first = first_of(rank);
    if rank == first {
        above_block(first)
    } else {
        Some(first)
    }
}

/// Reports to the rank `above`, and waits for what it says: the number, the rank's host in its
/// block, and how many are on that.
fn report(
    lane: &Lane,
    above: u32,
    worst: Report,
    host: &str,
) -> Result<(u64, Option<Branch>, u32)> {
    let mut report = (worst as u64).to_le_bytes().to_vec();
    report.extend(host.bytes().take(REPORT - 8));
    report.resize(REPORT, 0);
    // As long as rank 0 and all on the way to it may wait for others.
    let levels = levels(lane.ranks);
    let longest = 2 + levels * (levels + 3) / 2;
    let patience = if first_of(lane.rank) == above {
        2
    } else {
        longest
    };
    lane.put(above, report, true, lane.deadline(patience))?;
    let told = lane.take(above, VERDICT, lane.deadline(longest.max(4)))?;
    let (number, run) = (number(&told), number(told.get(8..).unwrap_or_default()));
    let run = Branch {
        first: run as u32,
        ranks: (run >> 32) as u32,
        height: 0,
    };
    let on_host = told.get(16..).and_then(<[u8]>::first_chunk);
    let on_host = on_host.map_or(0, |bytes| u32::from_le_bytes(*bytes));
    Ok((number, Some(run), on_host))
}

fn verdict(number: u64, host: Option<(&Branch, u32)>) -> Vec<u8> {
    let (first, ranks, on_host) =
        host.map_or((0, 0, 0), |(run, on_host)| (run.first, run.ranks, on_host));
    let mut verdict = number.to_le_bytes().to_vec();
    for number in [first, ranks, on_host] {
        verdict.extend(number.to_le_bytes());
    }
    verdict
}

fn read(report: &[u8]) -> Report {
    match number(report) {
        1 => Report::Here,
        _ => Report::Missing,
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn host_in(report: &[u8]) -> String {
    let host = report.iter().skip(8).take_while(|&&byte| byte != 0);
    String::from_utf8_lossy(&host.copied().collect::<Vec<u8>>()).into_owned()
}

/// Where the missing ranks are likely to be: MPI tells nobody the host of another rank, but most
/// launchers give neighbours one host.
fn named(missing: &[u32], hosts: &[(u32, String)]) -> Vec<Missing> {
    let one = |&rank: &u32| {
        let below = hosts
            .iter()
            .filter(|(other, _)| *other < rank)
            .max_by_key(|(other, _)| *other);
        let above = hosts
            .iter()
            .filter(|(other, _)| *other > rank)
            .min_by_key(|(other, _)| *other);
        let mut neighbours: Vec<String> = [below, above]
            .into_iter()
            .flatten()
            .map(|(_, host)| host.clone())
            .collect();
        neighbours.dedup();
        Missing { rank, neighbours }
    };
    missing.iter().map(one).collect()
}
