//! A network, and what is known of its nodes beyond it.

use super::super::network::{FamilyMember, Topology};
use super::hosts::UNUSABLE;
use super::{Inside, Timing};
use std::sync::Arc;

/// A topology with names, slots and insides of its nodes, as far as a machine file gives them.
#[derive(Clone, Debug)]
pub struct Hardware {
    /// The network.
    pub topology: Arc<dyn Topology>,
    /// Names of all nodes; [`UNUSABLE`](super::hosts::UNUSABLE) for one no job can use.
    pub names: Option<Vec<String>>,
    /// Slots of all nodes.
    pub capacities: Option<Vec<u32>>,
    /// What is inside nodes.
    pub insides: Insides,
    /// Times that are no link's.
    pub timing: Timing,
}

impl From<Arc<dyn Topology>> for Hardware {
    fn from(topology: Arc<dyn Topology>) -> Self {
        Self {
            topology,
            names: None,
            capacities: None,
            insides: Insides::default(),
            timing: Timing::default(),
        }
    }
}

impl From<FamilyMember> for Hardware {
    fn from(member: FamilyMember) -> Self {
        Self {
            capacities: member.capacities,
            ..member.topology.into()
        }
    }
}

impl<T: Topology + 'static> From<T> for Hardware {
    fn from(topology: T) -> Self {
        Self::from(Arc::new(topology) as Arc<dyn Topology>)
    }
}

impl Hardware {
    /// Slots of every node: those given, or else `cores`, or else one a core, or else one.
    pub(in crate::machine) fn slots(&self, cores: Option<u32>) -> Vec<u32> {
        if let Some(capacities) = &self.capacities {
            return capacities.clone();
        }
        let of = |node: usize| match &self.names {
            Some(names) if names[node] == UNUSABLE => 0,
            _ => cores.unwrap_or_else(|| self.insides.of(node).map_or(1, Inside::cores)),
        };
        (0..self.topology.nodes()).map(of).collect()
    }
}

/// What is inside which nodes; most machines have few kinds of nodes.
#[derive(Clone, Debug, Default)]
pub struct Insides {
    kinds: Vec<Inside>,
    /// Kind of every node, if they differ or some are unknown.
    of: Option<Vec<Option<u32>>>,
}

impl Insides {
    /// Every node has this inside.
    #[must_use]
    pub fn everywhere(inside: Inside) -> Self {
        Self {
            kinds: vec![inside],
            of: None,
        }
    }

    /// The kind of each node, if it is known.
    #[must_use]
    pub fn each(kinds: Vec<Inside>, of: Vec<Option<u32>>) -> Self {
        Self {
            kinds,
            of: Some(of),
        }
    }

    /// What is inside a node.
    #[must_use]
    pub fn of(&self, node: usize) -> Option<&Inside> {
        match &self.of {
            Some(of) => self.kinds.get(of[node]? as usize),
            None => self.kinds.first(),
        }
    }

    /// Whether nothing is known of any node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}
