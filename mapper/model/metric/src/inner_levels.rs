//! Distance of ranks inside their nodes: the sum of bytes x levels between their cores.

use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;

/// Bytes between ranks of one node times the [steps](rankfold_machine::Inside::steps) between their
/// cores.
///
/// 0 where the inside of nodes is unknown. Bytes between nodes do not count; hop-bytes measure
/// these.
#[must_use]
pub fn inner_levels(graph: &CommGraph, machine: &Machine, placement: &Placement) -> u128 {
    if !machine.knows_insides() {
        return 0;
    }
    let slots = machine.slots();
    graph
        .messages()
        .map(|m| {
            let (a, b) = (placement.slot(m.from), placement.slot(m.to));
            let node = slots.node_of(a);
            if node != slots.node_of(b) {
                return 0;
            }
            let steps = || {
                let inside = machine.inside(node)?;
                Some(inside.steps(machine.core(a)?, machine.core(b)?))
            };
            u128::from(m.bytes) * u128::from(steps().unwrap_or(0))
        })
        .sum()
}
