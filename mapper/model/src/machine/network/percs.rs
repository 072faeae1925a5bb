//! IBM PERCS (Arimilli et al., "The PERCS high-performance interconnect", HOTI 2010):
//! `percs:S[@LL,LR,D]`, S supernodes of 4 drawers of 8 nodes.
//!
//! A direct network: every two nodes of a drawer are linked by an LL link, every two nodes of
//! different drawers of a supernode by an LR link, and every two supernodes by one D link. The D
//! links of a supernode are distributed over its nodes in turn.
//!
//! Speeds are given for LL, LR and D links, or one with a unit for all links. Without speeds, the
//! bandwidths are in the proportion 24 : 5 : 10, as in the paper.

use super::fabric::{Cabling, Fabric};
use super::grammar::{Family, speeds};
use super::speed::Speed;

/// The `percs` family.
pub(super) const PERCS: Family = Family {
    name: "percs",
    grammar: "percs:S[@24,5,10] (S supernodes; speeds of LL, LR and D links)",
    build: |text| {
        let (supernodes, speeds) = speeds(text, &["LL", "LR", "D"], &[24.0, 5.0, 10.0])?;
        match supernodes.parse() {
            Ok(supernodes @ 1..=MOST_SUPERNODES) => {
                let mut cabling = cabling(format!("percs:{text}"), supernodes, &speeds.of);
                cabling.unit = speeds.unit;
                Ok(Fabric::new(cabling)?.into())
            }
            _ => Err(format!(
                "{supernodes:?} is not a number of supernodes from 1 to {MOST_SUPERNODES}"
            )),
        }
    },
};

/// The largest system of the architecture, by the paper.
const MOST_SUPERNODES: usize = 512;
/// Number of drawers of a supernode.
const DRAWERS: usize = 4;
/// Number of nodes of a drawer.
const DRAWER: usize = 8;
/// Number of nodes of a supernode.
const SUPERNODE: usize = DRAWERS * DRAWER;

fn cabling(spec: String, supernodes: usize, speeds: &[Speed]) -> Cabling {
    let nodes = SUPERNODE * supernodes;
    let mut cabling = Cabling::new(spec, nodes, nodes);
    cabling.arities = Some(vec![supernodes, DRAWERS, DRAWER]);
    for first in (0..nodes).step_by(SUPERNODE) {
        for i in 0..SUPERNODE {
            for j in i + 1..SUPERNODE {
                let kind = usize::from(i / DRAWER != j / DRAWER);
                cabling.join(first + i, first + j, speeds[kind], 1);
            }
        }
    }
    let mut used = vec![0; supernodes];
    let mut end = |supernode: usize| {
        let node = SUPERNODE * supernode + used[supernode] % SUPERNODE;
        used[supernode] += 1;
        node
    };
    for s in 0..supernodes {
        for r in s + 1..supernodes {
            let (u, v) = (end(s), end(r));
            cabling.join(u, v, speeds[2], 1);
        }
    }
    cabling
}

#[cfg(test)]
mod tests {
    use crate::ids::NodeId;
    use crate::machine::parse;

    #[test]
    fn any_two_nodes_are_three_links_apart_at_most() {
        let percs = parse("percs:3").unwrap();
        let hops = [7, 8, 31].map(|to| percs.hops(NodeId(0), NodeId(to)));
        assert_eq!(hops, [1, 1, 1]);
        assert_eq!((percs.nodes(), percs.diameter()), (96, 3));
    }

    #[test]
    fn the_number_of_supernodes_has_bounds() {
        for spec in ["percs:0", "percs:513", "percs:", "percs:2x2"] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains("from 1 to 512"), "{spec}: {error}");
        }
    }
}
