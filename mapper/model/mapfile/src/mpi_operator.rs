//! `mpi-operator`: host file of Kubeflow's MPI operator and trainer, one `host slots=N` a line, as
//! the launcher's pod mounts it at `/etc/mpi/hostfile`. Ranks fill the hosts one after the other.
//!
//! The operator writes this file in the order of the workers; a file of one's own, mounted from a
//! ConfigMap and named by `OMPI_MCA_orte_default_hostfile` or `--hostfile`, has another order.

use super::host_runs::{host_runs, read_slot_lines, slot_lines};
use super::text::utf8;
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `mpi-operator`. It holds an order of hosts, not of ranks.
pub(super) struct MpiOperator;

impl MapfileFormat for MpiOperator {
    described!(
        "mpi-operator",
        "Kubeflow's MPI operator: mpirun --hostfile FILE in the launcher's pod (host slots=N; only placements that keep the ranks of a host together)"
    );

    fn holds_host_order(&self) -> bool {
        true
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let instead = "write MPI's own file (openmpi4, openmpi5, mpich)";
        let runs = host_runs(placement, machine, self.name(), instead)?;
        let ranks = placement.ranks();
        let usage = format!("mpirun -n {ranks} --hostfile {{}} --map-by slot ./app");
        Ok(Mapfile::new(slot_lines(&runs), usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let hosts = read_slot_lines(utf8(content)?, file)?;
        Some(hosts.map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}
