//! `deepspeed`: host file of DeepSpeed, one `host slots=N` a line. Ranks fill the hosts one after
//! the other.

use super::host_runs::{host_runs, read_slot_lines, slot_lines};
use super::text::utf8;
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `deepspeed`. It holds an order of hosts, not of ranks.
pub(super) struct DeepSpeed;

impl MapfileFormat for DeepSpeed {
    described!(
        "deepspeed",
        "DeepSpeed: deepspeed --hostfile FILE (host slots=N; only placements that keep the ranks of a host together)"
    );

    fn holds_host_order(&self) -> bool {
        true
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let instead = "write torch or MPI's own file (slurm, openmpi4)";
        let runs = host_runs(placement, machine, self.name(), instead)?;
        let text = slot_lines(&runs);
        Ok(Mapfile::new(text, "deepspeed --hostfile {} app.py"))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let hosts = read_slot_lines(utf8(content)?, file)?;
        Some(hosts.map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}
