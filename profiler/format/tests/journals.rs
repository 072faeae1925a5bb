//! Journals as a killed run leaves them.

use proptest::prelude::*;
use rankfold_profile::journal::{Key, State, contents, layout as at};
use rankfold_profile::{
    Communicator, Fault, Journal, Ledger, Manifest, Note, Operation, Outcome, Peer, Profile,
    ProfileError, SizeKind, recover,
};
use std::fs;

fn put(page: &mut [u8], offset: usize, value: &[u8]) {
    page[offset..offset + value.len()].copy_from_slice(value);
}

/// Page size in tests that do not need another one.
const PAGE: usize = 4096;

fn head(run: &str, stamp: u64, rank: u32, ranks: u32) -> Vec<u8> {
    head_padded(run, stamp, rank, ranks, PAGE)
}

fn head_padded(run: &str, stamp: u64, rank: u32, ranks: u32, size: usize) -> Vec<u8> {
    let mut page = vec![0; size];
    put(&mut page, at::PAGE, &(size as u32).to_le_bytes());
    put(&mut page, 0, &at::MAGIC);
    put(&mut page, 8, &at::VERSION.to_le_bytes());
    put(&mut page, at::STATE, &1_u32.to_le_bytes());
    put(&mut page, at::RANK, &rank.to_le_bytes());
    put(&mut page, at::RANKS, &ranks.to_le_bytes());
    put(&mut page, at::STAMP, &stamp.to_le_bytes());
    put(&mut page, at::RUN.0, run.as_bytes());
    put(&mut page, at::HOST.0, b"n0");
    page
}

fn segment(slots: u32, filled: &[(u64, u64, u64)]) -> Vec<u8> {
    segment_padded(slots, filled, PAGE)
}

fn segment_padded(slots: u32, filled: &[(u64, u64, u64)], page: usize) -> Vec<u8> {
    let mut bytes = vec![0; at::segment_bytes(slots as usize, page)];
    put(&mut bytes, 0, &at::SEGMENT);
    put(&mut bytes, 4, &slots.to_le_bytes());
    for (index, (key, sent, messages)) in filled.iter().enumerate() {
        let slot = at::SLOTS + index * at::SLOT;
        put(&mut bytes, slot, &key.to_le_bytes());
        put(&mut bytes, slot + 8, &sent.to_le_bytes());
        put(&mut bytes, slot + 16, &messages.to_le_bytes());
    }
    bytes
}

fn notes(noted: &[Note]) -> Vec<u8> {
    let mut bytes = vec![0; at::segment_bytes(64, PAGE)];
    let mut used = Vec::new();
    for note in noted {
        let note = note.encode();
        used.extend((note.len() as u32).to_le_bytes());
        used.extend(note);
    }
    put(&mut bytes, 0, &at::NOTES);
    put(&mut bytes, 4, &64_u32.to_le_bytes());
    put(&mut bytes, at::USED, &(used.len() as u64).to_le_bytes());
    put(&mut bytes, at::NOTED, &used);
    bytes
}

fn world(ranks: u32) -> Note {
    Note::Communicator(Communicator {
        members: (0..ranks).map(Some).collect(),
        ..Communicator::default()
    })
}

fn peer(rank: u32, bytes: u64, messages: u64) -> Peer {
    Peer {
        rank,
        bytes,
        messages,
    }
}

/// Key, bytes and messages of everything outside phases.
fn slots(ledger: &mut Ledger) -> Vec<(Key, u64, u64)> {
    ledger.tally(String::new()).iter().collect()
}

/// A ledger made of the slots of one segment.
fn ledger(filled: &[(Key, u64, u64)]) -> Ledger {
    let mut ledger = Ledger::default();
    for &(key, bytes, messages) in filled {
        let (key, detail) = key.encode();
        let tally = ledger.tally(String::new());
        tally.add([key, bytes, messages, detail]);
    }
    ledger
}

fn merged(ledgers: &[Ledger]) -> Profile {
    Profile::merge(Manifest::default(), ledgers)
}

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

#[test]
fn a_run_is_recovered_from_what_its_latest_world_left() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(directory.path().join(name), bytes).expect("written");
    };
    let whole = |run, stamp, rank| {
        [
            head(run, stamp, rank, 3),
            segment(64, &[(1, 10 + u64::from(rank), 1)]),
        ]
        .concat()
    };
    write("rankfold-a-n0-1.rfj", &whole("a", 2, 0));
    write("rankfold-a-n-1-2.rfj", &whole("a", 2, 2));
    write("rankfold-a-n0-3.rfj", b"torn");
    write("rankfold-a-n0-4.rfj", &whole("a", 1, 1));
    write("rankfold-ab-n0-5.rfj", &whole("ab", 3, 1));
    let recovery = recover(directory.path(), "a")
        .expect("readable")
        .expect("journals");
    let profile = recovery.profile;
    assert_eq!(
        profile.manifest.outcome,
        Outcome::Recovered { missing: vec![1] }
    );
    assert_eq!(profile.manifest.hosts, ["n0", "", "n0"]);
    let sent: Vec<_> = profile.rows.into_iter().map(|row| row.peers).collect();
    assert_eq!(sent, [vec![peer(0, 10, 1)], vec![], vec![peer(0, 12, 1)]]);
    assert_eq!(recovery.journals.len(), 4);
}

