//! The model beside what MPICH sends.

use super::*;
use crate::MpiLibrary;
use crate::library::tests;
use rankfold_wire::Form;

/// Operation, members, bytes as a profile counts them, root, hosts; sender, receiver and bytes of
/// every pair, by rank in the communicator. Rank r is on host r modulo the number of hosts.
type Measured = (
    Operation,
    usize,
    u64,
    usize,
    u32,
    &'static [(usize, usize, u128)],
);

/// What MPICH 4.0.2 handed to UCX under one call of `tests/programs/collective_sends.c`, with
/// `MPIR_CVAR_NOLOCAL=1` for one host and `MPIR_CVAR_NUM_CLIQUES=2` for two.
#[rustfmt::skip]
const MEASURED: &[Measured] = &[
    (Operation::Bcast, 5, 64, 2, 1, &[(2, 1, 64), (2, 3, 64), (2, 4, 64), (4, 0, 64)]),
    (Operation::Bcast, 9, 16384, 0, 1, &[(0, 1, 16384), (0, 2, 3642), (0, 4, 7284), (0, 8, 1816), (1, 2, 14563), (2, 3, 16384), (3, 4, 14563), (4, 5, 16384), (4, 6, 3642), (5, 6, 14563), (6, 7, 16384), (7, 8, 14568), (8, 0, 14563)]),
    (Operation::Reduce, 6, 64, 4, 1, &[(0, 4, 64), (1, 0, 64), (2, 4, 64), (3, 2, 64), (5, 4, 64)]),
    (Operation::Reduce, 6, 4096, 1, 1, &[(0, 1, 1024), (0, 2, 2048), (0, 4, 1024), (1, 0, 4096), (2, 0, 2048), (2, 1, 2048), (2, 5, 1024), (3, 2, 4096), (4, 0, 1024), (4, 1, 1024), (4, 5, 2048), (5, 2, 2048), (5, 4, 2048)]),
    (Operation::Allreduce, 5, 8, 0, 1, &[(0, 1, 8), (1, 0, 8), (1, 2, 8), (1, 3, 8), (2, 1, 8), (2, 4, 8), (3, 1, 8), (3, 4, 8), (4, 2, 8), (4, 3, 8)]),
    (Operation::Allreduce, 6, 96, 0, 1, &[(0, 1, 96), (1, 0, 96), (1, 3, 96), (1, 4, 48), (2, 3, 96), (3, 1, 96), (3, 2, 96), (3, 5, 48), (4, 1, 48), (4, 5, 96), (5, 3, 48), (5, 4, 96)]),
    (Operation::Allgather, 3, 64, 0, 1, &[(0, 1, 64), (0, 2, 64), (1, 0, 64), (1, 2, 64), (2, 0, 64), (2, 1, 64)]),
    (Operation::Scatter, 6, 64, 1, 1, &[(1, 2, 64), (1, 3, 128), (1, 5, 128), (3, 4, 64), (5, 0, 64)]),
    (Operation::ReduceScatter, 5, 320, 0, 1, &[(0, 1, 320), (1, 0, 64), (1, 2, 64), (1, 3, 128), (2, 1, 128), (2, 4, 128), (3, 1, 192), (3, 4, 64), (4, 2, 192), (4, 3, 64)]),
    (Operation::Scan, 3, 64, 0, 1, &[(0, 1, 64), (0, 2, 64), (1, 0, 64), (2, 0, 64)]),
    (Operation::Bcast, 6, 64, 3, 2, &[(0, 2, 64), (0, 4, 64), (1, 0, 64), (1, 3, 64), (1, 5, 64), (3, 1, 64)]),
    (Operation::Reduce, 6, 64, 3, 2, &[(0, 1, 64), (1, 3, 64), (2, 0, 64), (4, 0, 64), (5, 3, 64)]),
    (Operation::Reduce, 6, 4096, 3, 2, &[(0, 1, 2048), (0, 3, 4096), (0, 4, 2048), (1, 0, 4096), (1, 5, 2048), (2, 0, 4096), (3, 1, 4096), (4, 0, 4096), (5, 1, 4096)]),
    (Operation::Allreduce, 6, 64, 0, 2, &[(0, 1, 64), (0, 2, 64), (0, 4, 64), (1, 0, 64), (1, 3, 64), (1, 5, 64), (2, 0, 64), (3, 1, 64), (4, 0, 64), (5, 1, 64)]),
    (Operation::Bcast, 8, 16384, 3, 2, &[(0, 2, 16384), (0, 4, 16384), (1, 0, 16384), (3, 5, 16384), (3, 7, 16384), (4, 6, 16384), (7, 1, 16384)]),
];

