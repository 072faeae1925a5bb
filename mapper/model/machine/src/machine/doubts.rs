//! Machines that a description fits as well: what nobody told may be otherwise than it is taken.

use crate::{HostsBelow, Machine, Oversubscription, Sharing, Timing, Wired};
use std::sync::{Arc, OnceLock};

impl Machine {
    /// Whether nobody told the capacities of the links between switches.
    #[must_use]
    pub fn assumes_capacities(&self) -> bool {
        self.described
            .as_ref()
            .is_some_and(|it| it.assumes_capacities())
    }

    /// Whether the capacities between switches are given by ratios, or assumed.
    pub(super) fn has_ratios(&self) -> bool {
        self.described.as_ref().is_some_and(|it| it.has_ratios())
    }

    /// Whether the machine comes from a file that lists switches, which form a tree.
    #[must_use]
    pub fn is_tree_of_switches(&self) -> bool {
        self.hosts_by_switch().is_some()
    }

    /// Switches by level, leaf switches first, each with all hosts below it; `None` where nobody
    /// named the switches, or they form no tree.
    #[must_use]
    pub fn hosts_by_switch(&self) -> Option<Vec<Vec<HostsBelow>>> {
        self.described.as_ref()?.hosts_by_switch()
    }

    /// The same machine with other capacities between switches; `None` unless it is a tree of
    /// switches from a file.
    #[must_use]
    pub fn oversubscribed(&self, by: Oversubscription) -> Option<Self> {
        self.rebuilt(self.described.as_ref()?.oversubscribed(by).ok()?)
    }

    /// The same machine with links of 4:1 above the leaf switches; `None` unless it is a tree of
    /// switches of which nobody told capacities.
    #[must_use]
    pub fn narrow(&self) -> Option<Self> {
        self.rebuilt(self.described.as_ref()?.narrow()?)
    }

    /// Switches by level where each of them may have several cables up, of which bytes take one by
    /// a fixed rule; `None` where cables were told, or routes adapt.
    #[must_use]
    pub fn switches_with_unknown_cables(&self) -> Option<Vec<Vec<HostsBelow>>> {
        let described = self.described.as_ref()?;
        let may_have = described.may_have_cables();
        may_have.then(|| described.hosts_by_switch()).flatten()
    }

    /// The machines of other capacities between switches, or of routes of the other kind, that fit
    /// what was told as well, where that makes a difference.
    #[must_use]
    pub fn others_that_fit(&self) -> Vec<Self> {
        let Some(described) = &self.described else {
            return Vec::new();
        };
        let others = described.with_other_paths().into_iter();
        let others = others.chain(described.narrow());
        others.filter_map(|it| self.rebuilt(it)).collect()
    }

    /// The machine whose links are shared equally, where nobody told how they are.
    #[must_use]
    pub fn with_other_sharing(&self) -> Option<Self> {
        if self.timing.sharing.is_some() {
            return None;
        }
        let timing = Timing {
            sharing: Some(Sharing::Equal),
            ..self.timing.clone()
        };
        Some(self.clone().with_timing(timing))
    }

    fn rebuilt(&self, network: Wired) -> Option<Self> {
        Some(Self {
            topology: network.topology(&self.topology.spec()).ok()?,
            described: Some(Arc::new(network)),
            contention: OnceLock::new(),
            ..self.clone()
        })
    }
}
