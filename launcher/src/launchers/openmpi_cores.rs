//! The cores of ranks in rankfiles of Open MPI: from the plan, or from the user's options for
//! binding, which keep their effect when rankfold places the ranks.

use super::cores;
use crate::launch::{App, GivenOption};
use crate::placement::PlacementPlan;
use std::env;
use std::fmt::Write;
use std::ops::Range;

/// The options that give the number of cores of a rank, as `PE=` does within a mapping.
pub(super) const COUNTS: &[&str] = &["cpus-per-proc", "cpus-per-rank"];

/// The options that bind ranks.
pub(super) const BINDING: &[&str] = &[
    "bind-to",
    "bind-to-core",
    "bind-to-socket",
    "cpu-set",
    "cpu-list",
];

/// The environment variables that bind all ranks alike, of Open MPI 4 and of Open MPI 5.
const POLICIES: &[&str] = &[
    "OMPI_MCA_hwloc_base_binding_policy",
    "PRTE_MCA_hwloc_default_binding_policy",
];

/// The option that makes hardware threads count as cores.
pub(super) const THREADS: &str = "use-hwthread-cpus";

/// The text of a rankfile, and what its numbers count.
pub(super) struct Rankfile {
    pub(super) text: String,
    /// Whether the numbers count hardware threads, not cores.
    pub(super) threads: bool,
}

/// A rankfile that gives every rank the cores of the plan, but no more cores than the user's
/// options ask for. Where the plan has no cores or the user counts hardware threads, ranks get as
/// many as the options ask for, one rank after the other on each host, as Open MPI itself gives
/// them. `None` where neither the plan nor the options give cores, or where the user wants no
/// binding or a binding that a list of cores cannot express.
pub(super) fn rankfile(apps: &[App], plan: &PlacementPlan) -> Option<Rankfile> {
    if options(apps).any(binds_otherwise) {
        return None;
    }
    let threads = options(apps).any(counts_threads);
    let each = options(apps).filter_map(cores_a_rank).next_back();
    let places = match by_plan(apps, plan) {
        Ok(()) => {
            let most = each.or_else(|| options(apps).any(to_core).then_some(1));
            of_plan(plan, most)
        }
        Err(_) => one_after_the_other(plan, each?),
    };
    let mut text = String::new();
    for (rank, (host, places)) in plan.hosts.iter().zip(places).enumerate() {
        let (first, last) = (places.start, places.end - 1);
        // Writing to a string does not fail.
        let _ = if first == last {
            writeln!(text, "rank {rank}={host} slot={first}")
        } else {
            writeln!(text, "rank {rank}={host} slot={first}-{last}")
        };
    }
    Some(Rankfile { text, threads })
}

/// Checks that [`rankfile`] gives ranks the cores of the plan.
///
/// # Errors
/// The reason why ranks do not get these cores.
pub(super) fn by_plan(apps: &[App], plan: &PlacementPlan) -> Result<(), &'static str> {
    let each = options(apps).filter_map(cores_a_rank).next_back();
    let lengths = plan
        .cores
        .places
        .iter()
        .map(|places| places.end - places.start);
    let least = lengths.min();
    if options(apps).any(counts_threads) {
        Err("your options count hardware threads, and a plan cores")
    } else if options(apps).any(binds_otherwise) || POLICIES.iter().any(is_another_policy) {
        Err(cores::BOUND_BY_USER)
    } else if each > least {
        Err("your options give a rank more cores than the plan has for it")
    } else if !plan.can_bind() {
        Err("the plan has no cores of its own for every rank")
    } else {
        Ok(())
    }
}

fn options(apps: &[App]) -> impl DoubleEndedIterator<Item = &GivenOption> {
    apps.iter().flat_map(|app| app.options.iter())
}

/// The places of every rank's cores in the plan, at most `most` of them.
fn of_plan(plan: &PlacementPlan, most: Option<u32>) -> Vec<Range<u32>> {
    let places = plan.cores.places.iter();
    let cut = |places: &Range<u32>| match most {
        Some(most) => places.start..places.end.min(places.start + most),
        None => places.clone(),
    };
    places.map(cut).collect()
}

/// `each` places for every rank, one rank after the other on each host.
fn one_after_the_other(plan: &PlacementPlan, each: u32) -> Vec<Range<u32>> {
    let mut places = vec![0..0; plan.hosts.len()];
    for (_, ranks) in plan.by_host() {
        for (number, rank) in (0..).zip(ranks) {
            places[rank] = number * each..(number + 1) * each;
        }
    }
    places
}

/// The number of cores of a rank: the 4 in `--map-by node:PE=4` or in `--cpus-per-proc 4`.
fn cores_a_rank(given: &GivenOption) -> Option<u32> {
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

/// The lower-case value of an option of this name.
fn value_of(given: &GivenOption, name: &str) -> Option<String> {
    (given.name() == Some(name)).then(|| given.value(0).unwrap_or_default().to_ascii_lowercase())
}

/// Whether the option makes hardware threads count as cores.
fn counts_threads(given: &GivenOption) -> bool {
    let of_mapping = |value: String| value.contains("hwthread") || value.contains("hwtcpus");
    given.name() == Some(THREADS)
        || value_of(given, "map-by").is_some_and(of_mapping)
        || value_of(given, "bind-to").is_some_and(|value| value.starts_with("hwthread"))
}

/// Whether the environment variable is set to bind ranks to anything but cores.
fn is_another_policy(variable: &&str) -> bool {
    env::var(variable).is_ok_and(|policy| !policy.starts_with("core"))
}

fn to_core(given: &GivenOption) -> bool {
    given.name() == Some("bind-to-core")
        || value_of(given, "bind-to").is_some_and(|value| value.starts_with("core"))
}

/// Whether the option asks for no binding, for chosen cores, or for binding to more than cores.
fn binds_otherwise(given: &GivenOption) -> bool {
    let elsewhere = |value: String| !value.starts_with("core") && !value.starts_with("hwthread");
    matches!(
        given.name(),
        Some("cpu-set" | "cpu-list" | "slot-list" | "bind-to-socket")
    ) || value_of(given, "bind-to").is_some_and(elsewhere)
}
