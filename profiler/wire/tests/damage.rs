//! Damaged, foreign and later files lead to a clear error, never to a panic or to a wrong profile.

use proptest::prelude::*;
use rankfold_wire::{Fault, Manifest, Outcome, Peer, Profile, ProfileError, Row};
use std::path::PathBuf;

fn rows(ranks: u32) -> impl Strategy<Value = Vec<Row>> {
    let counters = (any::<u64>(), any::<u64>());
    let peers = prop::collection::btree_map(0..ranks, counters, 0..6);
    let row = (peers, 0..4_usize).prop_map(|(peers, unordered)| Row {
        order: peers.keys().rev().skip(unordered).copied().collect(),
        peers: peers
            .into_iter()
            .map(|(rank, (bytes, messages))| Peer {
                rank,
                bytes,
                messages,
            })
            .collect(),
        ..Row::default()
    });
    prop::collection::vec(row, ranks as usize)
}

fn profiles() -> impl Strategy<Value = Profile> {
    (1..20_u32, any::<String>(), any::<bool>()).prop_flat_map(|(ranks, program, finalized)| {
        rows(ranks).prop_map(move |rows| Profile {
            manifest: Manifest {
                program: program.clone(),
                mpi: "Open MPI".to_owned(),
                hosts: (0..ranks).map(|rank| format!("n{rank}")).collect(),
                outcome: if finalized {
                    Outcome::Finalized
                } else {
                    Outcome::Recovered { missing: vec![0] }
                },
            },
            rows,
            ..Profile::default()
        })
    })
}

/// A file in a temporary directory.
struct Scratch {
    _directory: tempfile::TempDir,
    path: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.rfp");
        Self {
            _directory: directory,
            path,
        }
    }

    fn encode(&self, profile: &Profile) -> Vec<u8> {
        profile.write(&self.path).expect("written");
        std::fs::read(&self.path).expect("readable")
    }

    fn decode(&self, bytes: &[u8]) -> Result<Profile, ProfileError> {
        std::fs::write(&self.path, bytes).expect("written");
        Profile::read(&self.path)
    }

    fn fault(&self, bytes: &[u8]) -> Fault {
        match self.decode(bytes) {
            Err(ProfileError::Damaged { path, fault }) => {
                assert_eq!(path, self.path);
                fault
            }
            other => panic!("expected a damaged file, got {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(profile in profiles()) {
        let scratch = Scratch::new();
        profile.write(&scratch.path).expect("written");
        prop_assert_eq!(Profile::read(&scratch.path).expect("readable"), profile);
    }

    #[test]
    fn a_cut_file_is_refused(profile in profiles(), cut in any::<prop::sample::Index>()) {
        let scratch = Scratch::new();
        let bytes = scratch.encode(&profile);
        let fault = scratch.fault(&bytes[..cut.index(bytes.len())]);
        prop_assert!(matches!(fault, Fault::Truncated(_)), "{}", fault);
    }

    #[test]
    fn a_flipped_bit_is_refused(profile in profiles(), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let scratch = Scratch::new();
        let mut bytes = scratch.encode(&profile);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        scratch.fault(&bytes);
    }

    #[test]
    fn random_bytes_are_foreign(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assume!(!bytes.starts_with(b"\x89RFP"));
        prop_assert!(matches!(Scratch::new().fault(&bytes), Fault::Foreign(_) | Fault::Truncated(_)));
    }
}

fn section(tag: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let mut crc = crc32fast::Hasher::new();
    crc.update(tag);
    crc.update(&length);
    crc.update(body);
    [&tag[..], &length, &crc.finalize().to_le_bytes(), body].concat()
}

#[test]
fn a_later_version_and_none_at_all_say_so() {
    let scratch = Scratch::new();
    let mut bytes = scratch.encode(&Profile::default());
    bytes[8] = 2;
    let fault = scratch.fault(&bytes);
    assert!(matches!(fault, Fault::Newer { found: 2, known: 1 }));
    bytes[8] = 0;
    assert!(matches!(scratch.fault(&bytes), Fault::NoVersion(0)));
}

#[test]
fn an_unknown_optional_section_is_skipped_and_any_other_refused() {
    let scratch = Scratch::new();
    let bytes = scratch.encode(&Profile::default());
    let end = bytes.len() - 24;
    let with = |tag| [&bytes[..end], &section(tag, b"later"), &bytes[end..]].concat();
    assert_eq!(
        scratch.decode(&with(b"xtra")).expect("readable"),
        Profile::default()
    );
    assert!(matches!(
        scratch.fault(&with(b"XTRA")),
        Fault::Corrupt { .. }
    ));
}

#[test]
fn a_list_that_claims_more_than_the_file_holds_is_refused() {
    let scratch = Scratch::new();
    let bytes = scratch.encode(&Profile::default());
    let end = bytes.len() - 24;
    let claim = [0_u64.to_le_bytes(), (1_u64 << 60).to_le_bytes()].concat();
    let bytes = [&bytes[..end], &section(b"ROWS", &claim), &bytes[end..]].concat();
    assert!(matches!(scratch.fault(&bytes), Fault::Corrupt { .. }));
}

#[test]
fn bytes_after_the_end_are_refused() {
    let scratch = Scratch::new();
    let mut bytes = scratch.encode(&Profile::default());
    bytes.push(0);
    assert!(matches!(scratch.fault(&bytes), Fault::Corrupt { .. }));
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("none/a.rfp");
    let error = Profile::default()
        .write(&path)
        .expect_err("no such directory");
    assert!(error.to_string().contains("none/a.rfp"));
    assert_eq!(
        std::fs::read_dir(directory.path())
            .expect("readable")
            .count(),
        0
    );
}
