//! A machine: a network, the slots that a job has on it, and what is known of its nodes.

mod contention;
mod doubts;

use crate::description::{
    Hardware, HostList, Inside, Insides, MachineError, Result, Timing, Wired,
};
use crate::network::Topology;
use rankfold_base::{CoreId, NodeId, Placement, SlotId, Slots};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A topology, the slots that a job has on it, and the names of the nodes.
///
/// A clone shares the network.
#[derive(Clone, Debug)]
pub struct Machine {
    topology: Arc<dyn Topology>,
    slots: Slots,
    hosts: Option<Vec<String>>,
    insides: Insides,
    timing: Timing,
    notes: Vec<String>,
    /// What the network was built from, where that is a list of links.
    described: Option<Arc<Wired>>,
    contention: OnceLock<Option<Arc<[f64]>>>,
    /// The nodes in the order in which the job lists its hosts, where that is not node order.
    listed: Option<Arc<[NodeId]>>,
    /// The slots that the rank in each slot takes; `None` where all take one.
    widths: Option<Arc<[u32]>>,
    /// For every node the cores of its slots, where the launcher has given them; empty where it has
    /// given none.
    seats: Arc<[Vec<Range<u32>>]>,
}

/// Limit on the number of slots, since there is a table of all slots. Chosen by hand; no MPI world
/// is as large.
const MOST_SLOTS: u64 = 1 << 28;

impl Machine {
    /// A machine of some hardware, with the hosts that a job may use.
    ///
    /// The number of slots of a node is the first one of these that is known: the number in
    /// `hosts`, the number in the machine file, `cores`, the number of cores inside the node, 1.
    ///
    /// If the hardware names its nodes, `hosts` lists the nodes that the job may use, in any order.
    /// Otherwise `hosts` names all nodes in node order.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`] if `hosts` does not fit the nodes,
    /// [`MachineError::TooManySlots`].
    pub fn new(
        hardware: impl Into<Hardware>,
        cores: impl Into<Option<u32>>,
        hosts: Option<HostList>,
    ) -> Result<Self> {
        let mut hardware = hardware.into();
        let slots = hardware.slots(cores.into());
        let (capacities, listed) = match hosts {
            None => (slots, None),
            Some(hosts) => {
                hardware.adopt_aliases(hosts.names());
                let fitted = hosts.fit(&slots, hardware.names.as_deref())?;
                hardware.notes.extend(fitted.note);
                hardware.names = Some(fitted.names);
                (fitted.slots, fitted.listed)
            }
        };
        let slots = capacities.iter().map(|&c| u64::from(c)).sum();
        if slots > MOST_SLOTS {
            return Err(MachineError::TooManySlots {
                slots,
                most: MOST_SLOTS,
                machine: hardware.topology.spec(),
            });
        }
        Ok(Self {
            listed: listed.map(Arc::from),
            ..Self::of(hardware, Slots::of(capacities))
        })
    }

    fn of(hardware: Hardware, slots: Slots) -> Self {
        Self {
            topology: hardware.topology,
            slots,
            hosts: hardware.names,
            insides: hardware.insides,
            timing: hardware.timing,
            notes: hardware.notes,
            described: hardware.described,
            contention: OnceLock::new(),
            listed: None,
            widths: None,
            seats: Arc::default(),
        }
    }

    /// A machine with `cores` slots on every node that a job can use, whatever number of slots the
    /// hardware has. Names, insides and times of the hardware are kept.
    #[must_use]
    pub fn uniform(hardware: impl Into<Hardware>, cores: u32) -> Self {
        let hardware = Hardware {
            capacities: None,
            ..hardware.into()
        };
        let slots = Slots::of(hardware.slots(Some(cores)));
        Self::of(hardware, slots)
    }

    /// The same machine with another number of slots on each node.
    #[must_use]
    pub fn with_slots(&self, capacities: &[u32]) -> Self {
        Self {
            slots: Slots::new(capacities),
            contention: OnceLock::new(),
            seats: Arc::default(),
            ..self.clone()
        }
    }

