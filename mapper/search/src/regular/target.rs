//! The machine as a grid of slots: boxes of nodes, with the cores of a node as one more dimension.

use super::maps::{IndexMap, for_each_cell};
use rankfold_base::NodeId;
use rankfold_machine::{Machine, Topology};
use rankfold_problem::heuristic::NotApplicable;

/// The kind of one dimension of the machine, which decides what a step along it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisKind {
    /// A torus dimension of the given size.
    Ring(usize),
    /// A mesh dimension.
    Path,
    /// One level of a hierarchy: every move between two children of a switch takes this many hops.
    Level(u32),
    /// The cores of a node: moves are free.
    Cores,
}

impl AxisKind {
    /// Hops between two coordinates that differ by `apart`.
    pub(super) fn hops(self, apart: usize) -> usize {
        match self {
            Self::Ring(k) => apart.min(k - apart),
            Self::Path => apart,
            Self::Level(hops) if apart > 0 => hops as usize,
            Self::Level(_) | Self::Cores => 0,
        }
    }
}

/// A box of nodes at the origin of the machine, with the cores used per node as its last dimension.
#[derive(Clone, Debug)]
pub(super) struct SlotBox {
    /// Size of the box in every dimension, the cores last.
    pub(super) sizes: Vec<usize>,
    /// Kind of every dimension.
    pub(super) axes: Vec<AxisKind>,
    /// Factor by which a later map lengthens the steps along each dimension.
    pub(super) stretch: Vec<f64>,
}

impl SlotBox {
    /// Number of slots in the box.
    pub(super) fn slots(&self) -> usize {
        self.sizes.iter().product()
    }
}

/// The dimensions of a machine, from which boxes are cut.
pub(super) struct MachineGeometry {
    /// Sizes of the whole machine, without the cores.
    pub(super) sizes: Vec<usize>,
    axes: Vec<AxisKind>,
    cores: usize,
}

impl MachineGeometry {
    /// # Errors
    /// [`NotApplicable`] if the network has neither dimensions nor levels, or if nodes differ in
    /// slots.
    pub(super) fn of(machine: &Machine) -> Result<Self, NotApplicable> {
        let (sizes, axes) = shape(machine.topology())
            .ok_or_else(|| NotApplicable("the machine is neither a grid nor a hierarchy".into()))?;
        let slots = machine.slots();
        let cores = slots.capacity(NodeId(0));
        if (0..slots.nodes()).any(|n| slots.capacity(NodeId::at(n)) != cores) {
            return Err(NotApplicable(
                "it needs the same number of slots on every node of the machine".into(),
            ));
        }
        Ok(Self {
            sizes,
            axes,
            cores: cores as usize,
        })
    }

    /// Every box with exactly `ranks` slots.
    pub(super) fn boxes(&self, ranks: usize) -> Vec<SlotBox> {
        let mut limits = self.sizes.clone();
        limits.push(self.cores);
        products(ranks, &limits)
            .into_iter()
            .map(|sizes| self.target(sizes))
            .collect()
    }

    /// The `most` most compact boxes with at least `ranks` slots. Boxes with exactly `ranks` slots
    /// come first.
    ///
    /// No box with spare slots can be made smaller: with one core less on every node, or with one
    /// layer of nodes less in any dimension, it would have too few slots.
    pub(super) fn compact_boxes(&self, ranks: usize, most: usize) -> Vec<SlotBox> {
        let mut found: Vec<(bool, usize, Vec<usize>)> = Vec::new();
        for_each_cell(&self.sizes, |at| {
            let nodes: usize = at.iter().map(|c| c + 1).product();
            let cores = ranks.div_ceil(nodes);
            let slots = nodes * cores;
            if cores > self.cores || (cores > 1 && slots >= 2 * ranks) {
                return;
            }
            // Shortening any dimension leaves too few slots.
            let tight = at.iter().all(|c| slots / (c + 1) * c < ranks);
            if tight && slots / cores * (cores - 1) < ranks {
                let mut sizes: Vec<usize> = at.iter().map(|c| c + 1).collect();
                let extent = sizes.iter().sum();
                sizes.push(cores);
                found.push((slots != ranks, extent, sizes));
            }
        });
        found.sort();
        found.truncate(most);
        found
            .into_iter()
            .map(|(_, _, sizes)| self.target(sizes))
            .collect()
    }

    fn target(&self, sizes: Vec<usize>) -> SlotBox {
        let mut axes = self.axes.clone();
        axes.push(AxisKind::Cores);
        SlotBox {
            stretch: vec![1.0; sizes.len()],
            sizes,
            axes,
        }
    }

    /// The node of every source cell of a map into a box; the box's last dimension is the cores.
    pub(super) fn nodes(&self, map: &IndexMap) -> Vec<NodeId> {
        let mut node_of = Vec::with_capacity(map.to().iter().product());
        for_each_cell(map.to(), |at| node_of.push(self.node(at)));
        let image = map.image().iter();
        image.map(|&cell| node_of[cell as usize]).collect()
    }

    /// The node at the given coordinates. A coordinate for the cores is ignored.
    pub(super) fn node(&self, at: &[usize]) -> NodeId {
        NodeId::at(at.iter().zip(&self.sizes).fold(0, |n, (c, k)| n * k + c))
    }
}

/// Sizes and kinds of the dimensions of a network.
fn shape(topology: &dyn Topology) -> Option<(Vec<usize>, Vec<AxisKind>)> {
    if let Some(grid) = topology.structure().grid() {
        let axis = |&k: &usize| {
            if grid.wraps() {
                AxisKind::Ring(k)
            } else {
                AxisKind::Path
            }
        };
        return Some((grid.dims().to_vec(), grid.dims().iter().map(axis).collect()));
    }
    let arities = topology.structure().arities()?;
    let given = topology.rules().distances.as_ref();
    let level = |level: usize| match given {
        Some(distances) => u32::from(distances[level - 1]),
        None => 2 * level as u32,
    };
    let levels = (1..=arities.len()).rev();
    Some((
        arities.to_vec(),
        levels.map(|it| AxisKind::Level(level(it))).collect(),
    ))
}

/// Every way to write `n` as a product with one factor per limit, no factor above its limit, larger
/// factors first.
pub(super) fn products(n: usize, limits: &[usize]) -> Vec<Vec<usize>> {
    let Some((&limit, rest)) = limits.split_first() else {
        return if n == 1 { vec![Vec::new()] } else { Vec::new() };
    };
    let room: usize = rest.iter().fold(1, |room, &l| room.saturating_mul(l));
    (1..=limit.min(n))
        .rev()
        .filter(|f| n.is_multiple_of(*f) && n / f <= room)
        .flat_map(|f| {
            products(n / f, rest)
                .into_iter()
                .map(move |tail| [&[f], &tail[..]].concat())
        })
        .collect()
}
