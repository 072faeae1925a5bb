//! Zones with `routing="Dijkstra"` or `"DijkstraCache"`: shortest ways over the listed routes, in
//! number of links, by Dijkstra's algorithm.
//!
//! Between equally short ways the order of the search decides. It is that of SimGrid: points are
//! numbered as the listed routes first name them, the nearest point with the lowest number goes
//! first, and a way is replaced by shorter ones only.

use super::super::LocalRoute;
use super::super::{Platform, PointId};
use super::{Declared, LocalRoutes};
use rankfold_importers::Result;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The listed routes, and the shortest ways from every point asked for.
#[derive(Debug)]
pub(crate) struct Dijkstra {
    /// The number of every point that a listed route names.
    numbers: HashMap<PointId, usize>,
    /// The listed routes that leave each point, by the number of the point that they lead to.
    leaving: Vec<Vec<(usize, Declared)>>,
    /// The shortest ways from every point, once asked for.
    ways_from: Vec<OnceCell<Ways>>,
}

/// The listed route by which each point is reached, as the number of the point that the route
/// leaves and its place in the list there; `None` for points without a way.
type Ways = Vec<Option<(usize, usize)>>;

impl Dijkstra {
    pub(crate) fn new(declared: Vec<Declared>) -> Self {
        let mut numbers = HashMap::new();
        let mut leaving: Vec<Vec<(usize, Declared)>> = Vec::new();
        for route in declared {
            let mut number = |point| {
                let next = numbers.len();
                *numbers.entry(point).or_insert(next)
            };
            let (from, to) = (number(route.ends.0), number(route.ends.1));
            leaving.resize_with(numbers.len(), Vec::new);
            leaving[from].push((to, route));
        }
        Self {
            ways_from: numbers.iter().map(|_| OnceCell::new()).collect(),
            numbers,
            leaving,
        }
    }

    fn search(&self, from: usize) -> Ways {
        let mut cost = vec![usize::MAX; self.leaving.len()];
        let mut reached_by = vec![None; self.leaving.len()];
        cost[from] = 0;
        let mut queue = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((so_far, here))) = queue.pop() {
            if so_far > cost[here] {
                continue;
            }
            for (place, (to, route)) in self.leaving[here].iter().enumerate() {
                let then = so_far + route.channels.len();
                if then < cost[*to] {
                    cost[*to] = then;
                    reached_by[*to] = Some((here, place));
                    queue.push(Reverse((then, *to)));
                }
            }
        }
        reached_by
    }
}

impl LocalRoutes for Dijkstra {
    fn route(
        &self,
        platform: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let numbers = (self.numbers.get(&ends.0), self.numbers.get(&ends.1));
        let (Some(&from), Some(&to)) = numbers else {
            return Ok(None);
        };
        let reached_by = self.ways_from[from].get_or_init(|| self.search(from));
        let (mut way, mut here) = (Vec::new(), to);
        while here != from {
            let Some((before, place)) = reached_by[here] else {
                return Ok(None);
            };
            way.push(&self.leaving[before][place].1);
            here = before;
        }
        let mut found = LocalRoute::default();
        for route in way.into_iter().rev() {
            if let (Some((first, arrived)), Some((leaves, last))) = (found.gateways, route.gateways)
            {
                if arrived != leaves {
                    let zone = self.zone(platform, ends.0);
                    return Err(platform.line(zone).bad(format!(
                        "a way from {} to {} arrives at gateway {} and leaves by {}: SimGrid's Dijkstra cannot do so, Floyd can",
                        platform.name(ends.0),
                        platform.name(ends.1),
                        platform.name(arrived),
                        platform.name(leaves)
                    )));
                }
                found.gateways = Some((first, last));
            } else {
                found.gateways = route.gateways;
            }
            found.channels.extend(&route.channels);
        }
        Ok(Some(found))
    }
}

impl Dijkstra {
    /// The line of the zone.
    fn zone(&self, platform: &Platform<'_>, member: PointId) -> usize {
        let zone = platform.points[member.0].inside;
        zone.map_or(1, |zone| platform.zones[zone.0].line)
    }
}