#[test]
fn every_pair_has_the_bytes_that_mpich_sent() {
    let library = MpiLibrary::default();
    for &(op, members, bytes, root, hosts, measured) in MEASURED {
        let hosts: Vec<u32> = (0..members as u32).map(|rank| rank % hosts).collect();
        let call = Call {
            root,
            hosts: &hosts,
            ..Call::new(op, members, bytes, &library)
        };
        assert_eq!(tests::pairs(&Mpich, &call), measured, "{call:?}");
    }
}

/// Whether the call is nonblocking, operator, operation, members, bytes, root, and the bytes of
/// pairs of members.
type MeasuredForm = (
    bool,
    Operator,
    Operation,
    usize,
    u64,
    usize,
    &'static [(usize, usize, u128)],
);

/// The same on one host for other forms of calls.
#[rustfmt::skip]
const MEASURED_FORMS: &[MeasuredForm] = &[
    (false, Operator::Ordered, Operation::ReduceScatter, 4, 16384, 0, &[(0, 1, 8192), (0, 2, 4096), (1, 0, 8192), (1, 3, 4096), (2, 0, 4096), (2, 3, 8192), (3, 1, 4096), (3, 2, 8192)]),
    (false, Operator::Commutative, Operation::Allreduce, 4, 4096, 0, &[(0, 1, 4096), (0, 2, 4096), (1, 0, 4096), (1, 3, 4096), (2, 0, 4096), (2, 3, 4096), (3, 1, 4096), (3, 2, 4096)]),
    (false, Operator::Ordered, Operation::Reduce, 5, 64, 1, &[(0, 1, 64), (1, 0, 64), (2, 0, 64), (3, 2, 64), (4, 0, 64)]),
    (true, Operator::BuiltIn, Operation::ReduceScatterBlock, 4, 16384, 0, &[(0, 1, 4096), (0, 2, 8192), (1, 0, 4096), (1, 3, 8192), (2, 0, 8192), (2, 3, 4096), (3, 1, 8192), (3, 2, 4096)]),
];

#[test]
fn other_forms_of_calls_have_the_pairs_that_mpich_sent_to() {
    let library = MpiLibrary::default();
    for &(nonblocking, operator, op, members, bytes, root, measured) in MEASURED_FORMS {
        let form = Form {
            nonblocking,
            in_place: false,
            operator,
        };
        let call = Call {
            root,
            form,
            ..Call::new(op, members, bytes, &library)
        };
        assert_eq!(tests::pairs(&Mpich, &call), measured, "{call:?}");
    }
}

#[test]
fn a_nonblocking_reduce_scatter_with_equal_blocks_is_long_by_its_elements() {
    let library = MpiLibrary::default();
    let is_long = |bytes, nonblocking| {
        let form = Form {
            nonblocking,
            ..Form::default()
        };
        Mpich.is_dense(&Call {
            form,
            ..Call::new(Operation::ReduceScatterBlock, 4, bytes, &library)
        })
    };
    let long = 512 << 10;
    assert!(is_long(long, false) && !is_long(long, true));
    assert!(is_long(8 * long, true));
}

