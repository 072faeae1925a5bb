//! Networks given as a list of links between nodes and switches. Families and importers supply the
//! list; this module computes channels, distances and routes.
//!
//! A route depends on the destination only, as with InfiniBand forwarding tables. If the list comes
//! with forwarding tables, routes follow these. Otherwise routes are shortest paths by d-mod-k
//! (Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
//! trees", Technion CCIT report 776, 2010), generalised to any graph: at vertex u, the k cables
//! that lead one hop closer to node d are ordered by neighbour, then by cable number, and the route
//! takes cable number `d / divisor[u] mod k`. Where nodes have several cables to switches and
//! nobody tells the routes, bytes take all shortest paths evenly.
//!
//! ```text
//!     S0   S1         divisor[A] = 2; at A, node 3 is one hop closer by the cables to S0 and
//!     │ ╲ ╱ │         to S1 (k = 2), so the route takes cable 3 / 2 mod 2 = 1, which is S1
//!     │ ╱ ╲ │
//!     A     B
//!    ╱ ╲   ╱ ╲
//!   0   1 2   3
//! ```
//!
//! Cost: a route takes O(k) for each hop, with k cables at a vertex. Distances are computed when
//! the first one is asked for, see `hops`; how many pairs there are at each needs no distances.

mod cabling;
mod hops;
mod spread;
mod tables;

use super::bisection::{Bisection, MOST_EDGES};
use super::speed::Speed;
use super::{
    DistanceProfile, Distances, PathChoice, Paths, Routing, RoutingRules, Structure, Topology,
    Unit, Wiring,
};
pub(crate) use cabling::Cabling;
pub use cabling::Link;
pub(crate) use hops::check_size;
use hops::{Hops, Towards};
use rankfold_base::{ChannelId, Csr, NodeId};
use std::collections::HashSet;
use std::sync::OnceLock;
pub use tables::Tables;
pub(crate) use tables::{FaultKind, NO_LINK};

/// One direction of a cable.
#[derive(Clone, Copy, Debug)]
struct Channel {
    to: u32,
    speed: Speed,
    /// Number of the link in the list.
    link: u32,
}

/// A network of nodes, switches and cables, with tables of its channels and distances.
#[derive(Debug)]
pub(crate) struct Fabric {
    cabling: Cabling,
    /// The channels that leave every vertex, ordered by the vertex they lead to, then by cable
    /// number.
    channels: Csr<Channel>,
    hops: Hops,
    profile: OnceLock<DistanceProfile>,
    rules: RoutingRules,
    /// The end of the spec, if the rules were not part of what the cabling was made from.
    suffix: String,
    /// Whether some node has several cables to switches, over which its bytes spread: each of its
    /// ranks sends by the adapter that is near to it.
    has_rails: bool,
}

impl Fabric {
    /// Compiles a cabling.
    ///
    /// # Errors
    /// A message for a cabling that [`Cabling::check`] refuses, or that is too large.
    pub(crate) fn new(cabling: Cabling) -> Result<Self, String> {
        cabling.check()?;
        let channels = channels(&cabling);
        let hops = Hops::new(&channels, cabling.nodes)?;
        Ok(Self {
            profile: OnceLock::new(),
            has_rails: cabling.tables.is_none()
                && (0..cabling.nodes).any(|node| has_rails(channels.row(node), cabling.nodes)),
            hops,
            channels,
            cabling,
            rules: RoutingRules::default(),
            suffix: String::new(),
        })
    }

    /// Sets rules that what the spec names already says.
    ///
    /// # Errors
    /// A message for a rule that does not fit.
    pub(crate) fn set_own_rules(&mut self, rules: RoutingRules) -> Result<(), String> {
        rules.check_switched()?;
        rules.check_without_levels()?;
        if rules.paths == Some(Paths::Spread) && self.cabling.tables.is_some() {
            return Err("routes=spread: the forwarding tables give each pair one path".into());
        }
        self.rules = rules;
        Ok(())
    }

    fn profile(&self) -> &DistanceProfile {
        self.profile
            .get_or_init(|| self.hops.profile(self.cabling.views))
    }

    fn leaving(&self, vertex: u32) -> &[Channel] {
        self.channels.row(vertex as usize)
    }

    /// The channel by which a message for node `d` leaves vertex `u` by the forwarding tables.
    fn channel_by_tables(&self, tables: &Tables, u: usize, d: usize) -> usize {
        let leaving = self.leaving(u as u32);
        let position = match u.checked_sub(self.cabling.nodes) {
            // A host sends by its first link to every destination.
            None => (0..leaving.len()).min_by_key(|&i| leaving[i].link),
            Some(switch) => {
                let link = tables.link(switch, d);
                leaving.iter().position(|c| c.link == link)
            }
        };
        self.channels.range(u).start + position.expect("checked tables deliver")
    }

    /// The channel by which a message for the node of `towards` leaves vertex `u` by d-mod-k.
    fn channel_by_divisor(&self, towards: &Towards<'_>, u: usize) -> usize {
        let closer = towards.from(u).map(|hops| hops - 1);
        // Parallel cables follow each other.
        let candidates = || {
            let mut left = self.channels.range(u);
            let bundles = std::iter::from_fn(move || {
                let channels = &self.channels.entries()[left.clone()];
                let to = channels.first()?.to;
                let is_alone = channels.get(1).is_none_or(|next| next.to != to);
                let cables = if is_alone {
                    1
                } else {
                    channels.partition_point(|channel| channel.to == to)
                };
                let bundle = (to, left.start, cables);
                left.start += cables;
                Some(bundle)
            });
            let closer = bundles.filter(move |bundle| towards.from(bundle.0 as usize) == closer);
            closer.map(|(_, number, cables)| (number, cables))
        };
        // The pick depends on the number of candidates, so all candidates are counted first. The
        // count notes the first few of them. If the pick is among these, no link is searched twice.
        let (mut first, mut count) = ([(0, 0); 4], 0);
        for (place, bundle) in candidates().enumerate() {
            if let Some(noted) = first.get_mut(place) {
                *noted = bundle;
            }
            count += bundle.1;
        }
        let pick = towards.node / self.cabling.divisors[u] as usize % count;
        let beyond = || cable(candidates(), pick).expect("the pick is below the count");
        cable(first.into_iter(), pick).unwrap_or_else(beyond)
    }
}

