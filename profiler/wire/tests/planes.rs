//! The bytes of the optional sections as literals, and what a reader makes of wrong bytes.

mod sample;

use rankfold_wire::{
    HostLevel, LaunchRecord, MemberBlocks, Numbers, Parameter, Profile, Row, SizeCount, SizeKind,
    Surroundings, TopologyShape, Unseen, Verification,
};
use sample::{bursts, members, profile, sends};

const BYTES: &str = "\
    89 52 46 50 0d 0a 1a 0a 01 00 00 00 \
    4d 41 4e 49 1e 00 00 00 00 00 00 00 bc 1c de f7 \
    01 00 00 00 00 00 00 00 61 \
    01 00 00 00 00 00 00 00 4d \
    00 00 00 00 00 00 00 00 \
    00 00 00 00 \
    52 4f 57 53 20 00 00 00 00 00 00 00 62 c6 1c 60 \
    00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    63 6f 6d 6d 54 00 00 00 00 00 00 00 d2 85 91 1f \
    00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 \
    00 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 01 00 00 00 ff ff ff ff 02 00 00 00 \
    01 00 00 00 00 00 00 00 ff ff ff ff 00 00 00 00 01 00 00 00 \
    70 68 61 73 12 00 00 00 00 00 00 00 fc d3 2e 13 \
    01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 69 6f \
    65 78 63 68 38 00 00 00 00 00 00 00 d3 8e 89 76 \
    00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 01 00 00 00 07 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    63 6f 6c 6c 42 00 00 00 00 00 00 00 0d 6f 5b a5 \
    00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 01 00 00 00 01 01 00 00 00 00 01 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 0a 00 00 00 00 07 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
    66 6f 72 6d 16 00 00 00 00 00 00 00 cc 33 2a aa \
    00 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 01 00 02 00 00 00 \
    62 75 72 73 44 00 00 00 00 00 00 00 4e 4b ef 24 \
    00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
    14 05 00 00 00 00 00 00 3c 0f 00 00 00 00 00 00 07 00 00 00 00 00 00 00 \
    70 72 6f 77 38 00 00 00 00 00 00 00 40 9d df 14 \
    01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    63 6f 6c 6c 29 00 00 00 00 00 00 00 44 ea c5 80 \
    01 00 00 00 01 00 00 00 00 00 00 00 \
    00 00 00 00 01 00 00 00 01 01 00 00 00 00 01 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    62 75 72 73 44 00 00 00 00 00 00 00 36 b7 5a 22 \
    01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    09 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
    74 69 6d 65 34 00 00 00 00 00 00 00 b1 ee a5 b5 \
    00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 02 00 00 00 e8 03 00 00 00 00 00 00 03 00 00 00 00 00 00 00 \
    66 75 6e 63 38 00 00 00 00 00 00 00 46 92 83 56 \
    01 00 00 00 00 00 00 00 \
    02 00 00 00 08 00 00 00 00 00 00 00 4d 50 49 5f 57 61 69 74 \
    e8 03 00 00 00 00 00 00 03 00 00 00 00 00 00 00 e8 03 00 00 00 00 00 00 01 00 00 00 \
    66 6d 73 67 27 00 00 00 00 00 00 00 e3 27 e0 c6 \
    01 00 00 00 00 00 00 00 \
    07 00 00 00 00 00 00 00 4d 50 49 5f 50 75 74 \
    14 05 00 00 00 00 00 00 07 00 00 00 00 00 00 00 \
    74 6f 70 6f 2f 00 00 00 00 00 00 00 26 e4 23 c7 \
    02 00 00 00 00 00 00 00 \
    00 00 00 00 01 00 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 01 \
    00 00 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 \
    65 64 67 65 28 00 00 00 00 00 00 00 98 4f 27 8d \
    01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
    01 00 00 00 00 00 00 00 01 00 00 00 \
    00 00 00 00 00 00 00 00 \
    66 6f 72 65 1c 00 00 00 00 00 00 00 da ea a3 15 \
    01 00 00 00 00 00 00 00 01 00 00 00 05 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
    45 4e 44 20 08 00 00 00 00 00 00 00 94 1c 62 66 \
    02 00 00 00 00 00 00 00";

fn literal() -> Vec<u8> {
    let byte = |pair| u8::from_str_radix(pair, 16).expect("two hexadecimal digits");
    BYTES.split_whitespace().map(byte).collect()
}

/// Applies `by` to a temporary file: the bytes written for a profile, or the profile read from
/// bytes.
fn through_file<T>(by: impl FnOnce(&std::path::Path) -> T) -> T {
    let directory = tempfile::tempdir().expect("a directory");
    by(&directory.path().join("a.rfp"))
}

fn written(profile: &Profile) -> Vec<u8> {
    through_file(|path| {
        profile.write(path).expect("written");
        std::fs::read(path).expect("readable")
    })
}

fn read(bytes: &[u8]) -> Result<Profile, rankfold_wire::ProfileError> {
    through_file(|path| {
        std::fs::write(path, bytes).expect("written");
        Profile::read(path)
    })
}

