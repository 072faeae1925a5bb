//! Parts: the tasks of each slot, as files number them.

use crate::error::Error;
use rankfold_assess::Sizes;
use rankfold_base::words::counted;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, MapfileError, Seats};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A machine with a node for each slot of another one.
pub(super) fn flat(machine: &Machine, room: u32) -> Machine {
    let parts = machine.slots().len();
    let nodes = rankfold_machine::parse(&format!("hierarchy:{parts}"));
    Machine::uniform(nodes.expect("a machine has at least one slot"), room)
}

/// The part of each of so many tasks, as a file says.
///
/// # Errors
/// The file has another number of tasks, or a part that is no slot.
pub(super) fn read(
    seats: &Seats,
    machine: &Machine,
    tasks: usize,
    file: &str,
) -> Result<Vec<u32>, Error> {
    if seats.ranks() != tasks {
        return Err(Error::from(MapfileError::WrongRanks {
            file: file.to_owned(),
            placed: seats.ranks(),
            ranks: tasks,
        }));
    }
    let parts = mapfile::nodes_of(seats, &flat(machine, 1), file)?;
    Ok(parts.into_iter().map(|part| part.0).collect())
}

/// The tasks of parts on a machine with [room](super::tasks::TaskArgs::room) for them.
pub(super) fn placed(parts: &[u32], machine: &Machine, room: &Machine) -> Placement {
    let slots = machine.slots();
    let order = machine.block_order(slots.len());
    let nodes = order.nodes(slots);
    let nodes: Vec<NodeId> = parts.iter().map(|&part| nodes[part as usize]).collect();
    let placement = Placement::from_nodes(&nodes, room.slots());
    placement.expect("no task weighs less than 1, and no part more than there is room for")
}

/// The weight of every part.
pub(super) fn loads(parts: &[u32], sizes: &Sizes, machine: &Machine) -> Vec<u64> {
    let mut loads = vec![0; machine.slots().len()];
    for (task, part) in parts.iter().enumerate() {
        loads[*part as usize] += u64::from(sizes.of(Rank::at(task)));
    }
    loads
}

/// How even the parts of tasks are.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Parts {
    /// Number of tasks.
    tasks: usize,
    /// Number of slots, each of which takes one part.
    slots: usize,
    /// Weight of the heaviest part.
    heaviest: u64,
    /// Mean weight of the parts.
    mean: f64,
    /// The heaviest part above the mean, relative to the mean.
    imbalance: f64,
}

impl Parts {
    pub(super) fn of(parts: &[u32], sizes: &Sizes, machine: &Machine) -> Self {
        let slots = machine.slots().len();
        let loads = loads(parts, sizes, machine);
        let heaviest = loads.into_iter().max().unwrap_or(0);
        let mean = sizes.total(parts.len()) as f64 / slots as f64;
        Self {
            tasks: parts.len(),
            slots,
            heaviest,
            mean,
            imbalance: heaviest as f64 / mean - 1.0,
        }
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "parts           {} on {}: the heaviest weighs {}, {:.1} % above the mean of {:.1}",
            counted(self.tasks, "task"),
            counted(self.slots, "slot"),
            self.heaviest,
            100.0 * self.imbalance,
            self.mean,
        )
    }
}
