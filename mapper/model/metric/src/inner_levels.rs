//! Distances inside of nodes: the sum of bytes x levels between cores, and between cores and the
//! network adapters by which bytes leave and enter.

use rankfold_base::{CoreId, Placement};
use rankfold_graph::CommGraph;
use rankfold_machine::{Inside, Machine};

/// Where a rank is inside of its node.
struct Seat<'a> {
    inside: Option<&'a Inside>,
    core: CoreId,
    to_nic: u32,
}

/// Bytes between ranks of one node times the [steps](rankfold_machine::Inside::steps) between their
/// cores, and bytes between nodes times the [steps](Machine::steps_to_nic) from both ranks to the
/// adapters that are nearest to them.
///
/// 0 where the inside of nodes is unknown. What is between nodes does not count; hop-bytes measure
/// that.
#[must_use]
pub fn inner_levels(graph: &CommGraph, machine: &Machine, placement: &Placement) -> u128 {
    if !machine.knows_insides() {
        return 0;
    }
    let nodes = placement.nodes(machine.slots());
    let seat = |(&slot, &node)| Seat {
        inside: machine.inside(node),
        core: machine.core(slot).unwrap_or(CoreId(0)),
        to_nic: machine.steps_to_nic(slot),
    };
    let seats: Vec<Seat> = placement.slots().iter().zip(&nodes).map(seat).collect();
    graph
        .messages()
        .map(|message| {
            let (from, to) = (message.from.index(), message.to.index());
            let (a, b) = (&seats[from], &seats[to]);
            let levels = match a.inside {
                _ if nodes[from] != nodes[to] => a.to_nic + b.to_nic,
                Some(inside) => inside.steps(a.core, b.core),
                None => 0,
            };
            u128::from(message.bytes) * u128::from(levels)
        })
        .sum()
}
