//! Collectives of profiles between ranks of the world.

use super::super::model;
use super::*;
use rankfold_graph::samples::entries_of;
use rankfold_wire::Form;

/// A library that no model recognises.
static UNKNOWN: MpiLibrary = MpiLibrary {
    version: String::new(),
    parameters: BTreeMap::new(),
    files: BTreeMap::new(),
};

/// Calls of an unknown library on unknown hosts, with equal blocks.
fn calls_of<'a>(
    communicators: &'a [Communicator],
    collectives: &'a [Collective],
) -> ProfiledCollectives<'a> {
    ProfiledCollectives {
        communicators,
        collectives,
        blocks: &[],
        hosts: &[],
        library: &UNKNOWN,
    }
}

#[test]
fn blocks_of_a_profile_belong_to_their_calls() {
    let communicators = [communicator(&[0, 1], &[])];
    let collectives = [
        row(Operation::Bcast, Some(0), 10),
        row(Operation::Allgatherv, None, 13 + 7),
    ];
    let blocks = [MemberBlocks {
        collective: 1,
        bytes: vec![13, 7],
    }];
    let mut traffic = Builder::new(2);
    let plane = ProfiledCollectives {
        blocks: &blocks,
        ..calls_of(&communicators, &collectives[1..])
    };
    assert_eq!(plane.blocks_of(0), [0_u64; 0]);
    let plane = ProfiledCollectives {
        blocks: &blocks,
        ..calls_of(&communicators, &collectives)
    };
    assert_eq!(plane.blocks_of(1), [13, 7]);
    plane.add(model("ring").unwrap(), &mut traffic).unwrap();
    let entries = entries_of(&traffic.finish().unwrap());
    // The broadcast adds its bytes to the block of member 0.
    assert_eq!(entries, [(0, 1, 10 + 13, 4), (1, 0, 7, 2)]);
}

#[test]
fn stages_follow_the_hosts_of_the_ranks() {
    let communicators = [communicator(&[0, 1, 2, 3], &[])];
    let collectives = [row(Operation::Allreduce, None, 10)];
    let hosts = ["a", "b", "a", "b"].map(str::to_owned);
    let mut traffic = Builder::new(4);
    let plane = ProfiledCollectives {
        hosts: &hosts,
        ..calls_of(&communicators, &collectives)
    };
    plane.add(model("mpich").unwrap(), &mut traffic).unwrap();
    let entries = entries_of(&traffic.finish().unwrap());
    let pairs = [(0, 1), (0, 2), (1, 0), (1, 3), (2, 0), (3, 1)];
    assert_eq!(entries, pairs.map(|(from, to)| (from, to, 10, 2)));
}

fn communicator(members: &[u32], remote: &[u32]) -> Communicator {
    Communicator {
        members: members.iter().copied().map(Some).collect(),
        remote: remote.iter().copied().map(Some).collect(),
    }
}

fn row(op: Operation, root: Option<u32>, bytes: u64) -> Collective {
    Collective {
        comm: 0,
        op,
        root,
        bytes,
        calls: 2,
        form: Form::default(),
    }
}

#[test]
fn members_are_world_ranks_counted_from_the_root() {
    let communicators = [communicator(&[7, 5, 3], &[])];
    let collectives = [row(Operation::Bcast, Some(1), 10)];
    let mut traffic = Builder::new(8);
    let plane = calls_of(&communicators, &collectives);
    plane.add(model("ring").unwrap(), &mut traffic).unwrap();
    let entries = entries_of(&traffic.finish().unwrap());
    assert_eq!(entries, [(3, 7, 10, 2), (5, 3, 10, 2)]);
}

#[test]
fn two_sides_send_straight_to_each_other() {
    let communicators = [communicator(&[0, 1], &[2, 3])];
    let alltoall = [row(Operation::Alltoall, None, 10)];
    let bcast = [row(Operation::Bcast, Some(1), 10)];
    let allreduce = [row(Operation::Allreduce, None, 10)];
    let entries = |collectives: &[Collective]| {
        let mut traffic = Builder::new(4);
        let plane = calls_of(&communicators, collectives);
        plane.add(model("auto").unwrap(), &mut traffic).unwrap();
        entries_of(&traffic.finish().unwrap())
    };
    let pairs = [(0, 2, 10, 2), (0, 3, 10, 2), (1, 2, 10, 2), (1, 3, 10, 2)];
    assert_eq!(entries(&alltoall), pairs);
    assert_eq!(entries(&bcast), [(1, 2, 10, 2), (1, 3, 10, 2)]);
    assert_eq!(
        entries(&allreduce),
        [(0, 2, 10, 2), (1, 0, 10, 2), (2, 3, 10, 2)]
    );
}

#[test]
fn ranks_outside_the_world_take_no_part() {
    let members = [Some(0), None, Some(1)].into_iter().collect();
    let communicators = [Communicator {
        members,
        ..Communicator::default()
    }];
    let collectives = [row(Operation::Bcast, Some(0), 10)];
    let mut traffic = Builder::new(2);
    let plane = calls_of(&communicators, &collectives);
    plane.add(model("star").unwrap(), &mut traffic).unwrap();
    assert_eq!(entries_of(&traffic.finish().unwrap()), [(0, 1, 10, 2)]);
}

#[test]
fn a_million_ranks_exchange_in_log_steps_or_are_left_out_by_name() {
    let ranks = 1 << 20;
    let communicators = [Communicator {
        members: (0..ranks).map(Some).collect(),
        ..Communicator::default()
    }];
    let collectives = [row(Operation::Alltoall, None, 1 << 20)];
    let plane = calls_of(&communicators, &collectives);
    let mut traffic = Builder::new(ranks as usize);
    let left_out = plane.add(model("pairwise").unwrap(), &mut traffic).unwrap();
    assert!(traffic.finish().unwrap().is_empty());
    let message = left_out[0].to_string();
    assert!(message.contains("Alltoall on 1048576 ranks"), "{message}");
    let mut edges = 0_usize;
    let call = Call::new(Operation::Alltoall, ranks as usize, 1, &UNKNOWN);
    model("bruck").unwrap().expand(&call, &mut |_| edges += 1);
    assert_eq!(edges, 20 << 20);
}
