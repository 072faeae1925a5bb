//! What the segments of one journal say.

use crate::bytes::*;
use proptest::prelude::*;
use rankfold_wire::journal::{Key, State, layout as at};
use rankfold_wire::{Fault, Journal, Ledger, Profile, ProfileError, SizeKind, recover};
use std::fs;

#[test]
fn the_segments_of_all_threads_are_summed() {
    let mut bytes = head("r", 7, 1, 4);
    bytes.extend(segment(64, &[(3, 100, 2), (1, 5, 1)]));
    bytes.extend(segment(128, &[(3, 11, 1)]));
    let mut journal = Journal::parse(&bytes).expect("a whole journal");
    assert_eq!(journal.state, State::Running);
    assert_eq!(
        (journal.rank, journal.ranks, journal.host.as_str()),
        (1, 4, "n0")
    );
    let sums = [(Key::Sent(0), 5, 1), (Key::Sent(2), 111, 3)];
    assert_eq!(slots(&mut journal.ledger), sums);
}

#[test]
fn messages_by_size_are_read_from_whichever_end_they_begin() {
    for empty in [0, at::SIZE_PLACES - 1] {
        let mut bytes = head("r", 7, 1, 4);
        put(&mut bytes, at::EMPTY_SIZE, &(empty as u32).to_le_bytes());
        let mut table = segment(64, &[(3, 20, 3)]);
        for (bits, sums) in [(0_usize, [0_u64, 1]), (4, [20, 2])] {
            let place = at::SIZES + empty.abs_diff(bits) * at::SIZE;
            put(&mut table, place, &sums[0].to_le_bytes());
            put(&mut table, place + 8, &sums[1].to_le_bytes());
        }
        bytes.extend(table);
        let mut journal = Journal::parse(&bytes).expect("a whole journal");
        let size = |bits| Key::Size(SizeKind::Message, bits);
        let counted = [(Key::Sent(2), 20, 3), (size(0), 0, 1), (size(4), 20, 2)];
        assert_eq!(slots(&mut journal.ledger), counted);
        let ledgers = [Ledger::default(), journal.ledger];
        let sizes = merged(&ledgers).sizes;
        assert_eq!(
            sizes.iter().map(|size| size.bits).collect::<Vec<_>>(),
            [0, 4]
        );
    }
    let mut bytes = head("r", 7, 1, 4);
    put(&mut bytes, at::EMPTY_SIZE, &7_u32.to_le_bytes());
    assert!(matches!(Journal::parse(&bytes), Err(Fault::Corrupt { .. })));
}

#[test]
fn a_table_counts_once_wherever_the_move_to_a_larger_one_was_cut_short() {
    const SMALL: usize = 4096;
    let counts = |first: [u8; 4], second: [u8; 4], replaces: u64| {
        let mut small = segment(64, &[(2, 100, 2)]);
        put(&mut small, 0, &first);
        let mut large = segment(128, &[(2, 100, 2), (3, 7, 1)]);
        put(&mut large, 0, &second);
        put(&mut large, at::REPLACES, &replaces.to_le_bytes());
        let other = segment(64, &[(4, 1, 1)]);
        let bytes = [head("r", 7, 0, 4), small, large, other].concat();
        let mut journal = Journal::parse(&bytes).expect("a whole journal");
        slots(&mut journal.ledger)
    };
    let before = [(Key::Sent(1), 100, 2), (Key::Sent(3), 1, 1)];
    let after = [
        (Key::Sent(1), 100, 2),
        (Key::Sent(2), 7, 1),
        (Key::Sent(3), 1, 1),
    ];
    let small = SMALL as u64;
    assert_eq!(counts(at::SEGMENT, at::SPARE, 0), before, "being filled");
    assert_eq!(counts(at::SEGMENT, at::SPARE, small), before, "filled");
    assert_eq!(counts(at::SEGMENT, at::SEGMENT, small), after, "replaces");
    assert_eq!(counts(at::SPARE, at::SEGMENT, small), after, "replaced");
    assert_eq!(counts(at::SPARE, at::SEGMENT, 0), after, "done");
}

