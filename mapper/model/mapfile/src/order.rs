//! Rank orders: the ranks in the order in which a launcher fills places, node by node. This is the
//! inverse of the map from rank to slot. `cray` and `pals` use it.
//!
//! A rank order does not mention nodes. The launcher must fill each of its nodes before the next
//! one, so all nodes with ranks except the last must have the same number of ranks. Where that
//! leaves places of the machine free, the comment `# places 0-1,4-5` tells which are taken, so that
//! the placement can be read back; Cray MPICH skips comments. With one rank a node, the comment is
//! there in any case: without it, the file looks like `nodes`.

use super::output::{joined, names_of, occupied};
use super::text::{lines, malformed, utf8};
use super::{MAX_RANKS, MapfileError, RankPlaces, Result, Seats};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;

/// Prefix of the comment with the places of the processes, where they leave some free.
const MARK: &str = "# places ";

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
    let lines: String = occupied.iter().map(line).collect();
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
        text: taken(placement, &occupied, machine) + &lines,
        nodes,
        ranks_a_node,
        first_nodes,
    })
}

/// The comment with the places of the processes among all places in the order of the launch; empty
/// where the processes take the first ones, several on a node.
fn taken(placement: &Placement, occupied: &[(NodeId, Vec<Rank>)], machine: &Machine) -> String {
    let all = machine.block_order(machine.slots().len());
    let mut place_of = vec![0; machine.slots().len()];
    for (place, slot) in all.slots().iter().enumerate() {
        place_of[slot.index()] = place;
    }
    let ranks = occupied.iter().flat_map(|(_, ranks)| ranks);
    let places: Vec<usize> = ranks
        .map(|&rank| place_of[placement.slot(rank).index()])
        .collect();
    let one_each = occupied.iter().all(|(_, ranks)| ranks.len() == 1);
    if !one_each && places.iter().copied().eq(0..places.len()) {
        return String::new();
    }
    let runs = places.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[usize]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    format!("{MARK}{}\n", joined(runs.map(run), ","))
}

impl Order {
    /// Names of the hosts with ranks, one a line.
    pub(super) fn hosts(&self, machine: &Machine, format: &'static str) -> Result<String> {
        let names = names_of(machine, format)?;
        let name = |node: &NodeId| format!("{}\n", names[node.index()]);
        Ok(self.nodes.iter().map(name).collect())
    }
}

/// Whether `content` is a rank order and nothing else: the comment says so, or the first line has
/// several numbers with commas between them.
pub(super) fn is_certain(content: &[u8]) -> bool {
    let Some(text) = utf8(content) else {
        return false;
    };
    let has_list = |(_, first): (_, &str)| {
        let mut words = first.split(',').map(str::trim);
        first.contains(',') && words.all(|word| range(word).is_some())
    };
    text.lines().any(|line| line.starts_with(MARK)) || lines(text).next().is_some_and(has_list)
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
        extend(&mut order, line).map_err(|problem| malformed(file, number, problem))?;
    }
    let mut places = Vec::new();
    let marked = (1..).zip(text.lines()).find_map(|(number, line)| {
        let list = line.strip_prefix(MARK)?;
        Some((number, extend(&mut places, list)))
    });
    match marked {
        None => places.extend(0..order.len()),
        Some((number, read)) => {
            let problem = read.err().or_else(|| {
                let (places, ranks) = (places.len(), order.len());
                (places != ranks).then(|| format!("{places} places for {ranks} ranks"))
            });
            problem.map_or(Ok(()), |problem| Err(malformed(file, number, problem)))?;
        }
    }
    let mut place_of = vec![None; order.len()];
    for (&place, &rank) in places.iter().zip(&order) {
        let problem = match place_of.get_mut(rank) {
            None => format!("rank {rank} in a list of {} ranks", order.len()),
            Some(Some(_)) => format!("rank {rank} is listed twice"),
            Some(known) => {
                *known = Some(place as u32);
                continue;
            }
        };
        return Err(malformed(file, last, problem));
    }
    Ok(place_of.into_iter().flatten().collect())
}

/// Adds the numbers of a list such as `7,0-3`.
fn extend(numbers: &mut Vec<usize>, list: &str) -> Result<(), String> {
    for word in words(list) {
        let range = range(word)
            .ok_or_else(|| format!("{word:?} is neither a rank nor a range of ranks"))?;
        if *range.end() >= MAX_RANKS || numbers.len() + range.clone().count() > MAX_RANKS {
            return Err("more ranks than any job has".into());
        }
        numbers.extend(range);
    }
    Ok(())
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
