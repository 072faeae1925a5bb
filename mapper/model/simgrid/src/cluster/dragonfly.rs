//! Clusters with `topology="DRAGONFLY"`: `topo_parameters` are groups, chassis of a group, routers
//! of a chassis, each with a number of cables, and hosts of a router.
//!
//! Green links join all routers of a chassis, black links the routers of the same number in all
//! chassis of a group, and one blue link joins each pair of groups: it is at the router of the
//! group's first chassis whose number is that of the other group. Parallel cables are one link with
//! the sum of their bandwidths.
//!
//! Messages take green, then black, then the blue link to their group, and there green, then black
//! links. After a green link near the destination SimGrid 3.32 takes itself to be in the first
//! chassis, which it may not be: between chassis of one group the links on a route need not touch.

use super::super::platform::LocalRoute;
use super::super::platform::zone::LocalRoutes;
use super::super::platform::{Cable, Platform, PointId, ZoneId};
use super::Cluster;
use rankfold_importers::Result;
use rankfold_machine::Link;
use rankfold_machine::Tables;
use rankfold_machine::{Description, Unit};
use std::collections::{BTreeMap, HashMap};

/// Limit on the entries of all forwarding tables together: 256 MiB.
const MOST_ENTRIES: usize = 1 << 26;

#[derive(Debug)]
struct Dragonfly {
    groups: usize,
    chassis: usize,
    blades: usize,
    hosts: usize,
    first: PointId,
    /// The cable of every host; upwards is away from the host.
    local: Vec<Cable>,
    /// Cables between two routers; upwards is from the lower to the higher number.
    links: BTreeMap<(usize, usize), Cable>,
    /// The limiter of the first host, and of the first router.
    limiters: Option<[u32; 2]>,
    plain: bool,
}

/// A router by its group, its chassis and its number there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Router {
    group: usize,
    chassis: usize,
    blade: usize,
}

pub(super) fn add(
    cluster: &Cluster<'_>,
    platform: &mut Platform<'_>,
    zone: ZoneId,
) -> Result<Box<dyn LocalRoutes>> {
    let meaning = "groups, chassis, routers and hosts such as 4,1;1,1;8,1;2";
    let parts = cluster.parameters(4, meaning)?;
    let (&[groups, blue], &[chassis, black], &[blades, green], &[hosts]) =
        (&parts[0][..], &parts[1][..], &parts[2][..], &parts[3][..])
    else {
        let problem = format!("topo_parameters must be {meaning}");
        return Err(cluster.element.bad(problem));
    };
    if groups > blades {
        return Err(cluster.element.bad(format!(
            "topo_parameters: {groups} groups for {blades} routers a chassis: SimGrid's dragonflies need a router a chassis for each group"
        )));
    }
    let routers = cluster.product(&[groups, chassis, blades])?;
    cluster.product(&[routers, chassis, blades])?;
    let all = cluster.product(&[routers, hosts])?;
    let first = cluster.add_hosts(platform, zone, all)?;
    let mut dragonfly = Dragonfly {
        groups,
        chassis,
        blades,
        hosts,
        first,
        local: Vec::new(),
        links: BTreeMap::new(),
        limiters: None,
        plain: cluster.has_plain_links() && chassis == 1,
    };
    let of_hosts = cluster.add_limiters(platform, all);
    let of_routers = cluster.add_limiters(platform, routers);
    dragonfly.limiters = of_hosts.zip(of_routers).map(<[u32; 2]>::from);
    for host in 0..all {
        let name = format!("{}_local_{host}", cluster.name);
        dragonfly.local.push(cluster.cable(platform, &name, 1));
    }
    for (color, cables, pairs) in [
        ("green", green, dragonfly.green()),
        ("black", black, dragonfly.black()),
        ("blue", blue, dragonfly.blue()),
    ] {
        for (a, b) in pairs {
            let name = format!("{}_{color}_{a}_{b}", cluster.name);
            let cable = cluster.cable(platform, &name, cables as u32);
            dragonfly.links.insert((a, b), cable);
        }
    }
    Ok(Box::new(dragonfly))
}

impl Dragonfly {
    fn number(&self, router: Router) -> usize {
        (router.group * self.chassis + router.chassis) * self.blades + router.blade
    }

    fn router(&self, number: usize) -> Router {
        Router {
            group: number / self.blades / self.chassis,
            chassis: number / self.blades % self.chassis,
            blade: number % self.blades,
        }
    }

    fn routers(&self) -> usize {
        self.groups * self.chassis * self.blades
    }

    /// All pairs of routers of one chassis, the lower number first.
    fn green(&self) -> Vec<(usize, usize)> {
        let pairs = |end: usize| move |a: usize| (a + 1..end).map(move |b| (a, b));
        let ends = (self.blades..=self.routers()).step_by(self.blades);
        ends.flat_map(|end| (end - self.blades..end).flat_map(pairs(end)))
            .collect()
    }

