//! `intel`: machine file of Intel MPI, one `host:count` line for every run of ranks on one host.
//!
//! The syntax is that of [`mpich`](super::mpich). If the file is given with `-machinefile`, the
//! lines are used one after the other, and ranks of one host share memory even if the host has
//! several lines. If it is given with `-f`, all ranks of a host are grouped together, whatever the
//! lines say.

use super::machinefile;
use super::output::{are_single, cores_by_local_rank, hosts_of, joined, masks};
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `intel`.
pub(super) struct Intel;

impl MapfileFormat for Intel {
    described!(
        "intel",
        "Intel MPI: mpiexec -machinefile FILE (host:count for every run of ranks; not -f, which regroups)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let pinned = match cores_by_local_rank(placement, machine) {
            Some(slots) if are_single(&slots) => {
                let cores = slots.iter().map(|cores| cores.start);
                format!("I_MPI_PIN_PROCESSOR_LIST={} ", joined(cores, ","))
            }
            Some(slots) => format!("I_MPI_PIN_DOMAIN='[{}]' ", masks(&slots)),
            None => String::new(),
        };
        let ranks = placement.ranks();
        let usage = format!("{pinned}mpiexec -n {ranks} -machinefile {{}} ./app");
        Ok(Mapfile::new(machinefile::runs(&hosts), usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        machinefile::read(content, file)
    }
}
