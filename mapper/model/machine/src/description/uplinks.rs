//! Capacities of the links between switches, where a description gives ratios and no cables.
//!
//! Every switch has one link up, as wide as all its cables together: what enters the switch from
//! below divided by the ratio of its level.
//!
//! ```text
//! oversubscription = ["1:1", "2:1"], 16 hosts of bandwidth 1 a leaf, 15 leaves a cell
//!
//! host ── 1 ──> leaf ── 16 / 1 ──> cell ── 15 x 16 / 2 ──> top
//! ```
//!
//! The listed link of a switch with a switch names the lower one first.

use super::Oversubscription;
use crate::network::fabric::{Cabling, Fabric, Link};
use crate::network::{Paths, RoutingRules, Topology, Unit};
use rankfold_base::NodeId;
use std::collections::HashMap;
use std::sync::Arc;

/// The ratio of narrow links above leaf switches: the least that a published machine has is near.
const NARROW: f64 = 4.0;

/// A switch and the hosts below it.
#[derive(Clone, Debug, PartialEq)]
pub struct HostsBelow {
    /// Name of the switch.
    pub switch: String,
    /// All hosts below it.
    pub hosts: Vec<NodeId>,
    /// Bandwidth of its link up, all cables together; 0 where it has none.
    pub up: f64,
    /// Bandwidth of the slowest cable of these hosts.
    pub host: f64,
}

/// Hosts, switches and the links between them.
#[derive(Clone, Debug)]
pub struct Wired {
    /// Number of hosts.
    pub(super) hosts: usize,
    pub(super) switches: Vec<String>,
    /// The ends of a link count the hosts first, then the switches.
    pub(super) links: Vec<Link>,
    pub(super) unit: Unit,
    pub(super) rules: RoutingRules,
    /// Whether forwarding tables give the routes.
    pub(super) has_tables: bool,
    pub(super) oversubscription: Option<Oversubscription>,
}

/// The switches of a tree.
struct SwitchTree {
    /// For every switch, the number of its link up.
    up: Vec<Option<usize>>,
    /// The switches, each behind all that are below it.
    upwards: Vec<usize>,
    /// The level of every switch: 1 for leaf switches.
    level: Vec<usize>,
}

impl Wired {
    /// Whether nobody told the capacities of the links between switches.
    #[must_use]
    pub fn assumes_capacities(&self) -> bool {
        let ratios = self.oversubscription.as_ref();
        ratios.is_some_and(Oversubscription::is_assumed)
    }

    /// Whether capacities are given by ratios, or assumed.
    pub(crate) fn has_ratios(&self) -> bool {
        self.oversubscription.is_some()
    }

    /// Sets the rules of routes.
    pub(crate) fn set_rules(&mut self, rules: RoutingRules) {
        self.rules = rules;
    }

    /// The network, without forwarding tables; `called` is its name in reports.
    ///
    /// # Errors
    /// As [`oversubscribed`](Self::oversubscribed).
    pub(crate) fn topology(&self, called: &str) -> Result<Arc<dyn Topology>, String> {
        let vertices = self.hosts + self.switches.len();
        let mut cabling = Cabling::new(called.into(), self.hosts, vertices);
        cabling.links = self.wired_links()?;
        cabling.unit = self.unit;
        let mut fabric = Fabric::new(cabling)?;
        fabric.set_own_rules(self.rules.clone())?;
        Ok(Arc::new(fabric))
    }

    /// The same with as many cables of each host as `adapters` says, where nobody told the cables;
    /// `None` if nothing changes.
    pub(crate) fn with_adapters(&self, adapters: impl Fn(usize) -> u32) -> Option<Self> {
        self.oversubscription.as_ref()?;
        let mut changed = self.clone();
        let mut has_changed = false;
        for link in &mut changed.links {
            let host = link.ends.0.min(link.ends.1) as usize;
            if host < self.hosts && link.cables == 1 {
                link.cables = adapters(host).max(1);
                has_changed |= link.cables > 1;
            }
        }
        has_changed.then_some(changed)
    }

    /// The same network with routes of the other kind, where nobody told the routes and some pairs
    /// have several paths: all shortest paths, or, where hosts have several cables, one.
    pub(crate) fn with_other_paths(&self) -> Option<Self> {
        let cables: usize = self.links.iter().map(|link| link.cables as usize).sum();
        let has_choice = cables + 1 > self.hosts + self.switches.len();
        let mut other = self.spread().filter(|_| has_choice)?;
        if self.has_rails() {
            other.rules.paths = Some(Paths::Static);
        }
        Some(other)
    }

    /// The same network whose routes take all shortest paths, where nobody told the routes.
    pub(super) fn spread(&self) -> Option<Self> {
        if self.has_tables || self.rules.paths.is_some() {
            return None;
        }
        let mut spread = self.clone();
        spread.rules.paths = Some(Paths::Spread);
        Some(spread)
    }

    /// Whether some host has several cables.
    fn has_rails(&self) -> bool {
        let mut cables = vec![0; self.hosts];
        for link in &self.links {
            for end in [link.ends.0, link.ends.1] {
                if let Some(count) = cables.get_mut(end as usize) {
                    *count += link.cables;
                }
            }
        }
        cables.into_iter().any(|count| count > 1)
    }

    /// The same with other capacities between switches.
    ///
    /// # Errors
    /// A message if the machine is no tree of switches, or has fewer levels than ratios.
    pub fn oversubscribed(&self, by: Oversubscription) -> Result<Self, String> {
        let changed = Self {
            oversubscription: Some(by),
            has_tables: false,
            ..self.clone()
        };
        changed.wired_links().map(|_| changed)
    }

