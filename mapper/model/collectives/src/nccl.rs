//! Models `nccl-ring` and `nccl-tree`: what NCCL sends for a collective.
//!
//! NCCL divides a vector among channels. Every channel has a ring, and a tree or its mirror image,
//! of all members. `nccl-ring` sends everything along one ring in the order of the members, which
//! is what all channels add up to where every node holds consecutive members: only the GPU at which
//! a channel enters and leaves a node differs between channels. `nccl-tree` sends allreduces along
//! two trees, half of the vector each, and everything else as `nccl-ring`. All-to-all, gather and
//! scatter are direct sends between members in both.
//!
//! The two trees are those of Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth
//! broadcast, reduction and scan" (Parallel Computing 35, 2009): a leaf of one tree is an inner
//! member of the other. NCCL builds them over nodes and joins the GPUs of a node by a chain, whose
//! first GPU is the node's member of the tree. Every channel starts the chain at another GPU, so
//! that the bytes between nodes use the network cards of all GPUs; the model has a channel for each
//! GPU of a node. Where the nodes of the members are not known, the trees are over members, which
//! is the same where all members are on different nodes, as those of a data parallel group are.
//!
//! Which of the two algorithms NCCL uses is a decision of its cost model at run time. Logs with
//! `NCCL_DEBUG_SUBSYS=TUNING` show the decision.

use super::library::hosts::Hosts;
use super::{Call, Edge, Model, Sink, pairwise, ring, share};
use rankfold_wire::Operation;

/// The model `nccl-ring`.
pub(super) struct NcclRing;

/// The model `nccl-tree`.
pub(super) struct NcclTree;

