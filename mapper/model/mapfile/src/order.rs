//! Rank orders: the ranks in the order in which a launcher fills places, node by node. This is the
//! inverse of the map from rank to slot. `cray` and `pals` use it.
//!
//! A rank order does not mention nodes. The launcher must fill each of its nodes before the next
//! one, so all nodes with ranks except the last must have the same number of ranks.

use super::output::{joined, names_of, occupied};
use super::text::{lines, malformed, utf8};
use super::{MAX_RANKS, MapfileError, RankPlaces, Result, Seats};
use rankfold_base::{NodeId, Placement};
use rankfold_machine::Machine;

/// A rank order and the nodes it is for.
pub(super) struct Order {
    /// The file: one line of ranks for each node.
    pub(super) text: String,
    /// The nodes that have ranks.
    pub(super) nodes: Vec<NodeId>,
    /// Number of ranks on each node except the last.
    pub(super) ranks_a_node: usize,
    /// Whether a launcher uses these nodes if it is told only the number of ranks.
    pub(super) first_nodes: bool,
}

/// The rank order of a placement.
pub(super) fn order(
    placement: &Placement,
    machine: &Machine,
    format: &'static str,
) -> Result<Order> {
    let occupied = occupied(placement, machine);
    let ranks_a_node = occupied.first().map_or(1, |(_, ranks)| ranks.len());
    let uneven = |(at, (_, ranks)): (usize, &(NodeId, Vec<_>))| {
        ranks.len() > ranks_a_node || (ranks.len() < ranks_a_node && at + 1 < occupied.len())
    };
    if let Some(at) = occupied.iter().enumerate().position(uneven) {
        let ranks = occupied[at].1.len();
        return Err(MapfileError::cannot_express(
            format,
            format!(
                "node {} has {ranks} ranks and the first node {ranks_a_node}, but a rank order needs the same number on every node: write slurm, flux or nodes",
                occupied[at].0
            ),
        ));
    }
    let line = |(_, ranks): &(NodeId, Vec<_>)| joined(ranks, ",") + "\n";
    let nodes: Vec<NodeId> = occupied.iter().map(|(node, _)| *node).collect();
    let block = machine.block_order(placement.ranks());
    let full = super::output::occupied(&block, machine);
    let first_nodes = nodes == machine.launch_order()[..nodes.len()]
        && full.len() == occupied.len()
        && full
            .iter()
            .zip(&occupied)
            .all(|(a, b)| a.1.len() == b.1.len());
    Ok(Order {
        text: occupied.iter().map(line).collect(),
        nodes,
        ranks_a_node,
        first_nodes,
    })
}

impl Order {
    /// Names of the hosts with ranks, one a line.
    pub(super) fn hosts(&self, machine: &Machine, format: &'static str) -> Result<String> {
        let names = names_of(machine, format)?;
        let name = |node: &NodeId| format!("{}\n", names[node.index()]);
        Ok(self.nodes.iter().map(name).collect())
    }
}

/// Reads a rank order. `None` if `content` is none.
pub(super) fn read(content: &[u8], file: &str) -> Option<Result<Seats>> {
    let text = utf8(content)?;
    let (_, first) = lines(text).next()?;
    range(words(first).next()?)?;
    Some(places(text, file).map(|places| RankPlaces::InOrder(places).into()))
}

/// The place of every rank.
fn places(text: &str, file: &str) -> Result<Vec<u32>> {
    let mut order: Vec<usize> = Vec::new();
    let mut last = 0;
    for (number, line) in lines(text) {
        last = number;
        for word in words(line) {
            let Some(ranks) = range(word) else {
                let problem = format!("{word:?} is neither a rank nor a range of ranks");
                return Err(malformed(file, number, problem));
            };
            if *ranks.end() >= MAX_RANKS || order.len() + ranks.clone().count() > MAX_RANKS {
                return Err(malformed(file, number, "more ranks than any job has"));
            }
            order.extend(ranks);
        }
    }
    let mut place_of = vec![None; order.len()];
    for (place, &rank) in (0..).zip(&order) {
        let problem = match place_of.get_mut(rank) {
            None => format!("rank {rank} in a list of {} ranks", order.len()),
            Some(Some(_)) => format!("rank {rank} is listed twice"),
            Some(known) => {
                *known = Some(place);
                continue;
            }
        };
        return Err(malformed(file, last, problem));
    }
    Ok(place_of.into_iter().flatten().collect())
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c == ',' || c.is_whitespace());
    words.filter(|word| !word.is_empty())
}

/// Parses `7` or `4-7`.
fn range(word: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some(first..=last)
}
