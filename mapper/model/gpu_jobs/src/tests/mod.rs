//! Records in the forms that their programs document, and damaged copies of them.

mod chakra;
mod comma;
mod derived;
mod flight_recorder;
mod inspector;
mod launch;
mod nccl_log;
mod torch_trace;

use super::READERS;
use proptest::prelude::*;
use rankfold_formats::{Collectives, Readers, Reading, RunPart};
use rankfold_graph::exchange;
use rankfold_graph::samples::entries_of;
use std::io::Write;

/// Files of one record, by name and content.
pub(super) type Record = Vec<(String, Vec<u8>)>;

/// Reads a directory with these files.
pub(super) fn reading(files: &Record, part: &RunPart<'_>) -> Result<Reading, String> {
    let scratch = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(scratch.path().join(name), content).unwrap();
    }
    let read = ALL.read(&[scratch.path().to_owned()], part);
    let here = format!("{}/", scratch.path().display());
    read.map_err(|error| error.to_string().replace(&here, ""))
}

/// Sender, receiver and bytes of every pair, as the default model expands the record.
pub(super) fn pairs(files: &Record) -> Vec<(u32, u32, u64)> {
    let traffic = reading(files, &OF_GRAPHS).unwrap().traffic;
    let entries = entries_of(&traffic).into_iter();
    entries
        .map(|(from, to, bytes, _)| (from, to, bytes))
        .collect()
}

/// Sender, receiver and bytes of every pair of four processes. All have an allreduce, whose ring
/// carries 96 bytes. Two pairs of them have a reduce-scatter, which moves one part of 8 bytes, and
/// a message of 1000 bytes.
pub(super) const PAIRS_OF_FOUR: [(u32, u32, u64); 6] = [
    (0, 1, 96 + 8),
    (1, 0, 8 + 1000),
    (1, 2, 96),
    (2, 3, 96 + 8),
    (3, 0, 96),
    (3, 2, 8 + 1000),
];

/// The notes of a record.
pub(super) fn notes(files: &Record) -> String {
    let reading = reading(files, &OF_GRAPHS).unwrap();
    reading.notes.join("; ")
}

/// Checks that a record is refused with a message that has all of these parts.
#[track_caller]
pub(super) fn refused(files: &Record, parts: &[&str]) {
    let error = reading(files, &OF_GRAPHS).expect_err("it is refused");
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}

/// The readers of this crate alone.
const ALL: Readers = Readers(&[READERS]);

/// What commands ask for when they read a graph.
const OF_GRAPHS: RunPart<'_> = RunPart {
    phase: None,
    collectives: Collectives::IfTheyCanMatter,
    settings: &[],
};

/// A file of the record.
pub(super) fn file(name: &str, content: impl Into<Vec<u8>>) -> (String, Vec<u8>) {
    (name.to_owned(), content.into())
}

#[test]
fn records_of_two_kinds_in_one_directory_are_refused() {
    let mut mixed = flight_recorder::two_ranks();
    mixed.push(file("nccl.log", nccl_log::two_nodes()));
    refused(&mixed, &["two kinds", "torch-flight-recorder", "nccl-log"]);
}

#[test]
fn no_collectives_leaves_the_messages() {
    let part = RunPart {
        collectives: Collectives::LeftOut,
        ..RunPart::default()
    };
    let read = reading(&flight_recorder::two_ranks(), &part).unwrap();
    assert_eq!(entries_of(&read.traffic), [(0, 1, 64, 1)]);
}

#[test]
fn a_rank_serves_all_its_partners_at_once() {
    let part = OF_GRAPHS;
    let traffic = reading(&flight_recorder::two_ranks(), &part)
        .unwrap()
        .traffic;
    assert_eq!(traffic.exchange(), Some(exchange::ALL));
}

#[test]
fn a_record_has_no_phases() {
    let part = RunPart {
        phase: Some("solve"),
        ..RunPart::default()
    };
    let error = reading(&flight_recorder::two_ranks(), &part).unwrap_err();
    assert!(error.contains("--phase"), "{error}");
}

/// One record of every kind.
fn records() -> [Record; 8] {
    [
        flight_recorder::two_ranks(),
        torch_trace::four_ranks(),
        inspector::four_processes(),
        comma::four_processes(),
        chakra::four_ranks(),
        chakra::four_ranks_in_protobuf(),
        vec![file("nccl.log", nccl_log::two_nodes())],
        launch::experts(),
    ]
}

/// The content as gzip stores it.
fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn records_may_be_compressed() {
    for record in records() {
        let stored = record.iter().map(|(name, content)| {
            let name = format!("{name}.gz");
            (name, compressed(content))
        });
        assert_eq!(pairs(&stored.collect()), pairs(&record));
    }
}

#[test]
fn a_compressed_record_that_is_cut_is_named() {
    let mut record = torch_trace::four_ranks();
    let cut = compressed(&record[1].1);
    record[1].1 = cut[..cut.len() - 9].to_vec();
    let name = record[1].0.clone();
    refused(&record, &[&name, "gzip", "half-written"]);
}

#[test]
fn a_compressed_record_that_would_fill_the_memory_is_refused() {
    let mut record = torch_trace::four_ranks();
    let mut content = record[1].1.clone();
    content.resize(8 << 20, b' ');
    record[1].1 = compressed(&content);
    let name = record[1].0.clone();
    refused(&record, &[&name, "gzip", "decompress it first"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_records_end_in_an_error_or_a_reading(
        kind in 0usize..8,
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut record = records()[kind].clone();
        let at = which.index(record.len());
        let content = &mut record[at].1;
        for (place, byte) in damage {
            let place = place.index(content.len());
            // Digits become other digits, so that numbers change more often than the syntax breaks.
            content[place] = if content[place].is_ascii_digit() { b'0' + byte % 10 } else { byte };
        }
        if let Some(cut) = cut {
            content.truncate(cut.index(content.len()));
        }
        if let Err(error) = reading(&record, &OF_GRAPHS) {
            prop_assert!(!error.is_empty());
        }
    }
}