#[test]
fn journals_of_systems_with_large_pages_are_read() {
    const LARGE: usize = 1 << 16;
    let bytes = [
        head_padded("r", 7, 0, 4, LARGE),
        segment_padded(1024, &[(3, 100, 2)], LARGE),
        segment_padded(4096, &[(3, 11, 1)], LARGE),
    ]
    .concat();
    let mut journal = Journal::parse(&bytes).expect("a whole journal");
    assert_eq!(slots(&mut journal.ledger), [(Key::Sent(2), 111, 3)]);
    for page in [0, 3000, 5000, 1 << 31] {
        let mut bytes = bytes.clone();
        put(&mut bytes, at::PAGE, &u32::to_le_bytes(page));
        let parsed = Journal::parse(&bytes);
        assert!(matches!(parsed, Err(Fault::Corrupt { .. })), "{page}");
    }
}

#[test]
fn what_is_no_file_of_ones_own_is_neither_read_nor_waited_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let name = |random| directory.path().join(at::file_name("a", "n0", 0, random));
    let fifo = name(1);
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    let elsewhere = directory.path().join("elsewhere");
    fs::write(&elsewhere, head("a", 2, 0, 1)).expect("written");
    std::os::unix::fs::symlink(&elsewhere, name(2)).expect("linked");
    fs::create_dir(name(3)).expect("made");
    for random in 1..4 {
        let read = Journal::read(&name(random));
        assert!(matches!(read, Err(ProfileError::Unreadable { .. })));
    }
    assert_eq!(recover(directory.path(), "a").expect("readable"), None);
    fs::write(name(4), head("a", 2, 0, 1)).expect("written");
    if std::os::unix::fs::chown(name(4), Some(65534), None).is_ok() {
        assert_eq!(recover(directory.path(), "a").expect("readable"), None);
    } else {
        eprintln!("NOT TESTED HERE: a journal of another user's: not root");
    }
    fs::write(name(5), head("a", 2, 0, 1)).expect("written");
    let recovery = recover(directory.path(), "a").expect("readable");
    assert_eq!(recovery.expect("a journal").journals, [name(5)]);
}

#[test]
fn a_segment_that_was_never_finished_ends_the_journal() {
    let mut bytes = head("r", 7, 0, 4);
    bytes.extend(segment(64, &[(2, 100, 2)]));
    bytes.extend(vec![0; PAGE]);
    let mut journal = Journal::parse(&bytes).expect("a torn journal");
    assert_eq!(slots(&mut journal.ledger), [(Key::Sent(1), 100, 2)]);
}

#[test]
fn what_a_rank_fetched_is_in_the_row_of_the_rank_it_came_from() {
    let first = ledger(&[(Key::Sent(1), 10, 1), (Key::Fetched(1), 300, 3)]);
    let rows = merged(&[first, ledger(&[(Key::Sent(0), 40, 4)])]).rows;
    assert_eq!(rows[0].peers, [peer(1, 10, 1)]);
    assert_eq!(rows[1].peers, [peer(0, 340, 7)]);
}

#[test]
fn slots_of_a_later_kind_or_beyond_the_world_are_skipped() {
    let mut first = ledger(&[(Key::Sent(2), 9, 9), (Key::Sent(1), 1, 1)]);
    first.tally(String::new()).add([(9 << 32) | 2, 9, 9, 0]);
    let rows = merged(&[first, Ledger::default()]).rows;
    assert_eq!(rows[0].peers, [peer(1, 1, 1)]);
    assert_eq!(rows[1].peers, []);
}

#[test]
fn an_absurd_world_is_refused() {
    let bytes = head("r", 7, 0, u32::MAX);
    assert!(matches!(Journal::parse(&bytes), Err(Fault::Corrupt { .. })));
}

proptest! {
    #[test]
    fn a_damaged_journal_never_panics_and_merges_to_a_readable_profile(
        cut in 0..16_000_usize,
        changes in prop::collection::vec((0..16_000_usize, any::<u8>()), 0..40),
    ) {
        let mut bytes = head("r", 7, 0, 4);
        bytes.extend(segment(64, &[(2, 100, 2)]));
        bytes.extend(notes(&[world(4)]));
        for (offset, value) in changes {
            if let Some(byte) = bytes.get_mut(offset) {
                *byte = value;
            }
        }
        bytes.truncate(cut);
        if let Ok(journal) = Journal::parse(&bytes) {
            let profile = merged(&vec![journal.ledger; 4]);
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("a.rfp");
            profile.write(&path).expect("written");
            prop_assert_eq!(Profile::read(&path).expect("readable"), profile);
        }
    }
}
