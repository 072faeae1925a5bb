//! Torus and mesh of any number of dimensions: `torus:8x8x16[@speed,..]`, `mesh:16x16[@speed,..]`,
//! `hypercube:N[@speed,..]`. Speeds are given for the links along each dimension, or one with a
//! unit for all links. Without speeds, all links have bandwidth 1 and no latency.
//!
//! Routes take one dimension after the other, the first dimension first unless the rules give
//! another order, each the shorter way round. Which way half-way ties go is a rule of the machine,
//! too: see [`Ties`]. Where it is unknown, [`route`](Topology::route) goes upwards.
//!
//! A dimension of size 2 of a torus has one cable between its two nodes, a dimension of size 1
//! none.

mod bisection;
mod legs;
mod loads;
mod spread;

use super::bisection::MOST_EDGES;
use super::grammar::{Family, sizes_and_speeds};
use super::speed::{Speed, Speeds};
use super::topology::{HEDGE, shared_one_by_one};
use super::{
    Bisection, DistanceProfile, Distances, Flows, Grid, PathChoice, Paths, Routing, RoutingRules,
    Structure, Ties, Topology, Unit, Wiring,
};
use loads::Counted;
use rankfold_base::{ChannelId, NodeId};
use rayon::prelude::*;

/// The `torus` family.
pub(super) const TORUS: Family = Family {
    name: "torus",
    grammar: "torus:AxBx..[@speed,..] (of each dimension)",
    build: |text| Ok(GridNetwork::parse(text, true)?.into()),
};

/// The `mesh` family.
pub(super) const MESH: Family = Family {
    name: "mesh",
    grammar: "mesh:AxBx..[@speed,..] (of each dimension)",
    build: |text| Ok(GridNetwork::parse(text, false)?.into()),
};

/// The `hypercube` family: the torus of N dimensions of size 2. The last dimension is the lowest
/// bit of the node index.
pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    grammar: "hypercube:N[@speed,..] (2^N nodes; of each dimension)",
    build: |text| {
        let (dims, speeds) = Speeds::split(text)?;
        match dims.parse() {
            Ok(dims @ 1..=24) => {
                let network = GridNetwork::new(Grid::new(vec![2; dims], true));
                Ok(network.with_speeds(speeds)?.into())
            }
            _ => Err(format!(
                "{dims:?} is not a number of dimensions from 1 to 24"
            )),
        }
    },
};

/// The network of a torus or mesh: its [`Grid`] with the speeds of its links.
#[derive(Clone, Debug)]
pub struct GridNetwork {
    grid: Grid,
    /// Speeds of the links along each dimension. A dimension of size 1 has no link, and the speed
    /// of another dimension, so that figures over all links do not depend on the speed of none.
    speeds: Speeds,
    /// The speeds as the spec gives them.
    given_speeds: Option<Speeds>,
    rules: RoutingRules,
}

impl GridNetwork {
    /// The network in which all links have bandwidth 1.
    #[must_use]
    pub fn new(grid: Grid) -> Self {
        Self {
            speeds: Speeds::relative(&vec![1.0; grid.dims().len()]),
            given_speeds: None,
            rules: RoutingRules::default(),
            grid,
        }
    }

    fn parse(text: &str, wraps: bool) -> Result<Self, String> {
        let (dims, speeds) = sizes_and_speeds(text)?;
        Self::new(Grid::new(dims, wraps)).with_speeds(speeds)
    }

    fn is_spread(&self) -> bool {
        self.rules.paths == Some(Paths::Spread)
    }

    fn with_speeds(mut self, speeds: Option<Speeds>) -> Result<Self, String> {
        if let Some(speeds) = speeds {
            let given = speeds.of_sizes(self.grid.dims().len())?;
            self.speeds = given.clone();
            let linked = self.grid.dims().iter().position(|&size| size > 1);
            for (speed, &size) in self.speeds.of.iter_mut().zip(self.grid.dims()) {
                if let (1, Some(linked)) = (size, linked) {
                    *speed = given.of[linked];
                }
            }
            self.given_speeds = Some(given);
        }
        Ok(self)
    }
}

