//! The merging of all ranks' counters into one profile.

mod ledgers;

use ledgers::{Rank, comm, rows};
use rankfold_wire::MemberTopology;
use rankfold_wire::journal::Key;
use rankfold_wire::{
    Brief, Bursts, CallClass, Collective, Dimension, Form, Ledger, Manifest, Merger, Note, Numbers,
    Operation, Plane, Profile, Row, Surroundings, Time, Topology, TopologyShape,
};
use std::{fs, io};

impl Rank {
    fn laid(mut self, comm: u32, member: u32, shape: TopologyShape) -> Self {
        self.0.note(Note::Topology(MemberTopology {
            comm,
            member,
            reorder: member == 0,
            shape,
        }));
        self
    }
}

/// Merges as `MPI_Finalize` does: ranks tell each other what they have fetched, and rows are
/// written as they arrive. Checks that merging in memory leads to the same file.
fn merged<const N: usize>(ranks: [Rank; N]) -> Profile {
    let ledgers = ranks.map(|rank| rank.0);
    let mut merger = Merger::new(N);
    for (rank, ledger) in (0..).zip(&ledgers) {
        merger.add(Brief::unpack(&ledger.brief().pack(rank)));
    }
    let outline = merger.outline(Manifest::default());
    let directory = tempfile::tempdir().expect("a directory");
    let (streamed, whole) = (directory.path().join("a"), directory.path().join("b"));
    let mut sending = ledgers.clone();
    for (rank, ledger) in (0..).zip(&ledgers) {
        for (source, fetched) in ledger.fetched() {
            if let Some(source) = sending.get_mut(source as usize) {
                source.send(fetched.phase, rank, fetched.bytes, fetched.messages);
            }
        }
    }
    let planes = Plane::unpack(&Plane::pack(outline.planes()));
    let mut asked = Vec::new();
    let written = outline.write(&streamed, |plane, visit| {
        asked.push(plane.clone());
        let rows = sending.iter().map(|ledger| ledger.row(plane));
        rows.for_each(|row| visit(Row::unpack(&row.pack())));
        Ok(())
    });
    written.expect("written");
    assert_eq!(asked, planes);
    let profile = Profile::merge(Manifest::default(), &ledgers);
    profile.write(&whole).expect("written");
    let read = |path| fs::read(path).expect("readable");
    assert!(read(&streamed) == read(&whole));
    assert_eq!(Profile::read(&streamed).expect("a profile"), profile);
    profile
}

fn collective(comm: u32, op: Operation, bytes: u64, calls: u64) -> Collective {
    Collective {
        comm,
        op,
        root: None,
        bytes,
        calls,
        form: Form::default(),
    }
}

#[test]
fn the_calls_of_all_members_are_one_row_whatever_each_calls_its_communicator() {
    let profile = merged([
        Rank::default()
            .knows(&[0, 1])
            .called("", 0, Operation::Allreduce, 800, 8),
        Rank::default()
            .knows(&[1])
            .knows(&[0, 1])
            .called("", 1, Operation::Allreduce, 800, 8)
            .called("", 0, Operation::Scan, 70, 1),
    ]);
    assert_eq!(profile.communicators, [comm(&[0, 1]), comm(&[1])]);
    assert_eq!(
        profile.collectives,
        [
            collective(0, Operation::Allreduce, 800, 8),
            collective(1, Operation::Scan, 70, 1)
        ]
    );
}

#[test]
fn two_communicators_of_the_same_members_are_one() {
    let rank = || {
        Rank::default()
            .knows(&[0, 1])
            .knows(&[0, 1])
            .called("", 0, Operation::Bcast, 100, 1)
            .called("", 1, Operation::Bcast, 100, 1)
    };
    let profile = merged([rank(), rank()]);
    assert_eq!(profile.communicators.len(), 1);
    assert_eq!(
        profile.collectives,
        [collective(0, Operation::Bcast, 200, 2)]
    );
}

