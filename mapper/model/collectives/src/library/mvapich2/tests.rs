//! Cases derived by hand from the tables.

use super::*;
use crate::MpiLibrary;
use crate::library::tests::pairs;

/// The pairs of a call: sender, receiver and bytes, by rank in the communicator.
fn sent(op: Operation, hosts: &[u32], root: usize, bytes: u64) -> Vec<(usize, usize, u128)> {
    let library = MpiLibrary::default();
    let call = Call {
        root,
        hosts,
        ..Call::new(op, hosts.len(), bytes, &library)
    };
    pairs(&Mvapich2, &call)
}

/// The same without the bytes.
fn between(op: Operation, hosts: &[u32], root: usize, bytes: u64) -> Vec<(usize, usize)> {
    let sent = sent(op, hosts, root, bytes).into_iter();
    sent.map(|(from, to, _)| (from, to)).collect()
}

/// Members on hosts of two, one after another and in turn.
const BLOCKED: [u32; 4] = [0, 0, 1, 1];
const IN_TURN: [u32; 4] = [0, 1, 0, 1];
/// Eight members, each on a host of its own.
const APART: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn a_short_broadcast_starts_at_the_first_rank() {
    assert_eq!(
        between(Operation::Bcast, &BLOCKED, 3, 1024),
        [(0, 1), (0, 2), (2, 3), (3, 0)]
    );
    // Radix 8: all leaders are children of the first one.
    let star: Vec<_> = (1..8).map(|to| (0, to)).collect();
    assert_eq!(between(Operation::Bcast, &APART, 0, 1024), star);
}

// The table of broadcasts gives a tree of radix 8 to 8 members on 8 hosts up to 4 KiB, one of radix
// 4 from 8 KiB on, one of radix 2 from 32 KiB on, and a scatter with a ring from 512 KiB on.
#[test]
fn the_radix_of_a_broadcast_goes_by_its_size() {
    let to = |bytes| between(Operation::Bcast, &APART, 0, bytes);
    assert_eq!(to(8191).len(), 7);
    assert_eq!(
        to(8192),
        [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5), (4, 6), (4, 7)]
    );
    assert_eq!(
        to(32768),
        [(0, 1), (0, 2), (0, 4), (2, 3), (4, 5), (4, 6), (6, 7)]
    );
    let ring = to(1 << 19);
    assert!((0..8).all(|rank| ring.contains(&(rank, (rank + 1) % 8))));
}

#[test]
fn a_reduction_up_to_8_kib_ends_at_the_first_rank() {
    assert_eq!(
        between(Operation::Reduce, &BLOCKED, 3, 1024),
        [(0, 3), (1, 0), (2, 0), (3, 2)]
    );
    // MVAPICH2 finds a row of its table of reductions by doubling from 2 members on. On hosts of 2
    // this table has two rows for 2 members, so that a communicator of 4 finds the second of them:
    // a flat tree for 16 KiB, and stages with Rabenseifner's algorithm for 32 KiB.
    assert_eq!(
        between(Operation::Reduce, &BLOCKED, 3, 16384),
        [(0, 3), (1, 3), (2, 3)]
    );
    assert_eq!(
        between(Operation::Reduce, &BLOCKED, 3, 32768),
        [(0, 2), (1, 0), (2, 0), (2, 3), (3, 2)]
    );
}

// The row for 4 members on hosts of 2 is in stages up to 8 KiB and flat from 16 KiB on.
#[test]
fn an_allreduce_is_in_stages_by_its_table() {
    let stages = [(0, 1), (0, 2), (1, 0), (2, 0), (2, 3), (3, 2)];
    assert_eq!(between(Operation::Allreduce, &BLOCKED, 0, 16383), stages);
    let butterfly = [
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 3),
        (2, 0),
        (2, 3),
        (3, 1),
        (3, 2),
    ];
    assert_eq!(between(Operation::Allreduce, &BLOCKED, 0, 16384), butterfly);
}

