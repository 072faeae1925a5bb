//! A network with too many links to draw, folded into a smaller one.

use rankfold_base::{NodeId, Placement};
use rankfold_machine::{Grid, Machine, Structure, parse};

/// The longest blocks of nodes that a grid, or the nodes of one switch, are folded by: enough for a
/// line of millions of nodes.
const MOST_FOLDED: usize = 4096;

/// A machine whose nodes stand for blocks of nodes of a larger one.
pub(super) struct FoldedMachine {
    /// The smaller machine. A node has room for all ranks of its block.
    pub(super) machine: Machine,
    /// The most nodes of a block.
    pub(super) nodes_each: usize,
    /// What the parts of the drawing stand for, as one sentence without a full stop.
    pub(super) meaning: String,
    blocks: Blocks,
}

/// How nodes belong to blocks.
enum Blocks {
    /// Boxes of a grid.
    Boxes {
        sides: Vec<usize>,
        whole: Grid,
        small: Grid,
    },
    /// Ranges of nodes of a tree, in order.
    Ranges {
        /// Nodes of the subtree that a range belongs to.
        subtree: usize,
        /// Nodes of a range. The last range of a subtree may be shorter.
        each: usize,
    },
}

/// The smaller machines that can stand for this one, the largest first; none for other networks
/// than grids and trees.
pub(super) fn foldings(machine: &Machine) -> Box<dyn Iterator<Item = FoldedMachine> + '_> {
    match machine.topology().structure() {
        Structure::Grid(grid) => {
            let sides = 2..=MOST_FOLDED;
            Box::new(sides.map_while(|each| folded_grid(machine, grid, each)))
        }
        Structure::Tree(arities) => {
            let kept = (1..=arities.len()).rev();
            let levels = kept.filter_map(|kept| folded_tree(machine, &arities[..kept], 1));
            let parts = 2..=MOST_FOLDED.min(arities[0]);
            let parts = parts.filter_map(|each| folded_tree(machine, &arities[..1], each));
            Box::new(levels.chain(parts))
        }
        Structure::Groups(_) | Structure::Unknown => Box::new(std::iter::empty()),
    }
}

/// A grid folded so that blocks are up to `each` nodes long in every dimension.
fn folded_grid(machine: &Machine, whole: &Grid, each: usize) -> Option<FoldedMachine> {
    let sides: Vec<usize> = whole.dims().iter().map(|&size| each.min(size)).collect();
    let sizes = whole.dims().iter().zip(&sides);
    let dims: Vec<usize> = sizes.map(|(size, each)| size.div_ceil(*each)).collect();
    let kind = if whole.wraps() { "torus" } else { "mesh" };
    let spec = format!("{kind}:{}", joined(&dims, "x"));
    let meaning = format!(
        "a block stands for up to {} nodes, a line for the links between two blocks",
        joined(&sides, "×")
    );
    let nodes_each = sides.iter().product();
    let blocks = Blocks::Boxes {
        sides,
        whole: whole.clone(),
        small: Grid::new(dims, whole.wraps()),
    };
    folded(machine, &spec, nodes_each, meaning, blocks)
}

/// A tree of which the levels `kept` are drawn, from the root down, with blocks of `each` vertices
/// of the lowest of these levels.
fn folded_tree(machine: &Machine, kept: &[usize], each: usize) -> Option<FoldedMachine> {
    let below = machine.topology().nodes() / kept.iter().product::<usize>().max(1);
    let (&lowest, above) = kept.split_last()?;
    let arities = [above, &[lowest.div_ceil(each)]].concat();
    let spec = format!("tree:{}", joined(&arities, "x"));
    let nodes_each = below * each;
    let switches = "a switch stands for all switches above the same nodes";
    let meaning = match nodes_each {
        1 => switches.to_owned(),
        _ => format!("a block stands for up to {nodes_each} nodes, {switches}"),
    };
    let blocks = Blocks::Ranges {
        subtree: below * lowest,
        each: nodes_each,
    };
    folded(machine, &spec, nodes_each, meaning, blocks)
}

fn folded(
    machine: &Machine,
    spec: &str,
    nodes_each: usize,
    meaning: String,
    blocks: Blocks,
) -> Option<FoldedMachine> {
    let slots = machine.slots();
    let most = (0..slots.nodes()).map(|node| slots.capacity(NodeId::at(node)));
    let room = most.max().unwrap_or(1) * u32::try_from(nodes_each).ok()?;
    Some(FoldedMachine {
        machine: Machine::uniform(parse(spec).ok()?, room),
        nodes_each,
        meaning,
        blocks,
    })
}

fn joined(numbers: &[usize], between: &str) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(between)
}

impl FoldedMachine {
    /// The placement with every rank on the node that stands for its node's block.
    pub(super) fn placement(&self, placement: &Placement, machine: &Machine) -> Option<Placement> {
        let nodes = placement.nodes(machine.slots());
        let nodes: Vec<NodeId> = nodes.iter().map(|&node| self.node_of(node)).collect();
        Placement::from_nodes(&nodes, self.machine.slots())
    }

    /// The node of the smaller machine that stands for the block of `node`.
    fn node_of(&self, node: NodeId) -> NodeId {
        match &self.blocks {
            Blocks::Boxes {
                sides,
                whole,
                small,
            } => {
                let coordinates = whole.coordinates(node);
                let places = coordinates.iter().zip(sides);
                let places: Vec<usize> = places.map(|(at, each)| at / each).collect();
                small.node_at(&places)
            }
            Blocks::Ranges { subtree, each } => {
                let (before, within) = (node.index() / subtree, node.index() % subtree);
                NodeId::at(before * subtree.div_ceil(*each) + within / each)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(spec: &str) -> Machine {
        Machine::uniform(parse(spec).unwrap(), 1)
    }

    #[test]
    fn blocks_of_nodes_become_nodes() {
        let machine = machine("torus:5x4");
        let folded = foldings(&machine).next().unwrap();
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
    }

    #[test]
    fn trees_lose_parallel_switches_then_levels_then_nodes_of_a_level() {
        let machine = machine("xgft:4,3,5:1,2,2");
        let folded: Vec<FoldedMachine> = foldings(&machine).take(5).collect();
        let specs: Vec<String> = folded.iter().map(|f| f.machine.topology().spec()).collect();
        assert_eq!(
            specs,
            ["tree:5x3x4", "tree:5x3", "tree:5", "tree:3", "tree:2"]
        );
        let each: Vec<usize> = folded.iter().map(|f| f.nodes_each).collect();
        assert_eq!(each, [1, 4, 12, 24, 36]);
        for (folded, node) in folded.iter().zip([59, 14, 4, 2, 1]) {
            assert_eq!(folded.node_of(NodeId(59)), NodeId(node));
        }
        assert!(folded[0].meaning.starts_with("a switch stands for all"));
        assert!(
            folded[1]
                .meaning
                .starts_with("a block stands for up to 4 nodes")
        );
    }

    #[test]
    fn other_networks_are_not_folded() {
        assert!(foldings(&machine("dragonfly:1,4,2,5")).next().is_none());
    }
}
