//! Time and memory for grids of many ranks.

use crate::grid::{Points, grid};
use crate::report::Report;

use rankfold_machine::{self as machine, Machine};
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::HopBytes;
use rankfold_search::select::{Request, select};
use std::time::Instant;

/// Grid, machine, cores a node, and the seconds and GiB allowed. The largest case is last, since
/// the peak of memory is that of the whole process so far.
const WORLDS: [(&[usize], &str, u32, f64, f64); 5] = [
    (&[256, 256], "torus:64x32x32", 1, 1.0, 2.0),
    (&[64, 32, 32], "torus:16x16x16", 16, 1.0, 2.0),
    (&[1024, 1024], "torus:128x128x64", 1, 20.0, 2.0),
    (&[128, 128, 64], "torus:32x32x32", 32, 20.0, 2.0),
    (&[256, 128, 128], "torus:256x128x128", 1, 80.0, 4.0),
];

/// Places large grids by `reshape` alone and by the whole portfolio, as `rankfold map --effort
/// fast` does.
pub(crate) fn worlds(report: &mut Report, quick: bool) {
    report.title(
        "Large worlds, fast: analysis, construction, exchanges and metrics, graph in memory",
    );
    report.head(&[
        "",
        "asked for",
        "hops/byte",
        "by",
        "seconds",
        "CPU s",
        "peak GiB",
    ]);
    let few = if quick { 2 } else { WORLDS.len() };
    for world in WORLDS.into_iter().take(few) {
        for asked in ["reshape", "auto"] {
            place(report, world, asked);
        }
    }
}

fn place(
    report: &mut Report,
    (dims, spec, cores, allowed, most): (&[usize], &str, u32, f64, f64),
    asked: &str,
) {
    let graph = grid(dims, Points::Star);
    let machine = Machine::uniform(
        machine::parse(spec).expect("a spec of the benchmark"),
        cores,
    );
    let request = Request {
        heuristic: Some(asked.into()),
        effort: Effort::Fast,
        objective: &HopBytes,
        ..Request::default()
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let selection = select(&graph, &machine, &request).expect("the grid fits");
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let (candidate, solution) = selection.winner();
    let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
    let name = format!("{} on {spec} c={cores}", sizes.join("x"));
    report.row(&[
        name.clone(),
        asked.into(),
        format!("{:.4}", solution.score().hops_per_byte),
        candidate.heuristic.into(),
        format!("{seconds:.2}"),
        format!("{cpu:.2}"),
        format!("{:.2}", peak_gib()),
    ]);
    let key = format!("scale.{name}.{asked}");
    report.figure(&format!("{key}.seconds"), seconds);
    report.figure(&format!("{key}.cpu_seconds"), cpu);
    report.figure(&format!("{key}.peak_gib"), peak_gib());
    // On two cores the elapsed time is at least half of the CPU time.
    report.claim(
        cpu / 2.0 <= allowed,
        &format!("{name}, {asked}: {allowed} s on two cores ({cpu:.2} CPU s)"),
    );
    report.claim(peak_gib() <= most, &format!("{name}, {asked}: {most} GiB"));
}

/// User and system time of this process so far, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15, counted after the program's name in parentheses. A clock tick is 10 ms.
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .filter_map(|t| t.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

fn peak_gib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or_default() / f64::from(1 << 20)
}
