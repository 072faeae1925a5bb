//! Machine files (`machine.toml`): importers write them, `--machine FILE` reads them.
//!
//! ```toml
//! slots = 4           # of every host, or one number for each host; by default --cores
//! hosts = ["n0", "n1", "n2"]
//! switches = ["leaf0", "leaf1", "spine"]
//! links = [
//!     ["n0", "leaf0"],             # bandwidth 1, one cable
//!     ["n1", "leaf0"],
//!     ["n2", "leaf1", 2.0],        # bandwidth of each cable
//!     ["leaf0", "spine", 1.0, 2],  # parallel cables
//!     ["leaf1", "spine"],
//! ]
//!
//! [time]              # optional; numbers are bytes per second and seconds
//! bandwidth = "12.5GB/s"  # of a link of bandwidth 1; with a network, of all links, or a list with
//!                         # the bandwidth of each kind of link
//! latency = "600ns"       # of every link, or a list as for bandwidth; by default 0
//! overhead = "300ns"      # of a rank for every message that it sends or receives; by default 0
//! memory = "40GB/s"       # between the ranks of one node; by default no limit
//! sizes = [               # by size of messages: share of the bandwidth, factor on the latency
//!     { bytes = 0, bandwidth = 0.4, latency = 1.6 },
//!     { bytes = 65536, bandwidth = 0.85, latency = 1.2 },
//! ]
//!
//! [tables]            # optional forwarding tables; every cable must then be a link of its own
//! leaf0 = [0, 1, 2]   # for every host the link of this switch, counted from 0; -1 drops
//!
//! [aliases]           # optional: other names and addresses of hosts
//! "10.0.0.1" = "n0"
//!
//! [[inside]]              # optional: the inside of hosts; without slots, each core is a slot
//! hosts = ["n0", "n1"]    # by default every host that no other [[inside]] names
//! cores = 4               # numbered depth first
//! levels = [{ name = "package", cores = [2, 2] }]  # from the outermost in: cores of each group
//! ```
//!
//! A line `oversubscription = ["1:1", "2:1"]` before the tables gives the capacities of the links
//! between switches of a tree by ratios of bandwidth from below to bandwidth upwards, from the leaf
//! switches up. Each switch then has one link up, which names the lower switch first, and its
//! bandwidth is ignored. `"unknown"`, as importers write it, is taken as 1:1, and said to be.
//!
//! A line `routes = "spread"` before the tables says that messages take all shortest paths evenly,
//! not one of them. With a torus as `network`, `ties = "source"` (`"+"`, `"-"`, `"split"`, `"any"`)
//! says which way half-way ties go and `order = [2, 0, 1]` in which order dimensions are routed, as
//! at the end of a spec.
//!
//! Instead of switches, links and tables there may be the path of each pair of hosts, as importers
//! write it for networks whose routes no links and tables give:
//!
//! ```toml
//! hosts = ["n0", "n1"]
//! channels = [                             # what messages queue for; no matter which direction
//!     { name = "bus", speed = "1GB/s+1us" },
//!     { name = "delay", latency = "5ms" }, # messages do not slow each other down
//! ]
//!
//! [paths]             # for every host the channels, counted from 0, on the way to each host
//! n0 = [[], [0, 1]]
//! n1 = [[1, 0], []]
//! ```
//!
//! Instead of switches, links and tables there may be `network = "torus:4x4"`, or any other spec.
//! The hosts are then in node order, with `"-"` for a node that no job can use, or are left out.
//! Instead of a bandwidth, a link may have a speed with units: `["n2", "leaf1", "25GB/s+500ns"]`.

mod aliases;
mod forwarding;
mod parse;
mod paths;
mod time;
mod write;

use super::{Hardware, Inside, Insides, MachineError, Oversubscription, Result, Timing, Wired};
use crate::network::fabric::{Cabling, Fabric, FaultKind, Link, Tables};
use crate::network::listed_paths::{ListedPaths, PathTable};
use crate::network::{RoutingRules, Speed, Unit, families};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// The contents of a machine file: hosts, switches and links, and maybe forwarding tables, times
/// and the insides of hosts.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The spec of a network of a family. Switches, links and tables are empty then.
    pub network: Option<String>,
    /// Names of the hosts, which are the nodes in this order.
    pub hosts: Vec<String>,
    /// Other names and addresses of hosts, each with the name of its host.
    pub aliases: BTreeMap<String, String>,
    /// Names of the switches.
    pub switches: Vec<String>,
    /// Number of slots of every host, if known.
    pub slots: Option<Vec<u32>>,
    /// The ends of a link count the hosts first, then the switches.
    pub links: Vec<Link>,
    /// Unit of the speeds of all links.
    pub unit: Unit,
    /// The capacities of links between switches, where they are not the listed ones.
    pub oversubscription: Option<Oversubscription>,
    /// The forwarding tables of all switches, if known.
    pub tables: Option<Tables>,
    /// The path of each pair of hosts. Network, switches and links are empty then.
    pub paths: Option<PathTable>,
    /// The rules of routes over links. Those of a network of a family are part of its spec.
    pub rules: RoutingRules,
    /// The insides of hosts, if known.
    pub insides: Vec<InsideEntry>,
    /// Times besides the times of links.
    pub timing: Timing,
    /// What an importer has assumed, for the user.
    pub notes: Vec<String>,
}

