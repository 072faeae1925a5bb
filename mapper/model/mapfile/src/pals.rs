//! `pals`: for `mpiexec` of HPE's PALS, which reads no file of ranks. Writes the rank order of Cray
//! MPICH, and a companion file with the hosts.

use super::order::{self, order};
use super::output::{cores_by_slot, joined};
use super::rankfile::listed;
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `pals`, for Cray MPICH under PALS.
pub(super) struct Pals;

impl MapfileFormat for Pals {
    described!(
        "pals",
        "PALS: mpiexec -ppn P --hostfile FILE.hosts with Cray's MPICH_RANK_REORDER_FILE=FILE"
    );

    fn endings(&self) -> &'static [&'static str] {
        &[".hosts"]
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let order = order(placement, machine, self.name())?;
        let hosts = order.hosts(machine, self.name())?;
        let (ranks, each) = (placement.ranks(), order.ranks_a_node);
        // PALS binds processes slot by slot; Cray MPICH assigns ranks to the processes later.
        let bound = match cores_by_slot(placement, machine) {
            Some(slots) => format!(
                " --cpu-bind list:{}",
                joined(slots.into_iter().map(listed), ":")
            ),
            None => String::new(),
        };
        let usage = format!(
            "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={{}} mpiexec -n {ranks} -ppn {each} --hostfile {{}}.hosts{bound} ./app"
        );
        Ok(Mapfile::new(order.text, usage).beside(".hosts", hosts))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        order::read(content, file)
    }
}
