//! A file of every version of the profile format, which stays readable for ever. What is under `vectors` is never written
//! again, and what is expected of it changes only where a field of [`Profile`] is added.

use rankfold_profile::{
    CallClass, Collective, Communicator, Dimension, Manifest, Operation, Outcome, Peer, Phase,
    Profile, Row, Shape, Time, Topology,
};
use std::path::Path;

fn members(ranks: &[u32]) -> Communicator {
    Communicator {
        members: ranks.iter().copied().map(Some).collect(),
        ..Communicator::default()
    }
}

fn sends(rank: u32, bytes: u64, messages: u64) -> Row {
    let peer = Peer {
        rank,
        bytes,
        messages,
    };
    Row { peers: vec![peer] }
}

/// What the file holds: something in every section.
fn version_1() -> Profile {
    let none = Row::default;
    let grid = vec![Dimension {
        extent: 2,
        periodic: true,
    }];
    let bcast = Collective {
        comm: 0,
        op: Operation::Bcast,
        root: Some(1),
        bytes: 256,
        calls: 2,
    };
    Profile {
        manifest: Manifest {
            program: "./solver -n 2".to_owned(),
            mpi: "Open MPI v4.1.4".to_owned(),
            hosts: vec!["n0".to_owned(), "n1".to_owned()],
            outcome: Outcome::Recovered { missing: vec![0] },
        },
        rows: vec![sends(1, 1 << 40, 3), sends(0, 0, 5)],
        exchanges: vec![sends(1, 7, 1), none()],
        communicators: vec![
            members(&[0, 1]),
            Communicator {
                remote: std::iter::once(None).collect(),
                ..members(&[1, 0])
            },
        ],
        collectives: vec![
            bcast,
            Collective {
                comm: 0,
                op: Operation::Alltoallv,
                root: None,
                bytes: 7,
                calls: 1,
            },
        ],
        phases: vec![Phase {
            name: "io".to_owned(),
            rows: vec![none(), sends(0, 9, 2)],
            exchanges: vec![],
            collectives: vec![bcast],
            bursts: vec![],
        }],
        bursts: vec![],
        times: vec![
            vec![],
            vec![Time {
                class: CallClass::Wait,
                nanoseconds: 1000,
                calls: 3,
            }],
        ],
        topologies: vec![
            Topology {
                comm: 0,
                reorder: true,
                shape: Shape::Cart(grid),
            },
            Topology {
                comm: 0,
                reorder: false,
                shape: Shape::DistGraph(vec![vec![1], vec![]]),
            },
        ],
        foreign: vec![Peer {
            rank: 1,
            bytes: 5,
            messages: 1,
        }],
    }
}

/// The profile in the file that is kept of a version.
fn kept(name: &str) -> Profile {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    Profile::read(&vectors.join(name)).expect("readable for ever")
}

#[test]
fn a_file_of_version_1_is_read() {
    assert_eq!(kept("version-1.rfp"), version_1());
}
