//! The component `adapt` of Open MPI, which carries broadcasts and reductions out along a tree.
//!
//! Source: `ompi/mca/coll/adapt/` of the branch v5.0.x. The component
//! [`han`](super::han) uses it where parameters or rules say so.

use super::option;
use crate::library::trees;
use crate::{Call, Sink};
use rankfold_wire::Operation;

/// Number of the algorithm that the parameters name by default.
const BINOMIAL: u64 = 1;
/// Most children of the root in the linear algorithm.
const MOST_CHILDREN: usize = 32;

/// Expands a broadcast or a reduction. Returns `false` for other operations.
///
/// | number | tree |
/// |---|---|
/// | 1 | binomial |
/// | 2 | binomial, whose branches have consecutive numbers |
/// | 3 | binary |
/// | 4 | one chain |
/// | 5 | 4 chains |
/// | 6 | all members below the root |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let members = call.members;
    let name = match call.op {
        Operation::Bcast => "bcast",
        Operation::Reduce => "reduce",
        _ => return false,
    };
    let number = option(call, &format!("coll_adapt_{name}_algorithm"), BINOMIAL);
    let parent = |member| match number {
        2 => trees::lowest_digit(member, 2),
        3 => trees::levels(member, 2),
        4 => trees::chain(member, members, 1),
        5 => trees::chain(member, members, 4),
        6 => trees::levels(member, (members - 1).min(MOST_CHILDREN)),
        _ => trees::highest_bit(member),
    };
    match call.op {
        Operation::Bcast => trees::down(members, call.whole(), parent, sink),
        _ => trees::up(members, call.whole(), parent, sink),
    }
    true
}
