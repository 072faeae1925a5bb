//! Profiles whose rows are passed on one by one.

use rankfold_wire::{Manifest, Peer, Profile, ProfileError, Row};

fn row(receivers: &[u32]) -> Row {
    let peer = |&rank| Peer {
        rank,
        bytes: 100 + u64::from(rank),
        messages: 1,
    };
    Row::of(receivers.iter().map(peer).collect())
}

/// A profile with enough ranks for several sections.
fn profile() -> Profile {
    let ranks = 5000_u32;
    Profile {
        manifest: Manifest {
            program: "./a".to_owned(),
            ..Manifest::default()
        },
        rows: (0..ranks)
            .map(|rank| row(&(0..rank % 90).collect::<Vec<_>>()))
            .collect(),
        foreign: vec![Peer {
            rank: 1,
            bytes: 2,
            messages: 3,
        }],
        ..Profile::default()
    }
}

#[test]
fn rows_pass_by_in_order_and_the_rest_is_returned() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a");
    let profile = profile();
    profile.write(&path).expect("written");
    let mut rows = Vec::new();
    let rest = Profile::read_rows(&path, |row| rows.push(row)).expect("a profile");
    assert_eq!(rows, profile.rows);
    let expected = Profile {
        rows: Vec::new(),
        ..profile
    };
    assert_eq!(rest, expected);
}

#[test]
fn receivers_out_of_order_or_beyond_the_world_are_refused_in_the_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a");
    for (receivers, problem) in [(&[1, 0], "ascending"), (&[0, 2], "beyond the world")] {
        let profile = Profile {
            rows: vec![row(&[]), row(receivers)],
            ..Profile::default()
        };
        profile.write(&path).expect("written");
        let mut rows = 0;
        let error = Profile::read_rows(&path, |_| rows += 1).expect_err("damaged");
        assert!(matches!(error, ProfileError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(problem), "{error}");
        assert_eq!(rows, 2);
    }
}
