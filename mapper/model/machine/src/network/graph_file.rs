//! Networks that a JSON file lists: `file:graph.json`.
//!
//! ```json
//! {"hosts": 2, "vertices": 3, "links": [[0, 2, 1.0, 2], [1, 2, "12.5GB/s+600ns"]],
//!  "rdiv": [1, 1, 1], "capacity": [4, 4]}
//! ```
//!
//! A link is `[u, v, bandwidth, cables]`. Vertices 0 to `hosts` - 1 are the hosts. The bandwidth is
//! that of each cable: a relative number, or a speed with units. Bandwidth and number of cables are
//! 1 unless given. `rdiv` holds the divisor of every vertex for d-mod-k routing (1 unless given),
//! `capacity` the slots of every host (`--cores` unless given). All links must have relative
//! bandwidths, or all must have units. Every pair of hosts has one path by d-mod-k, also where
//! hosts have several cables, unless a rule of the spec says otherwise: a file means the same as in
//! other programs that read this format.

use super::fabric::{Cabling, Fabric, Link};
use super::grammar::Family;
use super::speed::SpeedEntry;
use super::{FamilyMember, Paths, RoutingRules, Unit};
use serde::Deserialize;

/// The `file` family.
pub(super) const FILE: Family = Family {
    name: "file",
    grammar: "file:graph.json",
    build: |path| {
        let text = rankfold_base::files::read_text(path)
            .map_err(|error| format!("cannot read it: {error}"))?;
        let graph: Graph = serde_json::from_str(&text).map_err(|e| located(&e))?;
        let capacities = graph.capacity.clone();
        let mut fabric = Fabric::new(graph.cabling(path, &text)?)?;
        fabric.set_own_rules(RoutingRules {
            paths: Some(Paths::Static),
            ..RoutingRules::default()
        })?;
        Ok(FamilyMember {
            capacities,
            ..fabric.into()
        })
    },
};

/// The message of an error with its line and column first; serde_json appends them.
fn located(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let problem = text.strip_suffix(&place).unwrap_or(&text);
    format!(
        "line {}, column {}: {problem}",
        error.line(),
        error.column()
    )
}

/// The line of entry `number` of `links` in a text of valid JSON, found by counting brackets.
fn line_of_link(text: &str, number: usize) -> usize {
    let links = text.find("\"links\"").unwrap_or(0);
    let brackets = text[links..].match_indices('[').map(|(at, _)| links + at);
    let at = brackets.skip(1).nth(number).unwrap_or(links);
    1 + text[..at].matches('\n').count()
}

/// Limit on the number of vertices. Chosen by hand.
const MOST_VERTICES: usize = 1 << 24;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    hosts: usize,
    vertices: usize,
    links: Vec<LinkEntry>,
    rdiv: Option<Vec<u32>>,
    capacity: Option<Vec<u32>>,
}

/// An entry of `links`.
#[derive(Deserialize)]
#[serde(untagged)]
enum LinkEntry {
    Plain(u32, u32),
    Weighted(u32, u32, SpeedEntry),
    Parallel(u32, u32, SpeedEntry, u32),
}

impl LinkEntry {
    /// The link, and the unit of its speed.
    fn link(&self) -> Result<(Link, Unit), String> {
        let (u, v, speed, cables) = match self {
            Self::Plain(u, v) => (u, v, &SpeedEntry::Relative(1.0), 1),
            Self::Weighted(u, v, speed) => (u, v, speed, 1),
            Self::Parallel(u, v, speed, cables) => (u, v, speed, *cables),
        };
        let (speed, unit) = speed.read()?;
        let link = Link {
            ends: (*u, *v),
            speed,
            cables,
        };
        Ok((link, unit))
    }
}

