//! The profile of a run whose ranks left nothing but journals.

use crate::bytes::*;
use rankfold_wire::journal::{Key, contents, layout as at};
use rankfold_wire::{Form, Journal, Ledger, Operation, Outcome, recover};
use std::fs;

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
        form: Form::default(),
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
