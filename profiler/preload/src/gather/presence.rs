//! Finds out which ranks have not loaded the library, before the library begins a collective
//! operation in which the others would wait for such a rank for ever.
//!
//! Every rank reports to the first rank of its block, and the first rank of a block to that of an
//! earlier block, up to rank 0, along the tree of the module `layout`. The result returns along the
//! same tree to all ranks that have reported, together with the hosts of their block. A report is a
//! synchronous send, because its receiver may lack the library: a report that is not received in
//! time is cancelled.

use super::endpoint::Endpoint;
use super::layout::{
    Branch, Tree, TreePosition, above_block, blocks_below, first_of, levels, members, runs,
};
use super::wait::{Result, Trouble};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// Length of a report in bytes: a [`Report`] as a number (8), and the name of the host, cut or
/// padded with zeros.
const REPORT: usize = 8 + 256;
/// Length of the answer to a report in bytes: the number on which all ranks agree, or 0 if a rank
/// is missing (8); the first rank of the receiver's branch (4); the number of ranks of that branch
/// (4); the number of ranks of the block on the receiver's host (4); whether all ranks of the world
/// are on one host (4).
const VERDICT: usize = 24;

/// Whether all ranks have reported.
pub enum Presence {
    /// All ranks have reported. They agree on this number, and this rank has this position in the
    /// tree.
    All(NonZeroU64, TreePosition),
    /// At least one rank did not report. The list holds the ranks for which this rank has waited in
    /// vain: ranks below it in the tree that did not report, and the rank above it if that did not
    /// answer.
    Missing(Vec<MissingRank>),
}

/// A rank that has not reported.
pub struct MissingRank {
    /// Its number.
    pub rank: u32,
    /// The hosts of the nearest ranks before and behind it that have reported.
    pub neighbours: Vec<String>,
}

/// What a rank reports about itself and the ranks below it in the tree: the worst of their states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Missing,
    Here,
    /// The launcher has told this rank, too, that all ranks are on one host.
    OnOneHost,
}

/// What a rank has received from the ranks below it in the tree.
struct Heard {
    worst: Report,
    /// The host of this rank, and those of all ranks that have reported to it.
    hosts: Vec<(u32, String)>,
    missing: Vec<u32>,
}

/// What rank 0 tells the ranks that have reported.
#[derive(Clone, Copy)]
struct Verdict {
    /// The number on which all ranks agree; 0 if a rank is missing.
    number: u64,
    is_one_host: bool,
}

/// What a rank is told: the verdict; its branch in its block; the number of ranks of the block on
/// its host.
type Told = (Verdict, Option<Branch>, u32);

