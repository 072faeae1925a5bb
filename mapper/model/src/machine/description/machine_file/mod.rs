//! Machine files (`machine.toml`): what importers write and `--machine FILE` reads.
//!
//! ```toml
//! slots = 4                        # of every host, or one number a host; without it --cores holds
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
//! [time]                           # optional: what is known of times; numbers are bytes per second and seconds
//! bandwidth = "12.5GB/s"           # of a link of bandwidth 1; with a network, one for each of its kinds of link or for all
//! latency = "600ns"                # of every link, or a list as for bandwidth; 0 unless given
//! overhead = "300ns"               # of a rank with every message it sends or receives; 0 unless given
//! memory = "40GB/s"                # between the ranks of one node; no limit unless given
//! sizes = [                        # by the size of messages: share of the bandwidth, factor on the latency
//!     { bytes = 0, bandwidth = 0.4, latency = 1.6 },
//!     { bytes = 65536, bandwidth = 0.85, latency = 1.2 },
//! ]
//!
//! [tables]                         # optional: forwarding tables, then every cable is a link of its own
//! leaf0 = [0, 1, 2]                # for every host: by which of its links, counted from 0; -1 drops
//!
//! [[inside]]                       # optional: what is inside hosts; without slots, a slot a core
//! hosts = ["n0", "n1"]             # without it, of every host no other [[inside]] names
//! cores = 4                        # numbered depth first
//! levels = [{ name = "package", cores = [2, 2] }]  # from the outermost in: cores of each group
//! ```
//!
//! In place of switches, links and tables there may be `network = "torus:4x4"`, any spec; hosts are
//! then in node order, with `"-"` for a node no job can use, and may be left out. In place of its
//! bandwidth, a link may have a speed with units: `["n2", "leaf1", "25GB/s+500ns"]`.

mod parse;
mod time;
mod write;

use super::{Hardware, Inside, Insides, MachineError, Timing};
use crate::machine::network::fabric::{Cabling, Fabric, FaultKind, Link, Tables};
use crate::machine::network::{Speed, Unit, families};
use std::collections::HashMap;
use std::ops::Range;

/// A machine by name: hosts, switches, cables, and maybe forwarding tables and what is inside the
/// hosts.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The spec of the network, if it is of a family; there are no switches and links then.
    pub(in crate::machine) network: Option<String>,
    pub(in crate::machine) hosts: Vec<String>,
    pub(in crate::machine) switches: Vec<String>,
    /// Slots of every host, if known.
    pub(in crate::machine) slots: Option<Vec<u32>>,
    /// Ends are hosts, then switches.
    pub(in crate::machine) links: Vec<Link>,
    /// What the speeds of links are in.
    pub(in crate::machine) unit: Unit,
    pub(in crate::machine) tables: Option<Tables>,
    pub(in crate::machine) insides: Vec<Furnished>,
    /// Times that are no link's.
    pub(in crate::machine) timing: Timing,
}

/// What is inside hosts: those listed, or all that no other entry lists.
type Furnished = (Option<Vec<String>>, Inside);

/// Reads a machine file.
///
/// # Errors
/// [`MachineError::BadFile`], naming file and line.
pub(in crate::machine) fn read(path: &str) -> Result<Hardware, MachineError> {
    let bad = |line, problem| MachineError::BadFile {
        file: path.into(),
        line,
        problem,
    };
    let text =
        std::fs::read_to_string(path).map_err(|e| bad(None, format!("cannot read it: {e}")))?;
    let description = Description::parse(&text).map_err(|(line, what)| bad(line, what))?;
    description.hardware(path).map_err(|what| bad(None, what))
}

/// A line, counted from 1, and what is wrong there.
type Problem = (Option<usize>, String);

/// What is wrong at a place of the text.
type Wrong = (Option<Range<usize>>, String);

impl Description {
    /// Hosts of which nothing is known but that they are joined: all have one switch.
    #[must_use]
    pub fn flat(hosts: &[String]) -> Self {
        let switch = hosts.len() as u32;
        let links = (0..switch).filter(|_| switch > 1).map(|host| Link {
            ends: (host, switch),
            speed: Speed::ONE,
            cables: 1,
        });
        Self {
            links: links.collect(),
            switches: (switch > 1).then(|| "network".into()).into_iter().collect(),
            hosts: hosts.to_vec(),
            ..Self::default()
        }
    }

    /// Named hosts on a network of a family: `network` is its spec, `hosts` are in node order.
    #[must_use]
    pub fn on_network(network: String, hosts: Vec<String>) -> Self {
        Self {
            network: Some(network),
            hosts,
            ..Self::default()
        }
    }

    /// Named hosts and switches joined by links. The ends of a link count the hosts first, then
    /// the switches; `unit` says what the speeds of all links are in.
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

    /// The same machine with these times beside those of its links.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The names of the hosts.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// What the description stands for; `called` is what reports call it.
    ///
    /// # Errors
    /// [`MachineError::BadFile`] for a network that is none.
    pub fn build(&self, called: &str) -> Result<Hardware, MachineError> {
        self.hardware(called)
            .map_err(|problem| MachineError::BadFile {
                file: called.into(),
                line: None,
                problem,
            })
    }

    /// The machine; `path` is what reports call it.
    fn hardware(&self, path: &str) -> Result<Hardware, String> {
        let topology = match &self.network {
            Some(network) => families::network(network)?,
            None => Hardware::from(Fabric::new(self.cabling(path))?).topology,
        };
        let named = !self.hosts.is_empty();
        Ok(Hardware {
            insides: self.insides(topology.nodes()),
            names: named.then(|| self.hosts.clone()),
            capacities: self.slots.clone(),
            timing: self.timing.clone(),
            topology,
        })
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

    pub(in crate::machine) fn cabling(&self, spec: &str) -> Cabling {
        let vertices = self.hosts.len() + self.switches.len();
        let mut cabling = Cabling::new(spec.into(), self.hosts.len(), vertices);
        cabling.links.clone_from(&self.links);
        cabling.unit = self.unit;
        cabling.names = Some(self.hosts.clone());
        cabling.tables.clone_from(&self.tables);
        cabling
    }

    /// Why the tables do not deliver, if so: the switch at fault, the host it fails, and what it
    /// does.
    pub(in crate::machine) fn misrouted(&self) -> Option<(usize, usize, String)> {
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

    /// The links of a switch, in order.
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
