//! Cases counted by hand, and properties that hold for every model.

use super::*;
use proptest::prelude::*;
use rankfold_wire::Operation;
use std::collections::BTreeMap;

/// A library that no model recognises.
static UNKNOWN: MpiLibrary = MpiLibrary {
    version: String::new(),
    parameters: BTreeMap::new(),
    files: BTreeMap::new(),
};

fn call(op: Operation, members: usize, bytes: u64) -> Call<'static> {
    Call::new(op, members, bytes, &UNKNOWN)
}

fn edges(name: &str, call: &Call<'_>) -> Vec<(usize, usize, u128)> {
    let mut edges = Vec::new();
    let mut sink = |edge: Edge| edges.push((edge.from, edge.to, edge.bytes));
    model(name).unwrap().expand(call, &mut sink);
    edges.sort_unstable();
    edges
}

fn total(name: &str, call: &Call<'_>) -> u128 {
    edges(name, call).iter().map(|(_, _, bytes)| bytes).sum()
}

#[test]
fn a_binomial_broadcast_clears_the_lowest_bit() {
    let expected = [(0, 1, 5), (0, 2, 5), (0, 4, 5), (2, 3, 5), (4, 5, 5)];
    assert_eq!(edges("binomial", &call(Operation::Bcast, 6, 5)), expected);
}

#[test]
fn a_binomial_gather_carries_whole_branches_to_the_root() {
    let expected = [(1, 0, 5), (2, 0, 10), (3, 2, 5), (4, 0, 10), (5, 4, 5)];
    assert_eq!(edges("binomial", &call(Operation::Gather, 6, 5)), expected);
}

#[test]
fn a_star_joins_every_member_to_the_root_only() {
    let expected = [(0, 1, 5), (0, 2, 5), (1, 0, 5), (2, 0, 5)];
    assert_eq!(edges("star", &call(Operation::Allreduce, 3, 5)), expected);
}

#[test]
fn a_ring_allgather_moves_each_block_past_all_others() {
    let gathered = edges("ring", &call(Operation::Allgather, 4, 5));
    assert_eq!(gathered, [(0, 1, 15), (1, 2, 15), (2, 3, 15), (3, 0, 15)]);
    // 10 bytes in parts of 3, 3 and 4: every member forwards all parts except that of its
    // successor.
    let uneven = edges("ring", &call(Operation::Allgatherv, 3, 10));
    assert_eq!(uneven, [(0, 1, 7), (1, 2, 6), (2, 0, 7)]);
}

#[test]
fn recursive_doubling_of_three_folds_one_away_first() {
    let expected = [(0, 1, 5), (1, 0, 5), (1, 2, 5), (2, 1, 5)];
    let allreduce = call(Operation::Allreduce, 3, 5);
    assert_eq!(edges("recursive-doubling", &allreduce), expected);
    // Member 0 hands its block to member 1. Member 1 exchanges these two blocks for the one of
    // member 2, and then returns to member 0 the two blocks it lacks.
    let expected = [(0, 1, 5), (1, 0, 10), (1, 2, 10), (2, 1, 5)];
    let allgather = call(Operation::Allgather, 3, 5);
    assert_eq!(edges("recursive-doubling", &allgather), expected);
}

#[test]
fn recursive_halving_sends_half_then_a_quarter() {
    let expected = [
        (0, 1, 2),
        (0, 2, 4),
        (1, 0, 2),
        (1, 3, 4),
        (2, 0, 4),
        (2, 3, 2),
        (3, 1, 4),
        (3, 2, 2),
    ];
    let scattered = call(Operation::ReduceScatter, 4, 8);
    assert_eq!(edges("recursive-doubling", &scattered), expected);
}

