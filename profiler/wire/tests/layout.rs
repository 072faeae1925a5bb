//! The bytes of a profile as literals: the bytes of a version must never change.

use rankfold_wire::{Manifest, Outcome, Peer, Profile, Row};

/// A profile of two ranks: rank 0 sent 3 messages of 300 bytes altogether to rank 1, which was
/// lost.
fn profile() -> Profile {
    Profile {
        manifest: Manifest {
            program: "./a".to_owned(),
            mpi: "M 1".to_owned(),
            hosts: vec!["n0".to_owned(), String::new()],
            outcome: Outcome::Recovered { missing: vec![1] },
        },
        rows: vec![
            Row::of(vec![Peer {
                rank: 1,
                bytes: 300,
                messages: 3,
            }]),
            Row::default(),
        ],
        ..Profile::default()
    }
}

const BYTES: &str = "\
    89 52 46 50 0d 0a 1a 0a  01 00 00 00 \
    4d 41 4e 49  40 00 00 00 00 00 00 00  f1 c6 ec 82 \
    03 00 00 00 00 00 00 00  2e 2f 61 \
    03 00 00 00 00 00 00 00  4d 20 31 \
    02 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00  6e 30  00 00 00 00 00 00 00 00 \
    01 00 00 00  01 00 00 00 00 00 00 00  01 00 00 00 \
    52 4f 57 53  34 00 00 00 00 00 00 00  db 9d 49 04 \
    00 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00  01 00 00 00  2c 01 00 00 00 00 00 00  03 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    45 4e 44 20  08 00 00 00 00 00 00 00  94 1c 62 66 \
    02 00 00 00 00 00 00 00";

fn literal() -> Vec<u8> {
    let byte = |pair| u8::from_str_radix(pair, 16).expect("two hexadecimal digits");
    BYTES.split_whitespace().map(byte).collect()
}

#[test]
fn a_profile_is_written_as_the_table_says() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.rfp");
    profile().write(&path).expect("written");
    assert_eq!(std::fs::read(&path).expect("readable"), literal());
}

#[test]
fn those_bytes_read_back_as_the_profile() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.rfp");
    std::fs::write(&path, literal()).expect("written");
    assert_eq!(Profile::read(&path).expect("readable"), profile());
}
