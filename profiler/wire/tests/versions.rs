//! One file of every version of the profile format, which must stay readable for ever. Files below
//! `vectors` are never written again. The expected content changes only if a field of [`Profile`]
//! is added.

mod sample;

use rankfold_wire::{Form, Manifest, Outcome, Profile};
use sample::sends;
use std::path::Path;

/// The content of the file: something in every section that version 1 has.
fn version_1() -> Profile {
    let mut profile = sample::profile();
    profile.manifest = Manifest {
        program: "./solver -n 2".to_owned(),
        mpi: "Open MPI v4.1.4".to_owned(),
        hosts: vec!["n0".to_owned(), "n1".to_owned()],
        outcome: Outcome::Recovered { missing: vec![0] },
    };
    profile.rows = vec![sends(1, 1 << 40, 3), sends(0, 0, 5)];
    profile.bursts.clear();
    profile.phases[0].bursts.clear();
    profile.function_times.clear();
    profile.function_messages.clear();
    for row in &mut profile.collectives {
        row.form = Form::default();
    }
    profile
}

/// The profile in the stored file called `name`.
fn kept(name: &str) -> Profile {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    Profile::read(&vectors.join(name)).expect("readable for ever")
}

#[test]
fn a_file_of_version_1_is_read() {
    assert_eq!(kept("version-1.rfp"), version_1());
}
