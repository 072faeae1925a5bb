//! `cray`: rank order file of Cray MPICH. Lists the ranks in the order in which the launcher fills
//! the nodes.
//!
//! The library renumbers ranks over the launcher's block layout, so the file is the inverse of the
//! map from rank to place. Comma lists, ranges and comments are read. A file with one number a line
//! also looks like `nodes`; the user must then name the format.

use super::order::{self, order};
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `cray`, for Cray MPICH under Slurm or ALPS.
pub(super) struct Cray;

impl MapfileFormat for Cray {
    described!(
        "cray",
        "Cray MPICH: MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=FILE (ranks in slot order over block layout)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".hosts"]
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let order = order(placement, machine, self.name())?;
        let (ranks, each) = (placement.ranks(), order.ranks_a_node);
        let hosts = if order.first_nodes {
            None
        } else {
            Some(order.hosts(machine, self.name())?)
        };
        let chosen = hosts.as_ref().map_or("", |_| " --nodefile={}.hosts");
        let nodes = order.nodes.len();
        let usage = format!(
            "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={{}} srun -N {nodes} -n {ranks} --ntasks-per-node={each} --distribution=block{chosen} ./app"
        );
        let mapfile = Mapfile::new(order.text, usage);
        Ok(match hosts {
            None => mapfile,
            Some(hosts) => mapfile.beside(".hosts", hosts),
        })
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        order::read(content, file)
    }
}