#[test]
fn long_allreduces_follow_the_hosts() {
    let ring = |order: [usize; 4]| {
        let mut ring: Vec<_> = (0..4).map(|at| (order[at], order[(at + 1) % 4])).collect();
        ring.sort_unstable();
        ring
    };
    let long = |hosts, bytes| between(Operation::Allreduce, hosts, 0, bytes);
    assert_eq!(long(&BLOCKED, 2 << 20), ring([0, 1, 2, 3]));
    assert_eq!(long(&IN_TURN, 1 << 20), ring([0, 2, 1, 3]));
    // From 2 MiB on in turn: halving and doubling, the members of a host first.
    assert_eq!(long(&IN_TURN, 2 << 20).len(), 8);
}

#[test]
fn gathers_look_no_table_up_where_ranks_of_a_host_follow_each_other() {
    let binomial = [(1, 0), (2, 0), (3, 2)];
    assert_eq!(between(Operation::Gather, &BLOCKED, 0, 8), binomial);
    let star = [(1, 0), (2, 0), (3, 0)];
    assert_eq!(between(Operation::Gather, &IN_TURN, 0, 8), star);
}

// The row for 8 members on hosts of 2: through the leaders for 4 bytes, straight for 2.
#[test]
fn scatters_go_through_leaders_by_their_table() {
    let hosts = [0, 0, 1, 1, 2, 2, 3, 3];
    let through = [
        (0, 1, 4),
        (0, 2, 8),
        (0, 4, 8),
        (0, 6, 8),
        (2, 3, 4),
        (4, 5, 4),
        (6, 7, 4),
    ];
    assert_eq!(sent(Operation::Scatter, &hosts, 0, 4), through);
    let star: Vec<_> = (1..8).map(|to| (0, to)).collect();
    assert_eq!(between(Operation::Scatter, &hosts, 0, 2), star);
}

#[test]
fn allgathers_go_around_the_hosts_where_ranks_are_dealt_in_turn() {
    assert_eq!(
        between(Operation::Allgather, &IN_TURN, 0, 1024),
        [(0, 2), (1, 3), (2, 1), (3, 0)]
    );
    // Blocked: the row for 4 members on hosts of 2 has a ring for 8 and 16 KiB, and doubling for
    // 32 KiB.
    assert_eq!(between(Operation::Allgather, &BLOCKED, 0, 8192).len(), 4);
    assert_eq!(between(Operation::Allgather, &BLOCKED, 0, 32768).len(), 8);
}

// 8 members of 16 bytes send 128 bytes each, less than 512: an allgather by doubling.
#[test]
fn a_very_short_alltoall_is_an_allgather() {
    let whole: u128 = sent(Operation::Alltoall, &APART, 0, 16)
        .iter()
        .map(|(.., bytes)| bytes)
        .sum();
    assert_eq!(whole, 8 * 7 * 128);
    // Bruck: distances 1, 2 and 4.
    assert_eq!(between(Operation::Alltoall, &APART, 0, 32).len(), 8 * 3);
    assert_eq!(between(Operation::Alltoall, &APART, 0, 2048).len(), 8 * 7);
}

#[test]
fn reduce_scatters_change_with_the_whole_vector() {
    let count = |bytes| between(Operation::ReduceScatter, &APART, 0, bytes).len();
    assert_eq!(count(16 << 10), 8 * 3);
    assert_eq!(count(16392), 8 * 7);
    assert_eq!(count(128 << 10), 8);
}

#[test]
fn hosts_with_unequal_numbers_of_members_look_the_table_up() {
    // Three members: the first row of the table for 2 members on a host, radix 4 for 8 bytes.
    assert_eq!(
        between(Operation::Bcast, &[0, 0, 1], 0, 8),
        [(0, 1), (0, 2)]
    );
}

#[test]
fn the_last_row_holds_for_more_members_than_tables_have() {
    let table = &tables::REDUCE;
    // Two rows are for 2 members: 32 members find the one for 16, and more members the last one.
    assert_eq!(table.algorithm(Some(2), 32, 1), 'b');
    assert_eq!(table.algorithm(Some(2), 33, 1), 'g');
    assert_eq!(table.algorithm(Some(1), 1000, u64::MAX), 'g');
}
