//! Rail-optimised fat trees, the networks of nodes with several GPUs of which each has a network
//! card of its own: `rails:R,N,P[,G][:O[,O2]][@speed,..]`.
//!
//! A node has a cable to the leaf switch of each of its R rails; the cards of one number on the N
//! nodes of a pod meet in one leaf switch. Every rail of a pod has N / O cables up, so that O is
//! the oversubscription, and the P pods meet in the spine switches of the rail. With a third level,
//! G groups of P pods meet in core switches, and O2 is the oversubscription between spine and core.
//! Without O, nothing is oversubscribed.
//!
//! ```text
//!  rails:2,2,2:2      S0      S1         spine switches of rails 0 and 1
//!                    ╱  ╲    ╱  ╲        one cable up a rail and pod: 2:1
//!                  L00  L10 L01  L11     leaf switches: pod, rail
//!                  ╱ ╲   ╱╲ ╱ ╲  ╱ ╲
//!                 0   1  2 3  0 1 2 3    each node on the leaf switches of both rails of its pod
//! ```
//!
//! This is the extended generalised fat tree of m = N, P, G and w = R, N/O, P/O2: the R parents of
//! a node are its rails. The bytes between two nodes take all shortest paths evenly, as NCCL
//! spreads a vector over channels that enter and leave nodes on different rails; `/routes=static`
//! sends the bytes of a pair along one rail. Traffic never changes its rail in the network, as with
//! NCCL, which changes rails inside a node (PXN). What is inside a node, NVLink included, is its
//! memory.

use super::super::Paths;
use super::super::grammar::{Family, list};
use super::super::speed::Speeds;
use super::Xgft;

/// The `rails` family.
pub(in crate::network) const RAILS: Family = Family {
    name: "rails",
    grammar: "rails:R,N,P[,G][:O[,O2]][@speed,..] (rails of a node, nodes a pod, pods, groups of pods; oversubscription above leaf and spine switches; speeds from the nodes up)",
    build: |text| {
        let (shape, speeds) = Speeds::split(text)?;
        let (sizes, ratios) = shape.split_once(':').unwrap_or((shape, ""));
        let sizes = list(sizes, ',', "size")?;
        let (&rails, children) = match &sizes[..] {
            [rails, rest @ ..] if (2..=3).contains(&rest.len()) => (rails, rest),
            _ => return Err("three or four sizes are needed: rails, nodes, pods, groups".into()),
        };
        let ratios = if ratios.is_empty() {
            Vec::new()
        } else {
            list(ratios, ',', "oversubscription")?
        };
        let levels = children.len() - 1;
        if ratios.len() > levels {
            return Err(format!(
                "{} oversubscriptions for {levels} levels above the leaf switches",
                ratios.len()
            ));
        }
        let mut parents = vec![rails];
        for (level, &down) in children[..levels].iter().enumerate() {
            let ratio = ratios.get(level).copied().unwrap_or(1);
            if !down.is_multiple_of(ratio) {
                return Err(format!(
                    "{down} cables down are no multiple of the oversubscription {ratio}"
                ));
            }
            parents.push(down / ratio);
        }
        let mut tree = Xgft::new(format!("rails:{text}"), children.to_vec(), &parents)?;
        tree.rules.paths = Some(Paths::Spread);
        Ok(tree.with_speeds(speeds)?.into())
    },
};

#[cfg(test)]
mod tests {
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn a_pod_is_two_hops_and_each_level_above_adds_two() {
        let rails = parse("rails:8,4,2,2:2,2").unwrap();
        let hops = [0, 3, 4, 8].map(|to| rails.hops(NodeId(0), NodeId(to)));
        assert_eq!((rails.nodes(), hops), (16, [0, 2, 4, 6]));
        assert_eq!(parse("rails:8,4,3").unwrap().diameter(), 4);
    }

    #[test]
    fn mistakes_are_explained() {
        for (spec, problem) in [
            ("rails:8,4", "three or four sizes"),
            (
                "rails:8,4,2:3",
                "4 cables down are no multiple of the oversubscription 3",
            ),
            ("rails:8,4,2:2,2", "2 oversubscriptions for 1 levels"),
            ("rails:8,4,0", "size 0"),
            ("rails:8,4,2@1,1,1", "3"),
        ] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains(problem), "{spec}: {error}");
        }
    }
}