#[test]
fn every_plane_is_written_as_the_table_says() {
    assert_eq!(written(&profile()), literal());
}

#[test]
fn those_bytes_read_back_as_the_planes() {
    assert_eq!(read(&literal()).expect("readable"), profile());
}

/// The error for a profile that was changed by `spoil`.
fn refused(spoil: impl FnOnce(&mut Profile)) -> String {
    let mut profile = profile();
    spoil(&mut profile);
    let error = read(&written(&profile)).expect_err("refused");
    error.to_string()
}

#[test]
fn planes_that_contradict_each_other_are_refused() {
    let message = refused(|profile| profile.collectives[0].comm = 2);
    assert!(message.contains("no such communicator"), "{message}");
    let message = refused(|profile| profile.phases[0].collectives[0].root = Some(2));
    assert!(
        message.contains("no such communicator or root"),
        "{message}"
    );
    let message = refused(|profile| profile.communicators[0] = members(&[0, 2]));
    assert!(message.contains("member of a communicator"), "{message}");
    let message = refused(|profile| profile.communicators[0] = members(&[0]));
    assert!(
        message.contains("no such communicator or root"),
        "{message}"
    );
    let message = refused(|profile| profile.exchanges.push(Row::default()));
    assert!(message.contains("of a further matrix"), "{message}");
    let message = refused(|profile| profile.phases[0].rows[0] = sends(2, 1, 1));
    assert!(
        message.contains("receiver is beyond the world"),
        "{message}"
    );
    let message = refused(|profile| profile.bursts.push(bursts(1, 1, 1)));
    assert!(message.contains("the bursts disagree"), "{message}");
    let message = refused(|profile| profile.times.push(Vec::new()));
    assert!(message.contains("the times disagree"), "{message}");
    let message = refused(|profile| profile.function_times[0].longest_rank = 2);
    assert!(message.contains("longest time is beyond"), "{message}");
    let message = refused(|profile| {
        profile.topologies[1].shape = TopologyShape::Graph(vec![vec![2], vec![]]);
    });
    assert!(
        message.contains("does not fit its communicator"),
        "{message}"
    );
    let message = refused(|profile| profile.topologies[0].shape = TopologyShape::Cart(Vec::new()));
    assert!(
        message.contains("does not fit its communicator"),
        "{message}"
    );
    let message = refused(|profile| profile.foreign[0].rank = 2);
    assert!(message.contains("sender to outside"), "{message}");
    let message = refused(|profile| {
        profile.others = profile.foreign.clone();
        profile.others[0].rank = 2;
    });
    assert!(message.contains("without counters"), "{message}");
}

#[test]
fn what_is_not_counted_is_told() {
    let unseen = [Unseen::SharedWindows, Unseen::Nccl];
    let profile = Profile {
        unseen: unseen.to_vec(),
        ..Profile::default()
    };
    let bytes = written(&profile);
    let tag = bytes.windows(4).position(|part| part == b"unse");
    let body = &bytes[tag.expect("a section") + 16..];
    assert!(body.starts_with(&[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]));
    assert_eq!(
        through_file(|path| {
            profile.write(path).expect("written");
            Profile::read(path).expect("readable").unseen
        }),
        unseen
    );
}

#[test]
fn what_is_known_of_the_hosts_is_kept() {
    let seen = Surroundings {
        host: "n1".into(),
        address: "s.l.n1".into(),
        rate: 7,
        cores: "0-3".into(),
        levels: vec![HostLevel {
            name: "l3".into(),
            cores: vec![2, 2],
        }],
    };
    let profile = Profile {
        surroundings: vec![seen.clone()],
        ..Profile::default()
    };
    let bytes = written(&profile);
    let tag = bytes.windows(4).position(|part| part == b"surr");
    let body = &bytes[tag.expect("a section") + 16..];
    assert!(body.starts_with(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, b'n', b'1']));
    let rate = body.windows(8).position(|part| part == 7_u64.to_le_bytes());
    assert_eq!(rate, Some(8 + 10 + 14));
    let read = through_file(|path| {
        profile.write(path).expect("written");
        Profile::read(path).expect("readable")
    });
    assert_eq!(read.surroundings, [seen]);
}

/// The body of the section `tag`.
fn body(bytes: &[u8], tag: &[u8; 4]) -> Vec<u8> {
    let at = bytes.windows(4).position(|part| part == tag);
    let at = at.expect("a section");
    let length: [u8; 8] = bytes[at + 4..at + 12].try_into().expect("a length");
    bytes[at + 16..][..u64::from_le_bytes(length) as usize].to_vec()
}

#[test]
fn cores_have_these_bytes() {
    let cores = ["2-3,8", "-"].map(|text| text.parse().expect("cores"));
    let profile = Profile {
        rows: vec![Row::default(); 2],
        cores: cores.to_vec(),
        ..Profile::default()
    };
    let bytes = written(&profile);
    assert_eq!(read(&bytes).expect("readable"), profile);
    let expected = [
        &[0, 0, 0, 0, 0, 0, 0, 0][..],
        &[2, 0, 0, 0, 0, 0, 0, 0],
        &[5, 0, 0, 0, 0, 0, 0, 0],
        b"2-3,8",
        &[1, 0, 0, 0, 0, 0, 0, 0],
        b"-",
    ];
    assert_eq!(body(&bytes, b"core"), expected.concat());
    let message = refused(|profile| profile.cores = cores[..1].to_vec());
    assert!(
        message.contains("ranks and the cores disagree"),
        "{message}"
    );
}

