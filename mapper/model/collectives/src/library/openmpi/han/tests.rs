//! The model beside what Open MPI sends between and inside of hosts.

use super::super::OpenMpi;
use super::*;
use crate::{Edge, Model, MpiLibrary};
use std::collections::BTreeMap;

const IN_TURN: &[u32] = &[0, 1, 2, 3, 4, 0, 1, 2, 3, 4];
const UNEVEN: &[u32] = &[0, 0, 1, 1, 2];

/// Operation, bytes as a profile counts them, root, hosts of the members; sender, receiver and
/// bytes of every pair, by rank in the communicator.
type Measured = (
    Operation,
    u64,
    usize,
    &'static [u32],
    &'static [(usize, usize, u128)],
);

/// What the component `monitoring` of Open MPI 5.0.11 counted under one call of
/// `tests/programs/collective_sends.c` on five and three hosts (`scripts/bench collectives`).
#[rustfmt::skip]
const MEASURED: &[Measured] = &[
    (Operation::Bcast, 24, 7, IN_TURN, &[(5, 0, 24), (6, 1, 24), (7, 2, 24), (7, 8, 24), (7, 9, 24), (8, 3, 24), (8, 5, 24), (9, 4, 24), (9, 6, 24)]),
    (Operation::Bcast, 131080, 7, IN_TURN, &[(5, 0, 131080), (6, 1, 131080), (6, 8, 65544), (7, 2, 131080), (7, 5, 131080), (7, 6, 131080), (7, 8, 65536), (7, 9, 131080), (8, 3, 131080), (9, 4, 131080)]),
    (Operation::Reduce, 8, 7, IN_TURN, &[(0, 5, 8), (1, 6, 8), (2, 7, 8), (3, 8, 8), (4, 9, 8), (5, 7, 8), (6, 7, 8), (8, 5, 8), (9, 7, 8)]),
    (Operation::Reduce, 131080, 7, IN_TURN, &[(0, 5, 131080), (1, 6, 131080), (2, 7, 131080), (3, 8, 131080), (4, 9, 131080), (5, 6, 65536), (5, 7, 131080), (5, 8, 32768), (6, 5, 131072), (6, 7, 8), (7, 5, 65536), (7, 9, 32768), (8, 5, 65544), (8, 9, 65536), (9, 7, 65544), (9, 8, 65536)]),
    (Operation::Allreduce, 24, 0, IN_TURN, &[(0, 1, 24), (0, 2, 24), (0, 4, 24), (0, 5, 24), (1, 0, 24), (1, 3, 24), (1, 6, 24), (2, 0, 24), (2, 7, 24), (3, 2, 24), (3, 8, 24), (4, 0, 24), (4, 9, 24), (5, 0, 24), (6, 1, 24), (7, 2, 24), (8, 3, 24), (9, 4, 24)]),
    (Operation::Allreduce, 131080, 0, IN_TURN, &[(0, 1, 196616), (0, 2, 196616), (0, 3, 32768), (0, 4, 131080), (0, 5, 131080), (1, 0, 131080), (1, 3, 131080), (1, 6, 131080), (2, 0, 131080), (2, 4, 32768), (2, 7, 131080), (3, 0, 65536), (3, 2, 8), (3, 4, 65536), (3, 8, 131080), (4, 0, 8), (4, 2, 65536), (4, 3, 65536), (4, 9, 131080), (5, 0, 131080), (6, 1, 131080), (7, 2, 131080), (8, 3, 131080), (9, 4, 131080)]),
    (Operation::Gather, 24, 7, IN_TURN, &[(0, 5, 24), (1, 6, 24), (2, 7, 24), (3, 8, 24), (4, 9, 24), (5, 9, 48), (6, 7, 48), (8, 7, 48), (9, 7, 96)]),
    (Operation::Scatter, 131080, 7, IN_TURN, &[(5, 0, 131080), (6, 1, 131080), (7, 2, 131080), (7, 5, 262160), (7, 6, 262160), (7, 8, 262160), (7, 9, 262160), (8, 3, 131080), (9, 4, 131080)]),
    (Operation::Allgather, 24, 0, IN_TURN, &[(0, 1, 48), (0, 3, 96), (0, 4, 48), (0, 5, 240), (1, 0, 48), (1, 2, 48), (1, 4, 96), (1, 6, 240), (2, 0, 96), (2, 1, 48), (2, 3, 48), (2, 7, 240), (3, 1, 96), (3, 2, 48), (3, 4, 48), (3, 8, 240), (4, 0, 48), (4, 2, 96), (4, 3, 48), (4, 9, 240), (5, 0, 24), (6, 1, 24), (7, 2, 24), (8, 3, 24), (9, 4, 24)]),
    (Operation::Allreduce, 64, 0, UNEVEN, &[(0, 1, 64), (0, 2, 96), (0, 4, 96), (1, 0, 64), (2, 0, 64), (2, 3, 64), (3, 2, 64), (4, 0, 64)]),
];