    /// The links as the network is built from them.
    ///
    /// # Errors
    /// As [`oversubscribed`](Self::oversubscribed).
    pub fn wired_links(&self) -> Result<Vec<Link>, String> {
        let Some(oversubscription) = &self.oversubscription else {
            return Ok(self.links.clone());
        };
        let tree = self.switch_tree()?;
        let levels = tree.level.iter().max().map_or(0, |top| top - 1);
        if oversubscription.ratios.len() > levels {
            return Err(format!(
                "{} for {levels} levels of links between switches",
                rankfold_base::words::counted(oversubscription.ratios.len(), "ratio"),
            ));
        }
        let hosts = self.hosts;
        let mut from_below = vec![0.0; self.switches.len()];
        for link in self
            .links
            .iter()
            .filter(|link| !self.is_between_switches(link))
        {
            let switch = link.ends.0.max(link.ends.1) as usize - hosts;
            from_below[switch] += link.speed.bandwidth * f64::from(link.cables);
        }
        let mut links = self.links.clone();
        for &switch in &tree.upwards {
            let Some(up) = tree.up[switch] else { continue };
            let capacity = from_below[switch] / oversubscription.at(tree.level[switch]);
            from_below[links[up].ends.1 as usize - hosts] += capacity;
            links[up].speed.bandwidth = capacity;
            links[up].cables = 1;
        }
        // A switch without hosts below it carries nothing.
        links.retain(|link| link.speed.bandwidth > 0.0);
        Ok(links)
    }

    /// Whether bytes may take one of several cables in place of a link up, by a fixed rule: nobody
    /// told the cables, nor that routes adapt.
    pub(crate) fn may_have_cables(&self) -> bool {
        self.has_ratios() && self.rules.paths != Some(Paths::Spread)
    }

    /// The same tree with narrow links above the leaf switches, where nobody told capacities.
    pub(crate) fn narrow(&self) -> Option<Self> {
        let narrow = Oversubscription::of_leaves(NARROW);
        let is_open = self.assumes_capacities();
        is_open.then(|| self.oversubscribed(narrow).ok()).flatten()
    }

    /// Switches by level, leaf switches first, each with all hosts below it; `None` where they form
    /// no tree.
    pub(crate) fn hosts_by_switch(&self) -> Option<Vec<Vec<HostsBelow>>> {
        let tree = self.switch_tree().ok()?;
        let wide = |link: &Link| (link.ends, link.speed.bandwidth * f64::from(link.cables));
        let widths: HashMap<(u32, u32), f64> = self.wired_links().ok()?.iter().map(wide).collect();
        let hosts = self.hosts;
        let mut below: Vec<Vec<NodeId>> = vec![Vec::new(); self.switches.len()];
        let mut slowest = vec![f64::INFINITY; self.switches.len()];
        for link in self
            .links
            .iter()
            .filter(|link| !self.is_between_switches(link))
        {
            let (host, switch) = (link.ends.0.min(link.ends.1), link.ends.0.max(link.ends.1));
            let switch = switch as usize - hosts;
            below[switch].push(NodeId(host));
            slowest[switch] = slowest[switch].min(link.speed.bandwidth);
        }
        let mut levels = vec![Vec::new(); tree.level.iter().copied().max()?];
        for &switch in &tree.upwards {
            let own = std::mem::take(&mut below[switch]);
            if let Some(up) = tree.up[switch] {
                let above = self.links[up].ends.1 as usize - hosts;
                below[above].extend_from_slice(&own);
                slowest[above] = slowest[above].min(slowest[switch]);
            }
            levels[tree.level[switch] - 1].push(HostsBelow {
                switch: self.switches[switch].clone(),
                hosts: own,
                up: tree.up[switch]
                    .and_then(|up| widths.get(&self.links[up].ends).copied())
                    .unwrap_or(0.0),
                host: slowest[switch],
            });
        }
        Some(levels)
    }

    fn is_between_switches(&self, link: &Link) -> bool {
        link.ends.0.min(link.ends.1) as usize >= self.hosts
    }

    fn switch_tree(&self) -> Result<SwitchTree, String> {
        let (hosts, switches) = (self.hosts, self.switches.len());
        if self
            .links
            .iter()
            .any(|link| (link.ends.0.max(link.ends.1) as usize) < hosts)
        {
            return Err(
                "two hosts are joined without a switch: ratios need a tree of switches".into(),
            );
        }
        let mut up = vec![None; switches];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); switches];
        for (number, link) in self.links.iter().enumerate() {
            if !self.is_between_switches(link) {
                continue;
            }
            let [lower, upper] = [link.ends.0, link.ends.1].map(|end| end as usize - hosts);
            if up[lower].replace(number).is_some() {
                return Err(format!(
                    "{} has two links up: ratios need a tree of switches, in which the lower switch \
                     of a link is named first",
                    self.switches[lower]
                ));
            }
            below[upper].push(lower);
        }
        let mut upwards: Vec<usize> = (0..switches).filter(|&it| up[it].is_none()).collect();
        if upwards.len() != 1 {
            return Err(match switches {
                0 => "ratios need a tree of switches".into(),
                _ => format!(
                    "{} switches have no link up: ratios need a tree",
                    upwards.len()
                ),
            });
        }
        let mut next = 0;
        while let Some(&switch) = upwards.get(next) {
            upwards.extend_from_slice(&below[switch]);
            next += 1;
        }
        upwards.reverse();
        let mut level = vec![1; switches];
        for &switch in &upwards {
            let lower = below[switch].iter().map(|&it| level[it] + 1).max();
            level[switch] = lower.unwrap_or(1);
        }
        Ok(SwitchTree { up, upwards, level })
    }
}

#[cfg(test)]
mod tests;
