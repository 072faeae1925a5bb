//! `mpich`: a Hydra machine file, one `host:count` line for every run of ranks on one host.
//!
//! Hydra takes every line for a node of its own. A host whose ranks are not consecutive has several
//! lines, and MPICH up to 4.x then splits its shared-memory group along them: the ranks sit where
//! they should, but only the ranks of one line see each other as neighbours. Runs of ranks are merged
//! into one line to lose as little as possible; `rankfold run` tells what came of it.

use super::text::{is_host, lines, malformed};
use super::{MapfileError, MapfileFormat, Seats};
use crate::machine::Machine;
use crate::placement::Placement;
use std::fmt::Write;

/// The machine file of MPICH's launcher.
pub(super) struct Mpich;

impl MapfileFormat for Mpich {
    fn name(&self) -> &'static str {
        "mpich"
    }

    fn summary(&self) -> &'static str {
        "MPICH: mpiexec -f FILE (Hydra machine file, host:count for every run of ranks)"
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<String, MapfileError> {
        let hosts = super::hosts_of(placement, machine, self.name())?;
        let mut text = String::new();
        for run in hosts.chunk_by(|a, b| a == b) {
            writeln!(text, "{}:{}", run[0], run.len()).expect("writing to a string cannot fail");
        }
        Ok(text)
    }

    fn read(&self, text: &str, file: &str) -> Option<Result<Seats, MapfileError>> {
        run_of(lines(text).next()?.1)?;
        Some(expand(text, file).map(Seats::Hosts))
    }
}

fn expand(text: &str, file: &str) -> Result<Vec<String>, MapfileError> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, count)) = run_of(line) else {
            return Err(malformed(
                file,
                number,
                format!("{line:?} is not host:count"),
            ));
        };
        if hosts.len() + count > super::MAX_RANKS {
            return Err(malformed(file, number, "more ranks than any job has"));
        }
        hosts.extend(std::iter::repeat_n(host.to_owned(), count));
    }
    Ok(hosts)
}

fn run_of(line: &str) -> Option<(&str, usize)> {
    let (host, count) = line.split_once(':')?;
    let count = count.parse().ok().filter(|&count| count > 0)?;
    is_host(host).then_some((host, count))
}
