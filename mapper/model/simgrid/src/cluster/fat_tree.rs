//! Clusters with `topology="FAT_TREE"`: `topo_parameters` are the number of levels, and for each
//! level from the hosts up the children of a switch, the parents of a child, and the cables between
//! both.
//!
//! A vertex has a digit for each level: below its own level the number of a parent, from its own
//! level on the number of a child. It is joined to the vertices one level up that differ from it in
//! the digit of its own level only. Messages go up by d-mod-k over all cables to parents, until the
//! destination is below, and down again; the source decides which of parallel cables they take
//! down.

use super::super::platform::LocalRoute;
use super::super::platform::zone::LocalRoutes;
use super::super::platform::{Cable, Platform, PointId, ZoneId};
use super::Cluster;
use rankfold_importers::Result;
use rankfold_machine::{Description, Speed, Unit};

#[derive(Debug)]
struct FatTree {
    levels: Vec<Level>,
    first: PointId,
    /// The position of the first host, as far as SimGrid has counted.
    position: usize,
    /// For every vertex below the top, its cables to parents: parallel cables are `parents` apart.
    cables: Vec<Vec<Vec<Cable>>>,
    /// The limiters of the first vertex of each level.
    limiters: Option<Vec<u32>>,
    plain: Option<Speed>,
}

/// What joins a level with the next one up.
#[derive(Clone, Copy, Debug)]
struct Level {
    children: usize,
    parents: usize,
    cables: usize,
}

/// A host (level 0) or switch.
#[derive(Clone, Debug, PartialEq)]
struct Vertex {
    level: usize,
    digits: Vec<usize>,
}

pub(super) fn add(
    cluster: &Cluster<'_>,
    platform: &mut Platform<'_>,
    zone: ZoneId,
) -> Result<Box<dyn LocalRoutes>> {
    let meaning = "the number of levels and three lists such as 2;4,4;1,2;1,2";
    let parts = cluster.parameters(4, meaning)?;
    let count = parts[0][0];
    if parts[0].len() != 1 || parts[1..].iter().any(|list| list.len() != count) {
        return Err(cluster.element.bad(format!(
            "topo_parameters: each of the three lists must have a number for each of {count} levels"
        )));
    }
    let levels: Vec<Level> = (0..count)
        .map(|level| Level {
            children: parts[1][level],
            parents: parts[2][level],
            cables: parts[3][level],
        })
        .collect();
    let hosts = cluster.product(&parts[1])?;
    let mut tree = FatTree {
        first: cluster.add_hosts(platform, zone, hosts)?,
        position: platform.hosts_of_fat_trees,
        cables: Vec::new(),
        limiters: None,
        plain: cluster.has_plain_links().then_some(cluster.speed),
        levels,
    };
    platform.hosts_of_fat_trees += hosts;
    for level in 0..=count {
        let vertices = cluster.product(&tree.sizes(level))?;
        if let Some(first) = cluster.add_limiters(platform, vertices) {
            tree.limiters.get_or_insert_default().push(first);
        }
        let Some(&Level {
            parents, cables, ..
        }) = tree.levels.get(level)
        else {
            break;
        };
        cluster.product(&[vertices, parents, cables])?;
        let name = |vertex, port| format!("{}_link_{level}_{vertex}_{port}", cluster.name);
        let mut of_vertex = |vertex| {
            let ports = 0..parents * cables;
            ports
                .map(|port| cluster.cable(platform, &name(vertex, port), 1))
                .collect()
        };
        tree.cables
            .push((0..vertices).map(&mut of_vertex).collect());
    }
    Ok(Box::new(tree))
}

impl FatTree {
    /// The number of values of each digit of the vertices of a level; the first digit varies
    /// fastest.
    fn sizes(&self, level: usize) -> Vec<usize> {
        let all = self.levels.iter().enumerate();
        all.map(|(at, here)| {
            if at < level {
                here.parents
            } else {
                here.children
            }
        })
        .collect()
    }

