//! Clusters with `topology="TORUS"`: `topo_parameters` are the sizes of the dimensions.
//!
//! The first dimension varies fastest in the numbers of hosts, and is routed first. Each dimension
//! is routed the shorter way round; half-way ties go as [`Ties::Source`] says.

use super::super::platform::LocalRoute;
use super::super::platform::zone::LocalRoutes;
use super::super::platform::{Cable, Platform, PointId, ZoneId};
use super::Cluster;
use rankfold_importers::Result;
use rankfold_machine::{Description, Speed, Ties, Unit};

#[derive(Debug)]
struct Torus {
    sizes: Vec<usize>,
    first: PointId,
    /// For every host and dimension the cable to the next host, in this order.
    cables: Vec<Cable>,
    /// The limiter of the first host.
    limiter: Option<u32>,
    /// The speed of all links, if messages queue for nothing else.
    plain: Option<Speed>,
}

pub(super) fn add(
    cluster: &Cluster<'_>,
    platform: &mut Platform<'_>,
    zone: ZoneId,
) -> Result<Box<dyn LocalRoutes>> {
    let mut parameters = cluster.parameters(1, "a list of sizes such as 4,4,2")?;
    let sizes = parameters.remove(0);
    let hosts = cluster.product(&sizes)?;
    let first = cluster.add_hosts(platform, zone, hosts)?;
    let limiter = cluster.add_limiters(platform, hosts);
    let mut cables = Vec::with_capacity(hosts * sizes.len());
    for host in 0..hosts {
        let mut stride = 1;
        for &size in &sizes {
            let next = stepped(host, stride, size, true);
            let name = format!("{}_link_from_{host}_to_{next}", cluster.name);
            cables.push(cluster.cable(platform, &name, 1));
            stride *= size;
        }
    }
    Ok(Box::new(Torus {
        sizes,
        first,
        cables,
        limiter,
        plain: cluster.has_plain_links().then_some(cluster.speed),
    }))
}

/// The host one step further along a dimension, which wraps around.
fn stepped(host: usize, stride: usize, size: usize, upwards: bool) -> usize {
    let at = host / stride % size;
    let next = match (upwards, at) {
        (true, at) if at + 1 == size => 0,
        (true, at) => at + 1,
        (false, 0) => size - 1,
        (false, at) => at - 1,
    };
    host + next * stride - at * stride
}

/// Whether messages go upwards between two different coordinates of a ring.
fn upwards(size: usize, from: usize, to: usize) -> bool {
    let ahead = (to + size - from) % size;
    let tie = 2 * ahead == size;
    let by_source = Ties::Source.upwards(from, size);
    match by_source.filter(|_| tie) {
        Some(upwards) => upwards,
        None => 2 * ahead < size,
    }
}

impl LocalRoutes for Torus {
    /// A message passes the limiters of all hosts on its way, both ends included.
    fn route(
        &self,
        _: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let (mut here, there) = (ends.0.0 - self.first.0, ends.1.0 - self.first.0);
        let (mut channels, mut stride) = (Vec::new(), 1);
        let limiter = |host: usize| self.limiter.map(|first| first + host as u32);
        for (dim, &size) in self.sizes.iter().enumerate() {
            let (from, to) = (here / stride % size, there / stride % size);
            let upwards = from != to && upwards(size, from, to);
            while here / stride % size != to {
                let next = stepped(here, stride, size, upwards);
                channels.extend(limiter(here));
                let lower = if upwards { here } else { next };
                let cable = self.cables[lower * self.sizes.len() + dim];
                channels.push(if upwards { cable.up } else { cable.down });
                here = next;
            }
            stride *= size;
        }
        channels.extend(limiter(there));
        Ok(Some(LocalRoute {
            channels,
            gateways: None,
        }))
    }

    /// The torus with its dimensions in reverse order, since the last one varies fastest in a spec.
    fn network(&self, _: &Platform<'_>) -> Option<Description> {
        let listed = |numbers: &[usize], separator| {
            let numbers: Vec<String> = numbers.iter().rev().map(ToString::to_string).collect();
            numbers.join(separator)
        };
        let speed = self.plain?.in_words(Unit::Seconds);
        let order: Vec<usize> = (0..self.sizes.len()).collect();
        let mut rules = Vec::new();
        if self.sizes.iter().any(|&size| size > 2 && size % 2 == 0) {
            rules.push("ties=source".to_owned());
        }
        if order.len() > 1 {
            rules.push(format!("order={}", listed(&order, ",")));
        }
        let suffix = if rules.is_empty() { "" } else { "/" };
        let network = format!(
            "torus:{}@{speed}{suffix}{}",
            listed(&self.sizes, "x"),
            rules.join(",")
        );
        Some(Description::on_network(network, Vec::new()))
    }
}
