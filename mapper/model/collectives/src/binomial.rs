//! Model `binomial`: all data pass through the root along a binomial tree.
//!
//! The parent of a member is the member's number with its lowest set bit cleared:
//!
//! ```text
//! 0 ─┬─ 1
//!    ├─ 2 ─── 3
//!    └─ 4 ─┬─ 5
//!          └─ 6 ─── 7
//! ```
//!
//! Source: Thakur, Rabenseifner & Gropp 2005 (cited in the model `mpich`). A call has n - 1
//! edges for n members in each direction.

use super::tree::Tree;
use super::{Call, Model, Sink};

pub(super) const TREE: Tree = Tree {
    parent: |member| member & (member - 1),
    weight: |member, members| lowest_bit(member).min(members - member),
};

fn lowest_bit(number: usize) -> usize {
    1 << number.trailing_zeros()
}

/// The model `binomial`.
pub(super) struct Binomial;

impl Model for Binomial {
    described!(
        "binomial",
        "everything through the root (or first member) along a binomial tree"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        TREE.expand(call, sink);
    }
}
