//! Compares the answers of two sources: whether they may describe the same network.

use rankfold_base::NodeId;
use rankfold_launch::placement::canonical;
use rankfold_machine::Hardware;
use std::collections::HashMap;

/// Most hosts that are compared, spread evenly over all hosts. The comparison takes the cube of
/// this number. Chosen by hand; not measured.
const SAMPLE: usize = 48;

/// Three hosts that show that two networks differ: in one network the first host is nearer to the
/// second than to the third, in the other network it is nearer to the third. The result is a text
/// for the user; `None` where no such hosts are found.
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

/// Whether a network has some pairs of these hosts nearer to each other than others. Of two hosts
/// there is one pair, and any network that has both counts.
pub(super) fn tells_hosts_apart(network: &Hardware, hosts: &[String]) -> bool {
    let step = hosts.len().div_ceil(SAMPLE).max(1);
    let hosts: Vec<&String> = hosts.iter().step_by(step).collect();
    let Some(hops) = hops(network, &hosts) else {
        return false;
    };
    let pairs = (0..hosts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let mut far: Vec<u32> = pairs.map(|(a, b)| hops[a][b]).collect();
    far.sort_unstable();
    far.dedup();
    far.len() > 1 || hosts.len() <= 2
}

/// The numbers of links between all pairs of hosts.
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