/// The channel of the cable at `place`, counted through all bundles of parallel cables. A bundle is
/// its first channel and its number of cables.
fn cable(bundles: impl Iterator<Item = (usize, usize)>, mut place: usize) -> Option<usize> {
    for (number, cables) in bundles {
        if place < cables {
            return Some(number + place);
        }
        place -= cables;
    }
    None
}

/// Whether the channels of a node are several and lead to switches.
fn has_rails(leaving: &[Channel], nodes: usize) -> bool {
    leaving.len() > 1 && leaving.iter().all(|channel| channel.to as usize >= nodes)
}

fn channels(cabling: &Cabling) -> Csr<Channel> {
    let one_way = |is_back: bool| {
        (0..).zip(&cabling.links).flat_map(move |(number, link)| {
            let (u, v) = link.ends;
            let (from, to) = if is_back { (v, u) } else { (u, v) };
            let channel = Channel {
                to,
                speed: link.speed,
                link: number,
            };
            std::iter::repeat_n((from as usize, channel), link.cables as usize)
        })
    };
    let all = one_way(false).chain(one_way(true));
    let mut channels = Csr::grouped(cabling.vertices, all);
    // Parallel cables keep the order of the list, first those that are listed from this end.
    channels.sort_rows_by_key(|channel| channel.to);
    channels
}

impl Topology for Fabric {
    fn spec(&self) -> String {
        self.cabling.spec.clone() + &self.suffix
    }

    fn nodes(&self) -> usize {
        self.cabling.nodes
    }

    fn structure(&self) -> Structure<'_> {
        match &self.cabling.arities {
            Some(arities) => Structure::Groups(arities),
            None => Structure::Unknown,
        }
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.hops
            .between(from.index(), to.index())
            .expect("every host reaches every other")
    }

    fn distances(&self) -> Distances {
        self.hops.distances()
    }

    fn distance_profile(&self) -> DistanceProfile {
        self.profile().clone()
    }

    fn diameter(&self) -> u32 {
        self.profile().pairs.len() as u32 - 1
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let mut level = vec![node.0];
        let mut seen = HashSet::from([node.0]);
        while !level.is_empty() {
            let next: Vec<u32> = level
                .iter()
                .flat_map(|&v| self.leaving(v))
                .map(|channel| channel.to)
                .filter(|&v| seen.insert(v))
                .collect();
            let nodes = next.iter().filter(|&&v| (v as usize) < self.nodes());
            let mut nodes: Vec<NodeId> = nodes.copied().map(NodeId).collect();
            if !nodes.is_empty() {
                nodes.sort_unstable();
                return nodes;
            }
            level = next;
        }
        Vec::new()
    }

    fn channels(&self) -> usize {
        self.channels.entries().len()
    }

    fn unit(&self) -> Unit {
        self.cabling.unit
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.channels.entries()[channel.index()].speed.bandwidth
    }

    fn latency(&self, channel: ChannelId) -> f64 {
        self.channels.entries()[channel.index()].speed.latency
    }

    fn routing(&self) -> Routing {
        match self.path_choice() {
            PathChoice::Several => Routing::Spread,
            _ => Routing::Static,
        }
    }

    fn rules(&self) -> &RoutingRules {
        &self.rules
    }

    fn set_rules(&mut self, rules: RoutingRules) -> Result<(), String> {
        self.suffix = rules.to_string();
        self.set_own_rules(rules)
    }

    fn path_choice(&self) -> PathChoice {
        match self.rules.paths {
            Some(Paths::Spread) => PathChoice::Several,
            None if self.has_rails => PathChoice::Several,
            _ => PathChoice::Fixed,
        }
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        let (mut u, d) = (from.index(), to.index());
        let towards = self.hops.towards(d);
        while u != d {
            let taken = match &self.cabling.tables {
                Some(tables) => self.channel_by_tables(tables, u, d),
                None => self.channel_by_divisor(&towards, u),
            };
            visit(ChannelId::at(taken));
            u = self.channels.entries()[taken].to as usize;
        }
    }

    fn route_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        match self.path_choice() {
            PathChoice::Several => self.all_paths(from.index(), to.index(), visit),
            _ => self.route(from, to, &mut |channel| visit(channel, 1.0)),
        }
    }

    fn bisection(&self) -> Bisection {
        let edges = |row: &[Channel]| row.chunk_by(|a, b| a.to == b.to).count();
        if self.channels.iter().map(edges).sum::<usize>() > MOST_EDGES {
            return Bisection::Unknown;
        }
        Bisection::of_first_half(self.nodes(), &self.wiring())
    }

    fn ends(&self) -> Vec<Option<(u32, u32)>> {
        let channels = self.channels.indexed();
        channels
            .map(|(from, c)| Some((from as u32, c.to)))
            .collect()
    }

    fn wiring(&self) -> Wiring {
        let channels = self.channels.indexed();
        let cables = channels.map(|(from, c)| (from as u32, c.to, c.speed.bandwidth));
        Wiring::new(self.cabling.vertices, cables)
    }
}