#[test]
fn a_member_that_died_early_takes_nothing_from_the_others() {
    let rank = |calls| {
        Rank::default()
            .knows(&[0, 1])
            .called("", 0, Operation::Reduce, 100 * calls, calls)
    };
    assert_eq!(
        merged([rank(3), rank(5)]).collectives,
        [collective(0, Operation::Reduce, 500, 5)]
    );
}

#[test]
fn blocks_of_an_exchange_are_added_over_the_members_and_kept_by_pair() {
    let rank = |other, bytes| {
        Rank::default()
            .knows(&[0, 1])
            .called("", 0, Operation::Alltoallv, bytes, 2)
            .counted("", Key::Exchanged(other), bytes, 2)
    };
    let profile = merged([rank(1, 10), rank(0, 30)]);
    assert_eq!(
        profile.collectives,
        [collective(0, Operation::Alltoallv, 40, 2)]
    );
    assert_eq!(profile.exchanges, rows(&[&[(1, 10, 2)], &[(0, 30, 2)]]));
    assert_eq!(profile.rows, rows(&[&[], &[]]));
}

#[test]
fn a_phase_holds_its_share_and_the_whole_run_all() {
    let profile = merged([
        Rank::default()
            .knows(&[0, 1])
            .counted("", Key::Sent(1), 1, 1)
            .counted("solve", Key::Sent(1), 10, 1)
            .counted("io", Key::Sent(0), 100, 1)
            .called("solve", 0, Operation::Scan, 4, 1)
            .called("io", 0, Operation::Scan, 4, 1),
        Rank::default().counted("solve", Key::Fetched(0), 5, 1),
    ]);
    assert_eq!(profile.rows, rows(&[&[(0, 100, 1), (1, 16, 3)], &[]]));
    let names: Vec<&str> = profile.phases.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["io", "solve"]);
    assert_eq!(profile.phases[0].rows, rows(&[&[(0, 100, 1)], &[]]));
    assert_eq!(profile.phases[1].rows, rows(&[&[(1, 15, 2)], &[]]));
    assert_eq!(
        profile.phases[1].collectives,
        [collective(0, Operation::Scan, 4, 1)]
    );
    assert_eq!(profile.collectives, [collective(0, Operation::Scan, 8, 2)]);
}

#[test]
fn topologies_are_put_together_from_what_each_member_sees() {
    let grid = || {
        TopologyShape::Cart(vec![Dimension {
            extent: 2,
            periodic: false,
        }])
    };
    let graph = |to: &[u32]| TopologyShape::DistGraph(vec![to.to_vec()]);
    let profile = merged([
        Rank::default()
            .knows(&[0, 1])
            .knows(&[1, 0])
            .laid(0, 0, grid())
            .laid(1, 1, graph(&[0, 1])),
        Rank::default()
            .knows(&[0, 1])
            .knows(&[1, 0])
            .laid(0, 1, grid())
            .laid(1, 0, graph(&[1]))
            .laid(1, 0, graph(&[0, 1])),
    ]);
    let topology = |comm, shape| Topology {
        comm,
        reorder: true,
        shape,
    };
    let edges = vec![vec![1, 0], vec![0, 1]];
    assert_eq!(
        profile.topologies,
        [
            topology(0, grid()),
            topology(1, TopologyShape::DistGraph(edges))
        ]
    );
}

#[test]
fn times_and_what_is_in_no_pair_stay_with_their_rank() {
    let profile = merged([
        Rank::default(),
        Rank::default()
            .counted("", Key::Time(CallClass::Wait, None), 50, 2)
            .counted("io", Key::Time(CallClass::Wait, None), 7, 1)
            .counted("", Key::Foreign, 99, 3)
            .counted("io", Key::Others, 12, 4),
    ]);
    let wait = Time {
        class: CallClass::Wait,
        nanoseconds: 57,
        calls: 3,
    };
    assert_eq!(profile.times, [vec![], vec![wait]]);
    assert_eq!(profile.foreign, rows(&[&[(1, 99, 3)]])[0].peers);
    assert_eq!(profile.others, rows(&[&[(1, 12, 4)]])[0].peers);
}

