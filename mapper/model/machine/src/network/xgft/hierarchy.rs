//! Hierarchies as papers on process mapping write machines (Schulz and Träff, "Better process
//! mapping and sparse quadratic assignment", SEA 2017; so VieM, KaHIP, SharedMap):
//! `hierarchy:a1:a2:..[@speed,..][/distances=d1:d2:..]`, a1 nodes in a group, a2 of these groups in
//! the next larger one and so on.
//!
//! Two nodes are as far apart as the lowest level that joins them says: d1 within a group of the
//! first level, d2 within one of the second. Bytes times distances are hop-bytes: twice what the
//! papers call J, where each edge of a graph is counted once. Links, channels and routes are those
//! of a tree of switches with these levels, and so are all figures that count links, such as
//! congestion. Without distances they are the links of that tree: 2, 4, 6 and so on.
//!
//! ```text
//!  hierarchy:2:2/distances=1:10      ──┬──       n0 and n1: 1
//!                                    ┌─┴─┐       n0 and n2: 10
//!                                   n0 n1 n2 n3
//! ```

use super::super::grammar::{Family, list};
use super::super::speed::Speeds;
use super::Xgft;
use rankfold_base::words::counted;

/// The `hierarchy` family.
pub(in crate::network) const HIERARCHY: Family = Family {
    name: "hierarchy",
    grammar: "hierarchy:A:B:..[@speed,..][/distances=d1:d2:..] (sizes, speeds and distances from the nodes up; without distances, links count)",
    build: |text| {
        let (sizes, speeds) = Speeds::split(text)?;
        let children = list(sizes, ':', "size")?;
        let parents = vec![1; children.len()];
        let tree = Xgft::new(format!("hierarchy:{text}"), children, &parents)?;
        Ok(tree.with_speeds(speeds)?.into())
    },
};

/// The message for a list of distances that does not fit the levels.
pub(super) fn not_one_each(given: usize, levels: usize) -> String {
    format!(
        "{} for {}: give one each, from the nodes up",
        counted(given, "distance"),
        counted(levels, "level")
    )
}

#[cfg(test)]
mod tests {
    use crate::{Topology, parse};
    use rankfold_base::NodeId;

    fn hops(topology: &dyn Topology, from: usize, to: usize) -> u32 {
        topology.hops(NodeId::at(from), NodeId::at(to))
    }

    #[test]
    fn the_profile_of_distances_ends_with_the_farthest_pair() {
        for spec in ["hierarchy:100:30:1", "hierarchy:1:4:1:2", "hierarchy:1"] {
            let machine = parse(spec).unwrap();
            let profile = machine.distance_profile();
            assert_eq!(profile.pairs.len() as u32, machine.diameter() + 1, "{spec}");
            let nodes = machine.nodes() as u64;
            assert_eq!(profile.pairs.iter().sum::<u64>(), nodes * (nodes - 1));
        }
    }

    #[test]
    fn nodes_are_as_far_apart_as_the_lowest_level_that_joins_them() {
        let papers = parse("hierarchy:4:8:6/distances=1:10:100").unwrap();
        let found = [0, 3, 4, 31, 32, 191].map(|to| hops(&*papers, 0, to));
        assert_eq!(found, [0, 1, 10, 10, 100, 100]);
        assert_eq!((papers.nodes(), papers.diameter()), (192, 100));
        let pairs = papers.distance_profile().pairs;
        assert_eq!(
            [1, 10, 100].map(|it| pairs[it]),
            [192 * 3, 192 * 28, 192 * 160]
        );
        assert_eq!(papers.spec(), "hierarchy:4:8:6/distances=1:10:100");
    }

    #[test]
    fn every_view_of_the_distances_agrees_and_links_are_those_of_the_tree() {
        for (spec, tree) in [
            ("hierarchy:2:1:3/distances=1:5:7", "tree:3x1x2"),
            ("hierarchy:3:2/distances=4:4", "tree:2x3"),
            ("hierarchy:3:2:2", "tree:2x2x3"),
            ("fattree:4/distances=1:3:9", "fattree:4"),
        ] {
            let (topology, tree) = (parse(spec).unwrap(), parse(tree).unwrap());
            let (oracle, profile) = (topology.distances(), topology.distance_profile());
            let mut pairs = vec![0u64; profile.pairs.len()];
            for (a, b) in
                (0..topology.nodes()).flat_map(|a| (0..topology.nodes()).map(move |b| (a, b)))
            {
                let (from, to) = (NodeId::at(a), NodeId::at(b));
                let apart = hops(&*topology, a, b);
                assert_eq!(oracle.hops(from, to), apart, "{spec}: {a} to {b}");
                pairs[apart as usize] += u64::from(a != b);
                let mut links = 0;
                topology.route(from, to, &mut |_| links += 1);
                assert_eq!(links, hops(&*tree, a, b), "{spec}: {a} to {b}");
                let by_links = topology.by_links().unwrap_or_else(|| tree.clone());
                assert_eq!(by_links.hops(from, to), links, "{spec}: {a} to {b}");
            }
            assert_eq!(profile.pairs, pairs, "{spec}");
            let apart = |to: &NodeId| topology.hops(NodeId(0), *to);
            let all = (1..topology.nodes()).map(NodeId::at);
            let least = all.clone().map(|to| apart(&to)).min();
            let nearest: Vec<NodeId> = all.filter(|to| Some(apart(to)) == least).collect();
            assert_eq!(topology.nearest(NodeId(0)), nearest, "{spec}");
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (spec, problem) in [
            ("hierarchy:", "size \"\" is not a number"),
            ("hierarchy:4:0", "every size must be at least 1"),
            ("hierarchy:4x8", "size \"4x8\" is not a number"),
            (
                "hierarchy:4:8/distances=1",
                "1 distance for 2 levels: give one each",
            ),
            (
                "hierarchy:4:8/distances=1:0",
                "allowed are numbers from 1 to 65535",
            ),
            ("hierarchy:4:8/distances=10:1", "1 is nearer than 10"),
            ("hierarchy:4:8/ties=+", "ties: only a torus"),
            ("hierarchy:4096:4096", "more than 2^24"),
            (
                "torus:4/distances=1",
                "only hierarchies and fat trees have levels",
            ),
            (
                "dragonfly:2,2,2,2/distances=1:2:3",
                "only hierarchies and fat trees",
            ),
        ] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains(problem), "{spec}: {error}");
        }
    }
}
