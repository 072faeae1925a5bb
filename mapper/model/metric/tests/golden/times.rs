//! Compares predicted times with the results of an independent program.

use crate::instances::strided;
use crate::{TOLERANCE, graph, rows};
use rankfold_graph::{CommGraph, Entry, Traffic};
use rankfold_machine::{self as machine, BySize, Machine, SizeRow, Timing};
use rankfold_metric::time::time;

/// Relative tolerance where message numbers matter: an `f32` holds seven digits.
const TOLERANCE_OF_COUNTS: f64 = 1e-7;

/// The same graph with 1 to 5 messages for each pair.
fn counted(graph: &CommGraph) -> CommGraph {
    let entries = graph.messages().map(|m| Entry {
        from: m.from,
        to: m.to,
        bytes: m.bytes,
        messages: 1 + u64::from(m.from.0 + m.to.0) % 5,
    });
    let traffic = Traffic::from_entries(graph.ranks(), entries).unwrap();
    traffic.into_graph().unwrap()
}

fn table() -> BySize {
    let row = |bytes, bandwidth, latency| SizeRow {
        bytes,
        bandwidth,
        latency,
    };
    let rows = vec![row(0, 0.4, 1.6), row(4096, 0.7, 1.3), row(65536, 0.9, 1.0)];
    BySize::new(rows).unwrap()
}

#[test]
fn predicted_times_equal_those_of_an_independent_program() {
    let mut checked = 0;
    for (row, columns) in rows(include_str!("times.txt")) {
        let &[
            name,
            spec,
            cores,
            stride,
            counts,
            overhead,
            memory,
            sizes,
            ref parts @ ..,
        ] = &columns[..]
        else {
            panic!("times.txt: {row:?} has {} columns", columns.len());
        };
        let graph = match counts {
            "counted" => counted(&graph(name)),
            _ => graph(name),
        };
        let hardware = machine::load(spec).unwrap();
        let timing = Timing {
            overhead: overhead.parse().unwrap(),
            memory: memory.parse().ok(),
            by_size: if sizes == "table" {
                table()
            } else {
                BySize::default()
            },
            ..Timing::default()
        };
        let machine = Machine::new(hardware, cores.parse::<u32>().unwrap(), None).unwrap();
        let machine = machine.with_timing(timing);
        let placement = strided(&graph, &machine, stride.parse().unwrap());
        let time = time(&graph, &machine, &placement, 0.5);
        let found = [
            time.busiest_link,
            time.latency,
            time.overhead,
            time.mean_transfer,
        ];
        let tolerance = if sizes == "table" {
            TOLERANCE_OF_COUNTS
        } else {
            TOLERANCE
        };
        assert_eq!(parts.len(), found.len(), "{row}");
        for (expected, found) in parts.iter().zip(found) {
            let expected: f64 = expected.parse().unwrap();
            let off = (found - expected).abs();
            assert!(
                off <= tolerance * expected,
                "{row}\nfound {found:?} for {expected:?}"
            );
        }
        checked += 1;
    }
    assert_eq!(checked, 12);
}