/// An entry `[[inside]]`: hosts, or `None` for all hosts that no other entry lists, and their
/// inside.
pub type InsideEntry = (Option<Vec<String>>, Inside);

/// Reads a machine file.
///
/// # Errors
/// [`MachineError::BadFile`], naming file and line.
pub fn read(path: &str) -> Result<Hardware> {
    Description::read(path)?.build(path)
}

/// An error: the line, counted from 1, if it is known, and a message.
type LineError = (Option<usize>, String);

/// An error: the range of bytes in the text, if it is known, and a message.
type SpanError = (Option<Range<usize>>, String);

impl Description {
    /// Reads a machine file.
    ///
    /// # Errors
    /// [`MachineError::BadFile`], naming file and line.
    pub fn read(path: &str) -> Result<Self> {
        let bad = |line, problem| MachineError::BadFile {
            file: path.into(),
            line,
            problem,
        };
        let text = rankfold_base::files::read_text(path)
            .map_err(|e| bad(None, format!("cannot read it: {e}")))?;
        Self::parse(&text).map_err(|(line, what)| bad(line, what))
    }

    /// Hosts below one switch, for a network of which nothing else is known.
    #[must_use]
    pub fn flat(hosts: &[String]) -> Self {
        let switch = hosts.len() as u32;
        let links = (0..switch)
            .filter(|_| switch > 1)
            .map(|host| Link::single((host, switch), Speed::ONE));
        Self {
            links: links.collect(),
            switches: (switch > 1).then(|| "network".into()).into_iter().collect(),
            hosts: hosts.to_vec(),
            ..Self::default()
        }
    }

    /// Hosts on a network of a family. `network` is the spec of the network, `hosts` are in node
    /// order.
    #[must_use]
    pub fn on_network(network: String, hosts: Vec<String>) -> Self {
        Self {
            network: Some(network),
            hosts,
            ..Self::default()
        }
    }

    /// Hosts and switches joined by links. The ends of a link count the hosts first, then the
    /// switches. `unit` is the unit of the speeds of all links.
    #[must_use]
    pub fn switched(
        hosts: Vec<String>,
        switches: Vec<String>,
        links: Vec<Link>,
        unit: Unit,
    ) -> Self {
        Self {
            hosts,
            switches,
            links,
            unit,
            ..Self::default()
        }
    }

    /// The same description with other times besides the times of links.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// What an importer has assumed, for the user: one sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names of the hosts.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The hardware that the description describes; `called` is its name in reports and errors.
    ///
    /// # Errors
    /// [`MachineError::BadFile`] if the network is wrong.
    pub fn build(&self, called: &str) -> Result<Hardware> {
        self.hardware(called)
            .map_err(|problem| MachineError::of_file(called, problem))
    }

    /// The hardware; `path` is its name in reports. The error is a message.
    fn hardware(&self, path: &str) -> Result<Hardware, String> {
        let topology = match (&self.network, &self.paths) {
            (Some(network), _) => families::network(network)?,
            (None, Some(table)) => Arc::new(ListedPaths::new(path.into(), table.clone())?),
            (None, None) => Arc::new(self.fabric(path)?),
        };
        let named = !self.hosts.is_empty();
        let insides = self.insides(topology.nodes());
        let mut hardware = Hardware {
            insides: Insides::default(),
            names: named.then(|| self.hosts.clone()),
            aliases: self.numbered_aliases(),
            capacities: self.slots.clone(),
            timing: self.timing.clone(),
            notes: self.notes.clone(),
            described: (!self.links.is_empty()).then(|| Arc::new(self.wired())),
            topology,
        };
        hardware.furnish(insides)?;
        Ok(hardware)
    }

    /// The aliases, each with the number of its host.
    fn numbered_aliases(&self) -> BTreeMap<String, usize> {
        let number: HashMap<&String, usize> = self.hosts.iter().zip(0..).collect();
        let aliases = self.aliases.iter();
        aliases
            .filter_map(|(alias, host)| Some((alias.clone(), *number.get(host)?)))
            .collect()
    }

