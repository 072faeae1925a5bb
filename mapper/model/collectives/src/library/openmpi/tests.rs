//! The model beside what Open MPI sends.

use super::*;
use crate::MpiLibrary;
use crate::library::tests;
use crate::library::trees;
use rankfold_wire::{Form, Operator};

/// Operation, members, bytes as a profile counts them, root; sender, receiver and bytes of every
/// pair, by rank in the communicator.
type Measured = (
    Operation,
    usize,
    u64,
    usize,
    &'static [(usize, usize, u128)],
);

/// What the component `monitoring` of Open MPI 4.1.4 counted under one call on one host
/// (`mpirun --mca pml_monitoring_enable 1`).
#[rustfmt::skip]
const MEASURED: &[Measured] = &[
    (Operation::Bcast, 8, 64, 0, &[(0, 1, 64), (0, 2, 64), (0, 3, 64), (0, 4, 64), (4, 5, 64), (4, 6, 64), (4, 7, 64)]),
    (Operation::Bcast, 5, 8192, 3, &[(3, 0, 8192), (3, 1, 8192), (3, 2, 8192), (3, 4, 8192)]),
    (Operation::Reduce, 3, 8, 1, &[(0, 1, 8), (2, 1, 8)]),
    (Operation::Reduce, 6, 64, 2, &[(0, 4, 64), (1, 3, 64), (3, 2, 64), (4, 2, 64), (5, 3, 64)]),
    (Operation::Allreduce, 6, 64, 0, &[(0, 1, 64), (1, 0, 64), (1, 3, 64), (1, 4, 64), (2, 3, 64), (3, 1, 64), (3, 2, 64), (3, 5, 64), (4, 1, 64), (4, 5, 64), (5, 3, 64), (5, 4, 64)]),
    (Operation::Allreduce, 6, 16384, 0, &[(0, 1, 24576), (0, 2, 16384), (0, 4, 8192), (1, 0, 16384), (2, 0, 16384), (2, 3, 24576), (2, 5, 8192), (3, 2, 16384), (4, 0, 8192), (4, 5, 16384), (5, 2, 8192), (5, 4, 16384)]),
    (Operation::Allreduce, 3, 65536, 0, &[(0, 1, 87384), (1, 2, 87384), (2, 0, 87376)]),
    (Operation::Allgather, 5, 64, 0, &[(0, 1, 64), (0, 3, 128), (0, 4, 64), (1, 0, 64), (1, 2, 64), (1, 4, 128), (2, 0, 128), (2, 1, 64), (2, 3, 64), (3, 1, 128), (3, 2, 64), (3, 4, 64), (4, 0, 64), (4, 2, 128), (4, 3, 64)]),
    (Operation::Allgatherv, 6, 3072, 0, &[(0, 1, 1536), (0, 5, 1024), (1, 0, 1536), (1, 2, 1024), (2, 1, 1024), (2, 3, 1536), (3, 2, 1536), (3, 4, 1024), (4, 3, 1024), (4, 5, 1536), (5, 0, 1024), (5, 4, 1536)]),
    (Operation::ReduceScatterBlock, 6, 48, 0, &[(0, 1, 40), (0, 2, 64), (0, 4, 16), (1, 0, 40), (1, 3, 64), (1, 5, 16), (2, 0, 32), (2, 3, 40), (3, 1, 32), (3, 2, 40), (4, 0, 32), (4, 5, 40), (5, 1, 32), (5, 4, 40)]),
    (Operation::ReduceScatterBlock, 7, 448, 0, &[(0, 1, 448), (1, 0, 64), (1, 3, 192), (1, 5, 128), (2, 3, 448), (3, 1, 256), (3, 4, 64), (3, 5, 64), (3, 6, 64), (4, 5, 448), (5, 1, 128), (5, 2, 64), (5, 3, 64), (5, 6, 192), (6, 3, 128), (6, 5, 256)]),
    (Operation::ReduceScatter, 5, 320, 0, &[(0, 1, 320), (1, 0, 64), (1, 2, 64), (1, 3, 128), (2, 1, 128), (2, 4, 128), (3, 1, 192), (3, 4, 64), (4, 2, 192), (4, 3, 64)]),
    (Operation::Gather, 7, 64, 2, &[(0, 6, 64), (1, 6, 64), (3, 2, 64), (4, 2, 128), (5, 4, 64), (6, 2, 192)]),
    (Operation::Scatter, 6, 64, 1, &[(1, 2, 64), (1, 3, 128), (1, 5, 128), (3, 4, 64), (5, 0, 64)]),
    (Operation::Scan, 4, 64, 0, &[(0, 1, 64), (1, 2, 64), (2, 3, 64)]),
    (Operation::Alltoall, 3, 64, 0, &[(0, 1, 64), (0, 2, 64), (1, 0, 64), (1, 2, 64), (2, 0, 64), (2, 1, 64)]),
];