/// Finds out whether all ranks have loaded the library, and whether all are on one host: they are
/// if each has `told_one_host` by its launcher and all hosts have one name. Rank 0 calls `make` for
/// the number on which all ranks agree.
///
/// # Errors
/// [`Trouble`].
pub fn find_missing_ranks(
    endpoint: &Endpoint,
    host: &str,
    told_one_host: bool,
    make: impl FnOnce() -> NonZeroU64,
) -> Result<Presence> {
    let first = first_of(endpoint.rank);
    let own = if told_one_host {
        Report::OnOneHost
    } else {
        Report::Here
    };
    let mut heard = Heard {
        worst: own,
        hosts: vec![(endpoint.rank, host.to_owned())],
        missing: Vec::new(),
    };
    let blocks = if endpoint.rank == first {
        let deadline = endpoint.deadline(1);
        members(first, endpoint.ranks)
            .try_for_each(|member| heard.hear(endpoint, member, deadline))?;
        blocks_below(first, endpoint.ranks)
    } else {
        Vec::new()
    };
    for block in &blocks {
        // The first rank of a block waits for its members, and for the blocks below.
        heard.hear(endpoint, block.first, endpoint.deadline(1 + block.height))?;
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
    let received = match above(endpoint.rank) {
        None => Ok((
            heard.verdict(make, on_host_of(0) == endpoint.ranks),
            None,
            0,
        )),
        Some(above) => report(endpoint, above, heard.worst, host),
    };
    if let Err(Trouble::Late(Some(above))) = received {
        heard.missing.push(above);
    }
    if endpoint.rank == first {
        let own = received.as_ref().map_or(Verdict::MISSING, |(own, ..)| *own);
        for &(other, _) in heard.hosts.iter().skip(1) {
            let is_member = first_of(other) == first;
            let run = runs.iter().rfind(|run| is_member && run.first <= other);
            let verdict = packed(own, run.map(|run| (run, on_host_of(other))));
            endpoint.put(other, verdict, false, endpoint.deadline(1))?;
        }
    }
    let (verdict, run, on_host) = match received {
        Err(Trouble::Late(_)) => (Verdict::MISSING, None, 0),
        other => other?,
    };
    let is_one_host = verdict.is_one_host;
    let Some(number) = NonZeroU64::new(verdict.number) else {
        return Ok(Presence::Missing(named(&heard.missing, &heard.hosts)));
    };
    let place = match run.filter(|_| endpoint.rank != first) {
        Some(run) => TreePosition {
            tree: Tree::of_member(endpoint.rank, run),
            on_host,
            is_one_host,
        },
        None => TreePosition {
            tree: Tree::of_first(first, endpoint.ranks, &runs),
            on_host: on_host_of(first),
            is_one_host,
        },
    };
    Ok(Presence::All(number, place))
}

/// The beginning of a sentence that names the ranks which have not reported within `patience`.
/// `None` if the list is empty: another rank then reports what is missing.
#[must_use]
pub fn describe(missing: &[MissingRank], patience: Duration) -> Option<String> {
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
    /// Waits for the report of rank `from`.
    fn hear(&mut self, endpoint: &Endpoint, from: u32, deadline: Instant) -> Result {
        match endpoint.take(from, REPORT, deadline) {
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

    /// The verdict of rank 0. `same_name` says whether the hosts of all ranks have one name.
    fn verdict(&self, make: impl FnOnce() -> NonZeroU64, same_name: bool) -> Verdict {
        if self.worst == Report::Missing {
            return Verdict::MISSING;
        }
        Verdict {
            number: make().get(),
            is_one_host: same_name && self.worst == Report::OnOneHost,
        }
    }
}

/// The rank to which `rank` reports; `None` for rank 0.
fn above(rank: u32) -> Option<u32> {
    let first = first_of(rank);
    if rank == first {
        above_block(first)
    } else {
        Some(first)
    }
}

impl Verdict {
    /// A rank is missing.
    const MISSING: Self = Self {
        number: 0,
        is_one_host: false,
    };
}

/// Reports to the rank `above`, and waits for the answer.
fn report(endpoint: &Endpoint, above: u32, worst: Report, host: &str) -> Result<Told> {
    let mut report = (worst as u64).to_le_bytes().to_vec();
    report.extend(host.bytes().take(REPORT - 8));
    report.resize(REPORT, 0);
    // A rank waits as long as rank 0 and all ranks on the way to it may wait for others.
    let levels = levels(endpoint.ranks);
    let longest = 2 + levels * (levels + 3) / 2;
    let patience = if first_of(endpoint.rank) == above {
        2
    } else {
        longest
    };
    endpoint.put(above, report, true, endpoint.deadline(patience))?;
    let received = endpoint.take(above, VERDICT, endpoint.deadline(longest.max(4)))?;
    let (number, run) = (
        number(&received),
        number(received.get(8..).unwrap_or_default()),
    );
    let run = Branch {
        first: run as u32,
        ranks: (run >> 32) as u32,
        height: 0,
    };
    let last = self::number(received.get(16..).unwrap_or_default());
    let verdict = Verdict {
        number,
        is_one_host: last >> 32 != 0,
    };
    Ok((verdict, Some(run), last as u32))
}

/// The answer to a report, as [`VERDICT`] describes it.
fn packed(verdict: Verdict, host: Option<(&Branch, u32)>) -> Vec<u8> {
    let (first, ranks, on_host) =
        host.map_or((0, 0, 0), |(run, on_host)| (run.first, run.ranks, on_host));
    let mut bytes = verdict.number.to_le_bytes().to_vec();
    for number in [first, ranks, on_host, u32::from(verdict.is_one_host)] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

fn read(report: &[u8]) -> Report {
    match number(report) {
        1 => Report::Here,
        2 => Report::OnOneHost,
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

/// The missing ranks, each with the hosts of the nearest ranks that have reported. MPI tells no
/// rank the host of another, but most launchers put neighbouring ranks on one host.
fn named(missing: &[u32], hosts: &[(u32, String)]) -> Vec<MissingRank> {
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
        MissingRank { rank, neighbours }
    };
    missing.iter().map(one).collect()
}
