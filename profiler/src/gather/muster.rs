//! Who is here: before anything collective is begun, in which a rank without this library would be waited for in vain.
//!
//! Every rank reports to the first of its block, and these to rank 0, which tells all that have reported. A rank reports
//! with a synchronous send to a rank that may lack the library: unless that one receives it, the report is taken back.

use super::lane::Lane;
use super::tree::{first_of, firsts, members};
use super::wait::{Result, Trouble};
use std::num::NonZeroU64;

/// Bytes of a report: a [`Report`] as a number (8), and the host, cut or padded with zeros.
const REPORT: usize = 8 + 256;

/// What is found when all ranks are counted.
pub(crate) enum Found {
    /// All are here, and have this number in common.
    All(NonZeroU64),
    /// Some are not here. Those who are missed themselves are named to one rank of those who miss them.
    Missing(Vec<Missing>),
}

/// A rank that has not reported.
pub(crate) struct Missing {
    pub(crate) rank: u32,
    /// Where the nearest ranks that have are.
    pub(crate) neighbours: Vec<String>,
}

/// The worst of all that are reported counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Missing,
    Here,
}

/// Finds out whether all ranks are here; rank 0 makes the number that all have in common.
pub(crate) fn muster(lane: &Lane, host: &str, make: impl FnOnce() -> NonZeroU64) -> Result<Found> {
    let first = first_of(lane.rank);
    let (mut worst, mut hosts, mut missing) =
        (Report::Here, vec![(lane.rank, host.to_owned())], Vec::new());
    if lane.rank == first {
        let mut hear = |from: u32, deadline| -> Result {
            match lane.take(from, REPORT, deadline) {
                Ok(report) => {
                    worst = worst.min(read(&report));
                    hosts.push((from, host_in(&report)));
                }
                Err(Trouble::Late(_)) => {
                    worst = Report::Missing;
                    missing.push(from);
                }
                Err(trouble) => return Err(trouble),
            }
            Ok(())
        };
        let deadline = lane.deadline(1);
        members(first, lane.ranks).try_for_each(|member| hear(member, deadline))?;
        let deadline = lane.deadline(2);
        let others = firsts(lane.ranks).filter(|_| lane.is_root());
        others
            .into_iter()
            .try_for_each(|other| hear(other, deadline))?;
    }
    let told = if lane.is_root() {
        Ok(match worst {
            Report::Here => make().get(),
            Report::Missing => worst as u64,
        })
    } else {
        report(
            lane,
            if lane.rank == first { 0 } else { first },
            worst,
            host,
        )
    };
    if let Err(Trouble::Late(Some(above))) = told {
        missing.push(above);
    }
    if lane.rank == first {
        let verdict = told.as_ref().map_or(Report::Missing as u64, |told| *told);
        for (other, _) in hosts.iter().skip(1) {
            let bytes = verdict.to_le_bytes().to_vec();
            lane.put(*other, bytes, false, lane.deadline(1))?;
        }
    }
    let told = match told {
        Err(Trouble::Late(_)) => Report::Missing as u64,
        other => other?,
    };
    let nobody = || Found::Missing(named(&missing, &hosts));
    Ok(NonZeroU64::new(told).map_or_else(nobody, Found::All))
}

/// Reports to the rank `above`, and waits for what it says.
fn report(lane: &Lane, above: u32, worst: Report, host: &str) -> Result<u64> {
    let mut report = (worst as u64).to_le_bytes().to_vec();
    report.extend(host.bytes().take(REPORT - 8));
    report.resize(REPORT, 0);
    lane.put(above, report, true, lane.deadline(2))?;
    let told = lane.take(above, 8, lane.deadline(4))?;
    Ok(number(&told))
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

/// Where the missing ranks are likely to be: MPI tells nobody the host of another rank, but most launchers give neighbours
/// one host.
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