#[test]
fn bruck_takes_log2_steps_for_any_number_of_members() {
    let expected = [
        (0, 1, 5),
        (0, 2, 10),
        (1, 0, 10),
        (1, 2, 5),
        (2, 0, 5),
        (2, 1, 10),
    ];
    let gathered = edges("bruck", &call(Operation::Allgather, 3, 5));
    let sums: Vec<_> = expected.map(|(from, to, _)| (from, to)).into();
    assert_eq!(
        gathered.iter().map(|e| (e.0, e.1)).collect::<Vec<_>>(),
        sums
    );
    assert_eq!(total("bruck", &call(Operation::Allgather, 3, 5)), 30);
    // Of the distances 1 to 4, the bit 1 is set in 1 and 3, the bit 2 in 2 and 3, the bit 4 in 4.
    assert_eq!(total("bruck", &call(Operation::Alltoall, 5, 1)), 5 * 5);
}

#[test]
fn pairwise_alltoall_is_a_block_for_every_pair() {
    let blocks = edges("pairwise", &call(Operation::Alltoall, 4, 5));
    assert_eq!(blocks.len(), 12);
    assert!(
        blocks
            .iter()
            .all(|&(from, to, bytes)| from != to && bytes == 5)
    );
}

#[test]
fn mpich_chooses_by_size_and_members() {
    let (kib, mpich) = (1 << 10, "mpich");
    for (call, same_as) in [
        (call(Operation::Bcast, 16, 12 * kib), "binomial"),
        (call(Operation::Bcast, 7, 999 * kib), "binomial"),
        (call(Operation::Gather, 9, 999 * kib), "binomial"),
        (
            call(Operation::Allgather, 16, 31 * kib),
            "recursive-doubling",
        ),
        (call(Operation::Allgather, 16, 32 * kib), "ring"),
        (call(Operation::Allgather, 10, 7 * kib), "bruck"),
        (call(Operation::Allgather, 10, 8 * kib), "ring"),
        (call(Operation::Alltoall, 9, 256), "bruck"),
        (call(Operation::Alltoall, 9, 257), "pairwise"),
        (call(Operation::Alltoall, 8, 8), "pairwise"),
        (call(Operation::Reduce, 9, 2 * kib), "binomial"),
        // One element of 8 bytes short of one for each of the 512 (here 8) partners.
        (call(Operation::Reduce, 600, 4 * kib - 8), "binomial"),
        (call(Operation::Allreduce, 9, 56), "recursive-doubling"),
        (call(Operation::Allreduce, 2, 8), "recursive-doubling"),
        (
            call(Operation::ReduceScatter, 9, 511 * kib),
            "recursive-doubling",
        ),
        (call(Operation::ReduceScatter, 9, 512 * kib), "pairwise"),
        (call(Operation::Scan, 9, 5), "recursive-doubling"),
    ] {
        assert_eq!(edges(mpich, &call), edges(same_as, &call), "{call:?}");
    }
    // The size of one call decides, not the sum over the calls.
    let many = Call {
        calls: 100,
        ..call(Operation::Allreduce, 8, 100 * 48)
    };
    assert_eq!(edges(mpich, &many), edges("recursive-doubling", &many));
}

#[test]
fn a_broadcast_changes_its_algorithm_above_12_and_above_512_kib() {
    let edges_of = |bytes| edges("auto", &call(Operation::Bcast, 16, bytes)).len();
    let (tree, doubling, ring) = (15, 16 * 4, 16);
    assert_eq!(edges_of(12 << 10), tree);
    assert_eq!(edges_of((12 << 10) + 1), tree + doubling);
    assert_eq!(edges_of(512 << 10), tree + doubling);
    assert_eq!(edges_of((512 << 10) + 1), tree + ring);
}

#[test]
fn an_allreduce_is_scattered_once_there_is_an_element_for_every_partner() {
    let edges_of = |bytes| edges("auto", &call(Operation::Allreduce, 8, bytes)).len();
    assert_eq!((edges_of(56), edges_of(64)), (8 * 3, 2 * 8 * 3));
}

