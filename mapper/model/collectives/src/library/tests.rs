//! Which library a run is modelled after.

use super::*;
use crate::MpiLibrary;
use crate::{Call, Edge, model};
use rankfold_wire::Operation;
use std::collections::BTreeMap;

/// The bytes of every pair in a call, by rank in the communicator: sender, receiver and bytes.
pub(super) fn pairs(model: &dyn Model, call: &Call<'_>) -> Vec<(usize, usize, u128)> {
    let mut sums = BTreeMap::new();
    let rank = |member| (member + call.root) % call.members;
    model.expand(call, &mut |edge: Edge| {
        *sums.entry((rank(edge.from), rank(edge.to))).or_insert(0) += edge.bytes;
    });
    let pairs = sums.into_iter();
    pairs.map(|((from, to), bytes)| (from, to, bytes)).collect()
}

fn edges(name: &str, call: &Call<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    model(name)
        .unwrap()
        .expand(call, &mut |edge| edges.push(edge));
    edges
}

#[test]
fn auto_follows_the_library_that_the_run_names() {
    for (version, model) in [
        ("Open MPI v4.1.4, package: Debian OpenMPI", "openmpi"),
        ("MPICH Version:\t4.0.2", "mpich"),
        ("MVAPICH Version      :\t4.0", "mpich"),
        ("MVAPICH2 Version      :\t2.3.7", "mpich"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS", "intel"),
        ("", "mpich"),
    ] {
        let library = MpiLibrary {
            version: version.to_owned(),
            ..MpiLibrary::default()
        };
        let call = Call::new(Operation::Bcast, 8, 1 << 20, &library);
        assert_eq!(edges("auto", &call), edges(model, &call), "{version}");
    }
    let library = MpiLibrary::default();
    let bcast = Call::new(Operation::Bcast, 8, 1 << 20, &library);
    assert_ne!(edges("openmpi", &bcast), edges("mpich", &bcast));
}

#[test]
fn every_library_can_be_named() {
    for library in LIBRARIES {
        assert!(model(library.name()).is_some(), "{}", library.name());
    }
}
