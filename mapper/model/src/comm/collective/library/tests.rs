//! Which library a run is modelled after.

use super::*;
use crate::comm::collective::MpiLibrary;
use crate::comm::collective::{Call, Edge, model};
use rankfold_profile::Operation;

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
