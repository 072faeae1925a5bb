//! One tier of an extended generalised fat tree: two levels of vertices and the cables between.

/// The links between one level of vertices and the next one up.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    /// Number of children of a vertex of the next level (m).
    pub(super) children: usize,
    /// Number of parents of a vertex of this level (w).
    pub(super) parents: usize,
    /// Number of nodes below a vertex of this level: the product of all m below.
    pub(super) below: usize,
    /// Number of vertices of this level above one node: the product of all w below.
    pub(super) width: usize,
    /// Number of the first vertex of this level.
    pub(super) first_vertex: usize,
    /// Number of the first cable between this level and the next.
    pub(super) first_cable: usize,
}

impl Tier {
    /// The vertex of this level that is the `x`-th above `node`.
    pub(super) fn vertex(&self, node: usize, x: usize) -> usize {
        self.first_vertex + node / self.below * self.width + x
    }

    /// The cable from the vertex of this level that is the `x`-th above `node` to its `parent`-th
    /// parent.
    pub(super) fn cable(&self, node: usize, x: usize, parent: usize) -> usize {
        self.first_cable + (node / self.below * self.width + x) * self.parents + parent
    }
}
