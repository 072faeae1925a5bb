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
//! [tables]                         # optional: forwarding tables, then every cable is a link of its own
//! leaf0 = [0, 1, 2]                # for every host: by which of its links, counted from 0; -1 drops
//!
//! [[inside]]                       # optional: what is inside hosts; without slots, a slot a core
//! hosts = ["n0", "n1"]             # without it, of every host no other [[inside]] names
//! cores = 4                        # numbered depth first
//! levels = [{ name = "package", cores = [2, 2] }]  # from the outermost in: cores of each group
//! ```
//!
//! In place of switches, links and tables there may be `network = "torus:4x4"`, any spec; hosts are then in
//! node order, with `"-"` for a node no job can use, and may be left out.

mod parse;
mod write;

use super::fabric::{Cabling, Fabric, FaultKind, Link, Tables};
use super::{Hardware, Inside, Insides, MachineError, Timing, families};
use std::collections::HashMap;

/// A machine by name: hosts, switches, cables, and maybe forwarding tables and what is inside the hosts.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The spec of the network, if it is of a family; there are no switches and links then.
    pub(super) network: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) switches: Vec<String>,
    /// Slots of every host, if known.
    pub(super) slots: Option<Vec<u32>>,
    /// Ends are hosts, then switches.
    pub(super) links: Vec<Link>,
    pub(super) tables: Option<Tables>,
    pub(super) insides: Vec<Furnished>,
}

/// What is inside hosts: those listed, or all that no other entry lists.
type Furnished = (Option<Vec<String>>, Inside);

