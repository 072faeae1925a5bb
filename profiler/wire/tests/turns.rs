//! The turns in which ranks exchange messages: from notes through the file.

use rankfold_wire::journal::Key;
use rankfold_wire::{
    Cycle, Ledger, Manifest, Note, Peer, Phase, Profile, Row, Turn, TurnReceives, TurnSends, Turns,
};

fn row(receiver: u32, turns: Turns) -> Row {
    let peer = Peer {
        rank: receiver,
        bytes: 80,
        messages: 10,
    };
    Row {
        turns,
        ..Row::of(vec![peer])
    }
}

/// A cycle of two turns: first what is sent to `to`, then what comes from `from`.
fn cycle(to: u32, from: u32) -> Turns {
    let sent = TurnSends {
        rank: to,
        held: 0,
        messages: 2,
        bytes: 16,
    };
    let received = TurnReceives {
        rank: from,
        held: 1,
        messages: 2,
    };
    Turns::Cycle(Cycle {
        synchronised: true,
        turns: vec![
            Turn {
                sends: vec![sent],
                receives: Vec::new(),
            },
            Turn {
                sends: Vec::new(),
                receives: vec![received],
            },
        ],
    })
}

fn written(profile: &Profile) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    profile.write(file.path()).expect("written");
    std::fs::read(file.path()).expect("readable")
}

fn read(bytes: &[u8]) -> Profile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("written");
    Profile::read(file.path()).expect("readable")
}

/// The bodies of the sections with turns.
fn sections(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = &bytes[12..];
    while let Some((head, behind)) = rest.split_at_checked(16) {
        let length = u64::from_le_bytes(head[4..12].try_into().expect("a length"));
        let (body, behind) = behind.split_at(length as usize);
        found.extend(head.starts_with(b"turn").then_some(body));
        rest = behind;
    }
    found
}

#[test]
fn turns_have_these_bytes() {
    let profile = Profile {
        rows: vec![
            row(1, cycle(1, 2)),
            row(0, Turns::Differing),
            row(0, Turns::NotRecorded),
        ],
        phases: vec![Phase {
            name: "a".to_owned(),
            rows: vec![
                row(1, Turns::Differing),
                row(0, cycle(0, 0)),
                row(1, cycle(1, 1)),
            ],
            ..Phase::default()
        }],
        ..Profile::default()
    };
    let bytes = written(&profile);
    let all = sections(&bytes);
    assert_eq!(all.len(), 2);
    let long = |number: u64| number.to_le_bytes().to_vec();
    let short = |number: u32| number.to_le_bytes().to_vec();
    let expected = [
        // Phase, first rank, three rows; the first has a cycle, which is synchronised.
        vec![short(0), long(0), long(3), short(2), vec![1], long(2)],
        // The first turn: one send.
        vec![long(1), short(1), short(0), short(2), long(16), long(0)],
        // The second turn: one receive.
        vec![long(0), long(1), short(2), short(1), short(2)],
        // The other rows.
        vec![short(1), short(0)],
    ];
    assert_eq!(all[0], expected.concat().concat());
    assert_eq!(read(&bytes), profile);
}

#[test]
fn rows_without_turns_are_written_as_ever() {
    let profile = Profile {
        rows: vec![row(1, Turns::NotRecorded), row(0, Turns::NotRecorded)],
        ..Profile::default()
    };
    assert!(sections(&written(&profile)).is_empty());
}

#[test]
fn long_cycles_are_cut_into_several_sections() {
    let Turns::Cycle(short) = cycle(0, 0) else {
        panic!("a cycle");
    };
    let long = Turns::Cycle(Cycle {
        turns: vec![short.turns.clone(); 1000].concat(),
        synchronised: short.synchronised,
    });
    let profile = Profile {
        rows: vec![row(0, long); 100],
        ..Profile::default()
    };
    let bytes = written(&profile);
    assert!(sections(&bytes).len() > 3);
    assert!(read(&bytes) == profile);
}

#[test]
fn turns_belong_to_their_phase() {
    let mut ledger = Ledger::default();
    let (key, _) = Key::Sent(0).encode();
    ledger.tally("a".to_owned()).add([key, 8, 1, 1]);
    for turns in [Turns::Differing, cycle(0, 0)] {
        ledger.note(Note::Turns("a".to_owned(), turns));
    }
    let merged =
        |ledger: &Ledger| Profile::merge(Manifest::default(), std::slice::from_ref(ledger));
    let profile = merged(&ledger);
    assert_eq!(
        profile.phases[0].rows[0].turns,
        cycle(0, 0),
        "the last note"
    );
    assert_eq!(profile.rows[0].turns, Turns::NotRecorded);
    assert_eq!(
        Row::unpack(&profile.phases[0].rows[0].pack()),
        profile.phases[0].rows[0]
    );

    let mut ledger = Ledger::default();
    ledger.tally(String::new()).add([key, 8, 1, 1]);
    ledger.note(Note::Turns(String::new(), cycle(0, 0)));
    assert_eq!(merged(&ledger).rows[0].turns, cycle(0, 0));
    // There is no rank 7.
    ledger.note(Note::Turns(String::new(), cycle(0, 7)));
    assert_eq!(merged(&ledger).rows[0].turns, Turns::NotRecorded);
}
