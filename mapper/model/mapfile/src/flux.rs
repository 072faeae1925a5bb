//! `flux`: task map of Flux, `[[node,nodes,ranks a node,repeat],..]` (RFC 34) over the hosts of the
//! allocation.
//!
//! Two more forms are read: the object that carries such a map, `{"version":1,"map":[..]}`, and the
//! host lines of `--taskmap=hostfile:FILE`, which look like [`seq`](super::seq).

use super::blocks::{self, Block};
use super::output::{hosts_of, indices_among, joined};
use super::seq::{Seq, host_lines};
use super::text::{malformed, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats, mpich5};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use serde::Deserialize;

/// Format `flux`.
pub(super) struct Flux;

impl MapfileFormat for Flux {
    described!(
        "flux",
        "Flux: flux run --taskmap=manual:\"$(cat FILE)\" (RFC 34 task map over the allocated hosts)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".hosts"]
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let indices = indices_among(placement, machine, &machine.launch_order());
        let block = |b: Block| format!("[{},{},{},{}]", b.first, b.nodes, b.ranks, b.repeat);
        let map = joined(blocks::compress(&indices).into_iter().map(block), ",");
        let map = format!("[{map}]\n");
        let (ranks, nodes) = (placement.ranks(), machine.launch_order().len());
        let launch = |taskmap: &str| format!("flux run -N {nodes} -n {ranks} {taskmap} ./app");
        if map.len() < mpich5::LONGEST_WORD {
            let usage = launch("--taskmap=manual:\"$(cat {})\"");
            return Ok(Mapfile::new(map, usage));
        }
        let hosts = hosts_of(placement, machine, self.name())?;
        let mapfile = Mapfile::new(map, launch("--taskmap=hostfile:{}.hosts"));
        Ok(mapfile.beside(".hosts", host_lines(&hosts)))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?.trim_start();
        if !text.starts_with(['[', '{']) {
            return Seq.read(content, file);
        }
        let map = match serde_json::from_str(text) {
            Ok(Map::Plain(blocks) | Map::Wrapped { map: blocks }) => blocks,
            Err(_) if text.starts_with('{') => return None,
            Err(error) => return Some(Err(malformed(file, error.line(), error.to_string()))),
        };
        let block = |[first, nodes, ranks, repeat]: [usize; 4]| Block {
            first,
            nodes,
            ranks,
            repeat,
        };
        let blocks: Vec<Block> = map.into_iter().map(block).collect();
        let nodes = blocks::expand(&blocks).map_err(|problem| malformed(file, 1, problem));
        Some(nodes.map(|nodes| RankPlaces::Allocated(nodes).into()))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Map {
    Plain(Vec<[usize; 4]>),
    Wrapped { map: Vec<[usize; 4]> },
}
