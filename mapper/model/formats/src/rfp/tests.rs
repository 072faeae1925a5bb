use super::super::testing::entries_of;
use super::*;
use rankfold_graph::{DeclaredGraph, GraphCall};
use rankfold_wire::{
    Bursts, Collective, Communicator, Form, Operation, Outcome, Peer, Phase, Topology,
    TopologyShape,
};

fn row(peers: &[(u32, u64)]) -> Row {
    let peer = |&(rank, bytes)| Peer {
        rank,
        bytes,
        messages: 1,
    };
    Row::of(peers.iter().map(peer).collect())
}

/// The graph of the profile's messages, without its collectives.
fn in_memory(profile: &Profile) -> CommGraph {
    graph(profile, Collectives::LeftOut).unwrap().0
}

/// Four ranks. Rank 0 sends `bytes` to rank 1. The columns {0, 2} and {1, 3} call `Alltoall` with
/// blocks of 1000 bytes in a phase called "solve".
fn profile(bytes: u64) -> Profile {
    let column = |first: u32| Communicator {
        members: [first, first + 2].into_iter().map(Some).collect(),
        ..Communicator::default()
    };
    let alltoall = |comm| Collective {
        comm,
        op: Operation::Alltoall,
        root: None,
        bytes: 1000,
        calls: 1,
        form: Form::default(),
    };
    let collectives = vec![alltoall(0), alltoall(1)];
    Profile {
        rows: vec![row(&[(1, bytes)]), row(&[]), row(&[]), row(&[])],
        exchanges: vec![row(&[(3, 7)]), row(&[]), row(&[]), row(&[])],
        communicators: vec![column(0), column(1)],
        collectives: collectives.clone(),
        phases: vec![Phase {
            name: "solve".to_owned(),
            collectives,
            ..Phase::default()
        }],
        ..Profile::default()
    }
}

/// Reads the profile from a file, as a command does.
fn reading(bytes: u64, phase: Option<&str>, collectives: Collectives) -> Reading {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.rfp");
    profile(bytes).write(&path).unwrap();
    read(
        &path,
        &RunPart {
            phase,
            collectives,
            ..RunPart::default()
        },
    )
    .unwrap()
}

#[test]
fn a_recovered_profile_is_called_partial() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.rfp");
    let mut recovered = profile(10);
    for (missing, wanted) in [
        (vec![2], "some or all counters of 1 rank are missing"),
        (vec![], "the run did not reach MPI_Finalize"),
    ] {
        recovered.manifest.outcome = Outcome::Recovered { missing };
        recovered.write(&path).unwrap();
        let reading = read(&path, &RunPart::default()).unwrap();
        let note = &reading.notes[0];
        let expected = format!("a.rfp is a partial profile: {wanted}");
        assert!(note.ends_with(&expected), "{note}");
    }
}

const MESSAGES: &[(u32, u32, u64, u64)] = &[(0, 1, 10_000, 1)];

#[test]
fn messages_alone_are_the_default_and_model_and_exchanges_are_added_on_demand() {
    let alone = reading(10_000, None, Collectives::LeftOut);
    assert_eq!(entries_of(&alone.traffic), MESSAGES);
    let all = reading(10_000, None, Collectives::By(collective::MODELS[0]));
    assert_eq!(
        entries_of(&all.traffic),
        [
            (0, 1, 10_000, 1),
            (0, 2, 1000, 1),
            (0, 3, 7, 1),
            (1, 3, 1000, 1),
            (2, 0, 1000, 1),
            (3, 1, 1000, 1)
        ]
    );
    assert!(all.notes.is_empty());
}

#[test]
fn collectives_on_parts_of_the_world_are_added_unless_they_are_few() {
    // They move 4000 bytes.
    let few = reading(40_001, None, Collectives::IfTheyCanMatter);
    assert!(few.notes.is_empty(), "{:?}", few.notes);
    assert_eq!(few.traffic.len(), 1);

    let used = reading(40_000, None, Collectives::IfTheyCanMatter);
    assert_eq!(used.traffic.len(), 6);
    let note = &used.notes[0];
    assert!(note.contains("4000 bytes, everything else 40000"), "{note}");
    assert!(note.contains("modelled and added"), "{note}");
    assert!(note.contains("--collectives none"), "{note}");
    assert!(holds_collectives(
        &profile(40_000),
        Collectives::IfTheyCanMatter
    ));
    assert!(!holds_collectives(
        &profile(40_001),
        Collectives::IfTheyCanMatter
    ));

    let only_told = reading(30, None, Collectives::LeftOutWithNote);
    assert_eq!((only_told.traffic.len(), only_told.notes.len()), (1, 1));
}

