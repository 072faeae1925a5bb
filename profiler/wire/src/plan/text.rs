//! The text of a plan, line by line.

use super::{PlannedRank, RenumberingPlan};
use crate::error::{Fault, Result};
use crate::version;
use std::fmt::Write as _;

const NAME: &str = "rankfold-plan";
const VERSION: u32 = 1;
/// The name of a host that is not known yet.
const ANY: &str = "+";
/// The process of a rank if the choice is left to the library.
const FREE: &str = "-";

pub(super) fn format(plan: &RenumberingPlan) -> String {
    // Writing to a string does not fail.
    match plan {
        RenumberingPlan::Shuffled(seed) => format!("{NAME} {VERSION} 0\nshuffle {seed}\n"),
        RenumberingPlan::Seats(seating) => {
            let mut text = format!("{NAME} {VERSION} {}\n", seating.ranks.len());
            for (number, name) in seating.hosts.iter().enumerate() {
                let _ = writeln!(text, "host {number} {}", name.as_deref().unwrap_or(ANY));
            }
            for (rank, planned) in seating.ranks.iter().enumerate() {
                let PlannedRank { host, cores, .. } = planned;
                let process = planned
                    .process
                    .map_or_else(|| FREE.to_owned(), |process| process.to_string());
                let _ = writeln!(text, "rank {rank} {host} {cores} {process}");
            }
            text
        }
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<RenumberingPlan> {
    let foreign = || Fault::Foreign("rankfold plan");
    let text = std::str::from_utf8(bytes).map_err(|_| foreign())?;
    let mut lines = text.lines();
    let (_, announced) = version::head(lines.next(), NAME, &[VERSION], foreign)?;
    let (mut hosts, mut ranks) = (Vec::new(), Vec::new());
    for (number, line) in (2..).zip(lines) {
        let wrong = |problem: String| Fault::Misread {
            line: number,
            problem,
        };
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["shuffle", seed] if hosts.is_empty() && ranks.is_empty() => {
                let seed = seed.parse();
                return seed
                    .map(RenumberingPlan::Shuffled)
                    .map_err(|_| wrong("the seed is no number".into()));
            }
            ["host", index, name] => {
                counts(index, hosts.len()).map_err(wrong)?;
                hosts.push((name != ANY).then(|| name.to_owned()));
            }
            ["rank", index, host, cores, process] => {
                counts(index, ranks.len()).map_err(wrong)?;
                ranks.push(rank(host, cores, process).map_err(wrong)?);
            }
            _ => {
                let text =
                    "neither `host NUMBER NAME`, `rank RANK HOST CORES PROCESS` nor `shuffle SEED`";
                return Err(wrong(text.into()));
            }
        }
    }
    if ranks.len() < announced {
        return Err(Fault::Truncated(bytes.len() as u64));
    }
    let whole = |problem: String| Fault::Misread { line: 1, problem };
    if ranks.len() > announced {
        let text = format!(
            "{announced} ranks are announced, and {} follow",
            ranks.len()
        );
        return Err(whole(text));
    }
    RenumberingPlan::new(hosts, ranks).map_err(|problem| whole(problem.to_string()))
}

/// Checks that a line has the number that comes next.
fn counts(index: &str, next: usize) -> Result<(), String> {
    if index.parse() == Ok(next) {
        Ok(())
    } else {
        Err(format!("{index} stands where {next} comes next"))
    }
}

fn rank(host: &str, cores: &str, process: &str) -> Result<PlannedRank, String> {
    let number = |word: &str| word.parse().map_err(|_| format!("{word} is no number"));
    Ok(PlannedRank {
        host: number(host)?,
        cores: cores.parse().map_err(|error| format!("{cores}: {error}"))?,
        process: match process {
            FREE => None,
            word => Some(number(word)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match parse(text.as_bytes()) {
            Ok(plan) => format!("read: {plan:?}"),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn plans_come_back_as_written() {
        let cores = |text: &str| text.parse().expect("cores");
        let ranks = vec![
            PlannedRank {
                cores: cores("0-1,4"),
                ..PlannedRank::on(1)
            },
            PlannedRank::on(0),
            PlannedRank {
                process: Some(0),
                ..PlannedRank::on(1)
            },
        ];
        let hosts = vec![Some("n0.site".to_owned()), None];
        for plan in [
            RenumberingPlan::new(hosts, ranks).expect("a plan"),
            RenumberingPlan::Shuffled(u64::MAX),
        ] {
            assert_eq!(parse(format(&plan).as_bytes()).expect("readable"), plan);
        }
    }

    #[test]
    fn the_line_that_is_wrong_is_named() {
        let head = "rankfold-plan 1 1\nhost 0 a\n";
        for (line, problem) in [
            ("rank 1 0 - -", "line 3: 1 stands where 0 comes next"),
            ("rank 0 x - -", "line 3: x is no number"),
            ("rank 0 0 9-1 -", "line 3: 9-1: no list of cores"),
            ("rank 0 0", "line 3: neither"),
            (
                "rank 0 1 - -",
                "line 1: rank 0 is on host 1, but hosts are numbered below 1",
            ),
            (
                "rank 0 0 - 1",
                "line 1: rank 0 is to be process 1, but processes are numbered below 1",
            ),
            ("host 1 a\nrank 0 0 - -", "line 1: host a is listed twice"),
            (
                "rank 0 0 - -\nrank 1 0 - -",
                "line 1: 1 ranks are announced, and 2 follow",
            ),
        ] {
            let said = said(&format!("{head}{line}\n"));
            assert!(said.contains(problem), "{line}: {said}");
        }
    }

    #[test]
    fn another_file_a_short_one_and_a_later_one_are_told_apart() {
        assert!(said("1\n0\n").starts_with("not a rankfold plan"));
        assert!(said("rankfold-plan 1 2\nhost 0 a\nrank 0 0 - -\n").starts_with("truncated"));
        assert!(said("rankfold-plan 2 0\n").starts_with("format version 2 is newer"));
        assert!(said("rankfold-plan 1 0\n").contains("has no ranks"));
    }
}
