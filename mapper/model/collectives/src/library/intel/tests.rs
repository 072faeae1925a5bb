//! The model beside what Intel MPI sends between hosts.

use super::*;
use crate::MpiLibrary;
use crate::library::tests;

/// Operation, hosts, members of each host, bytes as a profile counts them, root; sender, receiver
/// and bytes of every pair on different hosts, by rank in the communicator. Ranks are dealt to
/// hosts in blocks.
type Measured = (
    Operation,
    usize,
    usize,
    u64,
    usize,
    &'static [(usize, usize, u128)],
);

/// What Intel MPI 2021.18.1 handed to libfabric under one call of
/// `tests/programs/collective_sends.c` on network namespaces.
#[rustfmt::skip]
const MEASURED: &[Measured] = &[
    (Operation::Bcast, 5, 1, 16384, 1, &[(1, 2, 16384), (2, 0, 16384), (2, 3, 16384), (2, 4, 16384)]),
    (Operation::Bcast, 4, 2, 64, 1, &[(0, 2, 64), (0, 4, 64), (0, 6, 64)]),
    (Operation::Bcast, 3, 2, 524288, 1, &[(1, 2, 524288), (1, 3, 524288), (1, 5, 524288), (3, 4, 524288), (5, 0, 524288)]),
    (Operation::Reduce, 5, 1, 131072, 1, &[(0, 2, 131072), (2, 1, 131072), (3, 1, 131072), (4, 2, 131072)]),
    (Operation::Reduce, 3, 2, 131072, 1, &[(0, 5, 131072), (2, 1, 131072), (4, 3, 131072)]),
    (Operation::Reduce, 4, 2, 64, 1, &[(2, 0, 64), (4, 0, 64), (6, 0, 64)]),
    (Operation::Reduce, 2, 8, 16384, 1, &[(0, 8, 1024), (1, 9, 1024), (2, 10, 1024), (3, 11, 1024), (4, 12, 1024), (5, 13, 1024), (6, 14, 1024), (7, 15, 1024), (8, 0, 2048), (9, 1, 2048), (10, 2, 2048), (11, 3, 2048), (12, 4, 2048), (13, 5, 2048), (14, 6, 2048), (15, 7, 2048)]),
    (Operation::Allreduce, 5, 1, 64, 0, &[(0, 1, 64), (1, 0, 64), (1, 2, 64), (1, 3, 64), (1, 4, 64), (2, 1, 64), (2, 3, 64), (2, 4, 64), (3, 1, 64), (3, 2, 64), (3, 4, 64), (4, 1, 64), (4, 2, 64), (4, 3, 64)]),
    (Operation::Allreduce, 4, 2, 64, 0, &[(0, 2, 64), (0, 4, 64), (0, 6, 64), (2, 0, 64), (2, 4, 64), (2, 6, 64), (4, 0, 64), (4, 2, 64), (4, 6, 64), (6, 0, 64), (6, 2, 64), (6, 4, 64)]),
    (Operation::Allreduce, 3, 2, 16384, 0, &[(1, 3, 16384), (1, 4, 8192), (3, 1, 16384), (3, 5, 8192), (4, 1, 8192), (5, 3, 8192)]),
    (Operation::Allreduce, 2, 2, 1048576, 0, &[(0, 2, 524288), (0, 3, 524288), (1, 2, 524288), (1, 3, 524288), (2, 0, 524288), (2, 1, 524288), (3, 0, 524288), (3, 1, 524288)]),
    (Operation::Allreduce, 4, 1, 524288, 0, &[(0, 1, 786432), (1, 2, 786432), (2, 3, 786432), (3, 0, 786432)]),
    (Operation::Allgather, 5, 1, 8, 0, &[(0, 1, 40), (0, 2, 16), (0, 3, 24), (1, 0, 8), (2, 0, 8), (2, 4, 24), (3, 0, 16), (3, 4, 8), (4, 2, 16), (4, 3, 8)]),
    (Operation::Allgather, 3, 1, 2048, 0, &[(0, 1, 2048), (0, 2, 2048), (1, 0, 2048), (1, 2, 2048), (2, 0, 2048), (2, 1, 2048)]),
    (Operation::Allgather, 3, 1, 32768, 0, &[(0, 1, 65536), (1, 2, 65536), (2, 0, 65536)]),
    (Operation::Allgatherv, 3, 2, 98304, 0, &[(1, 2, 81920), (3, 4, 81920), (5, 0, 81920)]),
    (Operation::Alltoall, 3, 2, 8, 0, &[(0, 2, 16), (0, 4, 16), (1, 2, 24), (1, 3, 16), (1, 5, 16), (2, 0, 16), (2, 4, 16), (3, 1, 16), (3, 4, 24), (3, 5, 16), (4, 0, 16), (4, 2, 16), (5, 0, 24), (5, 1, 16), (5, 3, 16)]),
    (Operation::Alltoall, 4, 4, 64, 0, &[(0, 4, 1032), (0, 8, 1032), (0, 12, 1032), (4, 0, 1032), (4, 8, 1032), (4, 12, 1032), (8, 0, 1032), (8, 4, 1032), (8, 12, 1032), (12, 0, 1032), (12, 4, 1032), (12, 8, 1032)]),
    (Operation::Gather, 2, 2, 2048, 1, &[(2, 1, 4096)]),
    (Operation::Scatter, 2, 2, 4096, 1, &[(1, 2, 4096), (1, 3, 8192), (3, 0, 4096)]),
    (Operation::ReduceScatter, 5, 1, 320, 0, &[(0, 1, 320), (1, 0, 64), (1, 2, 64), (1, 3, 128), (2, 1, 128), (2, 4, 128), (3, 1, 192), (3, 4, 64), (4, 2, 192), (4, 3, 64)]),
    (Operation::ReduceScatter, 3, 1, 786432, 0, &[(0, 1, 262144), (0, 2, 262144), (1, 0, 262144), (1, 2, 262144), (2, 0, 262144), (2, 1, 262144)]),
    (Operation::Scan, 3, 1, 64, 0, &[(0, 1, 64), (0, 2, 64), (1, 0, 64), (2, 0, 64)]),
];

