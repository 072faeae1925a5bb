//! Routes within a zone, by the ways in which SimGrid finds them: one file each.

mod declared;
mod dijkstra;
mod floyd;
mod star;

use super::LocalRoute;
use super::{Platform, PointId};
pub(crate) use declared::{Declared, Full};
pub(crate) use dijkstra::Dijkstra;
pub(crate) use floyd::{Floyd, MOST_POINTS};
use rankfold_importers::Result;
use rankfold_machine::Description;
pub(crate) use star::{Spokes, Star};
use std::fmt::Debug;

/// The routes between the points of a zone.
pub(crate) trait LocalRoutes: Debug {
    /// The route between two different points of the zone; `None` if there is no route.
    ///
    /// # Errors
    /// [`ImportError`] if a route needs routes between gateways that do not exist: these start at
    /// `depth`, see [`Platform::route`].
    fn route(
        &self,
        platform: &Platform<'_>,
        ends: (PointId, PointId),
        depth: usize,
    ) -> Result<Option<LocalRoute>>;

    /// The network of the zone, if a machine file can describe it without the path of each pair.
    /// Its nodes are the hosts of the zone in order.
    fn network(&self, _platform: &Platform<'_>) -> Option<Description> {
        None
    }
}

/// No routes at all.
#[derive(Debug)]
pub(crate) struct NoRoutes;

impl LocalRoutes for NoRoutes {
    fn route(
        &self,
        _: &Platform<'_>,
        _: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        Ok(None)
    }
}
