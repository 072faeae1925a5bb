//! The figures of `scripts/bench regular`: `regular [--json FILE] [--quick]`.
//!
//! `--quick` takes a thirtieth of the pairs of sizes and leaves the largest worlds out.

mod grid;
mod pairs;
mod report;
mod scale;
mod tables;

use report::Report;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let json = arguments
        .iter()
        .position(|a| a == "--json")
        .map(|i| arguments.get(i + 1));
    if let Some(None) = json {
        eprintln!("--json needs a file");
        std::process::exit(2);
    }
    let mut report = Report::default();
    tables::planes(&mut report);
    tables::table_ii(&mut report);
    tables::gpc(&mut report);
    scale::worlds(&mut report, quick);
    all_pairs(&mut report, if quick { 30 } else { 1 });
    let figures = report.finish();
    if let Some(Some(file)) = json
        && let Err(error) = std::fs::write(file, format!("{figures:#}\n"))
    {
        eprintln!("{file}: {error}");
        std::process::exit(1);
    }
}

/// All 2D pairs, and every n-th of those of other dimensions: sizes are enumerated by the number of cells,
/// then in lexicographic order, so the sample is even over all sizes. Every second machine of three
/// dimensions is a torus.
fn all_pairs(report: &mut Report, share: usize) {
    report.title("Geometric means of mean hops over pairs of sizes, one rank a node");
    report.head(&[
        "",
        "pairs",
        "published",
        "gray",
        "ours",
        "ratio",
        "better",
        "worse",
    ]);
    for (name, k, m, most, every) in [
        ("2D on 2D", 2, 2, 4096, 1),
        ("2D on 3D", 2, 3, 4096, 101),
        ("3D on 3D", 3, 3, 4096, 101),
        ("3D on 2D", 3, 2, 4096, 101),
        ("4D on 3D", 4, 3, 4096, 211),
    ] {
        pairs::compare(report, name, every * share, pairs::all(k, m, most));
    }
}
