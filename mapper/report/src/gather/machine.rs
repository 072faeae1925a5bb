//! The machine as the report shows it.

use super::links::Links;
use super::matrix::{Axis, PLACED};
use crate::data::{LinkKind, LoadUnit, Machine};
use rankfold_base::ChannelId;
use rankfold_machine::{self as machine, Routing, bandwidth_in_words};

pub(super) fn of(machine: &machine::Machine, links: &Links<'_>, axis: &Axis) -> Machine {
    let topology = machine.topology();
    Machine {
        spec: topology.spec(),
        nodes: topology.nodes(),
        used: axis.nodes(),
        switches: links.layout.vertices - topology.nodes(),
        links: links.channels.len(),
        routing: match topology.routing() {
            Routing::Dor => "dimension order: the first dimension first, the short way round",
            Routing::Static => "one fixed path a pair, by destination",
            Routing::Spread => "all shortest paths, evenly",
        }
        .into(),
        unit: links.unit,
        common_bandwidth: links.scale(),
        shape: links.shape(),
        kinds: kinds(links),
        network: links.network(),
        bands: None,
        places: axis.len(),
        place_node: if axis.len() <= PLACED {
            axis.place_nodes()
        } else {
            Vec::new()
        },
    }
}

fn kinds(links: &Links<'_>) -> Vec<LinkKind> {
    let topology = links.layout.machine.topology();
    let mut kinds: Vec<LinkKind> = links
        .layout
        .kinds()
        .into_iter()
        .map(|name| LinkKind {
            name,
            ..LinkKind::default()
        })
        .collect();
    for &channel in &links.channels {
        if let Some(ends) = links.layout.ends[channel as usize] {
            let kind = &mut kinds[links.layout.kind(ends, channel as usize)];
            kind.links += 1;
            if kind.bandwidth.is_empty() && links.unit != LoadUnit::Bytes {
                let bandwidth = topology.bandwidth(ChannelId(channel));
                kind.bandwidth = match links.unit {
                    LoadUnit::Seconds => bandwidth_in_words(bandwidth),
                    _ => bandwidth.to_string(),
                };
            }
        }
    }
    kinds
}
