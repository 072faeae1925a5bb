//! What users demand of every placement.

use rankfold_base::words::ranges;
use rankfold_base::{NodeId, Placement, Rank, SlotId, Slots};
use rankfold_machine::Machine;

/// Where a rank stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// In any slot of this node.
    Node(NodeId),
    /// In this slot.
    Slot(SlotId),
}

/// What is demanded of some ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The rank stays in its seat.
    Stay(Rank, Seat),
    /// All these ranks share a host.
    Together(Vec<Rank>),
    /// No two of these ranks share a host.
    Apart(Vec<Rank>),
    /// At most so many of these ranks are on each node.
    AtMost(Vec<Rank>, Vec<u32>),
}

/// A demand, and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What is demanded.
    pub demand: Demand,
    /// The flag with its value, or the line of a file: errors name it.
    pub origin: String,
}

/// A placement to begin from. Only so many ranks may leave their slots in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The placement.
    pub placement: Placement,
    /// The most ranks that move.
    pub moves: usize,
    /// The flag with its value: errors name it.
    pub origin: String,
}

impl Seat {
    /// The node of the seat.
    #[must_use]
    pub fn node(self, slots: &Slots) -> NodeId {
        match self {
            Self::Node(node) => node,
            Self::Slot(slot) => slots.node_of(slot),
        }
    }

    /// The slot of the seat; `None` where it is any slot of a node.
    #[must_use]
    pub fn slot(self) -> Option<SlotId> {
        match self {
            Self::Node(_) => None,
            Self::Slot(slot) => Some(slot),
        }
    }
}

impl Demand {
    /// The same demand after ranks were renumbered; `now` has the new number of a rank.
    #[must_use]
    pub fn of(&self, now: impl Fn(&Rank) -> Rank) -> Self {
        let all = |ranks: &[Rank]| ranks.iter().map(&now).collect();
        match self {
            Self::Stay(rank, seat) => Self::Stay(now(rank), *seat),
            Self::Together(ranks) => Self::Together(all(ranks)),
            Self::Apart(ranks) => Self::Apart(all(ranks)),
            Self::AtMost(ranks, most) => Self::AtMost(all(ranks), most.clone()),
        }
    }

    /// The ranks that are concerned.
    pub(super) fn ranks(&self) -> &[Rank] {
        match self {
            Self::Stay(rank, _) => std::slice::from_ref(rank),
            Self::Together(ranks) | Self::Apart(ranks) | Self::AtMost(ranks, _) => ranks,
        }
    }
}

impl Rule {
    /// The rule in words, with the hosts that it names.
    pub(super) fn in_words(&self, machine: &Machine) -> String {
        let numbers: Vec<usize> = self
            .demand
            .ranks()
            .iter()
            .map(|rank| rank.index())
            .collect();
        let ranks = ranges(&numbers);
        let what = match &self.demand {
            Demand::Stay(_, Seat::Node(node)) => {
                let room = machine.slots().capacity(*node);
                format!(
                    "rank {ranks} on {}, which takes {room}",
                    host(*node, machine)
                )
            }
            Demand::Stay(_, Seat::Slot(slot)) => {
                let node = machine.slots().node_of(*slot);
                let first = machine.slots().on(node).next().unwrap_or(*slot);
                let place = slot.0 - first.0;
                format!("rank {ranks} in slot {place} of {}", host(node, machine))
            }
            Demand::Together(_) => format!("ranks {ranks} on one host"),
            Demand::Apart(_) => format!("ranks {ranks} on different hosts"),
            Demand::AtMost(..) => format!("ranks {ranks} in seats of their kind"),
        };
        format!("{what} ({})", self.origin)
    }
}

/// The name of a host, or the number of a node without a name.
fn host(node: NodeId, machine: &Machine) -> String {
    let name = machine.hosts().and_then(|hosts| hosts.get(node.index()));
    name.map_or_else(|| format!("node {node}"), |name| format!("host {name}"))
}
