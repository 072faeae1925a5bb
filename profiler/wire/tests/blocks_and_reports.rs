//! The merging of what ranks record besides the calls of collectives: uneven blocks, the messages
//! that the MPI library reports, and its parameters.

mod ledgers;

use ledgers::{Rank, rows};
use rankfold_wire::journal::Key;
use rankfold_wire::{Form, Ledger, Manifest, MemberBlocks, Note, Operation, Parameter, Profile};

/// The bytes of one member's block in calls of `Allgatherv` on communicator 0.
fn block(class: u8) -> Key {
    Key::Block {
        comm: 0,
        op: Operation::Allgatherv,
        class,
        form: Form::default(),
    }
}

#[test]
fn uneven_blocks_are_put_in_the_order_of_the_members() {
    let rank = |bytes| {
        Rank::default()
            .knows(&[2, 0, 1])
            .called("", 0, Operation::Bcast, 8, 1)
            .called("", 0, Operation::Allgatherv, 60, 2)
            .counted("", block(7), bytes, 2)
            .counted("step", block(7), bytes, 1)
            .called("step", 0, Operation::Allgatherv, 60, 1)
            .0
    };
    let merged = Profile::merge(Manifest::default(), &[rank(10), rank(20), rank(30)]);
    let expected = |collective, bytes: &[u64]| MemberBlocks {
        collective,
        bytes: bytes.to_vec(),
    };
    assert_eq!(merged.blocks, [expected(1, &[60, 20, 40])]);
    assert_eq!(merged.phases[0].blocks, [expected(0, &[30, 10, 20])]);
}

#[test]
fn blocks_that_a_member_lacks_are_left_out() {
    let rank = || {
        Rank::default()
            .knows(&[0, 1])
            .called("", 0, Operation::Allgatherv, 60, 2)
    };
    let with = rank().counted("", block(7), 40, 2);
    let merged = Profile::merge(Manifest::default(), &[with.0, rank().0]);
    assert_eq!(merged.collectives.len(), 1);
    assert_eq!(merged.blocks, []);
}

/// A rank whose MPI library reports its messages.
fn monitored() -> Rank {
    let mut rank = Rank::default();
    rank.0.note(Note::Monitored);
    rank
}

#[test]
fn reported_messages_of_the_program_are_not_told_twice() {
    let rank = monitored()
        .counted("", Key::Sent(1), 100, 2)
        .counted("", Key::Unreported(1), 40, 1)
        .counted("", Key::Reported(1), 124, 3)
        .counted("", Key::Reported(0), 8, 1)
        .counted("step", Key::Sent(1), 5, 1)
        .counted("step", Key::Reported(1), 5, 1);
    let merged = Profile::merge(Manifest::default(), &[rank.0, monitored().0]);
    assert_eq!(merged.rows, rows(&[&[(1, 105, 3)], &[]]));
    assert_eq!(merged.as_sent, rows(&[&[(0, 8, 1), (1, 64, 2)], &[]]));
    assert_eq!(merged.phases[0].as_sent, rows(&[&[], &[]]));
}

#[test]
fn fetched_data_are_not_taken_for_messages_that_the_library_reports() {
    let fetcher = monitored().counted("", Key::Fetched(1), 100, 1);
    let source = monitored().counted("", Key::Reported(0), 8, 1);
    let merged = Profile::merge(Manifest::default(), &[fetcher.0, source.0]);
    assert_eq!(merged.rows, rows(&[&[], &[(0, 100, 1)]]));
    assert_eq!(merged.as_sent, rows(&[&[], &[(0, 8, 1)]]));
}

#[test]
fn what_was_sent_inside_collectives_needs_the_reports_of_all_ranks() {
    let one = monitored().counted("", Key::Reported(1), 8, 1);
    let merged = Profile::merge(Manifest::default(), &[one.0, Ledger::default()]);
    assert_eq!(merged.as_sent, []);
}

#[test]
fn the_parameters_are_those_of_the_rank_that_provides_them() {
    let parameter = Parameter {
        name: "coll".into(),
        value: "^han".into(),
        file: String::new(),
    };
    let mut first = Ledger::default();
    first.note(Note::Parameters(vec![parameter.clone()]));
    let merged = Profile::merge(Manifest::default(), &[first, Ledger::default()]);
    assert_eq!(merged.parameters, [parameter]);
}
