//! Whether two networks can be one.

use crate::placement::canonical;
use rankfold_model::ids::NodeId;
use rankfold_model::machine::Hardware;
use std::collections::HashMap;

/// Hosts that are looked at, spread over all.
const SAMPLE: usize = 48;

/// Three hosts that show that two networks are not one: by one the first is nearer to the second
/// than to the third, by the other the other way round.
pub(super) fn difference(one: &Hardware, other: &Hardware, hosts: &[String]) -> Option<String> {
    let step = hosts.len().div_ceil(SAMPLE).max(1);
    let hosts: Vec<&String> = hosts.iter().step_by(step).collect();
    let (one, other) = (hops(one, &hosts)?, hops(other, &hosts)?);
    let near = |a: usize, b: usize, c: usize| one[a][b] < one[a][c] && other[a][b] > other[a][c];
    for a in 0..hosts.len() {
        for b in 0..hosts.len() {
            let found = (0..hosts.len()).find(|&c| a != b && a != c && near(a, b, c));
            if let Some(c) = found {
                let [a, b, c] = [a, b, c].map(|host| hosts[host]);
                return Some(format!("is {a} nearer to {b} or to {c}?"));
            }
        }
    }
    None
}

/// Links between all pairs of hosts.
fn hops(hardware: &Hardware, hosts: &[&String]) -> Option<Vec<Vec<u32>>> {
    let names = hardware.names.iter().flatten().zip(0..);
    let number: HashMap<String, u32> = names.map(|(name, node)| (canonical(name), node)).collect();
    let nodes: Option<Vec<NodeId>> = hosts
        .iter()
        .map(|host| number.get(&canonical(host)).copied().map(NodeId))
        .collect();
    let nodes = nodes?;
    let row = |a: &NodeId| {
        nodes
            .iter()
            .map(|b| hardware.topology.hops(*a, *b))
            .collect()
    };
    Some(nodes.iter().map(row).collect())
}