/// A profile whose world calls `op` with `bytes` in each rank's row of exchanges.
fn world_exchange(rows: Vec<Row>) -> Profile {
    let ranks = rows.len() as u32;
    let bytes = rows
        .iter()
        .flat_map(|row| &row.peers)
        .map(|peer| peer.bytes);
    Profile {
        rows: vec![Row::default(); rows.len()],
        communicators: vec![Communicator {
            members: (0..ranks).map(Some).collect(),
            ..Communicator::default()
        }],
        collectives: vec![Collective {
            comm: 0,
            op: Operation::Alltoallv,
            root: None,
            bytes: bytes.sum(),
            calls: 1,
            form: Form::default(),
        }],
        exchanges: rows,
        ..Profile::default()
    }
}

#[test]
fn a_collective_of_all_ranks_is_added_if_its_pairs_differ_and_else_told_as_alike() {
    let even = vec![
        row(&[(1, 50), (2, 50)]),
        row(&[(0, 50), (2, 50)]),
        row(&[(0, 50), (1, 50)]),
    ];
    let mut uneven = even.clone();
    uneven[0].peers[0].bytes = 500;
    let read = |rows| {
        let (graph, notes) = graph(&world_exchange(rows), Collectives::IfTheyCanMatter).unwrap();
        (graph.messages().count(), notes.concat())
    };
    let (pairs, note) = read(even);
    assert_eq!(pairs, 0);
    assert!(
        note.contains("Alltoallv on all ranks") && note.contains("alike"),
        "{note}"
    );
    let (pairs, note) = read(uneven);
    assert_eq!(pairs, 6);
    assert!(note.contains("modelled and added"), "{note}");
}

#[test]
fn what_the_library_sent_is_taken_in_place_of_the_default_model() {
    let mut measured = profile(10);
    measured.as_sent = vec![row(&[(2, 900)]), row(&[]), row(&[]), row(&[(1, 800)])];
    let entries = |choice| {
        let messages = Messages::of(&measured.rows).unwrap();
        let library = MpiLibrary::default();
        let planes = CountedTraffic::of(&measured, &library, None, messages).unwrap();
        let reading = planes.reading(choice).unwrap();
        (entries_of(&reading.traffic), reading.notes.concat())
    };
    let expected = [(0, 1, 10, 1), (0, 2, 900, 1), (3, 1, 800, 1)];
    for choice in [
        Collectives::AsSent,
        Collectives::By(collective::MODELS[0]),
        Collectives::IfTheyCanMatter,
    ] {
        assert_eq!(entries(choice).0, expected);
    }
    let (_, note) = entries(Collectives::IfTheyCanMatter);
    assert!(
        note.contains("1700 bytes") && note.contains("as the MPI library sent them"),
        "{note}"
    );
    let star = collective::model("star").unwrap();
    assert_eq!(entries(Collectives::By(star)).0.len(), 6);
    let refused = graph(&profile(10), Collectives::AsSent).unwrap_err();
    assert!(
        refused.to_string().contains("--collectives measured"),
        "{refused}"
    );
}

#[test]
fn a_phase_has_planes_of_its_own_and_an_unknown_one_names_the_known() {
    let solve = reading(
        10_000,
        Some("solve"),
        Collectives::By(collective::MODELS[0]),
    );
    assert_eq!((solve.traffic.ranks(), solve.traffic.len()), (4, 4));
    let refused = |profile: &Profile| {
        let messages = Messages::of(&profile.rows).unwrap();
        let library = MpiLibrary::default();
        let planes = CountedTraffic::of(profile, &library, Some("setup"), messages);
        planes.err().unwrap().to_string()
    };
    let error = refused(&profile(1));
    assert!(
        error.contains("setup") && error.contains("solve"),
        "{error}"
    );
    let error = refused(&Profile::default());
    assert!(error.contains("MPI_Pcontrol"), "{error}");
}