fn pairs(call: &Call<'_>) -> Vec<(usize, usize, u128)> {
    tests::pairs(&OpenMpi, call)
}

#[test]
fn every_pair_has_the_bytes_that_open_mpi_sent() {
    let library = MpiLibrary::default();
    for &(op, members, bytes, root, measured) in MEASURED {
        let call = Call {
            root,
            ..Call::new(op, members, bytes, &library)
        };
        assert_eq!(pairs(&call), measured, "{call:?}");
    }
}

/// The same for other forms of calls.
#[rustfmt::skip]
const MEASURED_FORMS: &[(Form, Measured)] = &[
    (SOON, (Operation::Bcast, 5, 64, 1, &[(0, 3, 64), (1, 0, 64), (1, 2, 64), (1, 4, 64)])),
    (SOON, (Operation::Allreduce, 5, 64, 0, &[(0, 1, 64), (0, 2, 64), (0, 4, 64), (1, 0, 64), (1, 3, 64), (2, 0, 64), (3, 2, 64), (4, 0, 64)])),
    (SOON, (Operation::Allreduce, 4, 131_072, 0, &[(0, 1, 131_072), (0, 2, 65536), (1, 0, 131_072), (1, 3, 65536), (2, 0, 65536), (2, 3, 131_072), (3, 1, 65536), (3, 2, 131_072)])),
    (Form { in_place: true, ..SOON }, (Operation::Allreduce, 4, 131_072, 0, &[(0, 1, 131_072), (0, 2, 131_072), (1, 0, 131_072), (1, 3, 131_072), (2, 0, 131_072), (3, 2, 131_072)])),
    (SOON, (Operation::Reduce, 4, 131_072, 1, &[(0, 1, 131_072), (0, 2, 32768), (1, 0, 65536), (1, 3, 32768), (2, 0, 65536), (2, 3, 65536), (3, 1, 65536), (3, 2, 65536)])),
    (Form { operator: Operator::Ordered, ..SOON }, (Operation::Reduce, 5, 64, 1, &[(0, 1, 64), (1, 0, 64), (2, 0, 64), (3, 2, 64), (4, 0, 64)])),
    (ORDERED, (Operation::Reduce, 5, 64, 1, &[(0, 1, 64), (2, 1, 64), (3, 1, 64), (4, 1, 64)])),
    (ORDERED, (Operation::ReduceScatter, 5, 320, 0, &[(0, 1, 64), (0, 2, 64), (0, 3, 64), (0, 4, 64), (1, 0, 320), (2, 0, 320), (3, 0, 320), (4, 0, 320)])),
    (ORDERED, (Operation::Allreduce, 4, 131_072, 0, &[(0, 1, 131_072), (0, 2, 131_072), (1, 0, 131_072), (1, 3, 131_072), (2, 0, 131_072), (2, 3, 131_072), (3, 1, 131_072), (3, 2, 131_072)])),
];

/// The form of nonblocking calls.
const SOON: Form = Form {
    nonblocking: true,
    in_place: false,
    operator: Operator::BuiltIn,
};
/// The form of calls whose operator does not commute.
const ORDERED: Form = Form {
    nonblocking: false,
    in_place: false,
    operator: Operator::Ordered,
};