#[test]
fn launch_and_sizes_have_these_bytes() {
    let record = LaunchRecord {
        command: "m a".into(),
        started: 0x0102_0304,
        nanoseconds: 5,
        version: "1".into(),
    };
    let count = SizeCount {
        kind: SizeKind::OneSided,
        bits: 11,
        bytes: 2048,
        messages: 2,
    };
    let profile = Profile {
        launch: Some(record),
        user: "ada".into(),
        sizes: vec![count],
        ..Profile::default()
    };
    let bytes = written(&profile);
    assert_eq!(read(&bytes).expect("readable"), profile);
    let launch = [
        &[3, 0, 0, 0, 0, 0, 0, 0][..],
        b"m a",
        &[4, 3, 2, 1, 0, 0, 0, 0],
        &[5, 0, 0, 0, 0, 0, 0, 0],
        &[1, 0, 0, 0, 0, 0, 0, 0],
        b"1",
    ];
    assert_eq!(body(&bytes, b"laun"), launch.concat());
    let user = [&[3, 0, 0, 0, 0, 0, 0, 0][..], b"ada"];
    assert_eq!(body(&bytes, b"user"), user.concat());
    let sizes = [
        &[1, 0, 0, 0, 0, 0, 0, 0][..],
        &[2, 0, 0, 0],
        &[11, 0, 0, 0],
        &[0, 8, 0, 0, 0, 0, 0, 0],
        &[2, 0, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(body(&bytes, b"size"), sizes.concat());
    let message = refused(|profile| profile.sizes = vec![count, count]);
    assert!(
        message.contains("sizes of messages out of order"),
        "{message}"
    );
}

#[test]
fn both_numberings_and_the_verification_have_these_bytes() {
    let number = |launcher_rank, shared_with| Numbers {
        launcher_rank,
        shared_with,
    };
    let profile = Profile {
        rows: vec![Row::default(), Row::default()],
        numbers: vec![number(1, 0), number(0, 1)],
        verification: Some(Verification {
            as_planned: true,
            line: "2/2".into(),
        }),
        ..Profile::default()
    };
    let bytes = written(&profile);
    assert_eq!(read(&bytes).expect("readable"), profile);
    let numbers = [
        &[0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0][..],
        &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
    ];
    assert_eq!(body(&bytes, b"numb"), numbers.concat());
    let line = [&[1, 3, 0, 0, 0, 0, 0, 0, 0][..], b"2/2"];
    assert_eq!(body(&bytes, b"veri"), line.concat());
    let message = refused(|profile| profile.numbers = vec![number(0, 0)]);
    assert!(message.contains("their numbers disagree"), "{message}");
    let message = refused(|profile| profile.numbers = vec![number(0, 0), number(2, 0)]);
    assert!(message.contains("their numbers disagree"), "{message}");
}

#[test]
fn blocks_parameters_and_what_was_sent_have_these_bytes() {
    let blocks = MemberBlocks {
        collective: 1,
        bytes: vec![3, 4],
    };
    let parameter = Parameter {
        name: "coll".into(),
        value: "f".into(),
        file: "1".into(),
    };
    let profile = Profile {
        blocks: vec![blocks.clone()],
        as_sent: vec![sends(1, 7, 1), Row::default()],
        parameters: vec![parameter],
        ..profile()
    };
    let bytes = written(&profile);
    assert_eq!(read(&bytes).expect("readable"), profile);
    let expected = [
        &[0, 0, 0, 0][..],
        &[1, 0, 0, 0, 0, 0, 0, 0],
        &[1, 0, 0, 0],
        &[2, 0, 0, 0, 0, 0, 0, 0],
        &[3, 0, 0, 0, 0, 0, 0, 0],
        &[4, 0, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(body(&bytes, b"bloc"), expected.concat());
    // The rows have the layout of the exchanges, which are the same here.
    assert_eq!(body(&bytes, b"sent"), body(&bytes, b"exch"));
    let expected = [
        &[1, 0, 0, 0, 0, 0, 0, 0][..],
        &[4, 0, 0, 0, 0, 0, 0, 0],
        b"coll",
        &[1, 0, 0, 0, 0, 0, 0, 0],
        b"f",
        &[1, 0, 0, 0, 0, 0, 0, 0],
        b"1",
    ];
    assert_eq!(body(&bytes, b"para"), expected.concat());
    let short = MemberBlocks {
        bytes: vec![3],
        ..blocks.clone()
    };
    let beyond = MemberBlocks {
        collective: 2,
        ..blocks.clone()
    };
    for wrong in [vec![short], vec![beyond], vec![blocks.clone(), blocks]] {
        let message = refused(|profile| profile.blocks = wrong);
        assert!(message.contains("blocks of members"), "{message}");
    }
}
