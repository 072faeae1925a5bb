//! Writes the machine file of a measured network.

use crate::centre::{median, pairs};
use crate::tree::{self, TreeFit};
use crate::{Certainty, Latencies, NetworkStructure, Reconstruction, grid};
use rankfold_machine::{
    BySize, Description, Link, SizeRow, Speed, Timing, Unit, bandwidth_in_words,
};

/// Everything that was measured of a network.
#[derive(Debug)]
pub struct MeasuredNetwork<'a> {
    /// Names of the hosts, in the order of the measurements.
    pub hosts: &'a [String],
    /// The structure that was reconstructed from the latencies.
    pub reconstruction: &'a Reconstruction,
    /// Shortest latencies, in seconds.
    pub latencies: &'a Latencies,
    /// Number of passes over all pairs of hosts.
    pub passes: usize,
    /// Bytes per second of one stream that shares no link; `None` if bandwidths were not measured.
    pub single: Option<f64>,
    /// Bytes per second of the links of each dimension of a grid, or of each level of a tree, from
    /// the links of the hosts up to the links of the root. A link without an entry is as fast as a
    /// single stream.
    pub links: &'a [f64],
    /// Message sizes in bytes, rising, each with the seconds of half a round trip between hosts
    /// close to each other.
    pub by_size: &'a [(u64, f64)],
}

/// The text of the machine file. Its first lines are comments that say how the network was
/// measured and how certain its structure is.
#[must_use]
pub fn machine_file(measured: &MeasuredNetwork) -> String {
    let description = match &measured.reconstruction.structure {
        NetworkStructure::Grid {
            sizes,
            wraps,
            nodes,
        } => measured.grid(sizes, *wraps, nodes),
        NetworkStructure::Tree { levels } => measured.tree(levels),
        NetworkStructure::Flat => measured.tree(&[]),
    };
    measured.head() + &description.to_string()
}

/// The two parts of a latency.
struct LatencyParts {
    /// Seconds of each link on the way.
    link: f64,
    /// Seconds that each of the two ranks is busy with the message.
    overhead: f64,
}

