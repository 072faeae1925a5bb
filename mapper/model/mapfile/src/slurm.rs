//! `slurm`: host file for `srun --distribution=arbitrary`. Line r is the host of rank r.
//!
//! `SLURM_HOSTFILE` is set only for the job step: `sbatch` and `salloc` would count the hosts of
//! the file if it was exported. Several hosts on a line, `a,b`, and `host*count` are also read.
//! With `--mpi=pmi2`, MPICH assumes that every rank is alone on its node; `--mpi=pmix` reports the
//! true nodes.

use super::output::{are_single, cores_by_local_rank, hosts_of, joined, masks};
use super::seq::host_lines;
use super::text::{is_host, lines, malformed, seat, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::sync::Arc;

/// Format `slurm`.
pub(super) struct Slurm;

impl MapfileFormat for Slurm {
    described!(
        "slurm",
        "Slurm: SLURM_HOSTFILE=FILE srun --distribution=arbitrary (line r is the host of rank r)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let bound = match cores_by_local_rank(placement, machine) {
            Some(slots) if are_single(&slots) => {
                let cores = slots.iter().map(|cores| cores.start);
                format!(" --cpu-bind=map_cpu:{}", joined(cores, ","))
            }
            Some(slots) => format!(" --cpu-bind=mask_cpu:{}", masks(&slots)),
            None => String::new(),
        };
        let ranks = placement.ranks();
        let usage =
            format!("SLURM_HOSTFILE={{}} srun -n {ranks} --distribution=arbitrary{bound} ./app");
        Ok(Mapfile::new(host_lines(&hosts), usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        let (_, first) = lines(text).next()?;
        repeated(first.split(',').next()?)?;
        Some(hosts(text, file).map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}

fn hosts(text: &str, file: &str) -> Result<Vec<Arc<str>>> {
    let mut hosts = Vec::new();
    for (number, line) in lines(text) {
        for word in line.split(',') {
            let Some((host, count)) = repeated(word.trim()) else {
                let problem = format!("{word:?} is neither a host nor host*count");
                return Err(malformed(file, number, problem));
            };
            seat(&mut hosts, host, count).map_err(|problem| malformed(file, number, problem))?;
        }
    }
    Ok(hosts)
}

/// Parses `host` or `host*count`.
fn repeated(word: &str) -> Option<(&str, usize)> {
    let (host, count) = match word.split_once('*') {
        Some((host, count)) => (host, count.parse().ok().filter(|&count| count > 0)?),
        None => (word, 1),
    };
    (!host.is_empty() && is_host(host)).then_some((host, count))
}
