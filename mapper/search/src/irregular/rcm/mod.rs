//! `rcm`: RCM mapping of LibTopoMap (Hoefler and Snir, ICS 2011, section 3.3).
//!
//! The communication graph and the machine graph are both sorted by the reverse Cuthill-McKee
//! order, which keeps neighbours close in the order. The i-th rank takes the i-th slot. Weights
//! play no part. Cost: O(m log d) for m pairs and ranks with d partners, plus the same for the
//! links of the machine.

use super::bundles::bundled;
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::{Edge, Machine};
use rankfold_problem::heuristic::{
    About, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use sprs::linalg::reverse_cuthill_mckee;
use sprs::{CsMatI, TriMatI};

/// Most ranks for which the heuristic takes part without being asked for by name: grouping more
/// ranks by node takes long.
const AFFORDABLE_RANKS: usize = 1 << 17;

/// The heuristic `rcm`: `pi = pi_H o pi_G^-1` in the paper's notation, with the order `pi_G` of the
/// ranks and the order `pi_H` of the slots.
///
/// As in the paper, nodes without slots are removed from the machine graph. Switches stay, since
/// nothing else connects the nodes of a tree. Where nodes have several slots, groups of ranks as
/// large as a node are ordered (section 3.4).
#[derive(Debug)]
pub struct Rcm;

impl Heuristic for Rcm {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "rcm",
            Family::Irregular,
            "reverse Cuthill-McKee orders of both graphs side by side (Hoefler and Snir 2011, 3.3)",
        )
        .up_to(AFFORDABLE_RANKS)
        .on(|machine| !machine.is_switched())
        .at_least(Effort::Balanced);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        bundled(problem, place)
    }
}

fn place(problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
    let ranks = reverse_cuthill_mckee(problem.affinity.matrix().view());
    let slots = machine_order(problem.machine);
    let mut slot_of = vec![SlotId(0); problem.graph.ranks()];
    for (rank, slot) in ranks.perm.vec().iter().zip(slots) {
        slot_of[*rank as usize] = slot;
    }
    Ok(Placement::new(slot_of).into())
}

/// The slots of the usable nodes, the nodes in reverse Cuthill-McKee order.
fn machine_order(machine: &Machine) -> Vec<SlotId> {
    let slots = machine.slots();
    let nodes = machine.topology().nodes();
    let wiring = machine.topology().wiring();
    let kept = |v: u32| v as usize >= nodes || slots.capacity(NodeId(v)) > 0;
    let mut links: TriMatI<u8, u32> = TriMatI::new((wiring.vertices(), wiring.vertices()));
    for (from, &Edge { to, .. }) in wiring.edges.indexed() {
        if kept(from as u32) && kept(to) {
            links.add_triplet(from, to as usize, 1);
        }
    }
    let links: CsMatI<u8, u32> = links.to_csr();
    reverse_cuthill_mckee(links.view())
        .perm
        .vec()
        .iter()
        .filter(|&&v| (v as usize) < nodes)
        .flat_map(|&v| slots.on(NodeId(v)))
        .collect()
}

#[cfg(test)]
mod tests;
