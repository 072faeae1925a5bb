//! The sections of what NCCL did as bytes, and what a reader makes of wrong ones.

mod sample;

use rankfold_wire::{
    Collective, Form, LostEvents, NcclLoss, NcclRecord, NcclTraffic, Operation, Profile,
    ProfileError,
};
use sample::{members, sends};
use std::path::Path;

fn traffic() -> NcclTraffic {
    NcclTraffic {
        network: vec![sends(1, 9, 3), Default::default()],
        sent: vec![Default::default(), sends(0, 5, 1)],
        communicators: vec![members(&[0, 1])],
        collectives: vec![Collective {
            comm: 0,
            op: Operation::Allreduce,
            root: None,
            bytes: 64,
            calls: 2,
            form: Form::default(),
        }],
        record: NcclRecord {
            interfaces: vec![4, 5],
            unfinished: vec![1],
            lost: vec![LostEvents {
                loss: NcclLoss::NotUnderstood,
                bytes: 7,
                events: 1,
            }],
            notes: vec!["x".to_owned()],
        },
    }
}

fn profile() -> Profile {
    Profile {
        nccl: Some(traffic()),
        ..sample::profile()
    }
}

fn through_file<T>(by: impl FnOnce(&Path) -> T) -> T {
    let directory = tempfile::tempdir().expect("a directory");
    by(&directory.path().join("a.rfp"))
}

fn written(profile: &Profile) -> Vec<u8> {
    through_file(|path| {
        profile.write(path).expect("written");
        std::fs::read(path).expect("read")
    })
}

fn read(bytes: &[u8]) -> Result<Profile, ProfileError> {
    through_file(|path| {
        std::fs::write(path, bytes).expect("written");
        Profile::read(path)
    })
}

/// The body of the section with this tag.
fn body<'a>(bytes: &'a [u8], tag: &[u8; 4]) -> &'a [u8] {
    let mut at = 12;
    loop {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().expect("a length"));
        let start = at + 16;
        if bytes[at..].starts_with(tag) {
            return &bytes[start..start + length as usize];
        }
        at = start + length as usize;
    }
}

/// Numbers of 4 bytes, little-endian. A long number is two of them.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn every_section_has_these_bytes_and_is_read_back() {
    let bytes = written(&profile());
    let record = words(&[2, 0, 4, 5, 1, 0, 1, 1, 0, 2, 7, 0, 1, 0, 1, 0, 1, 0]);
    assert_eq!(body(&bytes, b"nccl"), [&record[..], b"x"].concat());
    let communicators = words(&[0, 0, 1, 0, 1, 0, 0, 1, 2, 0, 0]);
    assert_eq!(body(&bytes, b"ncom"), communicators);
    let collectives = [&words(&[1, 0, 0, 12])[..], &[0], &words(&[64, 0, 2, 0])].concat();
    assert_eq!(body(&bytes, b"ncol"), collectives);
    let network = words(&[0, 0, 2, 0, 1, 0, 1, 9, 0, 3, 0, 0, 0]);
    assert_eq!(body(&bytes, b"nnet"), network);
    let sent = words(&[0, 0, 2, 0, 0, 0, 1, 0, 0, 5, 0, 1, 0]);
    assert_eq!(body(&bytes, b"nsen"), sent);
    assert_eq!(read(&bytes).expect("read back"), profile());
}

#[test]
fn a_profile_without_nccl_has_none_of_the_sections() {
    let bytes = written(&sample::profile());
    let has = |tag: &[u8]| bytes.windows(4).any(|window| window == tag);
    assert!(!has(b"nccl") && !has(b"nnet"));
    assert_eq!(read(&bytes).expect("read back").nccl, None);
}

#[test]
fn sections_that_contradict_the_profile_are_refused() {
    let refused = |spoil: fn(&mut NcclTraffic)| {
        let mut profile = profile();
        spoil(profile.nccl.as_mut().expect("there"));
        read(&written(&profile)).expect_err("refused").to_string()
    };
    let message = refused(|nccl| nccl.network.truncate(1));
    assert!(message.contains("rows of NCCL"), "{message}");
    let message = refused(|nccl| nccl.sent[0] = sends(2, 1, 1));
    assert!(message.contains("beyond the world"), "{message}");
    let message = refused(|nccl| nccl.collectives[0].comm = 1);
    assert!(message.contains("no such communicator"), "{message}");
    let message = refused(|nccl| nccl.record.unfinished = vec![2]);
    assert!(message.contains("beyond the world"), "{message}");
}
