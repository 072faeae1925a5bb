//! The route between two points of a platform: within one zone by the routes of the zone, else
//! between zones, from gateway to gateway.
//!
//! ```text
//!           outer zone: route from A to B by links l, gateways g and h
//!          ╱                       ╲
//!      zone A: a, g              zone B: h, b
//!
//!      a to b  =  route a to g within A,  l,  route h to b within B
//! ```

use super::{Platform, PointId, ZoneId};
use rankfold_importers::Result;

/// A route within a zone.
#[derive(Debug, Default)]
pub(crate) struct LocalRoute {
    /// The channels on the way, in order.
    pub(crate) channels: Vec<u32>,
    /// The points of the two zones at which a route between zones starts and ends.
    pub(crate) gateways: Option<(PointId, PointId)>,
}

/// How often routes may be completed by routes to gateways: a route that needs more goes round in a
/// circle, since zones are not nested as deeply.
const DEEPEST: usize = 64;

impl Platform<'_> {
    /// Adds the channels of the route between two points to a list.
    ///
    /// # Errors
    /// [`ImportError`] with the line of the zone that has no route.
    pub(crate) fn route(
        &self,
        from: PointId,
        to: PointId,
        depth: usize,
        channels: &mut Vec<u32>,
    ) -> Result<()> {
        let (zone, [start, end]) = self.meeting(from, to);
        let bad = |problem: String| {
            let (from, to) = (self.name(from), self.name(to));
            let line = self.line(self.zones[zone.0].line);
            line.bad(format!("no route from {from} to {to}: {problem}"))
        };
        if depth > DEEPEST {
            return Err(bad(
                "the routes between gateways go round in a circle".into()
            ));
        }
        let local = self.zones[zone.0].routes.route(self, (start, end), depth)?;
        let Some(mut local) = local else {
            let (start, end) = (self.name(start), self.name(end));
            return Err(bad(format!("this zone has none from {start} to {end}")));
        };
        if (start, end) == (from, to) {
            channels.append(&mut local.channels);
            return Ok(());
        }
        let Some((first, last)) = local.gateways else {
            return Err(bad("the route between their zones names no gateways".into()));
        };
        if first != from {
            self.route(from, first, depth + 1, channels)?;
        }
        channels.append(&mut local.channels);
        if last != to {
            self.route(last, to, depth + 1, channels)?;
        }
        Ok(())
    }

    /// The innermost zone that both points are in, and the two points of this zone that the route
    /// leads between: the points themselves, or the zones around them.
    fn meeting(&self, from: PointId, to: PointId) -> (ZoneId, [PointId; 2]) {
        let (mut ours, mut theirs) = (self.around(from), self.around(to));
        let mut common = ours[ours.len() - 1];
        while let (Some(a), Some(b)) = (ours.last(), theirs.last())
            && a == b
        {
            common = *a;
            ours.pop();
            theirs.pop();
        }
        let below = |rest: &[ZoneId], point| rest.last().map_or(point, |z| self.zones[z.0].point);
        (common, [below(&ours, from), below(&theirs, to)])
    }

    /// Whether a point is in a zone, or in a zone within it.
    pub(crate) fn contains(&self, zone: ZoneId, point: PointId) -> bool {
        self.around(point).contains(&zone)
    }
}
