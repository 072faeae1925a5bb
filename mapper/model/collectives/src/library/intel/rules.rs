//! The rules of Intel MPI by which it selects an algorithm, as they were measured.
//!
//! Measured with Intel MPI 2021.18.1 on this project's test bed of network namespaces: 2 to 16
//! hosts with 1 to 16 members each, at most 64 members, 8 bytes to 2 MiB in powers of two, messages
//! counted at libfabric (`tests/programs/collective_sends.c`). For every operation, kind of hosts
//! and size, the algorithm is the one that sends the same bytes between the same pairs in the
//! launches of that kind. Launches on 5 hosts of 3 members are left out: many of their choices are
//! others than on 5 to 8 hosts of 4. More hosts, members and bytes follow the last rule.

use super::algorithms::Algorithm::{self, *};
use super::algorithms::Choice::{self, Flat, Leaders};
use crate::Call;
use crate::library::hosts::Hosts;
use crate::library::rules::Rules;
use rankfold_wire::Operation;
use std::sync::LazyLock;

/// The measured rules, by the most hosts and the most members on a host.
static MEASURED: LazyLock<Rules<Choice>> =
    LazyLock::new(|| Rules::of(include_str!("measured.rules"), choice_named));

/// Bytes of all blocks together from which on a reduce-scatter is pairwise.
const REDUCE_SCATTER_LONG: u64 = 512 << 10;

/// The bytes by which an operation is selected: of one block where the operation moves blocks.
pub(super) fn size(call: &Call<'_>) -> u64 {
    match call.op {
        Operation::Allgatherv => call.size() / call.members.max(1) as u64,
        _ => call.size(),
    }
}

/// The choice for a call. Members whose hosts are unknown count as alone on a host each, and so do
/// members that are all on one host, where messages through shared memory cannot be counted.
pub(super) fn choice(call: &Call<'_>) -> Choice {
    let groups = Hosts::of(call);
    let (hosts, most) = match groups.groups().count() {
        0 | 1 => (call.members, 1),
        hosts => (
            hosts,
            groups.groups().map(<[usize]>::len).max().unwrap_or(1),
        ),
    };
    by_rules(call, hosts, most)
}

/// The algorithm for the call among one member of every host.
pub(super) fn between_hosts(call: &Call<'_>) -> Algorithm {
    let hosts = Hosts::of(call).groups().count();
    match by_rules(call, hosts, 1) {
        Flat(algorithm) | Leaders(algorithm) => algorithm,
    }
}

fn by_rules(call: &Call<'_>, hosts: usize, members: usize) -> Choice {
    if let Operation::ReduceScatter | Operation::ReduceScatterBlock = call.op
        && call.size() >= REDUCE_SCATTER_LONG
    {
        return Flat(Direct);
    }
    let table = call.op.name().to_ascii_lowercase();
    let choice = MEASURED.choice(&table, &[hosts, members], size(call));
    choice.unwrap_or(Flat(Doubling))
}

/// Reads a choice: the name of an algorithm, behind `leaders` where one member of every host takes
/// part.
fn choice_named(text: &str) -> Option<Choice> {
    match text.strip_prefix("leaders ") {
        Some(name) => algorithm_named(name).map(Leaders),
        None => algorithm_named(text).map(Flat),
    }
}

fn algorithm_named(text: &str) -> Option<Algorithm> {
    let (name, number) = text.split_once(' ').unwrap_or((text, ""));
    Some(match (name, number.parse()) {
        ("bruck", _) => Bruck,
        ("chain", _) => Chain,
        ("direct", _) => Direct,
        ("doubling", _) => Doubling,
        ("exchange", _) => Exchange,
        ("rabenseifner", _) => Rabenseifner,
        ("reduce-bcast", _) => ReduceBcast,
        ("ring", _) => Ring,
        ("scatter", _) => Scatter,
        ("scatter-doubling", _) => ScatterDoubling,
        ("star", _) => Star,
        ("kary", Ok(fanout)) => Kary(fanout),
        ("multiplying", Ok(radix)) => Multiplying(radix),
        ("nomial", Ok(radix)) => Nomial(radix),
        ("preorder", Ok(radix)) => Preorder(radix),
        _ => return None,
    })
}
