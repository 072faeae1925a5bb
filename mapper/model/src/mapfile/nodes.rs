//! `nodes`: text, line r is the node index of rank r.

use super::text::{lines, malformed};
use super::{MapfileError, MapfileFormat, Seats};
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::placement::Placement;
use std::fmt::Write;

/// The neutral format, the only one that needs no host names.
pub(super) struct Nodes;

impl MapfileFormat for Nodes {
    fn name(&self) -> &'static str {
        "nodes"
    }

    fn summary(&self) -> &'static str {
        "line r is the node index of rank r (no launcher; rankfold eval reads it)"
    }

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<String, MapfileError> {
        let mut text = String::new();
        for node in placement.nodes(machine.slots()) {
            writeln!(text, "{node}").expect("writing to a string cannot fail");
        }
        Ok(text)
    }

    fn read(&self, text: &str, file: &str) -> Option<Result<Seats, MapfileError>> {
        lines(text).next()?.1.parse::<u32>().ok()?;
        let nodes = lines(text).map(|(number, line)| {
            line.parse()
                .map(NodeId)
                .map_err(|_| malformed(file, number, format!("{line:?} is not a node index")))
        });
        Some(nodes.collect::<Result<_, _>>().map(Seats::Nodes))
    }
}