fn hosts(number: usize, each: usize) -> Vec<u32> {
    (0..(number * each) as u32)
        .map(|rank| rank / each as u32)
        .collect()
}

/// The bytes of every pair on different hosts.
fn between_hosts(call: &Call<'_>) -> Vec<(usize, usize, u128)> {
    let mut pairs = tests::pairs(&IntelMpi, call);
    pairs.retain(|&(from, to, _)| call.hosts[from] != call.hosts[to]);
    pairs
}

#[test]
fn every_pair_has_the_bytes_that_intel_mpi_sent() {
    let library = MpiLibrary::default();
    for &(op, number, each, bytes, root, measured) in MEASURED {
        let hosts = hosts(number, each);
        let call = Call {
            root,
            hosts: &hosts,
            ..Call::new(op, hosts.len(), bytes, &library)
        };
        assert_eq!(between_hosts(&call), measured, "{call:?}");
    }
}

/// The pairs of a broadcast of `bytes` bytes on four hosts of two members.
fn bcast(value: &str, bytes: u64) -> Vec<(usize, usize, u128)> {
    let library = MpiLibrary {
        parameters: [("I_MPI_ADJUST_BCAST".to_owned(), value.to_owned())].into(),
        ..MpiLibrary::default()
    };
    let hosts = hosts(4, 2);
    let call = Call::new(Operation::Bcast, hosts.len(), bytes, &library);
    between_hosts(&Call {
        hosts: &hosts,
        ..call
    })
}

#[test]
fn a_parameter_chooses_an_algorithm_where_its_conditions_hold() {
    let by_rules = bcast("0", 64);
    let chain = [(1, 2, 64), (3, 4, 64), (5, 6, 64)];
    assert_ne!(by_rules, chain);
    assert_eq!(bcast("7", 64), chain);
    assert_eq!(bcast("1:0-63;7:64-100", 64), chain);
    assert_eq!(bcast("7:0-100@8,2000", 64), chain);
    assert_eq!(bcast("7:0-100@2-7", 64), by_rules);
    assert_eq!(bcast("7:65-100", 64), by_rules);
    assert_eq!(bcast("99", 64), by_rules);
    assert_eq!(bcast("7:words", 64), by_rules);
    let leaders = [(0, 2, 64), (0, 4, 64), (4, 6, 64)];
    assert_eq!(bcast("4", 64), leaders);
}