fn library(version: &str, parameters: &[(&str, &str)]) -> MpiLibrary {
    let set = parameters.iter();
    MpiLibrary {
        version: version.to_owned(),
        parameters: set
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..MpiLibrary::default()
    }
}

/// Bytes and messages of every pair, by rank in the communicator.
fn pairs(call: &Call<'_>) -> BTreeMap<(usize, usize), (u128, u64)> {
    let mut sums = BTreeMap::new();
    let rank = |member| (member + call.root) % call.members;
    OpenMpi.expand(call, &mut |edge: Edge| {
        let sum: &mut (u128, u64) = sums.entry((rank(edge.from), rank(edge.to))).or_default();
        *sum = (sum.0 + edge.bytes, sum.1 + edge.messages);
    });
    sums
}

#[test]
fn every_pair_has_the_bytes_that_open_mpi_sent_on_several_hosts() {
    let library = library("Open MPI v5.0.11", &[]);
    for &(op, bytes, root, hosts, measured) in MEASURED {
        let call = Call {
            root,
            hosts,
            ..Call::new(op, hosts.len(), bytes, &library)
        };
        let sent = pairs(&call).into_iter();
        let sent: Vec<_> = sent
            .map(|((from, to), (bytes, _))| (from, to, bytes))
            .collect();
        assert_eq!(sent, measured, "{call:?}");
    }
}