impl Graph {
    fn cabling(self, path: &str, text: &str) -> Result<Cabling, String> {
        if self.vertices > MOST_VERTICES {
            return Err(format!(
                "{} vertices are more than the {MOST_VERTICES} supported",
                self.vertices
            ));
        }
        let divisors = self.rdiv.unwrap_or_else(|| vec![1; self.vertices]);
        if divisors.len() != self.vertices || divisors.contains(&0) {
            return Err(format!(
                "\"rdiv\" must hold {} positive numbers, one a vertex",
                self.vertices
            ));
        }
        if self
            .capacity
            .as_ref()
            .is_some_and(|c| c.len() != self.hosts)
        {
            return Err(format!(
                "\"capacity\" must hold {} numbers, one a host",
                self.hosts
            ));
        }
        let mut cabling = Cabling::new(format!("file:{path}"), self.hosts, self.vertices);
        let mut units = None;
        for (number, ends) in self.links.iter().enumerate() {
            let at = |problem| format!("line {}: {problem}", line_of_link(text, number));
            let link = ends.link();
            let (link, unit) = link.map_err(|problem| at(format!("link {number}: {problem}")))?;
            if *units.get_or_insert(unit) != unit {
                return Err(at(format!(
                    "link {number}: some links have a bandwidth in bytes per second, some a relative one"
                )));
            }
            cabling.check_link(number, &link).map_err(at)?;
            cabling.links.push(link);
        }
        cabling.unit = units.unwrap_or_default();
        cabling.divisors = divisors;
        Ok(cabling)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Hardware, Machine, MachineError, Unit, load, parse};
    use rankfold_base::{ChannelId, NodeId};