#[test]
fn other_forms_of_calls_have_the_pairs_that_open_mpi_sent_to() {
    let library = MpiLibrary::default();
    for &(form, (op, members, bytes, root, measured)) in MEASURED_FORMS {
        let call = Call {
            root,
            form,
            ..Call::new(op, members, bytes, &library)
        };
        assert_eq!(pairs(&call), measured, "{call:?}");
    }
}

#[test]
fn a_rule_holds_from_its_size_on() {
    let of = |table, members, size| FIXED.choice(table, &[members], size).unwrap();
    let bcast = |size| of("bcast", 4, size);
    assert_eq!((bcast(0), bcast(63), bcast(64)), (5, 5, 6));
    // The class of 4 members ends at 7, and the last class has no end.
    assert_ne!(of("bcast", 8, 0), bcast(0));
    assert_eq!(of("reduce_scatter", usize::MAX, 1 << 40), 4);
}

#[test]
fn a_parameter_forces_an_algorithm_only_if_dynamic_rules_are_on() {
    let library = |parameters: &[(&str, &str)]| MpiLibrary {
        version: "Open MPI v4.1.4".to_owned(),
        parameters: parameters
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..MpiLibrary::default()
    };
    let chain = [(0, 1, 8), (1, 2, 8), (2, 3, 8)];
    let star = [(0, 1, 8), (0, 2, 8), (0, 3, 8)];
    let name = "coll_tuned_bcast_algorithm";
    let edges = |parameters: &[(&str, &str)]| {
        let library = library(parameters);
        pairs(&Call::new(Operation::Bcast, 4, 8, &library))
    };
    let on = ("coll_tuned_use_dynamic_rules", "1");
    assert_eq!(edges(&[(name, "3"), on]), chain);
    assert_eq!(edges(&[(name, "1"), on]), star);
    let by_rule = edges(&[]);
    assert_ne!(by_rule, chain);
    assert_eq!(edges(&[(name, "3")]), by_rule);
    assert_eq!(edges(&[(name, "0"), on]), by_rule);
    let off = ("coll_tuned_use_dynamic_rules", "false");
    assert_eq!(edges(&[(name, "3"), off]), by_rule);
}

#[test]
fn a_rule_file_decides_where_no_parameter_does() {
    const CHAIN_FROM_1024: &str = "1\n7\n1\n1 2\n0 0 0 0\n1024 3 0 0\n";
    let file = (
        "coll_tuned_dynamic_rules_filename".to_owned(),
        CHAIN_FROM_1024.to_owned(),
    );
    let edges = |version: &str, bytes, parameters: &[(&str, &str)]| {
        let library = MpiLibrary {
            version: version.to_owned(),
            parameters: parameters
                .iter()
                .chain(&[("coll_tuned_use_dynamic_rules", "1")])
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            files: [file.clone()].into(),
        };
        pairs(&Call::new(Operation::Bcast, 4, bytes, &library))
    };
    let (old, new) = ("Open MPI v4.1.4", "Open MPI v5.0.11");
    let chain = [(0, 1, 1024), (1, 2, 1024), (2, 3, 1024)];
    let star = [(0, 1, 1024), (0, 2, 1024), (0, 3, 1024)];
    assert_eq!(edges(new, 1024, &[]), chain);
    let fixed = MpiLibrary::default();
    let by_rule = pairs(&Call::new(Operation::Bcast, 4, 1016, &fixed));
    assert_eq!(edges(new, 1016, &[]), by_rule);
    let linear = [("coll_tuned_bcast_algorithm", "1")];
    assert_eq!(edges(new, 1024, &linear), star);
    assert_eq!(edges(old, 1024, &linear), chain);
}

#[test]
fn chains_and_in_order_trees_have_the_shapes_of_open_mpi() {
    let chains: Vec<_> = (1..8).map(|member| trees::chain(member, 8, 3)).collect();
    assert_eq!(chains, [0, 1, 2, 0, 4, 0, 6]);
    // Rank 4 is the root. Its branches are the ranks 0 and 1, and the ranks 2 and 3.
    assert_eq!(trees::in_order(5), [1, 4, 3, 4, 4]);
}
