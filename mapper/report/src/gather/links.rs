//! The links of a machine: what they are called, and what their load is in.

use super::network::Plan;
use crate::data::{LoadUnit, Network, Shape};
use rankfold_model::ChannelId;
use rankfold_model::machine::{Machine, Unit};

/// Most links that are drawn and listed one by one.
const LISTED: usize = 6144;

/// The links of a machine.
pub(super) struct Links<'a> {
    pub(super) plan: Plan<'a>,
    /// Channels that are links, ascending.
    pub(super) channels: Vec<u32>,
    pub(super) unit: LoadUnit,
    /// The one bandwidth, if all are alike.
    common: Option<f64>,
}

impl<'a> Links<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let plan = Plan::new(machine);
        let topology = machine.topology();
        let channels = (0u32..)
            .zip(&plan.ends)
            .filter(|(_, ends)| ends.is_some())
            .map(|(channel, _)| channel)
            .collect::<Vec<_>>();
        let bandwidth = |channel: u32| topology.bandwidth(ChannelId(channel));
        let first = channels.first().map_or(1.0, |&channel| bandwidth(channel));
        let alike = channels.iter().all(|&channel| bandwidth(channel) == first);
        Self {
            unit: match (alike, topology.unit()) {
                (true, _) => LoadUnit::Bytes,
                (false, Unit::Seconds) => LoadUnit::Seconds,
                (false, Unit::BytesOverOneLink) => LoadUnit::BytesOverBandwidth,
            },
            common: alike.then_some(first),
            plan,
            channels,
        }
    }

    /// What congestion, bytes over bandwidth, has to be multiplied with to be a load.
    pub(super) fn scale(&self) -> f64 {
        self.common.unwrap_or(1.0)
    }

    pub(super) fn is_listed(&self) -> bool {
        self.channels.len() <= LISTED
    }

    /// Names and ends of all links, if they are listed.
    pub(super) fn network(&self) -> Option<Network> {
        let plan = &self.plan;
        let link = |&channel: &u32| {
            let (from, to) = plan.ends[channel as usize]?;
            let kind = plan.kind((from, to), channel as usize) as u32;
            Some(crate::data::Link { from, to, kind })
        };
        self.is_listed().then(|| Network {
            vertices: (0..plan.vertices as u32).map(|v| plan.vertex(v)).collect(),
            links: self.channels.iter().filter_map(link).collect(),
        })
    }

    /// The shape, with the places of all vertices if links are listed.
    pub(super) fn shape(&self) -> Shape {
        match &self.plan.shape {
            Shape::Levels { levels, .. } if self.is_listed() => Shape::Levels {
                levels: levels.clone(),
                places: self.plan.places.clone(),
            },
            shape => shape.clone(),
        }
    }
}
