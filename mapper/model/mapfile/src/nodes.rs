//! `nodes`: text; line r is the node index of rank r.

use super::text::{each_line, lines, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::{NodeId, Placement};
use rankfold_machine::Machine;

/// Format `nodes`. It is neutral and needs no host names.
pub(super) struct Nodes;

impl MapfileFormat for Nodes {
    described!(
        "nodes",
        "line r is the node index of rank r (no launcher; rankfold run and eval read it)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let nodes = placement.nodes(machine.slots());
        let text = nodes.iter().map(|node| format!("{node}\n")).collect();
        let ranks = placement.ranks();
        let usage = format!("rankfold run --map {{}} --hosts HOSTS -- mpirun -n {ranks} ./app");
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        lines(text).next()?.1.parse::<u32>().ok()?;
        let nodes = each_line(text, file, |line| {
            let node = line.parse().map(NodeId);
            node.map_err(|_| format!("{line:?} is not a node index"))
        });
        Some(nodes.map(|nodes| RankPlaces::Nodes(nodes).into()))
    }
}