impl Topology for GridNetwork {
    fn spec(&self) -> String {
        let dims: Vec<String> = self.grid.dims().iter().map(ToString::to_string).collect();
        let mut spec = format!(
            "{}:{}",
            if self.grid.wraps() { "torus" } else { "mesh" },
            dims.join("x")
        );
        if let Some(speeds) = &self.given_speeds {
            spec += &format!("@{speeds}");
        }
        spec + &self.rules.to_string()
    }

    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Grid(&self.grid)
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.grid.hops(from, to)
    }

    fn distances(&self) -> Distances {
        Distances::grid(self.grid.dims(), self.grid.wraps())
    }

    fn distance_profile(&self) -> DistanceProfile {
        DistanceProfile::grid(self.grid.dims(), self.grid.wraps())
    }

    fn diameter(&self) -> u32 {
        self.grid.diameter()
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        self.grid.nearest(node)
    }

    fn channels(&self) -> usize {
        self.grid.channels()
    }

    fn unit(&self) -> Unit {
        self.speeds.unit
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.speeds.of[channel.index() / self.nodes() / 2].bandwidth
    }

    fn latency(&self, channel: ChannelId) -> f64 {
        self.speeds.of[channel.index() / self.nodes() / 2].latency
    }

    fn path_latency(&self, from: NodeId, to: NodeId) -> f64 {
        let (mut a, mut b, mut sum) = (from.index(), to.index(), 0.0);
        let wraps = self.grid.wraps();
        for (&k, speed) in self.grid.dims().iter().zip(&self.speeds.of).rev() {
            let apart = (a % k).abs_diff(b % k);
            let hops = if wraps { apart.min(k - apart) } else { apart };
            sum += hops as f64 * speed.latency;
            a /= k;
            b /= k;
        }
        sum
    }

    /// All links along one dimension are alike. Channels without a cable, as at the ends of a mesh,
    /// are left out.
    fn link_speeds(&self) -> Vec<(Speed, usize)> {
        let dims = (0..self.grid.dims().len()).filter(|&dim| self.grid.links(dim) > 0);
        let of = |dim| {
            let channel = self.grid.channel(dim, true, NodeId(0));
            let speed = Speed {
                bandwidth: self.bandwidth(channel),
                latency: self.latency(channel),
            };
            (speed, 2 * self.grid.links(dim))
        };
        dims.map(of).collect()
    }

    fn routing(&self) -> Routing {
        if self.is_spread() {
            Routing::Spread
        } else {
            Routing::Dor
        }
    }

    fn rules(&self) -> &RoutingRules {
        &self.rules
    }

    fn set_rules(&mut self, rules: RoutingRules) -> Result<(), String> {
        let spread = rules.paths == Some(Paths::Spread);
        match rules.ties {
            Some(_) if !self.grid.wraps() => return Err("ties: a mesh has no half-way ties".into()),
            Some(ties) if spread && ties != Ties::Any => {
                return Err(format!("ties={ties}: with routes=spread ties go both ways"));
            }
            _ => {}
        }
        if spread && rules.order.is_some() {
            return Err("order: with routes=spread dimensions are routed in all orders".into());
        }
        rules.check_order(self.grid.dims().len())?;
        rules.check_without_levels()?;
        self.rules = rules;
        Ok(())
    }

    fn path_choice(&self) -> PathChoice {
        match (self.is_spread(), self.rules.ties) {
            (true, _) => PathChoice::Several,
            _ if !self.grid.has_ties() => PathChoice::Fixed,
            (_, None | Some(Ties::Any)) => PathChoice::Unknown,
            (_, Some(Ties::Split)) => PathChoice::Several,
            (_, Some(Ties::Plus | Ties::Minus | Ties::Source)) => PathChoice::Fixed,
        }
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        self.along(from, to, &mut |leg| {
            if leg.is_first {
                leg.each_channel(&self.grid, visit);
            }
        });
    }

    fn route_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        if self.is_spread() {
            return self.all_paths(from, to, visit);
        }
        self.along(from, to, &mut |leg| {
            leg.each_channel(&self.grid, &mut |channel| visit(channel, leg.share));
        });
    }

    fn hedged_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        if self.path_choice() != PathChoice::Unknown {
            return self.route_shares(from, to, visit);
        }
        self.along(from, to, &mut |leg| {
            let share = if leg.is_one_of_two() { HEDGE } else { 1.0 };
            leg.each_channel(&self.grid, &mut |channel| visit(channel, share));
        });
    }

    fn loads(&self, flows: &dyn Flows) -> Vec<u64> {
        loads::loads(self, flows, Counted::Bytes)
    }

    fn shared_loads(&self, flows: &dyn Flows) -> Vec<f64> {
        if self.is_spread() {
            return shared_one_by_one(self, flows);
        }
        let halves = loads::loads(self, flows, Counted::Halves);
        halves
            .into_par_iter()
            .map(|half| half as f64 / 2.0)
            .collect()
    }

    fn hedged_loads(&self, flows: &dyn Flows, loads: &[f64]) -> Vec<f64> {
        if self.path_choice() != PathChoice::Unknown {
            return loads.to_vec();
        }
        let ties = loads::loads(self, flows, Counted::TiesBothWays);
        let nodes = self.nodes();
        let hedged = |(channel, (load, ties)): (usize, (&f64, u64))| {
            let is_upwards = (channel / nodes).is_multiple_of(2);
            let counted = if is_upwards {
                *load - ties as f64
            } else {
                *load
            };
            counted + HEDGE * ties as f64
        };
        let both = loads.par_iter().zip(ties).enumerate();
        both.map(hedged).collect()
    }

    fn leaving(&self) -> Vec<f64> {
        // In the order of the wiring: ascending by the node that a channel leads to.
        let of_node = |node: usize| {
            let mut near = self.grid.neighbours(NodeId::at(node));
            near.sort_by_key(|&(_, to)| to);
            near.iter()
                .map(|&(dim, _)| self.speeds.of[dim].bandwidth)
                .sum()
        };
        (0..self.nodes()).into_par_iter().map(of_node).collect()
    }

    fn ends(&self) -> Vec<Option<(u32, u32)>> {
        let mut ends = vec![None; self.channels()];
        for node in (0..self.nodes()).map(NodeId::at) {
            for (channel, to) in self.grid.leaving(node) {
                ends[channel.index()] = Some((node.0, to.0));
            }
        }
        ends
    }

    fn wiring(&self) -> Wiring {
        let cables = (0..self.nodes()).map(NodeId::at).flat_map(|node| {
            let near = self.grid.neighbours(node).into_iter();
            near.map(move |(dim, to)| (node.0, to.0, self.speeds.of[dim].bandwidth))
        });
        Wiring::new(self.nodes(), cables)
    }

    fn bisection(&self) -> Bisection {
        match self.halves() {
            Some(bandwidth) => Bisection::Exactly(bandwidth),
            // The wiring of a large grid takes long to make.
            None if self.nodes() > MOST_EDGES => Bisection::Unknown,
            None => Bisection::of_first_half(self.nodes(), &self.wiring()),
        }
    }
}

#[cfg(test)]
mod tests;
