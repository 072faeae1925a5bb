//! Zones in which every point has links to and from the middle: `routing="Cluster"`, and clusters
//! without a topology.

use super::super::LocalRoute;
use super::super::{Cable, Platform, PointId};
use super::LocalRoutes;
use rankfold_importers::Result;
use rankfold_machine::Link;
use rankfold_machine::{Description, Unit};
use std::collections::HashMap;

/// The channels between a point and the middle, in the order in which messages pass them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spokes {
    pub(crate) up: Vec<u32>,
    pub(crate) down: Vec<u32>,
}

/// Points around a middle. A point without channels is in the middle.
#[derive(Debug, Default)]
pub(crate) struct Star {
    pub(crate) spokes: HashMap<PointId, Spokes>,
    /// The cable of every host, if each host has one and the middle is a switch that nothing queues
    /// for.
    pub(crate) cables: Option<Vec<Cable>>,
}

impl LocalRoutes for Star {
    /// A channel that is on the way up and on the way down is passed once.
    fn route(
        &self,
        _: &Platform<'_>,
        ends: (PointId, PointId),
        _: usize,
    ) -> Result<Option<LocalRoute>> {
        let mut channels: Vec<u32> = Vec::new();
        let up = self.spokes.get(&ends.0).map(|spokes| &spokes.up);
        let down = self.spokes.get(&ends.1).map(|spokes| &spokes.down);
        for &channel in [up, down].into_iter().flatten().flatten() {
            if !channels.contains(&channel) {
                channels.push(channel);
            }
        }
        Ok(Some(LocalRoute {
            channels,
            gateways: None,
        }))
    }

    fn network(&self, platform: &Platform<'_>) -> Option<Description> {
        let cables = self.cables.as_ref()?;
        let switch = cables.len() as u32;
        let links = (0..).zip(cables).map(|(host, cable)| {
            Link::single((host, switch), platform.channels[cable.up as usize].speed)
        });
        let switches = vec!["switch".into()];
        let links = links.collect();
        Some(Description::switched(
            Vec::new(),
            switches,
            links,
            Unit::Seconds,
        ))
    }
}