impl Model for NcclRing {
    described!(
        "nccl-ring",
        "NCCL: along a ring; all-to-all, gather and scatter straight between members"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if is_direct(call.op) {
            pairwise::Pairwise.expand(call, sink);
        } else {
            ring::Ring.expand(call, sink);
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        is_direct(call.op) && pairwise::Pairwise.is_dense(call)
    }
}

impl Model for NcclTree {
    described!(
        "nccl-tree",
        "NCCL: allreduce along two binary trees, everything else as nccl-ring"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if call.op == Operation::Allreduce {
            two_trees(call, sink);
        } else {
            NcclRing.expand(call, sink);
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        NcclRing.is_dense(call)
    }
}

/// Whether NCCL carries out the operation as sends between members.
fn is_direct(op: Operation) -> bool {
    matches!(
        op,
        Operation::Alltoall | Operation::Gather | Operation::Scatter
    )
}

/// An allreduce along both trees of every channel: up to the root, and down from it.
fn two_trees(call: &Call<'_>, sink: Sink<'_>) {
    let nodes = nodes(call);
    let channels = nodes.iter().map(Vec::len).min().unwrap_or(1);
    let parts = 2 * channels;
    let mut both_ways = |a, b, bytes| {
        for (from, to) in [(a, b), (b, a)] {
            sink(Edge::once(from, to, bytes));
        }
    };
    for part in 0..parts {
        let parent = [first_parent, second_parent][part % 2];
        let bytes = share(call.whole(), parts, part..part + 1);
        let channel = part / 2;
        for (number, node) in nodes.iter().enumerate() {
            let chain = |at: usize| node[(channel + at) % node.len()];
            for at in 1..node.len() {
                both_ways(chain(at), chain(at - 1), bytes);
            }
            if let Some(up) = parent(number, nodes.len()) {
                both_ways(chain(0), nodes[up][channel], bytes);
            }
        }
    }
}

/// The members of every node, in the order of their first members; a node for each member where
/// nodes are not known.
fn nodes(call: &Call<'_>) -> Vec<Vec<usize>> {
    if call.hosts.len() == call.members {
        Hosts::of(call).groups().map(<[usize]>::to_vec).collect()
    } else {
        (0..call.members).map(|member| vec![member]).collect()
    }
}

/// Parent in the first tree; `None` for member 0, the root. A member whose lowest set bit is b is
/// at height log2 b; its parent has that bit cleared and the next one set, or only cleared where no
/// such member exists.
pub(crate) fn first_parent(member: usize, members: usize) -> Option<usize> {
    if member == 0 {
        return None;
    }
    let lowest = 1 << member.trailing_zeros();
    let above = (member ^ lowest) | (lowest << 1);
    Some(if above < members {
        above
    } else {
        member ^ lowest
    })
}

/// Parent in the second tree: the first one mirrored for an even number of members, and shifted by
/// one member for an odd number.
pub(crate) fn second_parent(member: usize, members: usize) -> Option<usize> {
    if members.is_multiple_of(2) {
        let mirrored = |member: usize| members - 1 - member;
        first_parent(mirrored(member), members).map(mirrored)
    } else {
        let shifted = (member + members - 1) % members;
        first_parent(shifted, members).map(|parent| (parent + 1) % members)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MpiLibrary;
    use super::*;
    use std::collections::BTreeMap;

    /// Parents of all members in both trees; -1 for the root, as NCCL's logs write it.
    fn parents(members: usize) -> [Vec<i64>; 2] {
        [first_parent, second_parent].map(|parent| {
            let of = |member| parent(member, members).map_or(-1, |up| up as i64);
            (0..members).map(of).collect()
        })
    }

    #[test]
    fn the_trees_are_those_that_nccl_logs() {
        assert_eq!(parents(2), [vec![-1, 0], vec![1, -1]]);
        assert_eq!(parents(3), [vec![-1, 2, 0], vec![1, -1, 0]]);
        assert_eq!(parents(4)[0], [-1, 2, 0, 2]);
    }

    #[test]
    fn no_member_forwards_in_both_trees_of_an_even_number() {
        for members in (2..=64).step_by(2) {
            let is_inner = |tree: &[i64], member: usize| tree.contains(&(member as i64));
            let [first, second] = parents(members);
            for member in (1..members - 1).filter(|&member| is_inner(&first, member)) {
                assert!(!is_inner(&second, member), "{member} of {members}");
            }
        }
    }

    #[test]
    fn every_member_reaches_the_root_of_both_trees() {
        for members in 1..=65 {
            for tree in parents(members) {
                assert_eq!(tree.iter().filter(|&&up| up == -1).count(), 1);
                for member in 0..members {
                    let mut at = member as i64;
                    let steps = (0..members).take_while(|_| {
                        at = tree[at as usize];
                        at >= 0
                    });
                    assert!(steps.count() < members, "{member} of {members}");
                }
            }
        }
    }

    #[test]
    fn a_tree_allreduce_moves_as_many_bytes_as_its_edges_hold_twice() {
        let library = MpiLibrary::default();
        let call = Call::new(Operation::Allreduce, 7, 11, &library);
        let mut bytes = 0;
        NcclTree.expand(&call, &mut |edge| bytes += edge.bytes);
        assert_eq!(bytes, 2 * 6 * 11);
    }

    /// Bytes of an allreduce of 48 bytes along the trees, by sender and receiver.
    fn tree_bytes(hosts: &[u32]) -> BTreeMap<(usize, usize), u128> {
        let library = MpiLibrary::default();
        let call = Call {
            hosts,
            ..Call::new(Operation::Allreduce, hosts.len(), 48, &library)
        };
        let mut bytes = BTreeMap::new();
        NcclTree.expand(&call, &mut |edge| {
            *bytes.entry((edge.from, edge.to)).or_default() += edge.bytes;
        });
        bytes
    }

    #[test]
    fn trees_are_over_nodes_and_chains_are_inside_them() {
        // Two nodes of two: a channel for each rail with half of the bytes, a quarter in each of
        // its trees, of which each node is the root of one.
        let bytes = tree_bytes(&[0, 0, 1, 1]);
        let pairs = [(0, 1), (0, 2), (1, 3), (2, 3)];
        let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let expected = |(a, b): (usize, usize)| if a / 2 == b / 2 { 48 } else { 24 };
        assert_eq!(bytes, both.map(|pair| (pair, expected(pair))).collect());
    }

    #[test]
    fn rails_carry_the_same_and_no_bytes_change_rails_between_nodes() {
        let hosts: Vec<u32> = (0..20).map(|member| member / 4).collect();
        let mut of_rail = [0; 4];
        for ((from, to), bytes) in tree_bytes(&hosts) {
            if hosts[from] != hosts[to] {
                assert_eq!(from % 4, to % 4);
                of_rail[from % 4] += bytes;
            }
        }
        // Four edges of each of two trees, both ways, with an eighth of 48 bytes.
        assert_eq!(of_rail, [4 * 2 * 2 * 6; 4]);
    }

    #[test]
    fn nodes_of_different_sizes_have_the_channels_of_the_smallest() {
        let bytes = tree_bytes(&[0, 0, 0, 1]);
        assert_eq!(bytes[&(0, 3)], 48);
        assert_eq!(bytes[&(1, 0)], 48);
        assert_eq!(bytes[&(2, 1)], 48);
        assert_eq!(bytes.len(), 6);
    }

    #[test]
    fn an_all_to_all_goes_straight_between_members() {
        let library = MpiLibrary::default();
        let call = Call::new(Operation::Alltoall, 3, 5, &library);
        let mut edges = Vec::new();
        NcclRing.expand(&call, &mut |edge| {
            edges.push((edge.from, edge.to, edge.bytes));
        });
        assert_eq!(edges.len(), 6);
        assert!(
            edges
                .iter()
                .all(|&(from, to, bytes)| from != to && bytes == 5)
        );
    }
}