impl MeasuredNetwork<'_> {
    /// The comments at the top of the file.
    fn head(&self) -> String {
        let Reconstruction {
            certainty,
            q,
            ceiling,
            ..
        } = self.reconstruction;
        let what = match certainty {
            Certainty::Sure => "the structure explains what it was not fitted to",
            Certainty::CoarseLevelsOnly => {
                "the groups that both halves of the measurements agree on; hosts within a group are not distinguished"
            }
            Certainty::HostsOnly => {
                "no structure was found: only hosts, all equally far from each other"
            }
        };
        let mut head = format!(
            "# Measured, not read from the fabric, in {} passes over all pairs of {} hosts: {what}.\n\
             # q = {q:.2} (from 0.95 on sure, below 0.75 hosts only), \
             agreement of both halves {ceiling:.2}.\n",
            self.passes,
            self.hosts.len(),
        );
        if let Some(single) = self.single {
            let single = bandwidth_in_words(rounded(single));
            head += &format!("# One stream alone: {single}.\n");
        }
        if *certainty != Certainty::Sure {
            head += "# Whoever may read the fabric knows more: rankfold machine import.\n";
        }
        head
    }

    /// A torus or mesh with a host on every node.
    fn grid(&self, sizes: &[usize], wraps: bool, nodes: &[usize]) -> Description {
        let kind = if wraps { "torus" } else { "mesh" };
        let words: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let mut network = format!("{kind}:{}", words.join("x"));
        let points = grid::Sizes {
            of: sizes.to_vec(),
            wraps,
        };
        let hops = points.distances();
        let of_host =
            Latencies::from_fn(nodes.len(), nodes.len(), |i, j| hops[(nodes[i], nodes[j])]);
        let times = self.times_by_hops(&of_host);
        if self.single.is_some() {
            let speeds = (0..sizes.len()).map(|dimension| self.speed(dimension, times.link));
            let speeds: Vec<String> = speeds.map(|speed| speed.in_words(Unit::Seconds)).collect();
            network += &format!("@{}", speeds.join(","));
        }
        let mut hosts = vec![String::new(); nodes.len()];
        for (name, &node) in self.hosts.iter().zip(nodes) {
            hosts[node].clone_from(name);
        }
        Description::on_network(network, hosts).with_timing(self.timing(times.overhead))
    }

    /// Hosts below a tree of switches. Without levels, all hosts are below one switch.
    fn tree(&self, levels: &[Vec<usize>]) -> Description {
        let fit = TreeFit {
            levels: levels.to_vec(),
        };
        let times = self.times_by_level(&fit.medians(self.latencies));
        let n = self.hosts.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&host| levels.iter().map(|groups| groups[host]).collect::<Vec<_>>());
        let hosts = order.iter().map(|&host| self.hosts[host].clone()).collect();
        let height = levels.len();
        let mut switches = vec!["root".to_owned()];
        let mut first = vec![0];
        for (level, groups) in levels.iter().enumerate() {
            first.push(switches.len());
            let names = (0..tree::count(groups)).map(|group| match height - level {
                1 => format!("leaf{group}"),
                up => format!("level{up}-{group}"),
            });
            switches.extend(names);
        }
        let switch = |level: usize, host: usize| {
            let group = level.checked_sub(1).map_or(0, |above| levels[above][host]);
            u32::try_from(n + first[level] + group).unwrap_or(u32::MAX)
        };
        let link = |ends, kind| Link {
            ends,
            speed: self.speed(kind, times.link),
            cables: 1,
        };
        let mut links: Vec<Link> = (0..)
            .zip(&order)
            .map(|(place, &host)| link((place, switch(height, host)), 0))
            .collect();
        for level in (1..=height).rev() {
            for group in 0..tree::count(&levels[level - 1]) {
                let member = levels[level - 1].iter().position(|&of| of == group);
                let member = member.unwrap_or_default();
                let ends = (switch(level, member), switch(level - 1, member));
                links.push(link(ends, height - level + 1));
            }
        }
        Description::switched(hosts, switches, links, self.unit())
            .with_timing(self.timing(times.overhead))
    }

    fn unit(&self) -> Unit {
        match self.single {
            Some(_) => Unit::Seconds,
            None => Unit::BytesOverOneLink,
        }
    }

    /// The speed of the links of one dimension or level.
    fn speed(&self, kind: usize, latency: f64) -> Speed {
        match (self.single, self.links.get(kind)) {
            (None, _) => Speed::ONE,
            (Some(bandwidth), None) | (Some(_), Some(&bandwidth)) => Speed {
                bandwidth: rounded(bandwidth),
                latency: rounded(latency),
            },
        }
    }

    /// Fits latency = 2 * overhead + link * hops to all pairs of hosts by least squares.
    fn times_by_hops(&self, hops: &Latencies) -> LatencyParts {
        let count = pairs(hops).count().max(1) as f64;
        let mean_hops = pairs(hops).sum::<f64>() / count;
        let mean = pairs(self.latencies).sum::<f64>() / count;
        let (mut both, mut squares) = (0.0, 0.0);
        for (hops, latency) in pairs(hops).zip(pairs(self.latencies)) {
            both += (hops - mean_hops) * (latency - mean);
            squares += (hops - mean_hops).powi(2);
        }
        let link = if squares > 0.0 {
            (both / squares).max(0.0)
        } else {
            0.0
        };
        let overhead = (mean - link * mean_hops).max(0.0) / 2.0;
        LatencyParts { link, overhead }
    }

    /// Splits the median latencies of the levels, the outermost first. All links get one latency: a
    /// level adds two links, so it is half the mean difference between neighbouring levels. The
    /// rest of the innermost latency is the overhead of the two ranks.
    fn times_by_level(&self, medians: &[f64]) -> LatencyParts {
        let (outermost, innermost) = match medians {
            [first, .., last] => (*first, *last),
            [only] => (*only, *only),
            [] => (0.0, 0.0),
        };
        let steps = medians.len().saturating_sub(1).max(1) as f64;
        let link = ((outermost - innermost) / (2.0 * steps)).clamp(0.0, innermost / 2.0);
        let overhead = (innermost - 2.0 * link) / 2.0;
        LatencyParts { link, overhead }
    }

    fn timing(&self, overhead: f64) -> Timing {
        let Some(single) = self.single else {
            return Timing::default();
        };
        Timing {
            overhead: rounded(overhead),
            by_size: BySize::new(self.shares(single)).unwrap_or_default(),
            ..Timing::default()
        }
    }

    /// The share of the single stream's bandwidth that messages of each size reach.
    fn shares(&self, single: f64) -> Vec<SizeRow> {
        let Some(&(_, shortest)) = self.by_size.first() else {
            return Vec::new();
        };
        let row = |&(bytes, time): &(u64, f64)| {
            let share = bytes as f64 / (time - shortest) / single;
            (time > shortest).then(|| SizeRow {
                bytes,
                bandwidth: rounded(share.clamp(1e-3, 1.0)),
                latency: 1.0,
            })
        };
        self.by_size[1..].iter().filter_map(row).collect()
    }

    /// A summary in one line for the terminal: hosts, structure, q and median latency.
    #[must_use]
    pub fn summary(&self) -> String {
        let structure = match &self.reconstruction.structure {
            NetworkStructure::Grid { sizes, wraps, .. } => {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                let kind = if *wraps { "torus" } else { "mesh" };
                format!("{kind} of {}", sizes.join("x"))
            }
            NetworkStructure::Tree { levels } => {
                let counts: Vec<String> = levels
                    .iter()
                    .map(|groups| format!("{} groups", tree::count(groups)))
                    .collect();
                format!("tree of {}", counts.join(" and "))
            }
            NetworkStructure::Flat => "hosts only".into(),
        };
        let latency = median(pairs(self.latencies).collect());
        format!(
            "{} hosts, {structure}, q {:.2}, median latency {:.1} us",
            self.hosts.len(),
            self.reconstruction.q,
            1e6 * latency
        )
    }
}

