//! Placements that follow from a list of hosts alone: the orders of launchers.

use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_launch::placement::canonical;
use rankfold_machine::Machine;
use std::collections::HashMap;

/// The placement with every rank on the host that `order` names for it. The ranks of a host take
/// its slots in the order of the ranks. `None` where a host is unknown or has too few slots.
pub(super) fn seated(order: &[String], machine: &Machine) -> Option<Placement> {
    let nodes = nodes_by_name(machine)?;
    let mut taken = vec![0; machine.slots().nodes()];
    let slots = order.iter().map(|host| {
        let node = *nodes.get(&canonical(host))?;
        let slot = machine.slots().on(node).nth(taken[node.index()])?;
        taken[node.index()] += 1;
        Some(slot)
    });
    slots.collect::<Option<Vec<SlotId>>>().map(Placement::new)
}

/// The node of every host name; `None` where the machine has no host names.
fn nodes_by_name(machine: &Machine) -> Option<HashMap<String, NodeId>> {
    let names = machine.hosts()?.iter().zip(0..);
    Some(
        names
            .map(|(name, node)| (canonical(name), NodeId(node)))
            .collect(),
    )
}
