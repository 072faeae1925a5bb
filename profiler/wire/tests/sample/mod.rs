//! A small profile with something in every section, for the tests of bytes and of versions.

use rankfold_wire::{
    Bursts, CallClass, Collective, Communicator, Dimension, Form, FunctionMessages, FunctionTime,
    Manifest, Operation, Operator, Peer, Phase, Profile, Row, Time, Topology, TopologyShape,
};

pub(crate) fn members(ranks: &[u32]) -> Communicator {
    Communicator {
        members: ranks.iter().copied().map(Some).collect(),
        ..Communicator::default()
    }
}

pub(crate) fn sends(rank: u32, bytes: u64, messages: u64) -> Row {
    let peer = Peer {
        rank,
        bytes,
        messages,
    };
    Row::of(vec![peer])
}

pub(crate) fn bursts(bytes: u64, weighted: u64, number: u64) -> Bursts {
    Bursts {
        bytes,
        weighted,
        number,
    }
}

/// A profile of two ranks with something in every section.
pub(crate) fn profile() -> Profile {
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
        form: Form::default(),
    };
    Profile {
        manifest: Manifest {
            program: "a".to_owned(),
            mpi: "M".to_owned(),
            ..Manifest::default()
        },
        rows: vec![none(), none()],
        exchanges: vec![sends(1, 7, 1), none()],
        as_sent: vec![],
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
                form: Form {
                    nonblocking: true,
                    in_place: false,
                    operator: Operator::Ordered,
                },
            },
        ],
        blocks: vec![],
        phases: vec![Phase {
            name: "io".to_owned(),
            rows: vec![none(), sends(0, 9, 2)],
            exchanges: vec![],
            as_sent: vec![],
            collectives: vec![bcast],
            blocks: vec![],
            bursts: vec![bursts(9, 9, 2), bursts(0, 0, 0)],
        }],
        bursts: vec![bursts(0, 0, 0), bursts(1300, 3900, 7)],
        times: vec![
            vec![],
            vec![Time {
                class: CallClass::Wait,
                nanoseconds: 1000,
                calls: 3,
            }],
        ],
        function_times: vec![FunctionTime {
            class: CallClass::Wait,
            function: "MPI_Wait".to_owned(),
            nanoseconds: 1000,
            calls: 3,
            longest: 1000,
            longest_rank: 1,
        }],
        function_messages: vec![FunctionMessages {
            function: "MPI_Put".to_owned(),
            bytes: 1300,
            messages: 7,
        }],
        topologies: vec![
            Topology {
                comm: 0,
                reorder: true,
                shape: TopologyShape::Cart(grid),
            },
            Topology {
                comm: 0,
                reorder: false,
                shape: TopologyShape::DistGraph(vec![vec![1], vec![]]),
            },
        ],
        foreign: vec![Peer {
            rank: 1,
            bytes: 5,
            messages: 1,
        }],
        others: vec![],
        unseen: vec![],
        surroundings: vec![],
        launch: None,
        user: String::new(),
        numbers: vec![],
        verification: None,
        sizes: vec![],
        cores: vec![],
        parameters: vec![],
        nccl: None,
    }
}