/// Rounds to three significant figures; measurements are no more precise than that.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::measure;
    use rankfold_base::NodeId;
    use rankfold_machine::{Machine, load};

    /// Simulates a network, writes its machine file and reads the file again. Hosts are named after
    /// their true nodes.
    fn read_back(nodes: usize, links: impl Fn(usize, usize) -> f64, speeds: &[f64]) -> Machine {
        let seen = measure(nodes, links, 0.01, 1);
        let reconstruction = crate::decide(&seen.odd, &seen.even, 1);
        let latencies = seen.odd.zip_map(&seen.even, f64::min) * 1e-6;
        let hosts: Vec<String> = seen.nodes.iter().map(|node| format!("n{node}")).collect();
        let text = machine_file(&MeasuredNetwork {
            hosts: &hosts,
            reconstruction: &reconstruction,
            latencies: &latencies,
            passes: 8,
            single: Some(1e9),
            links: speeds,
            by_size: &[(1, 1e-6), (1 << 10, 3e-6), (1 << 20, 2e-3)],
        });
        assert!(text.contains("Measured, not read from the fabric, in 8 passes"));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        Machine::new(
            load(&file.path().display().to_string()).expect(&text),
            1,
            None,
        )
        .unwrap()
    }

    /// The node of the machine file on which the host of a true node is.
    fn node_of(machine: &Machine, node: usize) -> NodeId {
        let names = machine.hosts().unwrap();
        let name = format!("n{node}");
        NodeId::at(names.iter().position(|known| *known == name).unwrap())
    }

    #[test]
    fn a_torus_is_written_with_hosts_where_they_are_and_the_speed_of_every_dimension() {
        let ring = |a: usize, b: usize| a.abs_diff(b).min(4 - a.abs_diff(b));
        let links = |a: usize, b: usize| (ring(a / 4, b / 4) + ring(a % 4, b % 4)) as f64;
        let machine = read_back(16, links, &[1e9, 1e9]);
        assert!(machine.topology().spec().starts_with("torus:4x4@1GB/s+"));
        for a in 0..16 {
            for b in 0..16 {
                let hops = machine
                    .topology()
                    .hops(node_of(&machine, a), node_of(&machine, b));
                assert_eq!(f64::from(hops), links(a, b), "{a} {b}");
            }
        }
        assert_eq!(machine.timing().by_size.rows().len(), 2);
        assert!(machine.timing().overhead > 3e-7, "{:?}", machine.timing());
    }

    #[test]
    fn a_tree_is_written_with_its_leaves_and_the_speed_of_every_level() {
        let links = |a: usize, b: usize| {
            if a == b {
                0.0
            } else if a / 4 == b / 4 {
                2.0
            } else {
                4.0
            }
        };
        let machine = read_back(16, links, &[1e9, 2e9]);
        let topology = machine.topology();
        for (a, b) in [(0, 1), (0, 5), (9, 11), (3, 12)] {
            let (from, to) = (node_of(&machine, a), node_of(&machine, b));
            let mut speeds = Vec::new();
            topology.route(from, to, &mut |channel| {
                speeds.push(topology.bandwidth(channel));
            });
            let expected = match links(a, b) {
                2.0 => vec![1e9, 1e9],
                _ => vec![1e9, 2e9, 2e9, 1e9],
            };
            assert_eq!(speeds, expected, "{a} {b}");
        }
    }

    #[test]
    fn where_nothing_is_told_apart_hosts_hang_off_one_switch() {
        let links = |a: usize, b: usize| if a == b { 0.0 } else { 2.0 };
        let machine = read_back(12, links, &[]);
        let profile = machine.topology().distance_profile();
        assert_eq!(profile.pairs, [0, 0, 132]);
    }
}
