//! Times on trees whose switches may have several cables up, of which nobody knows the number.
//!
//! With static routes all bytes for one host take one cable of a switch: of `k` cables number
//! `d mod k` for host d, upwards and downwards (d-mod-k). A switch has any number of cables from
//! one to as many as hosts are below it. The cables together are as wide as the link up of the
//! switch, but no cable is slower than those of the hosts: where so many would be, each is as fast
//! as a host's, and together they are wider than the link.
//!
//! ```text
//! bytes of a leaf switch for hosts  4: 5   5: 1   7: 2
//! cables   1: 8     2: 5 (host 4), 3 (5, 7)     3: 7 (4, 7), 1 (5)     4: 5, 1, 2
//! ```
//!
//! Levels are looked at one by one, while the links of all others are wide: a placement that is no
//! slower for any number of cables of one level is so for any numbers of several levels.

use super::{NodeFlows, TimeModel};
use rankfold_base::{NodeId, Placement};
use rankfold_machine::{Flow, HostsBelow};
use rayon::prelude::*;
use std::collections::BTreeMap;

impl TimeModel<'_> {
    /// The time of the busiest cable, link or rank, with latencies: an entry for each number of
    /// cables of the switches of each level. Cost: O(flows x hosts below a switch).
    #[must_use]
    pub fn times_by_cables(&self, placement: &Placement, levels: &[Vec<HostsBelow>]) -> Vec<f64> {
        let of_phases = self.phases.iter();
        let of_phases = of_phases.map(|phase| phase.times_by_cables(placement, levels));
        let add =
            |all: Vec<f64>, phase: Vec<f64>| all.iter().zip(phase).map(|(a, b)| a + b).collect();
        if let Some(sums) = of_phases.reduce(add) {
            return sums;
        }
        let time = self.time(placement);
        let least = time.busiest_link.max(time.overhead);
        let nodes = placement.nodes(self.machine.slots());
        let flows = NodeFlows::new(&self.graph, &nodes).all();
        let cables = levels.iter().flat_map(|level| busiest(level, &flows));
        cables
            .map(|cable| least.max(cable) + time.latency)
            .collect()
    }
}

/// Bytes through the link of a switch one way, by the host that receives them.
struct Received {
    bytes: Vec<(usize, u64)>,
    /// Bandwidth of the link.
    up: f64,
    /// Bandwidth of the slowest cable of the hosts below.
    host: f64,
    /// Most cables that the link may be.
    most: usize,
}

impl Received {
    /// The time of the busiest of so many cables.
    fn busiest(&self, cables: usize) -> f64 {
        let cables = cables.min(self.most);
        let mut through = vec![0; cables];
        for &(host, bytes) in &self.bytes {
            through[host % cables] += bytes;
        }
        let most = through.into_iter().max().unwrap_or(0);
        most as f64 / (self.up / cables as f64).max(self.host)
    }
}

/// Times of the busiest cable between a level and the next: entry k has the time where every
/// switch of the level has k + 1 cables up.
fn busiest(level: &[HostsBelow], flows: &[Flow]) -> Vec<f64> {
    let has_link = |switch: &&HostsBelow| switch.up > 0.0;
    let switches: Vec<&HostsBelow> = level.iter().filter(has_link).collect();
    let below = |(number, switch): (usize, &&HostsBelow)| {
        let hosts: Vec<(NodeId, usize)> = switch.hosts.iter().map(|&host| (host, number)).collect();
        hosts
    };
    let switch_of: BTreeMap<NodeId, usize> = switches.iter().enumerate().flat_map(below).collect();
    let mut through: BTreeMap<(usize, bool, usize), u64> = BTreeMap::new();
    for flow in flows {
        let [from, to] = [flow.from, flow.to].map(|host| switch_of.get(&host).copied());
        for (switch, is_up) in [(from, true), (to, false)] {
            if let Some(switch) = switch.filter(|_| from != to) {
                *through.entry((switch, is_up, flow.to.index())).or_default() += flow.bytes;
            }
        }
    }
    let mut links: BTreeMap<(usize, bool), Received> = BTreeMap::new();
    for ((switch, is_up, host), bytes) in through {
        let link = links.entry((switch, is_up)).or_insert_with(|| Received {
            bytes: Vec::new(),
            up: switches[switch].up,
            host: switches[switch].host,
            most: switches[switch].hosts.len(),
        });
        link.bytes.push((host, bytes));
    }
    let most = switches.iter().map(|switch| switch.hosts.len()).max();
    let of_number = |cables| {
        links
            .values()
            .map(|link| link.busiest(cables))
            .fold(0.0, f64::max)
    };
    (1..=most.unwrap_or(0))
        .into_par_iter()
        .map(of_number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_any_number_of_cables_the_busiest_is_known() {
        let switch = |first: u32, up, host| HostsBelow {
            switch: String::new(),
            hosts: (first..first + 4).map(NodeId).collect(),
            up,
            host,
        };
        let flow = |from, to, bytes| Flow {
            from: NodeId(from),
            to: NodeId(to),
            bytes,
        };
        let flows = [flow(0, 4, 5), flow(1, 5, 1), flow(2, 7, 2), flow(0, 1, 9)];
        let times = |up, host| busiest(&[switch(0, 1.0, host), switch(4, up, host)], &flows);
        assert_eq!(times(1.0, 0.125), [8.0, 10.0, 21.0, 20.0]);
        assert_eq!(times(0.5, 0.125), [16.0, 20.0, 42.0, 40.0]);
        // Three and four cables of a host's speed are wider than the link.
        assert_eq!(times(1.0, 0.5), [8.0, 10.0, 14.0, 10.0]);
        assert!(
            busiest(&[switch(0, 0.0, 1.0)], &flows).is_empty(),
            "no link up"
        );
    }
}
