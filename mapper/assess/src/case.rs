//! What is placed on what, what a placement is compared with, and what every placement keeps.

use crate::constraints::Constraints;
use crate::hosts;
use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use std::borrow::Cow;

/// A problem of placing ranks.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// Directed bytes between ranks. A search renumbers a graph that it owns in place, so that a
    /// large one does not take memory twice.
    pub graph: Cow<'a, CommGraph>,
    /// Nodes, network and slots.
    pub machine: &'a Machine,
    /// What a placement is compared with, besides block order.
    pub reference: Reference,
    /// What every placement keeps, whatever is searched for.
    pub constraints: Constraints,
    /// What is moved.
    pub unit: Unit,
}

/// What a placement is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// Block order: ranks filled in order.
    #[default]
    Block,
    /// Where the launcher put the ranks.
    Launched(Placement),
}

/// What a search moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Each rank by itself.
    #[default]
    Ranks,
    /// Whole hosts, with so many ranks in a row on each; the last one may have fewer.
    Hosts(u32),
}

impl Unit {
    /// Whole hosts, where every usable node has as many slots, and more than one; else ranks.
    #[must_use]
    pub fn hosts_of(machine: &Machine) -> Self {
        let slots = machine.slots();
        let capacities = || (0..slots.nodes()).map(|node| slots.capacity(NodeId::at(node)));
        let each = capacities().max().unwrap_or(0);
        if each > 1 && capacities().all(|it| it == 0 || it == each) {
            Self::Hosts(each)
        } else {
            Self::Ranks
        }
    }
}

impl<'a> Case<'a> {
    /// All ranks may move, and placements are compared with block order.
    #[must_use]
    pub fn new(graph: &'a CommGraph, machine: &'a Machine) -> Self {
        Self::owning(Cow::Borrowed(graph), machine)
    }

    /// The same with a graph that a search may take.
    #[must_use]
    pub fn owning(graph: Cow<'a, CommGraph>, machine: &'a Machine) -> Self {
        Self {
            graph,
            machine,
            reference: Reference::Block,
            constraints: Constraints::default(),
            unit: Unit::Ranks,
        }
    }

    /// The same, compared with the placement that the launcher made, where it is known and is one
    /// of all ranks.
    #[must_use]
    pub fn launched(self, launched: Option<Placement>) -> Self {
        let launched = launched.filter(|launched| launched.ranks() == self.graph.ranks());
        Self {
            reference: launched.map_or(Reference::Block, Reference::Launched),
            ..self
        }
    }

    /// The same with constraints on every placement.
    #[must_use]
    pub fn keeping(self, constraints: Constraints) -> Self {
        Self {
            constraints,
            ..self
        }
    }

    /// The same with another unit of what is moved.
    #[must_use]
    pub fn moving(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Block order: the ranks filled in order, a host at a time where hosts are moved. Where ranks
    /// take several slots, a rank that finds no room begins the next host.
    #[must_use]
    pub fn block(&self) -> Placement {
        match self.unit {
            Unit::Ranks => self.constraints.block(self.graph.ranks(), self.machine),
            Unit::Hosts(each) => hosts::block(self.graph.ranks(), self.machine, each),
        }
    }

    /// Where the launcher put the ranks, if that is known.
    #[must_use]
    pub fn launch(&self) -> Option<&Placement> {
        match &self.reference {
            Reference::Block => None,
            Reference::Launched(placement) => Some(placement),
        }
    }
}
