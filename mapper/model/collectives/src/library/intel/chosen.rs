//! Algorithms that parameters of a run choose, such as
//! `I_MPI_ADJUST_BCAST=1:0-4095;3:4096-99999999`.
//!
//! The syntax and the numbers are those of Intel's Developer Reference, "I_MPI_ADJUST Family
//! Environment Variables". What the numbers send was measured with Intel MPI 2021.18 on seven hosts
//! of one member and on four hosts of two. Numbers that are not listed here, and the parameters for
//! experts such as `I_MPI_ADJUST_BCAST_COMPOSITION`, leave the choice to the rules.

use super::algorithms::{Algorithm, Choice};
use super::rules;
use crate::Call;
use rankfold_wire::Operation;
use std::ops::RangeInclusive;

/// The choice of a parameter for this call. `None` if the rules decide.
pub(super) fn choice(call: &Call<'_>) -> Option<Choice> {
    let name = format!("I_MPI_ADJUST_{}", call.op.name().to_ascii_uppercase());
    let value = call.library.parameters.get(&name)?;
    let (size, members) = (rules::size(call), call.members as u64);
    let mut presets = value.split(';').filter_map(preset);
    let fits = |conditions: &[Condition]| {
        let mut all = conditions.iter();
        conditions.is_empty()
            || all.any(|one| one.bytes.contains(&size) && one.members.contains(&members))
    };
    let (number, _) = presets.find(|(_, conditions)| fits(conditions))?;
    meaning(call, number)
}

/// Bytes and members for which a preset holds.
struct Condition {
    bytes: RangeInclusive<u64>,
    members: RangeInclusive<u64>,
}

/// Reads `NUMBER` or `NUMBER:CONDITION,CONDITION...`.
fn preset(text: &str) -> Option<(u64, Vec<Condition>)> {
    let (number, conditions) = text.split_once(':').unwrap_or((text, ""));
    let conditions = conditions.split(',').filter(|part| !part.trim().is_empty());
    let conditions: Option<Vec<_>> = conditions.map(condition).collect();
    Some((number.trim().parse().ok()?, conditions?))
}

/// Reads `BYTES` or `BYTES@MEMBERS`, each a number or a range of numbers.
fn condition(text: &str) -> Option<Condition> {
    let (bytes, members) = text
        .split_once('@')
        .map_or((text, None), |(l, p)| (l, Some(p)));
    Some(Condition {
        bytes: range(bytes)?,
        members: members.map_or(Some(0..=u64::MAX), range)?,
    })
}

fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some(from.trim().parse().ok()?..=to.trim().parse().ok()?)
}

/// What a number of an operation stands for. `None` for 0 and numbers that were not identified.
fn meaning(call: &Call<'_>, number: u64) -> Option<Choice> {
    use Algorithm::*;
    use Choice::{Flat, Leaders};
    let between_hosts = || Leaders(rules::between_hosts(call));
    Some(match (call.op, number) {
        (Operation::Bcast, 1) => Flat(Nomial(2)),
        (Operation::Bcast, 2) => Flat(ScatterDoubling),
        (Operation::Bcast, 3) => Flat(ScatterRing),
        (Operation::Bcast, 4) => Leaders(Nomial(2)),
        (Operation::Bcast, 5) => Leaders(ScatterDoubling),
        (Operation::Bcast, 6) => Leaders(ScatterRing),
        (Operation::Bcast, 7) => Flat(Chain),
        (Operation::Bcast, 8) => Flat(Preorder(4)),
        (Operation::Bcast, 9..=14) => between_hosts(),
        (Operation::Reduce, 1) => Flat(Chain),
        (Operation::Reduce, 2) => Flat(Nomial(2)),
        (Operation::Reduce, 3) => Leaders(Chain),
        (Operation::Reduce, 4) => Leaders(Nomial(2)),
        (Operation::Reduce, 5) => Flat(Rabenseifner),
        (Operation::Reduce, 6) => Leaders(Rabenseifner),
        (Operation::Reduce, 7) => Flat(Preorder(4)),
        (Operation::Reduce, 8..=11) => between_hosts(),
        (Operation::Allreduce, 1 | 9) => Flat(Multiplying(2)),
        (Operation::Allreduce, 2) => Flat(Rabenseifner),
        (Operation::Allreduce, 3) => Flat(ReduceBcast),
        (Operation::Allreduce, 4) => between_hosts(),
        (Operation::Allreduce, 5) => Flat(Nomial(2)),
        (Operation::Allreduce, 6) => Leaders(Nomial(2)),
        (Operation::Allreduce, 7 | 8) => Flat(Ring),
        (Operation::Allgather | Operation::Allgatherv, 1) => Flat(Doubling),
        (Operation::Allgather | Operation::Allgatherv, 2) => Flat(Bruck),
        (Operation::Allgather | Operation::Allgatherv, 3) => Flat(Ring),
        (Operation::Allgather, 5) => Flat(Exchange),
        (Operation::Alltoall, 1) => Flat(Bruck),
        (Operation::Alltoall, 2..=4) => Flat(Direct),
        (Operation::Gather | Operation::Scatter, 1) => Flat(Nomial(2)),
        (Operation::Gather | Operation::Scatter, 2) => Leaders(Star),
        (Operation::Gather | Operation::Scatter, 3) => Flat(Star),
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, 1) => Flat(Halving),
        (Operation::ReduceScatter, 2) => Flat(Direct),
        _ => return None,
    })
}