    /// The same machine for a job on these hosts, in this order, with so many slots on each.
    #[must_use]
    pub fn on_hosts(&self, hosts: &[NodeId], each: u32) -> Self {
        let mut slots = vec![0; self.slots.nodes()];
        hosts.iter().for_each(|host| slots[host.index()] = each);
        Self {
            listed: (!hosts.is_sorted()).then(|| hosts.into()),
            ..self.with_slots(&slots)
        }
    }

    /// The same machine with numbers of links as distances: see [`Topology::by_links`].
    #[must_use]
    pub fn by_links(&self) -> Cow<'_, Self> {
        match self.topology.by_links() {
            None => Cow::Borrowed(self),
            Some(topology) => Cow::Owned(Self {
                topology,
                ..self.clone()
            }),
        }
    }

    /// The same machine where the rank in each slot takes so many slots, that one and those behind
    /// it: their [cores](Self::cores) are its own.
    #[must_use]
    pub fn with_widths(self, widths: Vec<u32>) -> Self {
        Self {
            widths: Some(widths.into()),
            ..self
        }
    }

    /// The slots that the rank in a slot takes.
    #[must_use]
    pub fn width(&self, slot: SlotId) -> u32 {
        self.widths
            .as_ref()
            .map_or(1, |widths| widths[slot.index()])
    }

    /// The same machine with other times besides the times of its links.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The same machine where a launcher has given the slots of nodes these cores, one range for
    /// each slot. What does not fit a node is left out.
    #[must_use]
    pub fn with_seats(self, of: impl Fn(NodeId) -> Option<Vec<Range<u32>>>) -> Self {
        let fitting = |node: NodeId| {
            let cores = self.inside(node)?.cores();
            let fits = |seat: &Range<u32>| !seat.is_empty() && seat.end <= cores;
            let seats = of(node)?;
            let is_whole = seats.len() == self.slots.capacity(node) as usize;
            (is_whole && seats.iter().all(fits)).then_some(seats)
        };
        let nodes = (0..self.slots.nodes()).map(NodeId::at);
        Self {
            seats: nodes
                .map(|node| fitting(node).unwrap_or_default())
                .collect(),
            ..self
        }
    }

    /// The times besides the times of the links, as far as they are known.
    #[must_use]
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The network.
    #[must_use]
    pub fn topology(&self) -> &dyn Topology {
        &*self.topology
    }

    /// A shared reference to the network, for example for a machine with other slots.
    #[must_use]
    pub fn share_topology(&self) -> Arc<dyn Topology> {
        Arc::clone(&self.topology)
    }

    /// The slots that ranks can be placed on.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Whether the network is anything but a mesh or a torus.
    #[must_use]
    pub fn is_switched(&self) -> bool {
        self.topology.structure().grid().is_none()
    }

    /// Host name of every node, if the user or the machine file names the nodes. The name of a node
    /// that the job cannot use is [`UNUSABLE`](crate::hosts::UNUSABLE).
    #[must_use]
    pub fn hosts(&self) -> Option<&[String]> {
        self.hosts.as_deref()
    }

    /// What was assumed about the machine and the names of the job's hosts, one sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The inside of a node, if it is known.
    #[must_use]
    pub fn inside(&self, node: NodeId) -> Option<&Inside> {
        self.insides.of(node.index())
    }

    /// Whether the inside of any node is known.
    #[must_use]
    pub fn knows_insides(&self) -> bool {
        !self.insides.is_empty()
    }

    /// The cores of a slot, counted within its node, if the inside of the node is known. Where the
    /// rank in it takes several slots, they are the cores of all.
    #[must_use]
    pub fn cores(&self, slot: SlotId) -> Option<Range<u32>> {
        let node = self.slots.node_of(slot);
        let first = self.slots.on(node).next()?;
        let position = slot.0 - first.0;
        let (inside, capacity) = (self.inside(node)?, self.slots.capacity(node));
        let seats = self.seats.get(node.index());
        if let Some(cores) = seats.and_then(|seats| seats.get(position as usize)) {
            return Some(cores.clone());
        }
        let last = position + self.width(slot) - 1;
        Some(inside.share(position, capacity).start..inside.share(last, capacity).end)
    }

    /// The first core of a slot, if the inside of its node is known: see [`cores`](Self::cores).
    #[must_use]
    pub fn core(&self, slot: SlotId) -> Option<CoreId> {
        Some(CoreId(self.cores(slot)?.start))
    }

    /// The levels between the cores of a slot and the network adapter that is nearest to them; 0
    /// where no adapter is known.
    #[must_use]
    pub fn steps_to_nic(&self, slot: SlotId) -> u32 {
        let inside = self.inside(self.slots.node_of(slot));
        let steps = inside.zip(self.cores(slot));
        steps.map_or(0, |(inside, cores)| inside.steps_to_nic(cores))
    }

    /// The nodes that the job may use, in the order in which its launch fills them: that of its
    /// list of hosts, or node order.
    #[must_use]
    pub fn launch_order(&self) -> Vec<NodeId> {
        let mut nodes = match &self.listed {
            Some(listed) => listed.to_vec(),
            None => (0..self.slots.nodes()).map(NodeId::at).collect(),
        };
        nodes.retain(|&node| self.slots.capacity(node) > 0);
        nodes
    }

    /// Block order, as most launchers place ranks: each node of the launch is filled before the
    /// next one.
    ///
    /// # Panics
    /// If the ranks [do not fit](Self::check_fits).
    #[must_use]
    pub fn block_order(&self, ranks: usize) -> Placement {
        if self.listed.is_none() {
            return Placement::block(ranks);
        }
        let nodes = self.launch_order().into_iter();
        let slots = nodes.flat_map(|node| self.slots.on(node)).take(ranks);
        let placement = Placement::new(slots.collect());
        assert_eq!(placement.ranks(), ranks, "the ranks fit");
        placement
    }

    /// Checks that a world of so many ranks fits the slots.
    ///
    /// # Errors
    /// [`MachineError::TooFewSlots`] with both numbers.
    pub fn check_fits(&self, ranks: usize) -> Result<()> {
        if ranks <= self.slots.len() {
            return Ok(());
        }
        Err(MachineError::TooFewSlots {
            ranks,
            slots: self.slots.len(),
            machine: self.topology.spec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hosts, parse};

    #[test]
    fn slots_have_the_cores_that_a_launcher_gave_them_where_these_fit() {
        let mut hardware = Hardware::from(parse("torus:3").unwrap());
        hardware.insides = Insides::everywhere(Inside::new(8, Vec::new()).unwrap());
        let seats = [
            &[4..6, 0..2][..],
            std::slice::from_ref(&(0..2)),
            &[0..2, 6..9],
        ];
        let machine = Machine::uniform(hardware, 2)
            .with_seats(|node| seats.get(node.index()).map(|it| it.to_vec()));
        let cores = [0, 1, 2, 5].map(|slot| machine.cores(SlotId(slot)).unwrap());
        assert_eq!(cores, [4..6, 0..2, 0..4, 4..8]);
        let other = machine.with_slots(&[2, 0, 0]);
        assert_eq!(
            other.cores(SlotId(0)),
            Some(0..4),
            "of other slots nothing is known"
        );
    }

    #[test]
    fn a_uniform_machine_keeps_names_insides_and_times() {
        let mut hardware = Hardware::from(parse("torus:3").unwrap());
        let names = ["a", hosts::UNUSABLE, "c"].map(String::from);
        hardware.names = Some(names.to_vec());
        hardware.capacities = Some(vec![8, 0, 8]);
        hardware.insides = Insides::everywhere(Inside::new(4, Vec::new()).unwrap());
        hardware.timing.overhead = 1e-6;
        let machine = Machine::uniform(hardware, 2);
        assert_eq!(machine.hosts(), Some(&names[..]));
        assert!(machine.knows_insides());
        assert_eq!(machine.timing().overhead, 1e-6);
        let capacities = [0, 1, 2].map(|node| machine.slots().capacity(NodeId(node)));
        assert_eq!(
            capacities,
            [2, 0, 2],
            "no slot on a node that no job can use"
        );
    }
}