#[test]
fn a_tuning_file_tells_nonblocking_operations_and_operators_apart() {
    let text = r#"{
        "collective=ireduce": { "algorithm=MPIR_Ireduce_intra_tsp_ring": {} },
        "collective=reduce": {
            "is_commutative=no": { "algorithm=MPIR_Reduce_intra_binomial": {} },
            "is_op_built_in=no": { "algorithm=MPIR_Reduce_intra_ring": {} } } }"#;
    let parameter = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
    let library = MpiLibrary {
        files: [(parameter.to_owned(), text.to_owned())].into(),
        ..MpiLibrary::default()
    };
    let of = |nonblocking, operator| {
        let form = Form {
            nonblocking,
            in_place: false,
            operator,
        };
        let call = Call {
            form,
            ..Call::new(Operation::Reduce, 4, 8, &library)
        };
        tests::pairs(&Mpich, &call)
    };
    let chain = [(1, 0, 8), (2, 1, 8), (3, 2, 8)];
    let tree = [(1, 0, 8), (2, 0, 8), (3, 2, 8)];
    assert_eq!(of(true, Operator::BuiltIn), chain);
    assert_eq!(of(false, Operator::Commutative), chain);
    assert_eq!(of(false, Operator::Ordered), tree);
    assert_eq!(of(false, Operator::BuiltIn), tree);
}

#[test]
fn a_scan_goes_in_stages_only_where_the_ranks_of_every_host_follow_each_other() {
    let library = MpiLibrary::default();
    let edges = |hosts: &[u32]| {
        let call = Call {
            hosts,
            ..Call::new(Operation::Scan, 4, 8, &library)
        };
        let mut edges = 0;
        Mpich.expand(&call, &mut |_| edges += 1);
        edges
    };
    // Recursive doubling has two distances. In stages, each of two hosts has an exchange and a
    // message to its leader, the leaders have an exchange and a message, and the second host
    // broadcasts.
    assert_eq!((edges(&[0, 1, 0, 1]), edges(&[])), (8, 8));
    assert_eq!(edges(&[0, 0, 1, 1]), 2 * 3 + 3 + 1);
}

/// The parents of the members 1 to 7 in a broadcast of eight by this library.
fn parents(library: &MpiLibrary, bytes: u64) -> Vec<usize> {
    let mut parents = vec![0; 7];
    let call = Call::new(Operation::Bcast, 8, bytes, library);
    Mpich.expand(&call, &mut |edge| parents[edge.to - 1] = edge.from);
    parents
}

// The three trees are those of MPICH 5.0.2 with the same variables, counted at UCX.
#[test]
fn variables_choose_the_kind_and_the_radix_of_a_tree() {
    let library = |kind: &str, radix: &str| MpiLibrary {
        parameters: [
            ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "tree"),
            ("MPIR_CVAR_BCAST_TREE_TYPE", kind),
            ("MPIR_CVAR_BCAST_TREE_KVAL", radix),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        ..MpiLibrary::default()
    };
    let of = |kind, radix| parents(&library(kind, radix), 64);
    assert_eq!(of("kary", "2"), [0, 0, 1, 1, 2, 2, 3]);
    assert_eq!(of("knomial_1", "3"), [0, 1, 1, 0, 4, 4, 0]);
    assert_eq!(of("knomial_2", "3"), [0, 0, 0, 3, 3, 0, 6]);
    let by_table = parents(&MpiLibrary::default(), 64);
    assert_eq!(of("unknown", "3"), by_table);
}

#[test]
fn a_tuning_file_decides_where_its_conditions_hold() {
    const FILE: &str = r#"{ "collective=bcast": { "comm_type=inter": {}, "comm_type=intra": {
        "comm_size<4": { "algorithm=MPIR_Bcast_intra_binomial": {} },
        "comm_size=pow2": {
            "avg_msg_size<=64": { "algorithm=MPIR_Bcast_intra_tree": { "tree_type=kary": {}, "k=7": {} } },
            "avg_msg_size<1024": { "algorithm=MPIR_Bcast_intra_binomial": {} },
            "avg_msg_size=any": { "algorithm=MPIR_Bcast_intra_tree": { "k=3": {} } } } } } }"#;
    let name = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE".to_owned();
    let library = |text: &str| MpiLibrary {
        files: [(name.clone(), text.to_owned())].into(),
        ..MpiLibrary::default()
    };
    let by_table = parents(&MpiLibrary::default(), 64);
    let of = |bytes| parents(&library(FILE), bytes);
    assert_eq!(of(64), [0; 7]);
    assert_eq!([of(65), of(1023)], [&by_table[..], &by_table[..]]);
    assert_eq!(of(1024), [0, 0, 0, 1, 1, 1, 2]);
    assert_eq!(parents(&library("{ damaged"), 64), by_table);
}
