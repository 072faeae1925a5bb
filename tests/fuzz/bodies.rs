//! What must hold of any text whatever: the bodies of the fuzz targets, which run as property tests
//! too.
//!
//! Every reader either refuses its input, saying what is wrong, or makes of it what can be used:
//! machine descriptions a machine, matrices traffic, journals a profile that is written and read
//! back. None panics, hangs or takes memory out of proportion.

mod machines;

pub use machines::*;
use rankfold_mapfile as mapfile;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use rankfold_formats::RunPart;
use rankfold_mapper::members::READERS;
use rankfold_machine::{self as machine, Machine};
use rankfold_wire::{Journal, Profile, journal::layout, read_seats, recover, write_seats};

/// Reads `bytes` as a file of communication with this ending.
pub fn matrix(ending: &str, bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file(&format!("fuzzed.{ending}"), bytes);
    if let Err(error) = READERS.read(&[path], &RunPart::default()) {
        assert!(error.to_string().contains("fuzzed"), "{error}");
    }
}

/// Reads `bytes` as a profile, whole and row by row; what is accepted reads back as it is written.
pub fn profile(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file("fuzzed.rfp", bytes);
    let mut rows = Vec::new();
    let by_rows = Profile::read_rows(&path, |row| rows.push(row));
    match Profile::read(&path) {
        Ok(profile) => {
            assert!(by_rows.is_ok() && rows == profile.rows);
            same_when_written(&profile, &scratch);
        }
        Err(error) => assert!(error.to_string().contains("fuzzed.rfp"), "{error}"),
    }
    matrix("rfp", bytes);
}

/// Reads `bytes` as a rank's journal, and makes the profile of a run that left nothing else.
pub fn journal(bytes: &[u8]) {
    // A world of millions of ranks is a profile of millions of rows, whatever one of them has
    // counted.
    const MOST_RANKS: u32 = 1 << 16;
    let Some(journal) = Journal::parse(bytes).ok().filter(|j| j.ranks <= MOST_RANKS) else {
        return;
    };
    let scratch = Scratch::new();
    let name = format!("{}{}-host-1{}", layout::PREFIX, "run", layout::SUFFIX);
    scratch.file(&name, bytes);
    let recovered = recover(scratch.path(), "run").expect("the directory is readable");
    assert_eq!(recovered.is_some(), journal.run == "run");
    if let Some(recovery) = recovered {
        same_when_written(&recovery.profile, &scratch);
    }
}

fn same_when_written(profile: &Profile, scratch: &Scratch) {
    let path = scratch.path().join("written.rfp");
    profile.write(&path).expect("a profile can be written");
    assert_eq!(Profile::read(&path).as_ref().ok(), Some(profile));
}

/// Reads `bytes` as a record of seats.
pub fn seats(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file("seats", bytes);
    if let Ok(seats) = read_seats(&path) {
        write_seats(&path, &seats).expect("what was read can be written");
        assert_eq!(read_seats(&path).ok(), Some(seats));
    }
}

/// Reads `content` as a mapfile of every format it looks like.
pub fn mapfile(content: &[u8]) {
    let machine = Machine::uniform(machine::parse("torus:3").expect("a good spec"), 2);
    for format in mapfile::FORMATS {
        match format.read(content, "fuzzed") {
            None => {}
            Some(Ok(seats)) => {
                // Whether it fits this machine is another question.
                let _ = mapfile::nodes_of(&seats, &machine, "fuzzed");
                let _ = mapfile::placement(&seats, &machine, seats.ranks(), "fuzzed");
            }
            Some(Err(error)) => assert!(error.to_string().contains("fuzzed"), "{error}"),
        }
    }
}

/// A directory for one input.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory"))
    }

    fn path(&self) -> &std::path::Path {
        self.0.path()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, bytes).expect("a scratch file");
        path
    }
}
