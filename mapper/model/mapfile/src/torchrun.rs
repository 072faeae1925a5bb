//! `torchrun`: the node rank of every host, one `host node_rank=K nproc=N` a line.
//!
//! `torchrun` runs once on each host. With a static rendezvous (`--node-rank`, `--master-addr`) it
//! gives the ranks K * N to K * N + N - 1 to the processes of node rank K. With `--rdzv-backend
//! c10d` it orders hosts itself, and this file has no effect. All hosts have the same number of
//! processes.

use super::host_runs::host_runs;
use super::text::{is_host, lines, malformed, seat, utf8};
use super::{Mapfile, MapfileError, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::sync::Arc;

/// Format `torchrun`. It holds an order of hosts, not of ranks.
pub(super) struct Torchrun;

/// Port of the rendezvous in the line to run: `torchrun`'s own default.
const PORT: u32 = 29500;

impl MapfileFormat for Torchrun {
    described!(
        "torchrun",
        "PyTorch: torchrun --node-rank of each host (host node_rank=K nproc=N; only placements that keep the ranks of a host together)"
    );

    fn holds_host_order(&self) -> bool {
        true
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let instead = "write torch, the rank of every process";
        let runs = host_runs(placement, machine, self.name(), instead)?;
        let (first, each) = runs.first().copied().unwrap_or_default();
        if let Some((host, ranks)) = runs.iter().find(|(_, ranks)| *ranks != each) {
            return Err(MapfileError::cannot_express(
                self.name(),
                format!(
                    "host {host} has {ranks} ranks and host {first} has {each}, and torchrun starts as many on every host: {instead}"
                ),
            ));
        }
        let line = |(node_rank, (host, _)): (usize, &(&str, usize))| {
            format!("{host} node_rank={node_rank} nproc={each}\n")
        };
        let text = runs.iter().enumerate().map(line).collect();
        let nodes = runs.len();
        let usage = format!(
            "srun -N {nodes} --ntasks-per-node=1 sh -c 'torchrun --nnodes={nodes} --nproc-per-node={each} --node-rank=$(sed -n \"s/^$(hostname) node_rank=\\([0-9]*\\) .*/\\1/p\" {{}}) --master-addr={first} --master-port={PORT} app.py'"
        );
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        entry(lines(text).next()?.1)?;
        Some(hosts(text, file).map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}

/// The host of every rank; the lines may be in any order.
fn hosts(text: &str, file: &str) -> Result<Vec<Arc<str>>> {
    let mut nodes = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, node_rank, ranks)) = entry(line) else {
            let problem = format!("{line:?} is not \"host node_rank=K nproc=N\"");
            return Err(malformed(file, number, problem));
        };
        nodes.push((node_rank, number, host, ranks));
    }
    nodes.sort_unstable();
    let mut hosts = Vec::new();
    for (expected, (node_rank, number, host, ranks)) in nodes.into_iter().enumerate() {
        if node_rank != expected {
            let problem = format!(
                "node rank {node_rank} where {expected} was expected: a node rank is missing or given twice"
            );
            return Err(malformed(file, number, problem));
        }
        seat(&mut hosts, host, ranks).map_err(|problem| malformed(file, number, problem))?;
    }
    Ok(hosts)
}

fn entry(line: &str) -> Option<(&str, usize, usize)> {
    let mut words = line.split_whitespace();
    let host = words.next().filter(|host| is_host(host))?;
    let node_rank = words.next()?.strip_prefix("node_rank=")?.parse().ok()?;
    let ranks = words.next()?.strip_prefix("nproc=")?.parse().ok()?;
    words.next().is_none().then_some((host, node_rank, ranks))
}
