//! As far as a link can be busier than the nodes that use it: what the bytes through it cost beside
//! those through the links of the nodes.
//!
//! A link with nothing but a tree behind it gets no more than the nodes there can send, and carries
//! no more than the nodes beyond can take. If it is as wide as the narrower of both, no placement
//! can make it the busiest.
//!
//! ```text
//! leaf of 16 hosts, all in the job, 4 of them elsewhere: 16 can send, 4 can take
//! link up of bandwidth 16 or 4: contention 0     of 2: 1 - 2 / 4     of 1: 1 - 1 / 4
//! ```
//!
//! Where bandwidths are told cable by cable, links that can be the busiest count in full.

use crate::{Machine, PathChoice};
use rankfold_base::NodeId;
use std::collections::HashMap;
use std::sync::Arc;

/// Most channels of a network that is looked at. Chosen by hand.
const MOST_CHANNELS: usize = 1 << 20;

impl Machine {
    /// For every channel of a tree a share from 0, where it can never be the busiest, to 1. The
    /// links of nodes have 1. `None` where all have. Shares between 0 and 1 are only where
    /// capacities are given by ratios, or assumed.
    #[must_use]
    pub fn contention(&self) -> Option<&[f64]> {
        self.contention.get_or_init(|| shares(self)).as_deref()
    }
}

fn shares(machine: &Machine) -> Option<Arc<[f64]>> {
    let topology = machine.topology();
    let has_switches = topology.structure().grid().is_none();
    if topology.lists_paths() || !has_switches || topology.channels() > MOST_CHANNELS {
        return None;
    }
    let in_full = !machine.has_ratios();
    let ends = topology.ends();
    let (wiring, mut cables) = (topology.wiring(), HashMap::new());
    for &ends in ends.iter().flatten() {
        *cables.entry(ends).or_insert(0u32) += 1;
    }
    let splits = topology.path_choice() == PathChoice::Several;
    let nodes = topology.nodes();
    let is_used = |v: usize| v < nodes && machine.slots().capacity(NodeId::at(v)) > 0;
    let out = |v: usize| {
        wiring
            .leaving(v as u32)
            .iter()
            .map(|e| e.bandwidth)
            .sum::<f64>()
    };
    // What the nodes behind each vertex can send. Vertices with one link left are taken off.
    let mut behind: Vec<f64> = (0..wiring.vertices())
        .map(|v| if is_used(v) { out(v) } else { 0.0 })
        .collect();
    let all: f64 = behind.iter().sum();
    let mut degree: Vec<usize> = (0..wiring.vertices())
        .map(|v| wiring.leaving(v as u32).len())
        .collect();
    let mut ready: Vec<usize> = (0..degree.len()).filter(|&v| degree[v] == 1).collect();
    let mut is_off = vec![false; degree.len()];
    let mut of_edge: HashMap<(u32, u32), f64> = HashMap::new();
    while let Some(v) = ready.pop() {
        let edge = wiring
            .leaving(v as u32)
            .iter()
            .find(|edge| !is_off[edge.to as usize]);
        let Some(edge) = edge.filter(|_| degree[v] == 1) else {
            continue;
        };
        let above = edge.to as usize;
        is_off[v] = true;
        degree[above] -= 1;
        if degree[above] == 1 {
            ready.push(above);
        }
        let ends = (v as u32, edge.to);
        if v >= nodes && above >= nodes && (splits || cables.get(&ends) == Some(&1)) {
            let most = behind[v].min(all - behind[v]);
            let share = if most <= edge.bandwidth {
                0.0
            } else if in_full {
                1.0
            } else {
                1.0 - edge.bandwidth / most
            };
            if share < 1.0 {
                of_edge.insert(ends, share);
                of_edge.insert((ends.1, ends.0), share);
            }
        }
        // Narrow links in a row are as busy as each other.
        behind[above] += behind[v];
    }
    if of_edge.is_empty() {
        return None;
    }
    let share =
        |ends: &Option<(u32, u32)>| ends.and_then(|it| of_edge.get(&it).copied()).unwrap_or(1.0);
    Some(ends.iter().map(share).collect())
}

#[cfg(test)]
mod tests {
    use crate::{Description, Machine};

    /// Two leaf switches of four hosts, each with this link up.
    fn tree(up: &str) -> Description {
        let hosts: Vec<String> = (0..8).map(|host| format!("n{host}")).collect();
        let mut text = format!("hosts = {hosts:?}\nswitches = ['a', 'b', 'top']\nlinks = [\n");
        for (at, host) in hosts.iter().enumerate() {
            let leaf = if at < 4 { "a" } else { "b" };
            text += &format!("['{host}', '{leaf}'],\n");
        }
        text += &format!("['a', 'top'{up}], ['b', 'top'{up}]]\n");
        Description::parse(&text).unwrap()
    }

    /// The least share where these hosts may be used.
    fn least_of(tree: &Description, slots: &[u32]) -> Option<f64> {
        let machine = Machine::new(tree.build("t").unwrap(), 1, None).unwrap();
        let machine = machine.with_slots(slots);
        Some(machine.contention()?.iter().copied().fold(1.0, f64::min))
    }

    fn least(ratio: &str, slots: &[u32]) -> Option<f64> {
        let tree = tree("").oversubscribed(ratio.parse().unwrap()).unwrap();
        least_of(&tree, slots)
    }

    #[test]
    fn listed_links_count_in_full_unless_they_are_never_the_busiest() {
        let listed = |up, slots: &[u32]| least_of(&tree(up), slots);
        assert_eq!(listed(", 4.0", &[1; 8]), Some(0.0));
        assert_eq!(listed(", 2.0", &[1; 8]), None);
        assert_eq!(listed(", 2.0", &[1, 1, 0, 0, 1, 1, 1, 1]), Some(0.0));
    }

    #[test]
    fn wide_links_cannot_be_the_busiest() {
        assert_eq!(least("unknown", &[1; 8]), Some(0.0));
        assert_eq!(least("2:1", &[1; 8]), Some(0.5));
        assert_eq!(least("4:1", &[2; 8]), Some(0.75));
        // Four hosts can send up, but only two are elsewhere.
        assert_eq!(least("2:1", &[1, 1, 1, 1, 1, 0, 0, 1]), Some(0.0));
    }
}
