//! `mpich5`: the hosts of a job for Hydra 5 and later, one `host:count` a line, preceded by a
//! comment with the rank map.
//!
//! Hydra 5 has an option for a rank map, `-rankmap (vector,(first node,nodes,ranks a node),..)`. It
//! places the ranks accordingly and reports the map to the library. Hydra 4 reports the map but
//! launches ranks elsewhere; write [`mpich`](super::mpich) for it.

use super::blocks::{self, Block};
use super::output::{cores_by_local_rank, indices_among, joined, names_of, occupied};
use super::text::{lines, malformed, utf8};
use super::{Mapfile, MapfileError, MapfileFormat, RankPlaces, Result, Seats, machinefile};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::fmt::Write;
use std::sync::Arc;

/// Format `mpich5`.
pub(super) struct Mpich5;

/// Prefix of the comment that carries the rank map.
const MARK: &str = "# rankmap ";

/// Longest word of a command line: `MAX_ARG_STRLEN` of Linux, 32 pages of 4 KiB.
pub(super) const LONGEST_WORD: usize = 128 << 10;

impl MapfileFormat for Mpich5 {
    described!(
        "mpich5",
        "MPICH 5: mpiexec -f FILE -rankmap MAP (host:count a host, the map in a comment and in the line to run)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let names = names_of(machine, self.name())?;
        let occupied = occupied(placement, machine);
        let nodes: Vec<_> = occupied.iter().map(|(node, _)| *node).collect();
        let map = vector(&indices_among(placement, machine, &nodes));
        if map.len() >= LONGEST_WORD {
            return Err(MapfileError::cannot_express(
                self.name(),
                "the rank map is longer than a word of a command line may be: write mpich",
            ));
        }
        let mut text = format!("{MARK}{map}\n");
        for (node, ranks) in &occupied {
            writeln!(text, "{}:{}", names[node.index()], ranks.len())
                .expect("writing to a string cannot fail");
        }
        let ranks = placement.ranks();
        let bound = match cores_by_local_rank(placement, machine) {
            Some(slots) => {
                let slots = slots.into_iter().map(|cores| joined(cores, "+"));
                format!(" -bind-to user:{}", joined(slots, ","))
            }
            None => String::new(),
        };
        let usage = format!("mpiexec -n {ranks} -f {{}} -rankmap '{map}'{bound} ./app");
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        let map = text.lines().next()?.strip_prefix(MARK)?;
        Some(read(map, text, file))
    }
}

fn vector(nodes: &[usize]) -> String {
    let triples = blocks::compress(nodes).into_iter().flat_map(|block| {
        let triple = format!("({},{},{})", block.first, block.nodes, block.ranks);
        std::iter::repeat_n(triple, block.repeat)
    });
    format!("(vector,{})", joined(triples, ","))
}

fn read(map: &str, text: &str, file: &str) -> Result<Seats> {
    let nodes = expanded(map).map_err(|problem| malformed(file, 1, problem))?;
    let mut hosts = Vec::new();
    for (number, line) in lines(text) {
        let Some((host, _)) = machinefile::run_of(line) else {
            let problem = format!("{line:?} is not host:count");
            return Err(malformed(file, number, problem));
        };
        hosts.push(Arc::from(host));
    }
    let host = |&node: &usize| {
        let host: Option<&Arc<str>> = hosts.get(node);
        let missing = || malformed(file, 1, format!("node {node} of {} hosts", hosts.len()));
        host.cloned().ok_or_else(missing)
    };
    let hosts = nodes.iter().map(host).collect::<Result<_, _>>()?;
    Ok(RankPlaces::Hosts(hosts).into())
}

/// The node of every rank, from `(vector,(0,2,1),..)` or `(vector,0,1,..)`.
fn expanded(map: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("{map:?} is not (vector,(first,nodes,ranks),..)");
    let inner = map.trim().strip_prefix("(vector,").ok_or_else(wrong)?;
    let inner = inner.strip_suffix(')').ok_or_else(wrong)?;
    let numbers = |list: &str| -> Option<Vec<usize>> {
        list.split(',')
            .map(|number| number.trim().parse().ok())
            .collect()
    };
    if !inner.contains('(') {
        return numbers(inner).ok_or_else(wrong);
    }
    let triples = inner
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let block = |triple: &str| match numbers(triple)?[..] {
        [first, nodes, ranks] => Some(Block {
            first,
            nodes,
            ranks,
            repeat: 1,
        }),
        _ => None,
    };
    let blocks = triples.ok_or_else(wrong)?.split("),(").map(block);
    blocks::expand(&blocks.collect::<Option<Vec<_>>>().ok_or_else(wrong)?)
}
