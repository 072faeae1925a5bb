//! Routes that a file lists, and the zone that knows no others (`routing="Full"`).

use super::super::LocalRoute;
use super::super::{Platform, PointId};
use super::LocalRoutes;
use rankfold_importers::Result;
use std::collections::HashMap;

/// A route of a file, in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) ends: (PointId, PointId),
    /// The gateways of a route between zones.
    pub(crate) gateways: Option<(PointId, PointId)>,
    pub(crate) channels: Vec<u32>,
}

/// The listed routes, and no others.
#[derive(Debug)]
pub(crate) struct Full(HashMap<(PointId, PointId), Declared>);

impl Full {
    pub(crate) fn new(declared: Vec<Declared>) -> Self {
        let by_ends = declared.into_iter().map(|route| (route.ends, route));
        Self(by_ends.collect())
    }
}

impl LocalRoutes for Full {
    fn route(
        &self,
        _: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let route = self.0.get(&ends);
        Ok(route.map(|route| LocalRoute {
            channels: route.channels.clone(),
            gateways: route.gateways,
        }))
    }
}
