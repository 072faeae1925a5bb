//! Helpers for the tests of the formats.

use super::text::Lines;
use super::{READERS, Readers, Writer};
use proptest::prelude::*;
use rankfold_base::Rank;
use rankfold_graph::{Entry, Result, Traffic};

pub(super) use rankfold_graph::samples::entries_of;

/// The readers of this crate alone.
pub(super) const ALL: Readers = Readers(&[READERS]);

/// Checks that every text is refused with a message that starts as given.
pub(super) fn refusals(read: impl Fn(&str) -> Result<Traffic>, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

/// Writes traffic and reads it back.
pub(super) fn round_trip(
    writer: &Writer,
    read: impl Fn(&str) -> Result<Traffic>,
    traffic: &Traffic,
) -> Traffic {
    let mut text = Vec::new();
    (writer.write)(traffic, &mut text).unwrap();
    read(std::str::from_utf8(&text).unwrap()).unwrap()
}

/// Random traffic without message counts. If `undirected`, each pair sends as much one way as the
/// other, as the formats of graph partitioners hold it.
pub(super) fn traffic(undirected: bool) -> impl Strategy<Value = Traffic> {
    let pair = (
        any::<u32>(),
        any::<u32>(),
        prop_oneof![0..9u64, 0..1u64 << 40],
    );
    (1usize..30, prop::collection::vec(pair, 0..150)).prop_map(move |(ranks, pairs)| {
        let pairs = pairs
            .into_iter()
            .map(|(from, to, bytes)| (from % ranks as u32, to % ranks as u32, bytes));
        let entry = |from, to, bytes| Entry {
            from: Rank(from),
            to: Rank(to),
            bytes,
            messages: 0,
        };
        if !undirected {
            let entries = pairs.map(|(from, to, bytes)| entry(from, to, bytes));
            return Traffic::from_entries(ranks, entries).unwrap();
        }
        let between = pairs.filter(|(from, to, _)| from != to);
        let both_ways =
            between.flat_map(|(u, v, weight)| [entry(u, v, weight), entry(v, u, weight)]);
        Traffic::from_entries(ranks, both_ways).unwrap()
    })
}

/// Random traffic with a message count for every pair. Some messages have no bytes.
pub(super) fn counted() -> impl Strategy<Value = Traffic> {
    traffic(false).prop_map(|traffic| {
        let entries = traffic.entries().map(|e| Entry {
            bytes: if e.bytes % 5 == 0 { 0 } else { e.bytes },
            messages: e.bytes % 7 + 1,
            ..e
        });
        Traffic::from_entries(traffic.ranks(), entries.collect::<Vec<_>>()).unwrap()
    })
}

/// The lines of a text, for a parser.
pub(super) fn lines<'a>(text: &'a str, name: &'a str) -> Lines<'a, &'a [u8]> {
    Lines::new(text.as_bytes(), std::path::Path::new(name))
}
