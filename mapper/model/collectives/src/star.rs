//! Model `star`: the root exchanges data with every other member directly.

use super::tree::Tree;
use super::{Call, Model, Sink};

pub(super) const TREE: Tree = Tree {
    parent: |_| 0,
    weight: |_, _| 1,
};

/// The model `star`.
pub(super) struct Star;

impl Model for Star {
    described!(
        "star",
        "everything through the root (or first member), straight to and from every other"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        TREE.expand(call, sink);
    }
}