    /// All pairs of routers of the same number in two chassis of a group.
    fn black(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for a in 0..self.routers() {
            let here = self.router(a);
            let others = here.chassis + 1..self.chassis;
            pairs.extend(others.map(|chassis| (a, self.number(Router { chassis, ..here }))));
        }
        pairs
    }

    /// The routers at the two ends of the link of each pair of groups.
    fn blue(&self) -> Vec<(usize, usize)> {
        let gate = |group, blade| {
            self.number(Router {
                group,
                chassis: 0,
                blade,
            })
        };
        let pairs = (0..self.groups).flat_map(|a| (a + 1..self.groups).map(move |b| (a, b)));
        pairs.map(|(a, b)| (gate(a, b), gate(b, a))).collect()
    }

    fn channel(&self, from: Router, to: Router) -> u32 {
        let (from, to) = (self.number(from), self.number(to));
        match self.links.get(&(from.min(to), from.max(to))) {
            Some(cable) if from < to => cable.up,
            Some(cable) => cable.down,
            None => unreachable!("routers {from} and {to} are neighbours"),
        }
    }

    /// The routers on the way, each with the one that the message goes to next.
    fn steps(&self, from: Router, to: Router) -> Vec<(Router, Router)> {
        let (mut steps, mut at) = (Vec::new(), from);
        let mut step = |at: &mut Router, next: Router| {
            if *at != next {
                steps.push((*at, next));
                *at = next;
            }
        };
        if at.group != to.group {
            let blade = to.group;
            step(&mut at, Router { blade, ..from });
            step(
                &mut at,
                Router {
                    blade,
                    chassis: 0,
                    ..from
                },
            );
            let arrival = Router {
                group: to.group,
                chassis: 0,
                blade: from.group,
            };
            step(&mut at, arrival);
        }
        if at.blade != to.blade {
            let blade = to.blade;
            let next = Router { blade, ..at };
            step(&mut at, next);
            // See the head of this file.
            at.chassis = 0;
        }
        step(&mut at, to);
        steps
    }

    /// The router that a message for a host goes to next from another router, in a dragonfly of
    /// one chassis a group.
    fn towards(&self, here: Router, there: Router) -> Option<Router> {
        self.steps(here, there).first().map(|step| step.1)
    }
}

impl LocalRoutes for Dragonfly {
    fn route(
        &self,
        _: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let (from, to) = (ends.0.0 - self.first.0, ends.1.0 - self.first.0);
        let of_host = |host: usize| self.limiters.map(|[first, _]| first + host as u32);
        let of_router = |router: Router| {
            let first = self.limiters.map(|[_, first]| first);
            first.map(|first| first + self.number(router) as u32)
        };
        let (start, end) = (self.router(from / self.hosts), self.router(to / self.hosts));
        let mut channels = Vec::new();
        channels.extend(of_host(from));
        channels.push(self.local[from].up);
        for (here, next) in self.steps(start, end) {
            let channel = Some(self.channel(here, next));
            // The limiter before a blue link counts behind it.
            let pair = if here.group == next.group {
                [of_router(here), channel]
            } else {
                [channel, of_router(here)]
            };
            channels.extend(pair.into_iter().flatten());
        }
        channels.extend(of_router(end));
        channels.push(self.local[to].down);
        channels.extend(of_host(to));
        Ok(Some(LocalRoute {
            channels,
            gateways: None,
        }))
    }

    /// Routers and links with forwarding tables. Not for several chassis, whose routes no table
    /// gives.
    fn network(&self, platform: &Platform<'_>) -> Option<Description> {
        let hosts = self.local.len();
        if !self.plain || hosts * self.routers() > MOST_ENTRIES {
            return None;
        }
        let link = |ends: (usize, usize), cable: &Cable| {
            Link::single(
                (ends.0 as u32, ends.1 as u32),
                platform.channels[cable.up as usize].speed,
            )
        };
        let local = (0..).zip(&self.local);
        let local = local.map(|(host, cable)| link((host, hosts + host / self.hosts), cable));
        let between = self.links.iter();
        let between = between.map(|(&(a, b), cable)| link((hosts + a, hosts + b), cable));
        let links: Vec<Link> = local.chain(between).collect();
        let numbers: HashMap<(usize, usize), usize> =
            self.links.keys().copied().zip(hosts..).collect();
        let place = |(a, b): (usize, usize)| numbers[&(a.min(b), a.max(b))];
        let mut tables = Tables::new(self.routers(), hosts);
        for here in 0..self.routers() {
            let towards = |there: usize| {
                let next = self.towards(self.router(here), self.router(there));
                next.map(|next| place((here, self.number(next))) as u32)
            };
            let links: Vec<Option<u32>> = (0..self.routers()).map(towards).collect();
            for host in 0..hosts {
                let own = host as u32;
                tables.set(here, host, links[host / self.hosts].unwrap_or(own));
            }
        }
        let names = (0..self.routers()).map(|number| {
            let Router { group, blade, .. } = self.router(number);
            format!("router{group}.{blade}")
        });
        let names = names.collect();
        let mut description = Description::switched(Vec::new(), names, links, Unit::Seconds);
        description.tables = Some(tables);
        Some(description)
    }
}