#[test]
fn long_messages_are_scattered_and_gathered() {
    let long = 1 << 20;
    // Scatter: all branches of a binomial tree of 8 members, 12 eighths. Ring: 7 steps of 8
    // eighths.
    let bcast = call(Operation::Bcast, 8, long);
    assert_eq!(total("auto", &bcast), u128::from(long) / 8 * (12 + 56));
    // Each of 8 members sends a half, a quarter and an eighth, twice.
    let allreduce = call(Operation::Allreduce, 8, long);
    assert_eq!(total("auto", &allreduce), u128::from(long) * 14);
    // The halving once, then the branches of the tree.
    let reduce = call(Operation::Reduce, 8, long);
    assert_eq!(total("auto", &reduce), u128::from(long) / 8 * (56 + 12));
}

#[test]
fn blocks_that_differ_belong_to_their_members() {
    let library = MpiLibrary::default();
    // Calls with the blocks 1, 2 and 9, and others with equal blocks of 4 bytes.
    let call = Call {
        blocks: &[1, 2, 9],
        ..Call::new(Operation::Allgatherv, 3, 12 + 12, &library)
    };
    assert_eq!((call.part(0), call.parts(1..3)), (5, 6 + 13));
    let gathered = edges("ring", &call);
    assert_eq!(gathered, [(0, 1, 24 - 6), (1, 2, 24 - 13), (2, 0, 24 - 5)]);
}

proptest! {
    #[test]
    fn every_member_gets_what_the_operation_owes_it(members in 1usize..40, bytes in 1u64..1 << 21) {
        for model in MODELS {
            for op in Operation::ALL {
                // The blocks of this operation are equal.
                let bytes = match op {
                    Operation::ReduceScatterBlock => bytes.next_multiple_of(members as u64),
                    _ => bytes,
                };
                let call = call(op, members, bytes);
                let (mut got, mut gave) = (vec![0; members], vec![0; members]);
                let mut pairs = true;
                model.expand(&call, &mut |edge| {
                    pairs &= edge.from != edge.to && edge.messages > 0;
                    got[edge.to] += edge.bytes;
                    gave[edge.from] += edge.bytes;
                });
                prop_assert!(pairs, "{} {op:?}", model.name());
                for member in 0..members {
                    let (gets, gives) = owed(&call, member);
                    let case = format!("{} {op:?} {member} of {members}", model.name());
                    prop_assert!(got[member] >= gets, "{case} gets {} of {gets}", got[member]);
                    prop_assert!(gave[member] >= gives, "{case} gives {} of {gives}", gave[member]);
                }
                let pairwise = op.is_exchange() || op == Operation::Barrier;
                prop_assert!(pairwise || got.iter().sum::<u128>() >= call.moved());
            }
        }
    }
}

/// Least number of bytes that a member must receive and send, whatever the algorithm.
fn owed(call: &Call<'_>, member: usize) -> (u128, u128) {
    let own = call.parts(member..member + 1);
    let rest = call.whole() - own;
    if call.members == 1 {
        return (0, 0);
    }
    match call.op {
        Operation::Bcast => (if member > 0 { call.whole() } else { 0 }, 0),
        Operation::Scatter => (if member > 0 { own } else { 0 }, 0),
        Operation::Gather => (
            if member > 0 { 0 } else { rest },
            if member > 0 { own } else { 0 },
        ),
        Operation::Reduce => (
            0,
            if member > 0 {
                call.whole() / call.members as u128
            } else {
                0
            },
        ),
        Operation::Allgather | Operation::Allgatherv => (rest, own),
        Operation::Alltoall => {
            let blocks = u128::from(call.bytes) * (call.members as u128 - 1);
            (blocks, blocks)
        }
        Operation::Allreduce => (call.whole(), call.whole()),
        Operation::ReduceScatter | Operation::ReduceScatterBlock => (own, rest),
        _ => (0, 0),
    }
}
