//! The program behind `scripts/bench regular`.
//!
//! Usage: `regular [--json FILE] [--quick] [--only PART] [--pairs N]`. `--quick` takes a thirtieth
//! of the samples and leaves out the largest grids. `--pairs` runs every 2D grid on every 2D mesh
//! of up to N cells; larger pairs of up to 4096 cells are sampled.

mod grid;
mod pairs;
mod report;
mod scale;
mod tables;

use report::Report;

/// All parts of the benchmark, in the order in which they run.
const PARTS: [&str; 5] = ["planes", "table-ii", "tiles", "scale", "pairs"];

/// Largest number of cells for which all 2D pairs run, unless `--pairs` says otherwise.
const ALL_PAIRS: usize = 512;

/// The options of the command line.
struct Options {
    json: Option<String>,
    quick: bool,
    only: Option<String>,
    all_pairs: usize,
}

fn main() {
    let options = options(std::env::args().skip(1)).unwrap_or_else(|problem| {
        eprintln!("{problem}");
        std::process::exit(2);
    });
    let mut report = Report::default();
    for part in PARTS {
        if options.only.as_ref().is_some_and(|only| only != part) {
            continue;
        }
        match part {
            "planes" => tables::planes(&mut report),
            "table-ii" => tables::table_ii(&mut report),
            "tiles" => tables::tiles(&mut report),
            "scale" => scale::worlds(&mut report, options.quick),
            _ => all_pairs(&mut report, &options),
        }
    }
    let figures = report.finish();
    if let Some(file) = options.json
        && let Err(error) = std::fs::write(&file, format!("{figures:#}\n"))
    {
        eprintln!("{file}: {error}");
        std::process::exit(1);
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        json: None,
        quick: false,
        only: None,
        all_pairs: ALL_PAIRS,
    };
    while let Some(flag) = arguments.next() {
        let mut value = |what: &str| arguments.next().ok_or(format!("{flag} needs {what}"));
        match flag.as_str() {
            "--quick" => options.quick = true,
            "--json" => options.json = Some(value("a file")?),
            "--only" => {
                let part = value("a part")?;
                if !PARTS.contains(&part.as_str()) {
                    return Err(format!("--only {part}: {}", PARTS.join(", ")));
                }
                options.only = Some(part);
            }
            "--pairs" => {
                let most = value("a number of cells")?;
                let parsed = most
                    .parse()
                    .ok()
                    .filter(|most| (4..=MOST_CELLS).contains(most));
                options.all_pairs =
                    parsed.ok_or(format!("--pairs {most}: a number from 4 to {MOST_CELLS}"))?;
            }
            _ => {
                return Err(format!(
                    "unknown option {flag}: --json FILE, --quick, --only PART, --pairs N"
                ));
            }
        }
    }
    Ok(options)
}

/// Number of cells of the largest pairs.
const MOST_CELLS: usize = 4096;

/// Number of cells between the smallest and the largest of the 2D pairs in one line of the table.
const BAND: usize = 512;

/// All 2D pairs up to a number of cells, and samples of larger ones.
fn all_pairs(report: &mut Report, options: &Options) {
    report.title(
        "Pairs of sizes, one rank a node: mean hops of the best published heuristic and of ours",
    );
    report.head(&[
        "",
        "pairs",
        "wins",
        "ties",
        "losses",
        "published",
        "gray",
        "ours",
        "ratio",
        "CPU s",
    ]);
    let share = if options.quick { 30 } else { 1 };
    let most = options.all_pairs / share as usize;
    for least in (4..=most).step_by(BAND) {
        let most = most.min(least + BAND - 1);
        let name = format!("2D on 2D, {least}-{most}");
        pairs::compare(report, &name, &pairs::planes(least, most));
    }
    for (name, sizes, least, every) in [
        ("2D on 2D above", (2, 2), most + 1, 100),
        ("2D on 3D", (2, 3), 4, 400),
        ("3D on 3D", (3, 3), 4, 400),
        ("3D on 2D", (3, 2), 4, 400),
        ("4D on 3D", (4, 3), 4, 400),
    ] {
        let sample = pairs::sample(sizes, (least, MOST_CELLS), every * share);
        if !sample.is_empty() {
            pairs::compare(report, name, &sample);
        }
    }
}
