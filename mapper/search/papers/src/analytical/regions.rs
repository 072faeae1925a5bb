//! Division of the machine into one region for every component of the communication graph.

use rankfold_base::NodeId;
use rankfold_machine::Grid;
use std::cmp::Reverse;

/// Divides `places`, a list that names each node once for every process it takes, among components
/// of the given sizes. The places of a component keep their order.
///
/// The machine is cut across its longest side, with half of the processes on either side, until
/// every part holds one component. The regions are therefore compact.
pub(super) fn regions(grid: &Grid, places: Vec<NodeId>, sizes: &[usize]) -> Vec<Vec<NodeId>> {
    let places = places.into_iter().enumerate();
    let places = places.map(|(order, node)| ProcessPlace {
        order,
        node,
        at: grid.coordinates(node),
    });
    let mut largest_first: Vec<usize> = (0..sizes.len()).collect();
    largest_first.sort_by_key(|&component| Reverse(sizes[component]));
    let mut regions = vec![Vec::new(); sizes.len()];
    let mut open = vec![(largest_first, places.collect::<Vec<ProcessPlace>>())];
    while let Some((mut components, mut places)) = open.pop() {
        if let [component] = components[..] {
            places.sort_unstable_by_key(|place| place.order);
            regions[component] = places.into_iter().map(|place| place.node).collect();
            continue;
        }
        let first = half(&components, sizes);
        let room = components[..first].iter().map(|&c| sizes[c]).sum();
        let across = longest_side(&places, grid.dims().len());
        places.sort_by(|a, b| (a.at[across], &a.at, a.order).cmp(&(b.at[across], &b.at, b.order)));
        let rest = places.split_off(room);
        open.push((components.split_off(first), rest));
        open.push((components, places));
    }
    regions
}

/// The place of one process on a node.
struct ProcessPlace {
    order: usize,
    node: NodeId,
    at: Vec<usize>,
}

/// The number of first components that hold about half of all processes: at least one, not all.
fn half(components: &[usize], sizes: &[usize]) -> usize {
    let all: usize = components.iter().map(|&c| sizes[c]).sum();
    let mut held = 0;
    let fits = components.iter().take_while(|&&c| {
        held += sizes[c];
        2 * held <= all
    });
    fits.count().clamp(1, components.len() - 1)
}

/// The dimension in which the places lie farthest apart; the first one of equals.
fn longest_side(places: &[ProcessPlace], dims: usize) -> usize {
    let extent = |dim: usize| {
        let along = places.iter().map(|place| place.at[dim]);
        along.clone().max().unwrap_or(0) - along.min().unwrap_or(0)
    };
    (0..dims)
        .min_by_key(|&dim| Reverse(extent(dim)))
        .unwrap_or(0)
}
