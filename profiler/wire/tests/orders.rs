//! The order in which ranks send to their receivers: from counters through the file.

use rankfold_wire::journal::Key;
use rankfold_wire::{Ledger, Manifest, Peer, Phase, Profile, ProfileError, Row};

fn row(peers: &[u32], order: &[u32]) -> Row {
    let peer = |&rank: &u32| Peer {
        rank,
        bytes: 8,
        messages: 1,
    };
    Row {
        order: order.to_vec(),
        ..Row::of(peers.iter().map(peer).collect())
    }
}

/// A run of three ranks with a phase.
fn profile() -> Profile {
    Profile {
        rows: vec![row(&[0, 1, 2], &[2, 0]), row(&[], &[]), row(&[1], &[1])],
        phases: vec![Phase {
            name: "a".to_owned(),
            rows: vec![row(&[0, 2], &[2, 0]), row(&[], &[]), row(&[], &[])],
            ..Phase::default()
        }],
        ..Profile::default()
    }
}

fn written(profile: &Profile) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    profile.write(file.path()).expect("written");
    std::fs::read(file.path()).expect("readable")
}

fn read(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("written");
    Profile::read(file.path())
}

/// The tags of a file's sections, and the bodies of those with orders.
fn sections(bytes: &[u8]) -> (Vec<String>, Vec<&[u8]>) {
    let (mut tags, mut orders) = (Vec::new(), Vec::new());
    let mut rest = &bytes[12..];
    while let Some((head, behind)) = rest.split_at_checked(16) {
        let length = u64::from_le_bytes(head[4..12].try_into().expect("a length"));
        let (body, behind) = behind.split_at(length as usize);
        tags.push(String::from_utf8_lossy(&head[..4]).into_owned());
        orders.extend(head.starts_with(b"ordr").then_some(body));
        rest = behind;
    }
    (tags, orders)
}

#[test]
fn orders_come_behind_their_rows_and_have_these_bytes() {
    let bytes = written(&profile());
    let (tags, orders) = sections(&bytes);
    assert_eq!(
        tags,
        ["MANI", "ROWS", "ordr", "phas", "prow", "ordr", "END "]
    );
    let number = |number: u64| number.to_le_bytes();
    let rank = |rank: u32| rank.to_le_bytes();
    let start = |phase: u32| [&rank(phase)[..], &number(0), &number(3)].concat();
    let first = [&number(2)[..], &rank(2), &rank(0)].concat();
    let whole = [&first[..], &number(0), &number(1), &rank(1)].concat();
    assert_eq!(orders[0], [start(0), whole].concat());
    let phase = [&first[..], &number(0), &number(0)].concat();
    assert_eq!(orders[1], [start(1), phase].concat());
    assert_eq!(read(&bytes).expect("readable"), profile());
}

#[test]
fn rows_without_orders_are_written_as_ever() {
    let mut profile = profile();
    for row in profile.rows.iter_mut().chain(&mut profile.phases[0].rows) {
        row.order.clear();
    }
    let (tags, _) = sections(&written(&profile));
    assert_eq!(tags, ["MANI", "ROWS", "phas", "prow", "END "]);
}

#[test]
fn orders_of_many_sections_find_their_rows() {
    let ranks = 200_000_u32;
    let rows = (0..ranks).map(|rank| row(&[0, rank.max(1)], &[rank.max(1), 0]));
    let profile = Profile {
        rows: rows.collect(),
        ..Profile::default()
    };
    let bytes = written(&profile);
    assert!(sections(&bytes).1.len() > 3);
    assert!(read(&bytes).expect("readable") == profile);
}

#[test]
fn orders_of_other_ranks_are_refused() {
    for wrong in [vec![3], vec![2, 0, 2], vec![1, 1]] {
        let mut profile = profile();
        profile.rows[0].order = wrong;
        let message = read(&written(&profile)).expect_err("refused").to_string();
        assert!(
            message.contains("other ranks than the receivers"),
            "{message}"
        );
    }
}

#[test]
fn the_place_of_a_receiver_is_that_of_its_first_message() {
    let mut ledger = Ledger::default();
    // Two threads have sent to rank 1, and rank 0 was first sent to in a phase.
    for (phase, rank, place) in [("", 2, 2), ("", 1, 5), ("", 1, 3), ("a", 0, 1), ("a", 1, 4)] {
        let (key, _) = Key::Sent(rank).encode();
        ledger.tally(phase.to_owned()).add([key, 8, 1, place]);
    }
    // What others have fetched from this rank has no place.
    ledger.send("", 3, 8, 1);
    let others = std::iter::repeat_n(Ledger::default(), 3);
    let ledgers: Vec<Ledger> = std::iter::once(ledger).chain(others).collect();
    let profile = Profile::merge(Manifest::default(), &ledgers);
    assert_eq!(profile.rows[0].order, [0, 2, 1]);
    assert_eq!(profile.rows[0].peers.len(), 4);
    assert_eq!(profile.rows[0].peers[1].messages, 3);
    assert_eq!(profile.phases[0].rows[0].order, [0, 1]);
    assert_eq!(Row::unpack(&profile.rows[0].pack()), profile.rows[0]);
    assert_eq!(read(&written(&profile)).expect("readable"), profile);
}