#[test]
fn a_declared_graph_tells_which_of_its_neighbours_have_bytes() {
    // One graph over the ranks 0 and 2, one over 1 and 0. A loop edge and a duplicate edge add no
    // pairs.
    let mut declaring = profile(10_000);
    declaring.communicators.push(Communicator {
        members: [1, 0].into_iter().map(Some).collect(),
        ..Communicator::default()
    });
    let lists = vec![vec![1, 1, 0], vec![0]];
    let laid = |comm, shape| Topology {
        comm,
        reorder: true,
        shape,
    };
    declaring.topologies = vec![
        laid(0, TopologyShape::Graph(lists.clone())),
        laid(2, TopologyShape::DistGraph(lists)),
    ];
    let declared = |call, used, bytes| DeclaredGraph {
        call,
        ranks: 2,
        pairs: 2,
        used,
        bytes,
    };
    assert_eq!(
        in_memory(&declaring).declared().graphs,
        [
            declared(GraphCall::Whole, 0, 0),
            declared(GraphCall::Distributed, 1, 10_000)
        ]
    );
}

#[test]
fn bursts_tell_how_ranks_exchange_messages_in_the_whole_run_and_in_a_phase() {
    let bursts = |bytes, messages| {
        let mut bursts = Bursts::default();
        bursts.add(messages, bytes, 1);
        bursts
    };
    let rows = vec![
        row(&[(0, 9), (1, 10), (2, 10), (3, 10)]),
        row(&[(0, 10)]),
        row(&[(0, 30), (1, 30), (3, 30)]),
        row(&[]),
    ];
    let mut exchanging = Profile {
        rows: rows.clone(),
        phases: vec![Phase {
            name: "solve".to_owned(),
            rows,
            bursts: vec![bursts(30, 3), bursts(10, 9), bursts(90, 2), bursts(0, 1)],
            ..Phase::default()
        }],
        ..Profile::default()
    };
    let share_of = |profile: &Profile, phase| {
        let messages = Messages::of(&profile.rows).unwrap();
        let library = MpiLibrary::default();
        let planes = CountedTraffic::of(profile, &library, phase, messages).unwrap();
        planes
            .reading(Collectives::LeftOut)
            .unwrap()
            .traffic
            .exchange()
    };
    // A profile of a version that did not keep bursts.
    assert_eq!(share_of(&exchanging, None), None);
    assert_eq!(in_memory(&exchanging).exchange(), exchange::DEFAULT_SHARE);
    // Rank 1 has one partner and gives no information. Rank 0 itself is not a partner of rank 0.
    // Rank 2 is half way and has three times the bytes of rank 0.
    assert_eq!(share_of(&exchanging, Some("solve")), Some(0.375));
    exchanging.bursts = vec![bursts(30, 1), bursts(10, 1), bursts(90, 1), bursts(0, 1)];
    assert_eq!(share_of(&exchanging, None), Some(exchange::PAIRWISE));
    assert_eq!(in_memory(&exchanging).exchange(), exchange::PAIRWISE);
}

#[test]
fn the_order_of_partners_and_the_messages_under_way_reach_the_graph() {
    let mut bursts = Bursts::default();
    bursts.add(3, 60, 2);
    let ordered = |order: &[u32]| Row {
        order: order.to_vec(),
        ..row(&[(0, 20), (1, 20), (2, 20)])
    };
    let profile = Profile {
        rows: vec![ordered(&[2, 1, 0]), ordered(&[]), row(&[])],
        bursts: vec![bursts, Bursts::default(), Bursts::default()],
        ..Profile::default()
    };
    let graph = in_memory(&profile);
    let order = |rank| -> Vec<u32> {
        let order = graph.partner_order(Rank(rank)).expect("known");
        order.map(|to| to.0).collect()
    };
    assert_eq!(order(0), [2, 1]);
    assert_eq!(order(1), [0, 2]);
    assert_eq!(graph.under_way(Rank(0)), Some(3.0));
    assert_eq!(graph.under_way(Rank(1)), None);
    // Three messages at once to two partners, but no less than one exchange.
    assert_eq!(graph.exchanges(), Some(1.0));
}
