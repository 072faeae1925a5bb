//! `mpich`: machine file of Hydra, one `host:count` line for every run of ranks on one host.
//!
//! Hydra treats every line as a node of its own. A host whose ranks are not consecutive has several
//! lines. MPICH up to 4.x then splits the host's shared-memory group by lines: the ranks are on the
//! right host, but only the ranks of one line use shared memory with each other. Runs of ranks are
//! merged into one line to lose as little as possible. `rankfold run` reports the result.

use super::machinefile;
use super::output::hosts_of;
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `mpich`.
pub(super) struct Mpich;

impl MapfileFormat for Mpich {
    described!(
        "mpich",
        "MPICH: mpiexec -f FILE (Hydra machine file, host:count for every run of ranks)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let usage = format!("mpiexec -n {} -f {{}} ./app", placement.ranks());
        Ok(Mapfile::new(machinefile::runs(&hosts), usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        machinefile::read(content, file)
    }
}