    /// Hosts, switches and the links between them.
    #[must_use]
    pub fn wired(&self) -> Wired {
        Wired {
            hosts: self.hosts.len(),
            switches: self.switches.clone(),
            links: self.links.clone(),
            unit: self.unit,
            rules: self.rules.clone(),
            has_tables: self.tables.is_some(),
            oversubscription: self.oversubscription.clone(),
        }
    }

    /// The same with other capacities between switches.
    ///
    /// # Errors
    /// A message if the machine is no tree of switches, or has fewer levels than ratios.
    pub fn oversubscribed(self, by: Oversubscription) -> Result<Self, String> {
        self.wired().oversubscribed(by.clone())?;
        Ok(Self {
            oversubscription: Some(by),
            tables: None,
            ..self
        })
    }

    /// The same with a measured bandwidth of every host in bytes per second, and with measured
    /// ratios where there are links between switches.
    ///
    /// # Errors
    /// As [`oversubscribed`](Self::oversubscribed).
    pub fn measured(self, bandwidth: f64, by: Option<Oversubscription>) -> Result<Self, String> {
        let mut measured = self;
        for link in &mut measured.links {
            link.speed.bandwidth = bandwidth;
            link.cables = 1;
        }
        measured.unit = Unit::Seconds;
        match by {
            Some(by) => measured.oversubscribed(by),
            None => Ok(measured),
        }
    }

    /// The network of links. Its spec is the path, which says all.
    fn fabric(&self, path: &str) -> Result<Fabric, String> {
        let mut cabling = self.cabling(path);
        cabling.links = self.wired().wired_links()?;
        let mut fabric = Fabric::new(cabling)?;
        fabric.set_own_rules(self.rules.clone())?;
        Ok(fabric)
    }

    fn insides(&self, nodes: usize) -> Insides {
        match &self.insides[..] {
            [] => Insides::default(),
            [(None, inside)] => Insides::everywhere(inside.clone()),
            several => {
                let kind_of_rest = several.iter().position(|(hosts, _)| hosts.is_none());
                let mut of = vec![kind_of_rest.map(|kind| kind as u32); nodes];
                let number: HashMap<&String, usize> = self.hosts.iter().zip(0..).collect();
                for (kind, (listed, _)) in (0..).zip(several) {
                    for host in listed.iter().flatten() {
                        of[number[host]] = Some(kind);
                    }
                }
                Insides::each(
                    several.iter().map(|(_, inside)| inside.clone()).collect(),
                    of,
                )
            }
        }
    }

    pub(crate) fn cabling(&self, spec: &str) -> Cabling {
        let vertices = self.hosts.len() + self.switches.len();
        let mut cabling = Cabling::new(spec.into(), self.hosts.len(), vertices);
        cabling.links.clone_from(&self.links);
        cabling.unit = self.unit;
        cabling.names = Some(self.hosts.clone());
        cabling.tables.clone_from(&self.tables);
        cabling
    }

    /// The first host that no path joins with the first host, if there is one.
    #[must_use]
    pub fn first_unreachable(&self) -> Option<usize> {
        self.cabling("").first_unreachable()
    }

    /// The first destination that the forwarding tables do not reach: the number of the switch at
    /// fault, the number of the host, and a message. `None` if the tables deliver everywhere.
    #[must_use]
    pub fn misrouted(&self) -> Option<(usize, usize, String)> {
        let ends: Vec<(u32, u32)> = self.links.iter().map(|l| l.ends).collect();
        let fault = self.tables.as_ref()?.check(&ends).err()?;
        let (switch, host) = (&self.switches[fault.switch], &self.hosts[fault.node]);
        let problem = match fault.kind {
            FaultKind::Loop => format!("messages to host {host} loop through switch {switch}"),
            FaultKind::Missing => format!("switch {switch} has no route to host {host}"),
            FaultKind::Stray => format!("switch {switch} sends messages to host {host} elsewhere"),
        };
        Some((fault.switch, fault.node, problem))
    }

    fn name(&self, vertex: u32) -> &str {
        let vertex = vertex as usize;
        match vertex.checked_sub(self.hosts.len()) {
            None => &self.hosts[vertex],
            Some(switch) => &self.switches[switch],
        }
    }

    /// The numbers of the links of a switch, ascending.
    fn links_of(&self, switch: usize) -> Vec<u32> {
        links_of(&self.links, (self.hosts.len() + switch) as u32)
    }
}

fn links_of(links: &[Link], vertex: u32) -> Vec<u32> {
    (0..)
        .zip(links)
        .filter(|(_, l)| l.ends.0 == vertex || l.ends.1 == vertex)
        .map(|(number, _)| number)
        .collect()
}

#[cfg(test)]
mod tests;
