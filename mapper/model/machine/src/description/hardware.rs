//! A network together with names, slots and insides of its nodes.

use super::super::network::{FamilyMember, Topology};
use super::hosts::UNUSABLE;
use super::{HostsBelow, Inside, Oversubscription, Timing, Wired};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A topology with names, slots and insides of its nodes, as far as they are known.
#[derive(Clone, Debug)]
pub struct Hardware {
    /// The network.
    pub topology: Arc<dyn Topology>,
    /// Names of all nodes. The name of a node that no job can use is
    /// [`UNUSABLE`](super::hosts::UNUSABLE).
    pub names: Option<Vec<String>>,
    /// Other names and addresses of nodes, each with the number of its node.
    pub aliases: BTreeMap<String, usize>,
    /// Number of slots of every node.
    pub capacities: Option<Vec<u32>>,
    /// The insides of nodes.
    pub insides: Insides,
    /// Times besides the times of links.
    pub timing: Timing,
    /// What was assumed about the machine, for the user: one sentence each.
    pub notes: Vec<String>,
    /// What the network was built from, where that is a list of links.
    pub described: Option<Arc<Wired>>,
}

impl From<Arc<dyn Topology>> for Hardware {
    fn from(topology: Arc<dyn Topology>) -> Self {
        Self {
            topology,
            names: None,
            aliases: BTreeMap::new(),
            capacities: None,
            insides: Insides::default(),
            timing: Timing::default(),
            notes: Vec::new(),
            described: None,
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
    /// Gives nodes the names by which a job `calls` them where these are aliases.
    pub fn adopt_aliases<'a>(&mut self, calls: impl IntoIterator<Item = &'a str>) {
        let Some(names) = &mut self.names else { return };
        let known: HashSet<String> = names.iter().cloned().collect();
        for name in calls {
            let node = self.aliases.get(name).filter(|_| !known.contains(name));
            if let Some(called) = node.and_then(|&node| names.get_mut(node)) {
                name.clone_into(called);
            }
        }
    }

    /// The capacities of the links between switches, where they are given by ratios or assumed.
    #[must_use]
    pub fn oversubscription(&self) -> Option<&Oversubscription> {
        self.described.as_ref()?.oversubscription.as_ref()
    }

    /// Switches by level, leaf switches first, each with all hosts below it; `None` where nobody
    /// named the switches, or they form no tree.
    #[must_use]
    pub fn hosts_by_switch(&self) -> Option<Vec<Vec<HostsBelow>>> {
        self.described.as_ref()?.hosts_by_switch()
    }

    /// Whether nobody told the capacities of the links between switches.
    #[must_use]
    pub fn assumes_capacities(&self) -> bool {
        self.oversubscription()
            .is_some_and(Oversubscription::is_assumed)
    }

    /// Sets the capacities of the links between switches.
    ///
    /// # Errors
    /// A message if the machine is no tree of switches from a file.
    pub fn oversubscribe(&mut self, by: Oversubscription) -> Result<(), String> {
        let no_tree = "only a file that lists switches and links takes ratios";
        let described = self.described.as_ref().ok_or(no_tree)?;
        self.rebuild(described.oversubscribed(by)?)
    }

    /// Lets the routes adapt to the load, where nobody told the routes.
    ///
    /// # Errors
    /// A message if the network cannot be built so.
    pub fn let_routes_adapt(&mut self) -> Result<(), String> {
        match self
            .described
            .as_ref()
            .and_then(|described| described.spread())
        {
            Some(changed) => self.rebuild(changed),
            None => Ok(()),
        }
    }

    fn rebuild(&mut self, changed: Wired) -> Result<(), String> {
        self.topology = changed.topology(&self.topology.spec())?;
        self.described = Some(Arc::new(changed));
        Ok(())
    }

    /// Tells what is inside of nodes. Where nobody told the cables of a host, it has one for each
    /// of its network adapters.
    ///
    /// # Errors
    /// A message if the network has too many cables then.
    pub fn furnish(&mut self, insides: Insides) -> Result<(), String> {
        self.insides = insides;
        let Some(described) = &self.described else {
            return Ok(());
        };
        let adapters = |host| self.insides.of(host).map_or(1, |it| it.nics().len() as u32);
        if let Some(changed) = described.with_adapters(adapters) {
            self.topology = changed.topology(&self.topology.spec())?;
            self.described = Some(Arc::new(changed));
        }
        Ok(())
    }

    /// Number of slots of every node: the first known one of the number given for the node,
    /// `cores`, the number of cores inside the node, and 1.
    #[must_use]
    pub fn slots(&self, cores: Option<u32>) -> Vec<u32> {
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

/// The insides of all nodes, stored once for each kind of node.
#[derive(Clone, Debug, Default)]
pub struct Insides {
    kinds: Vec<Inside>,
    /// The kind of every node, `None` if it is unknown. Without this list, all nodes are of the
    /// first kind.
    of: Option<Vec<Option<u32>>>,
}

impl Insides {
    /// Insides that are the same for every node.
    #[must_use]
    pub fn everywhere(inside: Inside) -> Self {
        Self {
            kinds: vec![inside],
            of: None,
        }
    }

    /// Insides given by `kinds` and, for each node, the number of its kind if it is known.
    #[must_use]
    pub fn each(kinds: Vec<Inside>, of: Vec<Option<u32>>) -> Self {
        Self {
            kinds,
            of: Some(of),
        }
    }

    /// The inside of a node, if it is known.
    #[must_use]
    pub fn of(&self, node: usize) -> Option<&Inside> {
        match &self.of {
            Some(of) => self.kinds.get(of[node]? as usize),
            None => self.kinds.first(),
        }
    }

    /// Whether the inside of no node is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}
