//! The links of a machine: which channels they are, their names and the unit of their load.

use super::network::NetworkLayout;
use crate::data::{LoadUnit, Network, NetworkShape};
use rankfold_base::ChannelId;
use rankfold_machine::{Machine, Unit};

/// Maximum number of links that are listed and drawn one by one: those of a 3D torus of 1024 nodes.
/// Chosen by the size of the page, measured when the report was written: 1 MB for 512 ranks on
/// torus:8x8x8 (3072 links drawn), 327 kB for 4096 ranks on torus:16x16x16 (condensed).
const LISTED: usize = 6144;

/// The links of a machine.
pub(super) struct Links<'a> {
    pub(super) layout: NetworkLayout<'a>,
    /// The channels that are links, in ascending order.
    pub(super) channels: Vec<u32>,
    pub(super) unit: LoadUnit,
    /// The bandwidth of all links, if it is the same.
    common: Option<f64>,
}

impl<'a> Links<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let layout = NetworkLayout::new(machine);
        let topology = machine.topology();
        let channels = (0u32..)
            .zip(&layout.ends)
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
            layout,
            channels,
        }
    }

    /// The factor from congestion, which is bytes over bandwidth, to the load of a link.
    pub(super) fn scale(&self) -> f64 {
        self.common.unwrap_or(1.0)
    }

    pub(super) fn is_listed(&self) -> bool {
        self.channels.len() <= LISTED
    }

    /// Names and ends of all links; `None` where links are not listed one by one.
    pub(super) fn network(&self) -> Option<Network> {
        let layout = &self.layout;
        let link = |&channel: &u32| {
            let (from, to) = layout.ends[channel as usize]?;
            let kind = layout.kind((from, to), channel as usize) as u32;
            Some(crate::data::Link { from, to, kind })
        };
        self.is_listed().then(|| Network {
            vertices: (0..layout.vertices as u32)
                .map(|v| layout.vertex(v))
                .collect(),
            links: self.channels.iter().filter_map(link).collect(),
        })
    }

    /// How the network is built, with the positions of all vertices if links are listed one by one.
    pub(super) fn shape(&self) -> NetworkShape {
        match &self.layout.shape {
            NetworkShape::Levels { levels, .. } if self.is_listed() => NetworkShape::Levels {
                levels: levels.clone(),
                places: self.layout.places.clone(),
            },
            shape => shape.clone(),
        }
    }
}
