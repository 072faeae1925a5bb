//! Mapfiles as they are written, and helpers for the formats that write them.

use super::{MapfileError, Result};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;
use rankfold_wire::Cores;
use std::ops::Range;

/// A placement in the syntax of one launcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapfile {
    /// The main file.
    pub content: Vec<u8>,
    /// Further files that the launcher needs.
    pub companions: Vec<CompanionFile>,
    /// The command line to run, where `{}` stands for the name of the main file. Empty if no
    /// launcher reads the file.
    pub usage: String,
}

/// A file beside the main file, named after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionFile {
    /// Appended to the name of the main file.
    pub ending: &'static str,
    /// Contents of the file.
    pub content: Vec<u8>,
}

impl Mapfile {
    pub(super) fn new(text: String, usage: impl Into<String>) -> Self {
        Self {
            content: text.into_bytes(),
            companions: Vec::new(),
            usage: usage.into(),
        }
    }

    /// Adds a companion file with this content. The name of a companion is that of the main file
    /// with `ending` behind it.
    pub(super) fn beside(mut self, ending: &'static str, content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        self.companions.push(CompanionFile { ending, content });
        self
    }

    /// The command line to run for the main file `file`, which must already be quoted for a shell
    /// if necessary.
    #[must_use]
    pub fn line(&self, file: &str) -> String {
        self.usage.replace("{}", file)
    }
}

/// The names of all nodes.
pub(super) fn names_of<'a>(machine: &'a Machine, format: &'static str) -> Result<&'a [String]> {
    machine.hosts().ok_or(MapfileError::NeedsHosts { format })
}

/// The host of every rank.
pub(super) fn hosts_of<'a>(
    placement: &Placement,
    machine: &'a Machine,
    format: &'static str,
) -> Result<Vec<&'a str>> {
    let names = names_of(machine, format)?;
    let nodes = placement.nodes(machine.slots());
    let name = |node: &NodeId| names[node.index()].as_str();
    Ok(nodes.iter().map(name).collect())
}

/// For every rank, the index of its node among `nodes`.
pub(super) fn indices_among(
    placement: &Placement,
    machine: &Machine,
    nodes: &[NodeId],
) -> Vec<usize> {
    let mut index = vec![usize::MAX; machine.slots().nodes()];
    for (at, node) in nodes.iter().enumerate() {
        index[node.index()] = at;
    }
    let of_rank = placement.nodes(machine.slots());
    of_rank.iter().map(|node| index[node.index()]).collect()
}

/// The nodes with ranks, in the order of the launch, each with its ranks in slot order.
pub(super) fn occupied(placement: &Placement, machine: &Machine) -> Vec<(NodeId, Vec<Rank>)> {
    let occupancy = placement.occupancy(machine.slots());
    let nodes = machine.launch_order().into_iter().map(|node| {
        let slots = machine.slots().on(node);
        let ranks: Vec<Rank> = slots.filter_map(|slot| occupancy.rank(slot)).collect();
        (node, ranks)
    });
    nodes.filter(|(_, ranks)| !ranks.is_empty()).collect()
}

/// The cores of the n-th rank of a node, in rank order, for all n. `None` if cores are not known,
/// or if nodes differ: launchers that bind by local rank have one list for all nodes.
pub(super) fn cores_by_local_rank(
    placement: &Placement,
    machine: &Machine,
) -> Option<Vec<Range<u32>>> {
    cores_of_nth(placement, machine, |ranks| ranks.sort_unstable())
}

/// As [`cores_by_local_rank`], for the n-th occupied slot of a node. Used for launchers where
/// processes get their ranks later.
pub(super) fn cores_by_slot(placement: &Placement, machine: &Machine) -> Option<Vec<Range<u32>>> {
    cores_of_nth(placement, machine, |_| ())
}

fn cores_of_nth(
    placement: &Placement,
    machine: &Machine,
    order: fn(&mut Vec<Rank>),
) -> Option<Vec<Range<u32>>> {
    let mut list: Vec<Range<u32>> = Vec::new();
    for (_, mut ranks) in occupied(placement, machine) {
        order(&mut ranks);
        for (local, &rank) in ranks.iter().enumerate() {
            let cores = machine.cores(placement.slot(rank))?;
            match list.get(local) {
                None => list.push(cores),
                Some(known) if *known == cores => {}
                Some(_) => return None,
            }
        }
    }
    Some(list)
}

/// Whether every slot is a single core.
pub(super) fn are_single(slots: &[Range<u32>]) -> bool {
    slots.iter().all(|cores| cores.len() == 1)
}

/// The cores of the slots as bit masks, joined by commas: `0xc,0x3`.
pub(super) fn masks(slots: &[Range<u32>]) -> String {
    let masks = slots
        .iter()
        .map(|cores| cores.clone().collect::<Cores>().mask());
    joined(masks, ",")
}

/// Items joined by `separator`.
pub(super) fn joined<T: ToString>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    let words: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    words.join(separator)
}
