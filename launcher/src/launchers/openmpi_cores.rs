//! The cores that Open MPI's users want for every rank, kept where ranks are placed otherwise.

use crate::launch::{App, Given};
use crate::placement::Plan;
use std::fmt::Write;

/// Options of their own for what `PE=` says within a mapping.
pub(super) const COUNTS: &[&str] = &["cpus-per-proc", "cpus-per-rank"];

/// Options that bind.
pub(super) const BINDING: &[&str] = &[
    "bind-to",
    "bind-to-core",
    "bind-to-socket",
    "cpu-set",
    "cpu-list",
];

/// A rankfile that gives every rank as many cores as the user's options do, on each host one rank after the other, as Open MPI itself
/// would; `None` where they do not say how many, or want something that a list of cores cannot say: hardware threads, no binding at
/// all, or cores of the user's choice.
pub(super) fn rankfile(apps: &[App], plan: &Plan) -> Option<String> {
    let options = || apps.iter().flat_map(|app| app.options.iter());
    let each = options().filter_map(cores_a_rank).next_back()?;
    if options().any(wants_other_than_cores) {
        return None;
    }
    let mut of_rank = vec![0; plan.hosts.len()];
    for (_, ranks) in plan.by_host() {
        for (place, rank) in ranks.into_iter().enumerate() {
            of_rank[rank] = place;
        }
    }
    let mut text = String::new();
    for (rank, (host, place)) in plan.hosts.iter().zip(of_rank).enumerate() {
        let (first, last) = (place * each, (place + 1) * each - 1);
        // Writing to a string does not fail.
        let _ = match each {
            1 => writeln!(text, "rank {rank}={host} slot={first}"),
            _ => writeln!(text, "rank {rank}={host} slot={first}-{last}"),
        };
    }
    Some(text)
}

/// The 4 in `--map-by node:PE=4`, with other modifiers around it, or in `--cpus-per-proc 4`.
fn cores_a_rank(given: &Given) -> Option<usize> {
    let name = given.name()?;
    let value = given.value(0)?;
    let number = match name {
        "map-by" => value.split([':', ',']).find_map(|word| {
            let (key, number) = word.split_once('=')?;
            key.eq_ignore_ascii_case("pe").then(|| number.to_owned())
        })?,
        _ if COUNTS.contains(&name) => value,
        _ => return None,
    };
    number.parse().ok().filter(|&cores| cores > 0)
}

fn wants_other_than_cores(given: &Given) -> bool {
    let value = given.value(0).unwrap_or_default().to_ascii_lowercase();
    match given.name() {
        Some("use-hwthread-cpus" | "cpu-set" | "cpu-list") => true,
        Some("bind-to") => value.starts_with("hwthread") || value.starts_with("none"),
        Some("map-by") => value.contains("hwthread") || value.contains("hwtcpus"),
        _ => false,
    }
}
