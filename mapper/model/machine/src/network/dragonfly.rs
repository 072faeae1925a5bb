//! Dragonflies (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly
//! topology", ISCA 2008): `dragonfly:p,a,h,g[@speed,..]`.
//!
//! There are g groups of a routers, each with p hosts and h global ports. The routers of a group
//! are linked to each other. The a * h global ports of a group are divided evenly among the other
//! groups: consecutive ports lead to the same group, the first ports to the next group. Remaining
//! ports are not used. The paper leaves this arrangement open.
//!
//! ```text
//!  dragonfly:1,2,1,3      group 0        group 1        group 2
//!                        r0 ── r1       r2 ── r3       r4 ── r5
//!  global links:         r0 to group 1, r1 to group 2; r2 to group 2, r3 to group 0; ...
//! ```
//!
//! Speeds are given for host, local and global links, or for local and global links. In the second
//! case host links have relative bandwidth 1, or with units the speed of local links. A single
//! speed with a unit is for all links. Without speeds, all links have bandwidth 1 and no latency.

use super::Unit;
use super::fabric::{Cabling, Fabric, check_size};
use super::grammar::{Family, list, product};
use super::speed::{Speed, Speeds};
use std::collections::BTreeMap;

/// The `dragonfly` family.
pub(super) const DRAGONFLY: Family = Family {
    name: "dragonfly",
    grammar: "dragonfly:p,a,h,g[@[host,]local,global] (hosts a router, routers a group, global ports a router, groups; speeds)",
    build: |text| {
        let (sizes, speeds) = Speeds::split(text)?;
        let &[hosts, routers, ports, groups] = &list(sizes, ',', "size")?[..] else {
            return Err("four sizes are needed".into());
        };
        let sizes = Sizes {
            hosts,
            routers,
            ports,
            groups,
        };
        let speeds = of_kinds(speeds)?;
        let mut cabling = sizes.cabling(format!("dragonfly:{text}"), &speeds.of)?;
        cabling.unit = speeds.unit;
        Ok(Fabric::new(cabling)?.into())
    },
};

/// The speeds of host, local and global links.
fn of_kinds(speeds: Option<Speeds>) -> Result<Speeds, String> {
    let Some(mut speeds) = speeds else {
        return Ok(Speeds::relative(&[1.0; 3]));
    };
    if speeds.of.len() == 2 {
        let host = match speeds.unit {
            Unit::Seconds => speeds.of[0],
            Unit::BytesOverOneLink => Speed::ONE,
        };
        speeds.of.insert(0, host);
    }
    speeds.of_kinds(&["host", "local", "global"])
}

/// The parameters of a dragonfly.
struct Sizes {
    /// Number of hosts of a router.
    hosts: usize,
    /// Number of routers of a group.
    routers: usize,
    /// Number of global ports of a router.
    ports: usize,
    groups: usize,
}

impl Sizes {
    fn cabling(&self, spec: String, speeds: &[Speed]) -> Result<Cabling, String> {
        let (a, g) = (self.routers, self.groups);
        let nodes = product(&[self.hosts, a, g], "hosts")?;
        product(&[a, a, g], "cables")?;
        let ports = product(&[a, self.ports], "ports")?;
        product(&[ports, g], "cables")?;
        if g < 2 || ports < g - 1 {
            return Err(format!(
                "{ports} global ports a group for {g} groups: there must be two groups at least, and a port for each other group"
            ));
        }
        check_size(nodes, a * g, a * g)?;
        let mut cabling = Cabling::new(spec, nodes, nodes + a * g);
        // Every group has its links to the others in the same order, counted from itself.
        cabling.views = Some(a);
        cabling.arities = Some(vec![g, a, self.hosts]);
        for host in 0..nodes {
            cabling.join(host, nodes + host / self.hosts, speeds[0], 1);
        }
        for first in (nodes..nodes + a * g).step_by(a) {
            for i in first..first + a {
                for j in i + 1..first + a {
                    cabling.join(i, j, speeds[1], 1);
                }
            }
        }
        for ((u, v), cables) in self.global_links() {
            cabling.join(nodes + u, nodes + v, speeds[2], cables);
        }
        Ok(cabling)
    }

    /// The number of cables between every two routers of different groups that are linked.
    fn global_links(&self) -> BTreeMap<(usize, usize), usize> {
        let (a, g) = (self.routers, self.groups);
        let each = a * self.ports / (g - 1);
        // The router of group q at which the k-th cable to group r ends.
        let router = |q: usize, r: usize, k: usize| {
            let port = (r + g - q - 1) % g * each + k;
            q * a + port / self.ports
        };
        let mut links = BTreeMap::new();
        for q in 0..g {
            for r in q + 1..g {
                for k in 0..each {
                    *links.entry((router(q, r, k), router(r, q, k))).or_default() += 1;
                }
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn distances_are_those_of_router_group_and_system() {
        let dragonfly = parse("dragonfly:16,8,4,8").unwrap();
        let hops = [0, 1, 16].map(|to| dragonfly.hops(NodeId(0), NodeId(to)));
        assert_eq!(hops, [0, 2, 3]);
        assert_eq!((dragonfly.nodes(), dragonfly.diameter()), (1024, 5));
    }

    #[test]
    fn a_quarter_million_hosts_need_no_table_of_hosts() {
        let dragonfly = parse("dragonfly:128,32,16,64").unwrap();
        let profile = dragonfly.distance_profile();
        assert_eq!(dragonfly.nodes(), 1 << 18);
        let pairs: u64 = profile.pairs.iter().sum();
        assert_eq!(pairs, (1 << 18) * ((1 << 18) - 1));
    }

    #[test]
    fn pairs_are_counted_without_all_distances() {
        let dragonfly = parse("dragonfly:16,32,16,512").unwrap();
        let (nodes, pairs) = (1u64 << 18, dragonfly.distance_profile().pairs);
        assert_eq!(pairs.iter().sum::<u64>(), nodes * (nodes - 1));
        assert_eq!(pairs[2], nodes * 15);
        assert_eq!(dragonfly.diameter(), 5);
    }

    #[test]
    fn mistakes_are_explained() {
        for (spec, problem) in [
            ("dragonfly:2,2,2", "four sizes"),
            ("dragonfly:2,2,2,1", "two groups at least"),
            ("dragonfly:1,2,1,9", "2 global ports a group for 9 groups"),
            (
                "dragonfly:2,2,2,2@1,1,1,1",
                "4 bandwidths for 3 kinds of link (host, local, global)",
            ),
            ("dragonfly:2,2,2,2@1,0", "bandwidth 0 is not positive"),
            ("dragonfly:9999,9999,9,9", "more than 2^24 hosts"),
            ("dragonfly:1024,32,16,512", "more than the 2^20 that a list"),
            (
                "dragonfly:1,64,16,1024",
                "65536 switches with hosts among 65536",
            ),
        ] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains(problem), "{spec}: {error}");
        }
    }
}
