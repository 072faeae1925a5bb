//! Zones with `routing="Floyd"`: shortest ways over the listed routes, in number of links, by the
//! algorithm of Floyd and Warshall.
//!
//! Between equally short ways the order of the loops decides. It is that of SimGrid: over the point
//! in between, the first point and the last point, each in the order of the file.

use super::super::LocalRoute;
use super::super::{Platform, PointId};
use super::{Declared, LocalRoutes};
use rankfold_importers::Result;
use std::collections::HashMap;

/// Limit on the points of a zone, since the algorithm takes the cube of their number. Chosen by
/// hand; not measured.
pub(crate) const MOST_POINTS: usize = 2048;

/// The listed routes, and the shortest ways over them.
#[derive(Debug)]
pub(crate) struct Floyd {
    places: HashMap<PointId, usize>,
    /// The listed route between two places.
    listed: HashMap<(usize, usize), Declared>,
    /// The place before the last one on the shortest way, for every pair of places, row-major;
    /// [`NOWHERE`] if there is no way.
    before: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;
const FAR: u64 = u64::MAX;

impl Floyd {
    /// The ways between the points of a zone, which are in the order of the file.
    pub(crate) fn new(members: &[PointId], declared: Vec<Declared>) -> Self {
        let size = members.len();
        let places: HashMap<PointId, usize> = members.iter().copied().zip(0..).collect();
        let (mut cost, mut before) = (vec![FAR; size * size], vec![NOWHERE; size * size]);
        let mut listed = HashMap::new();
        for route in declared {
            let (from, to) = (places[&route.ends.0], places[&route.ends.1]);
            cost[from * size + to] = route.channels.len() as u64;
            before[from * size + to] = from as u32;
            listed.insert((from, to), route);
        }
        for between in 0..size {
            for from in 0..size {
                let first = cost[from * size + between];
                if first == FAR || from == between {
                    continue;
                }
                for to in 0..size {
                    let rest = cost[between * size + to];
                    if rest != FAR && from != to && first + rest < cost[from * size + to] {
                        cost[from * size + to] = first + rest;
                        before[from * size + to] = before[between * size + to];
                    }
                }
            }
        }
        Self {
            places,
            listed,
            before,
        }
    }

    /// The listed routes on the way between two places, in order; `None` if there is no way.
    fn way(&self, from: usize, to: usize) -> Option<Vec<&Declared>> {
        let size = self.places.len();
        let (mut way, mut here) = (Vec::new(), to);
        while here != from {
            let before = self.before[from * size + here];
            if before == NOWHERE {
                return None;
            }
            way.push(&self.listed[&(before as usize, here)]);
            here = before as usize;
        }
        way.reverse();
        Some(way)
    }
}

impl LocalRoutes for Floyd {
    fn route(
        &self,
        platform: &Platform<'_>,
        ends: (PointId, PointId),
        depth: usize,
    ) -> Result<Option<LocalRoute>> {
        let Some(way) = self.way(self.places[&ends.0], self.places[&ends.1]) else {
            return Ok(None);
        };
        let mut found = LocalRoute::default();
        for route in way {
            // A way over a zone leads from the gateway it arrives at to the one it leaves by.
            if let (Some((first, arrived)), Some((leaves, last))) = (found.gateways, route.gateways)
            {
                if arrived != leaves {
                    platform.route(arrived, leaves, depth + 1, &mut found.channels)?;
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