/// Reads a machine file.
///
/// # Errors
/// [`MachineError::BadFile`], naming file and line.
pub(super) fn read(path: &str) -> Result<Hardware, MachineError> {
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

type Problem = (Option<usize>, String);

impl Description {
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
            timing: Timing::default(),
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

    pub(super) fn cabling(&self, spec: &str) -> Cabling {
        let vertices = self.hosts.len() + self.switches.len();
        let mut cabling = Cabling::new(spec.into(), self.hosts.len(), vertices);
        cabling.links.clone_from(&self.links);
        cabling.names = Some(self.hosts.clone());
        cabling.tables.clone_from(&self.tables);
        cabling
    }

    /// Why the tables do not deliver, if so: the switch at fault, the host it fails, and what it does.
    pub(super) fn misrouted(&self) -> Option<(usize, usize, String)> {
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
mod tests {
    use super::*;
    use crate::ids::{NodeId, SlotId};
    use crate::machine::{HostList, Machine};

    const PAIR: &str = r#"
slots = [2, 0, 1]
hosts = ["n0", "n1", "n 2"]
switches = ["leaf", "other \"leaf\""]
links = [["n0", "leaf"], ["n1", "leaf", 2.5], ["leaf", "other \"leaf\""],
    ["leaf", "other \"leaf\""],
    ["n 2", "other \"leaf\""]]
[tables]
leaf = [0, 1, 3]
"other \"leaf\"" = [0, 1, 2]
"#;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let written = Description::parse(PAIR).unwrap().to_string();
        let again = Description::parse(&written).unwrap();
        assert_eq!(again.to_string(), written);
        assert_eq!(again.hosts[2], "n 2");
        assert_eq!(again.links[1].bandwidth, 2.5);
        let tables = again.tables.unwrap();
        // the second of the two cables between the switches
        assert_eq!((tables.link(0, 2), tables.link(1, 1)), (3, 3));
    }

    /// A ring with a hole, two hosts alike and one of a single core.
    const RING: &str = r#"network = "torus:4"
hosts = ["a", "-", "b", "c"]
[[inside]]
cores = 4
levels = [{ name = "package", cores = [2, 2] }]
[[inside]]
hosts = ["c"]
cores = 1
"#;

    #[test]
    fn a_machine_file_may_name_a_network_and_what_is_inside_the_hosts() {
        let description = Description::parse(RING).unwrap();
        let written = description.to_string();
        assert_eq!(Description::parse(&written).unwrap().to_string(), written);
        let machine = Machine::new(description.hardware("t").unwrap(), None, None).unwrap();
        assert_eq!(machine.topology().spec(), "torus:4");
        let capacities = [0, 1, 2, 3].map(|n| machine.slots().capacity(NodeId(n)));
        assert_eq!(capacities, [4, 0, 4, 1]);
        let levels = [0, 3].map(|n| machine.inside(NodeId(n)).unwrap().levels().len());
        assert_eq!(levels, [1, 0]);
        // Slots the job was given go before cores.
        let hosts = HostList::from_text("b slots=2\n", "hosts").unwrap();
        let machine = Machine::new(description.hardware("t").unwrap(), None, Some(hosts)).unwrap();
        assert_eq!(
            (machine.slots().len(), machine.cores(SlotId(1))),
            (2, Some(2..4))
        );
    }

    #[test]
    fn mistakes_name_the_line() {
        for (text, changes) in [(PAIR, &PAIR_MISTAKES[..]), (RING, &RING_MISTAKES[..])] {
            for &(from, to, line, problem) in changes {
                let text = text.replacen(from, to, 1);
                let (at, what) = Description::parse(&text).unwrap_err();
                assert_eq!(at, line, "{what}");
                assert!(what.contains(problem), "{what}");
            }
        }
    }

    /// What is replaced, by what, the line of the error, and what it says.
    type Mistake = (&'static str, &'static str, Option<usize>, &'static str);

    const PAIR_MISTAKES: [Mistake; 13] = [
        (
            "[\"n1\", \"leaf\", 2.5], ",
            "",
            Some(3),
            "no path joins n0 and n1",
        ),
        (
            "[2, 0, 1]",
            "[2, 0]",
            Some(2),
            "2 numbers of slots for 3 hosts",
        ),
        ("\"n1\", \"n 2\"", "\"n1\", \"n1\"", Some(3), "two hosts"),
        (
            "[\"n1\", \"leaf\", 2.5]",
            "[\"n9\", \"leaf\"]",
            Some(5),
            "named n9",
        ),
        ("2.5", "0.0", Some(5), "not positive"),
        ("2.5", "1.0, 0", Some(5), "one cable at least"),
        ("slots", "seats", Some(2), "unknown field"),
        (
            "leaf = [0, 1, 3]",
            "leaf = [0, 1, 4]",
            Some(9),
            "entry 2 is no link",
        ),
        (
            "leaf = [0, 1, 3]",
            "leaf = [0, 1]",
            Some(9),
            "one number a host",
        ),
        (
            "leaf = [0, 1, 3]",
            "twig = [0, 1, 3]",
            Some(9),
            "no switch of this name",
        ),
        (
            "leaf = [0, 1, 3]",
            "leaf = [0, 3, 3]",
            Some(9),
            "messages to host n1 loop",
        ),
        (
            "leaf = [0, 1, 3]",
            "leaf = [0, 1, -1]",
            Some(9),
            "no route to host n 2",
        ),
        ("leaf = [0, 1, 3]", "leaf = [0, 1, 0]", Some(9), "elsewhere"),
    ];

    const RING_MISTAKES: [Mistake; 10] = [
        (
            "torus:4",
            "torus:5",
            Some(1),
            "4 hosts for a network of 5 nodes",
        ),
        ("torus:4", "torus:4x0", Some(1), "size 0"),
        ("torus:4", "ring:4", Some(1), "\"ring:4\" is no spec"),
        ("torus:4", "file:x.json", Some(1), "is no spec"),
        (
            "\"c\"]",
            "\"c\"]\nlinks = []",
            Some(1),
            "in place of switches",
        ),
        (
            "network = \"torus:4\"",
            "",
            None,
            "neither links nor network",
        ),
        ("\"b\"", "\"a\"", Some(2), "two hosts or switches named a"),
        ("[\"c\"]", "[\"d\"]", Some(7), "no host named d"),
        (
            "hosts = [\"c\"]",
            "",
            Some(6),
            "two [[inside]] without hosts",
        ),
        ("[2, 2]", "[2, 3]", Some(3), "must share out the 4 cores"),
    ];
}
