//! `deepspeed`: host file of DeepSpeed, one `host slots=N` a line. Ranks fill the hosts one after
//! the other.

use super::output::hosts_of;
use super::text::{is_host, lines, malformed, seat, utf8};
use super::{Mapfile, MapfileError, MapfileFormat, RankPlaces, Seats};
use crate::machine::Machine;
use crate::placement::Placement;
use std::sync::Arc;

/// Format `deepspeed`. It holds an order of hosts, not of ranks.
pub(super) struct DeepSpeed;

impl MapfileFormat for DeepSpeed {
    fn name(&self) -> &'static str {
        "deepspeed"
    }

    fn summary(&self) -> &'static str {
        "DeepSpeed: deepspeed --hostfile FILE (host slots=N; only placements that keep the ranks of a host together)"
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile, MapfileError> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let runs: Vec<&[&str]> = hosts.chunk_by(|a, b| a == b).collect();
        let mut seen = std::collections::HashSet::new();
        if let Some(run) = runs.iter().find(|run| !seen.insert(run[0])) {
            return Err(MapfileError::CannotExpress {
                format: self.name(),
                problem: format!(
                    "the ranks of host {} are not consecutive, and DeepSpeed fills hosts one after the other: write torch's or MPI's own file (slurm, openmpi4)",
                    run[0]
                ),
            });
        }
        let line = |run: &&[&str]| format!("{} slots={}\n", run[0], run.len());
        let text = runs.iter().map(line).collect();
        Ok(Mapfile::new(text, "deepspeed --hostfile {} app.py"))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats, MapfileError>> {
        let text = utf8(content)?;
        entry(lines(text).next()?.1)?;
        Some(hosts(text, file).map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}

fn hosts(text: &str, file: &str) -> Result<Vec<Arc<str>>, MapfileError> {
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