    fn read(json: &str) -> Result<Hardware, MachineError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("graph.json");
        std::fs::write(&path, json).unwrap();
        load(&format!("file:{}", path.display()))
    }

    /// Two leaf switches (4, 5) of two nodes each, two cables to the one spine (6).
    const CLOS: &str = r#"{"hosts": 4, "vertices": 7, "capacity": [2, 0, 1, 1],
        "links": [[0, 4], [1, 4], [2, 5, 3.0], [3, 5], [4, 6, 2.0, 2], [5, 6, 2.0, 2]]}"#;

    #[test]
    fn parallel_cables_are_told_apart_by_destination() {
        let clos = read(CLOS).unwrap().topology;
        let path = |from, to| {
            let mut channels = Vec::new();
            clos.route(NodeId(from), NodeId(to), &mut |c| channels.push(c.0));
            channels
        };
        let (even, odd) = (path(0, 2), path(0, 3));
        assert_eq!((even.len(), odd.len()), (4, 4));
        assert_eq!(even[0], odd[0]);
        assert!(even[1..].iter().zip(&odd[1..]).all(|(a, b)| a != b));
        assert_eq!(clos.bandwidth(ChannelId(even[3])), 3.0);
        assert_eq!(clos.wiring().edges.entries().len(), 12);
    }

    #[test]
    fn a_file_may_say_how_many_ranks_each_host_takes() {
        let machine = Machine::new(read(CLOS).unwrap(), 8, None).unwrap();
        let capacity = |n| machine.slots().capacity(NodeId(n));
        assert_eq!([0, 1, 2, 3].map(capacity), [2, 0, 1, 1]);
    }

    #[test]
    fn parallel_cables_that_are_listed_from_this_end_are_the_first() {
        let pair = read(r#"{"hosts": 2, "vertices": 2, "links": [[1, 0, 2.0], [0, 1, 3.0]]}"#);
        let pair = pair.unwrap().topology;
        let mut speeds = Vec::new();
        for (from, to) in [(0, 1), (1, 0)] {
            pair.route(NodeId(from), NodeId(to), &mut |c| {
                speeds.push(pair.bandwidth(c));
            });
        }
        // Of two cables, host 1 is reached by the second and host 0 by the first.
        assert_eq!(speeds, [2.0, 2.0]);
    }

    #[test]
    fn hosts_with_several_cables_have_one_path_to_each_host() {
        let rails =
            read(r#"{"hosts": 2, "vertices": 4, "links": [[0, 2], [0, 3], [1, 2], [1, 3]]}"#);
        let rails = rails.unwrap().topology;
        let mut shares = Vec::new();
        rails.route_shares(NodeId(0), NodeId(1), &mut |_, share| shares.push(share));
        assert_eq!(shares, [1.0, 1.0]);
    }

    #[test]
    fn links_may_have_a_latency_and_a_bandwidth_in_bytes_per_second() {
        let timed = read(
            r#"{"hosts": 2, "vertices": 3, "links": [[0, 2, "12.5GB/s+600ns"], [1, 2, "1GB/s", 2]]}"#,
        );
        let timed = timed.unwrap().topology;
        assert_eq!(timed.unit(), Unit::Seconds);
        assert_eq!(timed.path_latency(NodeId(0), NodeId(1)), 6e-7);
        assert_eq!(timed.bandwidth(ChannelId(0)), 12.5e9);
    }

    #[test]
    fn every_pair_is_routed_in_as_many_hops_as_it_is_apart() {
        // Node 1 is on every path from node 0; nodes 0 and 1 hang off no switch alone.
        let direct = r#"{"hosts": 4, "vertices": 5,
            "links": [[0, 1], [1, 4], [2, 4], [3, 4], [2, 3]]}"#;
        for json in [
            CLOS,
            direct,
            r#"{"hosts": 2, "vertices": 2, "links": [[0, 1]]}"#,
        ] {
            let fabric = read(json).unwrap().topology;
            let mut longest = 0;
            for a in 0..fabric.nodes() as u32 {
                for b in 0..fabric.nodes() as u32 {
                    let mut length = 0;
                    fabric.route(NodeId(a), NodeId(b), &mut |_| length += 1);
                    assert_eq!(length, fabric.hops(NodeId(a), NodeId(b)), "{a} to {b}");
                    longest = longest.max(length);
                }
            }
            assert_eq!(fabric.diameter(), longest);
        }
    }

    #[test]
    fn broken_files_are_explained() {
        for (json, problem) in [
            ("{", "line 1, column 1: EOF while parsing an object (exp"),
            (
                r#"{"hosts": 2, "vertices": 3, "links": [[0, 2]]}"#,
                "no path joins host 0 and host 1",
            ),
            (
                r#"{"hosts": 1, "vertices": 2, "links": [[0, 2]]}"#,
                "line 1: link 0 joins 0 and 2, the vertices are 0 to 1",
            ),
            (
                r#"{"hosts": 1, "vertices": 2, "links": [[1, 1]]}"#,
                "vertex 1 to itself",
            ),
            (
                "{\"hosts\": 1, \"vertices\": 2, \"links\": [\n[0, 1],\n[0, 1, 0.0]]}",
                "line 3: link 1: bandwidth 0 is not positive",
            ),
            (
                r#"{"hosts": 1, "vertices": 2, "links": [[0, 1, 1.0, 0]]}"#,
                "no cable",
            ),
            (
                "{\"hosts\": 2, \"vertices\": 2, \"links\": [[0, 1, \"-1GB/s\"]]}",
                "line 1: link 0: bandwidth -1GB/s is not positive",
            ),
            (
                "{\"hosts\": 2, \"vertices\": 2, \"links\": [[0, 1, \"1GB/s\"],\n[0, 1]]}",
                "line 2: link 1: some links have a bandwidth in bytes per second",
            ),
            (
                r#"{"hosts": 0, "vertices": 2, "links": []}"#,
                "at least one host",
            ),
            (
                r#"{"hosts": 1, "vertices": 1, "links": [], "rdiv": []}"#,
                "rdiv",
            ),
            (
                r#"{"hosts": 1, "vertices": 1, "links": [], "capacity": []}"#,
                "capacity",
            ),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(problem), "{json}: {error}");
        }
        let error = parse("file:/does/not/exist").unwrap_err().to_string();
        assert!(error.contains("cannot read it"), "{error}");
    }
}