    fn host(&self, number: usize) -> Vertex {
        let mut rest = number;
        let digits = self.levels.iter().map(|level| {
            let digit = rest % level.children;
            rest /= level.children;
            digit
        });
        Vertex {
            level: 0,
            digits: digits.collect(),
        }
    }

    /// The number of a vertex within its level.
    fn number(&self, vertex: &Vertex) -> usize {
        let digits = self.sizes(vertex.level).into_iter().zip(&vertex.digits);
        let digits: Vec<_> = digits.collect();
        digits
            .iter()
            .rev()
            .fold(0, |number, &(size, &digit)| number * size + digit)
    }

    fn limiter(&self, vertex: &Vertex) -> Option<u32> {
        let limiters = self.limiters.as_ref()?;
        Some(limiters[vertex.level] + self.number(vertex) as u32)
    }

    /// Whether a host is below a switch.
    fn is_above(switch: &Vertex, host: &Vertex) -> bool {
        switch.level > 0 && switch.digits[switch.level..] == host.digits[switch.level..]
    }

    /// Goes up until the destination is below.
    fn climb(&self, at: &mut Vertex, to: &Vertex, position: usize, channels: &mut Vec<u32>) {
        while !Self::is_above(at, to) {
            let level = self.levels[at.level];
            let below = self.levels[..at.level].iter().map(|level| level.parents);
            let port = position / below.product::<usize>() % (level.parents * level.cables);
            channels.extend(self.limiter(at));
            channels.push(self.cables[at.level][self.number(at)][port].up);
            at.digits[at.level] = port % level.parents;
            at.level += 1;
        }
    }

    /// Goes down to the destination. The source's position picks the first port that is looked at;
    /// from there SimGrid goes on through the ports, also through those of the next switch down,
    /// which decides among parallel cables.
    fn descend(&self, at: &mut Vertex, to: &Vertex, position: usize, channels: &mut Vec<u32>) {
        while at.level > 0 {
            let above = self.levels[at.level - 1];
            let mut port = position % above.cables * above.children;
            while at.level > 0 {
                let Level {
                    children,
                    parents,
                    cables,
                } = self.levels[at.level - 1];
                if port >= children * cables {
                    break;
                }
                let child = to.digits[at.level - 1];
                if port % children == child {
                    let mut below = at.clone();
                    below.level -= 1;
                    below.digits[below.level] = child;
                    let cable = at.digits[below.level] + port / children * parents;
                    channels.push(self.cables[below.level][self.number(&below)][cable].down);
                    channels.extend(self.limiter(at));
                    *at = below;
                }
                port += 1;
            }
        }
    }
}

impl LocalRoutes for FatTree {
    fn route(
        &self,
        _: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let number = |point: PointId| point.0 - self.first.0;
        let (from, to) = (number(ends.0), number(ends.1));
        let (mut at, goal) = (self.host(from), self.host(to));
        let mut channels = Vec::new();
        self.climb(&mut at, &goal, self.position + to, &mut channels);
        self.descend(&mut at, &goal, self.position + from, &mut channels);
        channels.extend(self.limiter(&goal));
        Ok(Some(LocalRoute {
            channels,
            gateways: None,
        }))
    }

    fn network(&self, _: &Platform<'_>) -> Option<Description> {
        let single = self.levels.iter().all(|level| level.cables == 1);
        let speed = self.plain.filter(|_| single && self.position == 0)?;
        let listed = |of: fn(&Level) -> usize| {
            let numbers: Vec<String> = self.levels.iter().map(|l| of(l).to_string()).collect();
            numbers.join(",")
        };
        let (children, parents) = (listed(|l| l.children), listed(|l| l.parents));
        let network = format!(
            "xgft:{children}:{parents}@{}",
            speed.in_words(Unit::Seconds)
        );
        Some(Description::on_network(network, Vec::new()))
    }
}
