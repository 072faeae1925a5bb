//! IBM PERCS (Arimilli et al., "The PERCS high-performance interconnect", HOTI 2010):
//! `percs:S[,random=SEED][@LL,LR,D]`, S supernodes of 4 drawers of 8 nodes.
//!
//! A direct network: every two nodes of a drawer are linked by an LL link, every two nodes of
//! different drawers of a supernode by an LR link, and every two supernodes by one D link. The D
//! links of a supernode are distributed over its nodes in turn. With `random=SEED` their order is
//! drawn at random for every supernode, as Hoefler and Snir (2011, section 5.3.2) connect them.
//! Nodes differ by one D link at most, with and without a seed.
//!
//! Speeds are given for LL, LR and D links, or one with a unit for all links. Without speeds, the
//! bandwidths are in the proportion 24 : 5 : 10, as in the paper.

use super::fabric::{Cabling, Fabric};
use super::grammar::{Family, speeds};
use super::speed::Speed;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The `percs` family.
pub(super) const PERCS: Family = Family {
    name: "percs",
    grammar: "percs:S[,random=SEED][@24,5,10] (S supernodes, D links to nodes in random order; speeds of LL, LR and D links)",
    build: |text| {
        let (sizes, speeds) = speeds(text, &["LL", "LR", "D"], &[24.0, 5.0, 10.0])?;
        let (supernodes, option) = match sizes.split_once(',') {
            Some((supernodes, option)) => (supernodes, Some(option)),
            None => (sizes, None),
        };
        let seed = option.map(seed).transpose()?;
        match supernodes.parse() {
            Ok(supernodes @ 1..=MOST_SUPERNODES) => {
                let turns = turns(supernodes, seed);
                let mut cabling = cabling(format!("percs:{text}"), &turns, &speeds.of);
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

/// The seed of `random=SEED`.
fn seed(option: &str) -> Result<u64, String> {
    let seed = option.strip_prefix("random=").and_then(|s| s.parse().ok());
    seed.ok_or_else(|| format!("{option:?} is not random= and a seed"))
}

/// For each supernode the nodes of its D links, one after the other: all nodes in turn, or with a
/// seed the same nodes in random order.
fn turns(supernodes: usize, seed: Option<u64>) -> Vec<Vec<usize>> {
    let mut random = seed.map(Xoshiro256PlusPlus::seed_from_u64);
    let of_supernode = |_| {
        let mut nodes: Vec<usize> = (1..supernodes).map(|link| (link - 1) % SUPERNODE).collect();
        if let Some(random) = &mut random {
            nodes.shuffle(random);
        }
        nodes
    };
    (0..supernodes).map(of_supernode).collect()
}

/// The links; `turns` has the nodes of the D links of every supernode.
fn cabling(spec: String, turns: &[Vec<usize>], speeds: &[Speed]) -> Cabling {
    let supernodes = turns.len();
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
        let node = SUPERNODE * supernode + turns[supernode][used[supernode]];
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
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn any_two_nodes_are_three_links_apart_at_most() {
        let percs = parse("percs:3").unwrap();
        let hops = [7, 8, 31].map(|to| percs.hops(NodeId(0), NodeId(to)));
        assert_eq!(hops, [1, 1, 1]);
        assert_eq!((percs.nodes(), percs.diameter()), (96, 3));
    }

    #[test]
    fn random_d_links_are_as_many_a_node_and_follow_the_seed() {
        let hops_of = |spec: &str| {
            let percs = parse(spec).unwrap();
            let hops: Vec<u32> = (32..percs.nodes() as u32)
                .map(|to| percs.hops(NodeId(0), NodeId(to)))
                .collect();
            assert_eq!(percs.diameter(), 3, "{spec}");
            hops
        };
        let random = hops_of("percs:65,random=1");
        assert_eq!(random, hops_of("percs:65,random=1"));
        assert_ne!(random, hops_of("percs:65,random=2"));
        assert_ne!(random, hops_of("percs:65"));
        // 64 D links for 32 nodes: node 0 has two, to one node each of two supernodes.
        assert_eq!(random.iter().filter(|&&hops| hops == 1).count(), 2);
    }

    #[test]
    fn an_option_that_is_no_seed_is_explained() {
        for spec in ["percs:4,5", "percs:4,random=", "percs:4,random=x"] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(
                error.contains("is not random= and a seed"),
                "{spec}: {error}"
            );
        }
    }

    #[test]
    fn the_number_of_supernodes_has_bounds() {
        for spec in ["percs:0", "percs:513", "percs:", "percs:2x2"] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains("from 1 to 512"), "{spec}: {error}");
        }
    }
}