#[test]
fn communicators_that_cannot_be_are_left_out_with_their_calls() {
    let profile = merged([Rank::default()
        .knows(&[0, 1])
        .called("", 0, Operation::Scan, 4, 1)
        .called("", 3, Operation::Scan, 4, 1)]);
    assert_eq!(profile.communicators, []);
    assert_eq!(profile.collectives, []);
}

#[test]
fn what_others_fetched_is_in_the_row_it_came_from_and_what_cannot_be_is_nowhere() {
    let profile = merged([
        Rank::default()
            .counted("", Key::Sent(1), 10, 1)
            .counted("", Key::Fetched(2), 7, 1)
            .counted("", Key::Sent(9), 5, 1),
        Rank::default()
            .counted("", Key::Fetched(2), 8, 2)
            .counted("", Key::Fetched(3), 1, 1),
        Rank::default().counted("", Key::Sent(1), 100, 1),
    ]);
    assert_eq!(
        profile.rows,
        rows(&[&[(1, 10, 1)], &[], &[(0, 7, 1), (1, 108, 3)]])
    );
}

#[test]
fn a_profile_whose_rows_stop_coming_is_not_written() {
    let mut merger = Merger::new(2);
    merger.add(Brief::default());
    merger.add(Brief::default());
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a");
    let written = merger
        .outline(Manifest::default())
        .write(&path, |_, visit| {
            visit(Row::default());
            Err(io::Error::other("MPI_Recv returned 16"))
        });
    let error = written.expect_err("no rank 1").to_string();
    assert!(error.contains("MPI_Recv returned 16"), "{error}");
    assert!(!path.exists());
}

#[test]
fn bursts_are_summed_over_their_sizes_by_rank_and_phase() {
    let profile = merged([
        Rank::default(),
        Rank::default()
            .counted("", Key::Burst(6), 600, 2)
            .counted("", Key::Burst(1), 100, 5)
            .counted("solve", Key::Burst(2), 10, 1),
        Rank::default(),
    ]);
    let bursts = |bytes, weighted, number| Bursts {
        bytes,
        weighted,
        number,
    };
    let none = Bursts::default();
    assert_eq!(profile.bursts, [none, bursts(710, 3720, 8), none]);
    assert_eq!(profile.phases[0].bursts, [none, bursts(10, 20, 1), none]);
    assert_eq!(profile.bursts[0].mean(), None);
}

#[test]
fn bursts_that_no_sum_can_hold_stay_at_the_highest() {
    let mut bursts = Bursts::default();
    bursts.add(1 << 30, 1 << 40, 1);
    bursts.add(1, 1, 1);
    assert_eq!((bursts.bytes, bursts.weighted), ((1 << 40) + 1, u64::MAX));
}

#[test]
fn a_host_is_described_once_whoever_tells() {
    let on = |host: &str, address: &str| {
        let mut rank = Rank::default();
        rank.0.note(Note::Surroundings(Surroundings {
            host: host.into(),
            address: address.into(),
            ..Surroundings::default()
        }));
        rank
    };
    let profile = merged([
        on("n1", "s.n1"),
        Rank::default(),
        on("n0", ""),
        on("n1", ""),
    ]);
    let named: Vec<(&str, &str)> = profile
        .surroundings
        .iter()
        .map(|seen| (seen.host.as_str(), seen.address.as_str()))
        .collect();
    assert_eq!(named, [("n0", ""), ("n1", "s.n1")]);
}

#[test]
fn numbers_of_ranks_are_kept_where_all_have_told() {
    let numbers = |launcher_rank| Numbers {
        launcher_rank,
        shared_with: 0,
    };
    let ledger = |numbers| {
        let mut ledger = Ledger::default();
        ledger.note(Note::Numbers(numbers));
        ledger
    };
    let both = [ledger(numbers(1)), ledger(numbers(0))];
    let merged = Profile::merge(Manifest::default(), &both);
    assert_eq!(merged.numbers, [numbers(1), numbers(0)]);
    let one = [ledger(numbers(1)), Ledger::default()];
    assert_eq!(Profile::merge(Manifest::default(), &one).numbers, []);
}
