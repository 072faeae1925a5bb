//! A grid with too many links to draw, folded into a smaller one.

use rankfold_model::machine::{Grid, Machine, parse};
use rankfold_model::{NodeId, Placement};

/// A grid whose nodes stand for blocks of nodes of a larger one.
pub(super) struct FoldedGrid {
    /// The smaller grid. A node has room for all ranks of its block.
    pub(super) machine: Machine,
    /// The most nodes of a block along each dimension.
    pub(super) block: Vec<usize>,
    whole: Grid,
    small: Grid,
}

impl FoldedGrid {
    /// Folds the machine so that blocks are up to `each` nodes long in every dimension; `None` for
    /// other networks than grids.
    pub(super) fn new(machine: &Machine, each: usize) -> Option<Self> {
        let whole = machine.topology().structure().grid()?.clone();
        let block: Vec<usize> = whole.dims().iter().map(|&size| each.min(size)).collect();
        let sizes = whole.dims().iter().zip(&block);
        let dims: Vec<usize> = sizes.map(|(size, each)| size.div_ceil(*each)).collect();
        let shape: Vec<String> = dims.iter().map(ToString::to_string).collect();
        let kind = if whole.wraps() { "torus" } else { "mesh" };
        let network = parse(&format!("{kind}:{}", shape.join("x"))).ok()?;
        let slots = machine.slots();
        let most = (0..slots.nodes()).map(|node| slots.capacity(NodeId::at(node)));
        let room = most.max().unwrap_or(1) * u32::try_from(block.iter().product::<usize>()).ok()?;
        Some(Self {
            machine: Machine::uniform(network, room),
            small: Grid::new(dims, whole.wraps()),
            block,
            whole,
        })
    }

    /// The placement with every rank on the node that stands for its node's block.
    pub(super) fn placement(&self, placement: &Placement, machine: &Machine) -> Option<Placement> {
        let nodes = placement.nodes(machine.slots());
        let nodes: Vec<NodeId> = nodes.iter().map(|&node| self.node_of(node)).collect();
        Placement::from_nodes(&nodes, self.machine.slots())
    }

    /// The node of the smaller grid that stands for the block of `node`.
    fn node_of(&self, node: NodeId) -> NodeId {
        let coordinates = self.whole.coordinates(node);
        let places = coordinates.iter().zip(&self.block);
        let places: Vec<usize> = places.map(|(at, each)| at / each).collect();
        self.small.node_at(&places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_nodes_become_nodes() {
        let machine = Machine::uniform(parse("torus:5x4").unwrap(), 1);
        let folded = FoldedGrid::new(&machine, 2).unwrap();
        assert_eq!(folded.machine.topology().spec(), "torus:3x2");
        let last_column = [3, 7, 11, 15, 19].map(|node| folded.node_of(NodeId(node)).0);
        assert_eq!(last_column, [1, 1, 3, 3, 5]);
        let block = Placement::block(20);
        let placed = folded.placement(&block, &machine).unwrap();
        let nodes = placed.nodes(folded.machine.slots());
        assert_eq!(
            nodes[..5].iter().map(|node| node.0).collect::<Vec<_>>(),
            [0, 0, 1, 1, 0]
        );
        let tree = Machine::uniform(parse("tree:2x2").unwrap(), 1);
        assert!(FoldedGrid::new(&tree, 2).is_none());
    }
}