#[test]
fn a_rank_that_the_end_met_in_init_is_of_the_latest_world_unless_that_has_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |pid: u32, stamp, rank, ranks| {
        let name = format!("rankfold-a-n0-{pid}.rfj");
        let bytes = [head("a", stamp, rank, ranks), segment(64, &[])].concat();
        fs::write(directory.path().join(name), bytes).expect("written");
    };
    write(1, 2, 0, 3);
    write(2, 0, 1, 3);
    let outcome = || {
        let recovery = recover(directory.path(), "a").expect("readable");
        recovery.expect("journals").profile.manifest.outcome
    };
    let lacking = |missing| Outcome::Recovered { missing };
    assert_eq!(outcome(), lacking(vec![2]));
    // This journal is of another world: the number of ranks differs.
    write(3, 0, 2, 4);
    assert_eq!(outcome(), lacking(vec![2]));
    write(4, 1, 2, 3);
    assert_eq!(outcome(), lacking(vec![2]));
    write(5, 0, 2, 3);
    assert_eq!(outcome(), lacking(vec![]));
}

#[test]
fn a_rank_whose_journal_had_no_space_is_named_although_it_has_reached_finalize() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |rank: u32, lacks: bool| {
        let mut head = head("a", 2, rank, 2);
        put(&mut head, at::STATE, &2_u32.to_le_bytes());
        if lacks {
            put(&mut head, at::LACKS, &at::LACKING);
        }
        let name = format!("rankfold-a-n0-{rank}.rfj");
        fs::write(directory.path().join(name), head).expect("written");
    };
    let outcome = || {
        let recovery = recover(directory.path(), "a").expect("readable");
        let recovery = recovery.expect("journals");
        assert!(recovery.finalized);
        recovery.profile.manifest.outcome
    };
    write(0, false);
    write(1, false);
    assert_eq!(outcome(), Outcome::Finalized);
    write(1, true);
    assert_eq!(outcome(), Outcome::Recovered { missing: vec![1] });
}

#[test]
fn links_and_files_of_other_users_are_not_taken_for_journals() {
    const NOBODY: u32 = 65534;
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(format!("rankfold-a-n0-{name}.rfj"));
    let whole = |rank| [head("a", 2, rank, 3), segment(64, &[(2, 10, 1)])].concat();
    fs::write(at("0"), whole(0)).expect("written");
    let elsewhere = directory.path().join("elsewhere");
    fs::write(&elsewhere, whole(1)).expect("written");
    std::os::unix::fs::symlink(&elsewhere, at("1")).expect("linked");
    fs::write(at("2"), whole(2)).expect("written");
    let is_given = std::os::unix::fs::chown(at("2"), Some(NOBODY), None).is_ok();
    if !is_given {
        eprintln!("NOT TESTED HERE: a journal of another user, which only root can make");
        fs::remove_file(at("2")).expect("removed");
    }
    let recovery = recover(directory.path(), "a").expect("readable");
    let recovery = recovery.expect("a journal");
    assert_eq!(recovery.journals, [at("0")]);
    let missing = Outcome::Recovered {
        missing: vec![1, 2],
    };
    assert_eq!(recovery.profile.manifest.outcome, missing);
}

#[test]
fn the_hole_at_the_end_of_a_journal_is_not_read() {
    const PAGE: usize = 16384;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rankfold-a-n0-0.rfj");
    let used = [
        head_padded("a", 2, 0, 2, PAGE),
        segment_padded(64, &[(2, 10, 1)], PAGE),
        segment_padded(1024, &[(2, 1, 1)], PAGE),
    ]
    .concat();
    let hole = vec![0; 3 * PAGE];
    fs::write(&path, [&used[..], &hole].concat()).expect("written");
    let read = contents(&path).expect("readable");
    assert_eq!(read.len(), used.len() + at::NOTED);
    assert!(read.starts_with(&used));
    // Whatever is cut off, the rest is read.
    for length in [0, 8, at::HEAD, at::HEAD + 1, PAGE + 100, used.len() - 1] {
        fs::write(&path, &used[..length]).expect("written");
        assert_eq!(contents(&path).expect("readable"), used[..length]);
    }
}

#[test]
fn a_run_without_journals_recovers_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(recover(directory.path(), "a").expect("readable"), None);
}

#[test]
fn phases_and_notes_outlive_a_killed_process() {
    let mut solve = segment(64, &[(2, 100, 2)]);
    put(&mut solve, at::PHASE.0, b"solve");
    let mut torn = notes(&[world(4)]);
    // A second note was being written: its length is there, but not yet in the bytes in use.
    let used = world(4).encode().len() + 4;
    put(&mut torn, at::NOTED + used, &9_u32.to_le_bytes());
    let scan = Key::Collective {
        comm: 0,
        op: Operation::Scan,
        root: None,
        class: 1,
    };
    let bytes = [
        head("r", 7, 0, 4),
        solve,
        torn,
        segment(64, &[(scan.encode().0, 4, 4)]),
    ]
    .concat();
    let journal = Journal::parse(&bytes).expect("a whole journal");
    let rest = vec![Ledger::default(); 3];
    let profile = merged(&[vec![journal.ledger], rest].concat());
    assert_eq!(profile.phases[0].name, "solve");
    assert_eq!(profile.phases[0].rows[0].peers, [peer(1, 100, 2)]);
    assert_eq!(profile.communicators[0].members.len(), 4);
    assert_eq!(
        (profile.collectives[0].bytes, profile.collectives[0].calls),
        (4, 4)
    );
}