#[test]
fn every_segment_is_a_message() {
    let library = library("Open MPI v5.0.11", &[("coll_han_bcast_segsize", "1024")]);
    let call = Call {
        hosts: &[0, 0, 1, 1],
        calls: 10,
        ..Call::new(Operation::Bcast, 4, 10 * 2560, &library)
    };
    let expected = [
        ((0, 1), (25600, 3)),
        ((0, 2), (25600, 3)),
        ((2, 3), (25600, 3)),
    ];
    assert_eq!(pairs(&call).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn parameters_and_the_version_decide_whether_han_takes_part() {
    let sent = |version, parameters: &[(&str, &str)], hosts: &'static [u32]| {
        let library = library(version, parameters);
        let reduce = Call::new(Operation::Reduce, hosts.len(), 64, &library);
        pairs(&Call { hosts, ..reduce })
    };
    const HOSTS: &[u32] = &[0, 1, 2, 0, 1, 2];
    let (old, new) = (
        "Open MPI v4.1.4, package: Debian OpenMPI",
        "Open MPI v5.0.11",
    );
    let (without, with) = (sent(old, &[], HOSTS), sent(new, &[], HOSTS));
    assert_ne!(without, with);
    assert_eq!(sent(old, &[("coll_han_priority", "40")], HOSTS), with);
    for parameters in [
        [("coll", "^monitoring,han")],
        [("coll", "basic,tuned,libnbc,self")],
        [("coll_han_priority", "29")],
        [("coll_tuned_priority", "36")],
        [("coll_han_reproducible", "true")],
        [("coll_han_use_reduce_algorithm", "reproducible")],
    ] {
        assert_eq!(sent(new, &parameters, HOSTS), without, "{parameters:?}");
    }
    // One member on every host, all on one host, and hosts with unequal numbers.
    for hosts in [&[0, 1, 2, 3, 4, 5], &[0; 6], &[0, 0, 0, 1, 1, 2]] {
        assert_eq!(sent(new, &[], hosts), without, "{hosts:?}");
    }
}

#[test]
fn simple_algorithms_move_the_whole_vector_at_once() {
    let sent = |parameters: &[(&str, &str)]| {
        let library = library("Open MPI v5.0.11", parameters);
        let call = Call::new(Operation::Allreduce, 4, 1 << 20, &library);
        let hosts = &[0, 0, 1, 1];
        pairs(&Call { hosts, ..call })
    };
    let simple = sent(&[("coll_han_use_allreduce_algorithm", "simple")]);
    assert_eq!(simple, sent(&[("coll_han_use_simple_allreduce", "1")]));
    // Segments pass by the root. At once, the two leaders halve and exchange the vector.
    assert_eq!(sent(&[])[&(2, 0)], (1 << 20, 16));
    assert_eq!(simple[&(2, 3)], (1 << 20, 1));
    assert!(simple[&(2, 0)].1 < 16);
}

#[test]
fn parameters_give_stages_to_other_components() {
    const HOSTS: &[u32] = &[0, 0, 1, 1, 2, 2];
    let sent = |parameters: &[(&str, &str)]| {
        let library = library("Open MPI v5.0.11", parameters);
        let call = Call::new(Operation::Bcast, HOSTS.len(), 8, &library);
        let pairs = pairs(&Call {
            hosts: HOSTS,
            ..call
        });
        pairs.into_keys().collect::<Vec<_>>()
    };
    let inside = [(0, 1), (2, 3), (4, 5)];
    let with = |between: &[(usize, usize)]| {
        let mut pairs = [&inside[..], between].concat();
        pairs.sort_unstable();
        pairs
    };
    let linear = ("coll_adapt_bcast_algorithm", "6");
    let by_tuned = with(&[(0, 2), (2, 4)]);
    assert_eq!(sent(&[linear]), by_tuned);
    let by_adapt = sent(&[linear, ("coll_han_bcast_up_module", "1")]);
    assert_eq!(by_adapt, with(&[(0, 2), (0, 4)]));
    // The components of levels are those of the simple algorithm.
    let level = ("coll_han_bcast_dynamic_inter_node_module", "5");
    let simple = ("coll_han_use_bcast_algorithm", "simple");
    let above_basic = ("coll_adapt_priority", "11");
    assert_eq!(sent(&[linear, level, above_basic]), by_tuned);
    assert_eq!(sent(&[linear, level, simple, above_basic]), by_adapt);
    assert_eq!(sent(&[linear, level, simple]), by_tuned);
    // Basic sends to more than four members along a binomial tree.
    let whole = ("coll_han_bcast_dynamic_global_communicator_module", "1");
    assert_eq!(sent(&[whole]), [(0, 1), (0, 2), (0, 4), (1, 3), (1, 5)]);
}

#[test]
fn a_rule_file_decides_before_parameters_do() {
    const TO_BASIC: &str = "1 bcast 1 global_communicator 1 1 2 0 han @simple 1024 basic";
    let name = "coll_han_dynamic_rules_filename".to_owned();
    let sent = |bytes: u64, is_on: &str, parameters: &[(&str, &str)]| {
        let on = ("coll_han_use_dynamic_file_rules", is_on);
        let mut library = library("Open MPI v5.0.11", &[parameters, &[on]].concat());
        library.files = [(name.clone(), TO_BASIC.to_owned())].into();
        let call = Call::new(Operation::Bcast, 6, bytes, &library);
        pairs(&Call {
            hosts: &[0, 0, 0, 1, 1, 1],
            ..call
        })
    };
    let basic = sent(1024, "1", &[]);
    assert_eq!(basic[&(0, 4)].0, 1024);
    assert!(!basic.contains_key(&(0, 3)));
    assert!(sent(1023, "1", &[]).contains_key(&(0, 3)));
    assert!(sent(1024, "0", &[]).contains_key(&(0, 3)));
    let tuned = ("coll_han_bcast_dynamic_global_communicator_module", "3");
    assert_eq!(sent(1024, "1", &[tuned]), basic);
}
