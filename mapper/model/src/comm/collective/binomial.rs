//! Everything through the root, along a binomial tree: the parent of a member is its number without
//! the lowest bit.

use super::tree::Tree;
use super::{Call, Model, Sink};

pub(super) const TREE: Tree = Tree {
    parent: |member| member & (member - 1),
    weight: |member, members| lowest_bit(member).min(members - member),
};

fn lowest_bit(number: usize) -> usize {
    1 << number.trailing_zeros()
}

/// See the module.
pub(super) struct Binomial;

impl Model for Binomial {
    fn name(&self) -> &'static str {
        "binomial"
    }

    fn summary(&self) -> &'static str {
        "everything through the root (or first member) along a binomial tree"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        TREE.expand(call, sink);
    }

    fn is_dense(&self, _: &Call) -> bool {
        false
    }
}
