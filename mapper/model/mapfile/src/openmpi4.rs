//! `openmpi4`: rankfile of Open MPI 4, `rank R=HOST slot=CORES`, ranks ascending.
//!
//! A rankfile always binds ranks to cores, and Open MPI 4 accepts two ranks on one core without a
//! warning. A placement of ranks on nodes does not say which rank gets which core. Every rank is
//! therefore bound to all cores that its node offers the job, `slot=0-(K-1)` for K slots, and the
//! system spreads the ranks. A node with a single slot runs one rank with all cores of the first
//! socket, `slot=0:*`; binding it to core 0 would cost a threaded program all other cores.
//! (`slot=*` is read as core 0, a line without `slot=` is refused, and a core that the node lacks
//! ends the launch without a message.)
//!
//! If a machine file or `--node` describes the inside of the nodes, ranks are placed on cores too,
//! and each is bound to the cores of its slot. Core numbers are those of hwloc, depth first, as
//! Open MPI counts them.
//!
//! For no binding at all, or for cores numbered differently, write [`seq`](super::seq).

use super::output::hosts_of;
use super::rankfile::{self, listed};
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::{Placement, Rank};
use rankfold_machine::Machine;
use std::fmt::Write;

/// Format `openmpi4`.
pub(super) struct OpenMpi4;

impl MapfileFormat for OpenMpi4 {
    described!(
        "openmpi4",
        "Open MPI 4: mpirun -rf FILE (rankfile, every rank on all cores its node offers the job)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let nodes = placement.nodes(machine.slots());
        let mut text = String::new();
        for (rank, (host, node)) in hosts.iter().zip(nodes).enumerate() {
            let cores = match machine.cores(placement.slot(Rank::at(rank))) {
                Some(own) => listed(own),
                None => cores(machine.slots().capacity(node)),
            };
            writeln!(text, "rank {rank}={host} slot={cores}")
                .expect("writing to a string cannot fail");
        }
        let ranks = placement.ranks();
        Ok(Mapfile::new(
            text,
            format!("mpirun -n {ranks} -rf {{}} ./app"),
        ))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        rankfile::read(content, file)
    }
}

fn cores(slots: u32) -> String {
    match slots {
        0 | 1 => "0:*".into(),
        _ => format!("0-{}", slots - 1),
    }
}
