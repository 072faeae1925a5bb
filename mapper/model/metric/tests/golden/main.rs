//! Compares every metric with the result of an independent program, to the last digit.

mod instances;
mod times;

use rankfold_graph::CommGraph;
use rankfold_machine::{self as machine, Machine};
use rankfold_metric::score;

/// Relative tolerance: the same terms added in a different order differ in the last bits.
const TOLERANCE: f64 = 8.0 * f64::EPSILON;

fn graph(name: &str) -> CommGraph {
    match name {
        "stencil-16x16" => instances::stencil(&[16, 16]),
        "stencil-4x8x8" => instances::stencil(&[4, 8, 8]),
        "columns-8x8" => instances::column_alltoall(8, 8),
        "corners-8x8x8" => instances::corners(8),
        "irregular-200" => instances::irregular(200),
        "irregular-1000" => instances::irregular(1000),
        _ => panic!("metrics.txt names the unknown graph {name}"),
    }
}

/// The lines of a table except comments, each with its columns.
fn rows(table: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| (row, row.split_whitespace().collect()))
}

fn check(row: &str, name: &str, expected: &str, actual: f64) {
    let expected: f64 = expected.parse().unwrap();
    assert!(
        (actual - expected).abs() <= TOLERANCE * expected.abs(),
        "{row}\n{name} is {actual:?}"
    );
}

#[test]
fn metrics_equal_those_of_an_independent_program() {
    let mut checked = 0;
    for (row, columns) in rows(include_str!("metrics.txt")) {
        let &[
            name,
            spec,
            cores,
            stride,
            hop_bytes,
            avg_dilation,
            max_dilation,
            max,
            amp,
            nz_avg,
            nz_var,
        ] = &columns[..]
        else {
            panic!("metrics.txt: {row:?} has {} columns", columns.len());
        };
        let graph = graph(name);
        let topology = machine::parse(spec).unwrap();
        let machine = Machine::new(topology, cores.parse::<u32>().unwrap(), None).unwrap();
        let placement = instances::strided(&graph, &machine, stride.parse().unwrap());
        let score = score(&graph, &machine, &placement);
        assert_eq!(score.hop_bytes.to_string(), hop_bytes, "{row}");
        assert_eq!(score.max_dilation.to_string(), max_dilation, "{row}");
        check(row, "avg_dilation", avg_dilation, score.avg_dilation);
        check(row, "max_congestion", max, score.max_congestion);
        check(
            row,
            "max_congestion_amp",
            amp,
            score.max_congestion_amp.unwrap(),
        );
        check(row, "nz_avg", nz_avg, score.nz_avg);
        check(row, "nz_var", nz_var, score.nz_var);
        checked += 1;
    }
    assert_eq!(checked, 38);
}
