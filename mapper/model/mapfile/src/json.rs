//! `json`: all that is known of a placement, for scripts. Arrays are in rank order.
//!
//! `slots` are numbered node by node; `nodes` are node indices. `hosts` and `cores` (first and last
//! core, counted within the node) are present where they are known. A reader uses the first of
//! `slots`, `nodes` and `hosts` that is present.

use super::output::hosts_of;
use super::text::{malformed, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::Machine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Format `json`.
pub(super) struct Json;

/// A placement. The field names are keys of the file; arrays are in rank order.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct JsonMapfile {
    /// Number of ranks.
    ranks: usize,
    /// The slot of every rank; slots are numbered node by node.
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<u32>>,
    /// The node of every rank, as its index in the machine's order of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<u32>>,
    /// The host of every rank, where the nodes have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<Vec<String>>,
    /// The first and the last core of every rank, counted within its node, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<Vec<(u32, u32)>>,
}

/// The name of the file's format.
const FORMAT: &str = "rankfold-mapfile";

/// The file: says what it is, as all JSON of rankfold does.
#[derive(Serialize)]
struct Written {
    format: Format,
    #[serde(flatten)]
    content: JsonMapfile,
}

#[derive(Serialize)]
struct Format {
    name: &'static str,
    version: u32,
}

impl JsonMapfile {
    /// Version of the format.
    pub const VERSION: u32 = 1;
}

impl MapfileFormat for Json {
    described!(
        "json",
        "for scripts: slots, nodes, hosts and cores of every rank (no launcher)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name()).ok();
        let cores = placement.slots().iter().map(|&slot| {
            let cores = machine.cores(slot)?;
            Some((cores.start, cores.end - 1))
        });
        let content = JsonMapfile {
            ranks: placement.ranks(),
            slots: Some(placement.slots().iter().map(|slot| slot.0).collect()),
            nodes: Some(
                placement
                    .nodes(machine.slots())
                    .iter()
                    .map(|n| n.0)
                    .collect(),
            ),
            hosts: hosts.map(|hosts| hosts.into_iter().map(str::to_owned).collect()),
            cores: cores.collect(),
        };
        let format = Format {
            name: FORMAT,
            version: JsonMapfile::VERSION,
        };
        let text = serde_json::to_string(&Written { format, content });
        let text = text.expect("plain arrays are JSON");
        Ok(Mapfile::new(text + "\n", ""))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        text.trim_start().starts_with('{').then_some(())?;
        let content = serde_json::from_str::<JsonMapfile>(text);
        let content = content.map_err(|error| malformed(file, error.line(), error.to_string()));
        Some(content.and_then(|content| seats(content, file)))
    }
}

fn seats(content: JsonMapfile, file: &str) -> Result<Seats> {
    let ranks = content.ranks;
    let slots = content.slots.map(|slots| slots.into_iter().map(SlotId));
    let nodes = content.nodes.map(|nodes| nodes.into_iter().map(NodeId));
    let places = slots
        .map(|slots| RankPlaces::Slots(slots.collect()))
        .or_else(|| nodes.map(|nodes| RankPlaces::Nodes(nodes.collect())))
        .or_else(|| {
            content
                .hosts
                .map(|hosts| RankPlaces::Hosts(hosts.into_iter().map(Arc::from).collect()))
        });
    let Some(places) = places else {
        return Err(malformed(file, 1, "no slots, no nodes and no hosts"));
    };
    let cores = content.cores.unwrap_or_default();
    let seats = Seats {
        places,
        cores: cores.into_iter().map(|(first, _)| Some(first)).collect(),
    };
    if seats.ranks() == ranks && [0, ranks].contains(&seats.cores.len()) {
        Ok(seats)
    } else {
        Err(malformed(
            file,
            1,
            format!("the arrays do not have {ranks} entries each"),
        ))
    }
}
