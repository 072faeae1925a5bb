//! What the same job would take on other hosts: what to ask the scheduler for, and which hosts of a
//! larger allocation the placement uses.

use rankfold_assess::Assessor;
use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommGraph;
use rankfold_importers::BLOCKS;
use rankfold_machine::{HostsBelow, Machine};
use rankfold_problem::heuristic::Effort;
use rankfold_search::select::{Request, select};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

/// The same job on hosts that are nearer to each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NearerHosts {
    /// Number of leaf switches that the hosts are at; null where any hosts below the switch do.
    pub leaf_switches: Option<usize>,
    /// A switch that has enough hosts below it.
    pub switch: String,
    /// The share of the placement's time that is saved, by the formula `T`.
    pub saving: f64,
    /// Whether the leaf switches are blocks of Slurm, which `--switches` does not count.
    #[serde(skip)]
    in_blocks: bool,
}

/// Where the job may run, and what that changes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct OtherHosts {
    /// Hosts to ask the scheduler for, where that saves enough.
    pub nearer: Vec<NearerHosts>,
    /// The hosts with ranks, where the job has more hosts and block order uses others.
    pub used: Vec<String>,
    /// The number of hosts of the job.
    pub hosts: usize,
}

/// A saving below this share is not worth waiting for other hosts.
const WORTH_ASKING: f64 = 0.05;

/// Most ranks of a job that is placed once more on other hosts. Chosen by hand; the search takes as
/// long as that for the map at effort fast.
const MOST_RANKS: usize = 4096;

impl OtherHosts {
    /// What other hosts would change for a placement; `None` where the machine is no tree of
    /// switches.
    #[must_use]
    pub fn of(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Option<Self> {
        let levels = machine.hosts_by_switch()?;
        let nodes = |placement: &Placement| -> BTreeSet<NodeId> {
            placement.nodes(machine.slots()).into_iter().collect()
        };
        let own = nodes(placement);
        let block = nodes(&machine.block_order(placement.ranks()));
        let names = machine.hosts().filter(|_| own != block).unwrap_or_default();
        let nearer = Trial::of(machine, &levels, &own).filter(|_| graph.ranks() <= MOST_RANKS);
        let nearer = nearer.and_then(|trial| trial.all(graph, placement));
        Some(Self {
            nearer: nearer.unwrap_or_default(),
            used: own
                .iter()
                .filter_map(|node| names.get(node.index()).cloned())
                .collect(),
            hosts: machine.launch_order().len(),
        })
    }
}

/// Hosts below the lowest switch that has as many as the job needs.
struct Trial<'a> {
    machine: &'a Machine,
    switch: &'a str,
    /// The hosts of its leaf switches, the largest first.
    leaves: Vec<&'a [NodeId]>,
    /// Hosts that the job needs, and slots on each.
    needs: (usize, u32),
    /// Leaf switches that the job is at.
    at: usize,
    /// Whether hosts of the job are elsewhere.
    is_spread: bool,
    in_blocks: bool,
}

impl<'a> Trial<'a> {
    /// `None` where no switch has so many hosts.
    fn of(
        machine: &'a Machine,
        levels: &'a [Vec<HostsBelow>],
        own: &BTreeSet<NodeId>,
    ) -> Option<Self> {
        let each = own
            .iter()
            .map(|&host| machine.slots().capacity(host))
            .max()?;
        let mut groups = levels.iter().flatten();
        let group = groups.find(|group| group.hosts.len() >= own.len())?;
        let within: BTreeSet<NodeId> = group.hosts.iter().copied().collect();
        let all = || levels[0].iter().map(|leaf| &leaf.hosts[..]);
        let mut leaves: Vec<&[NodeId]> = all()
            .filter(|leaf| !leaf.is_empty() && leaf.iter().all(|host| within.contains(host)))
            .collect();
        leaves.sort_by_key(|leaf| Reverse(leaf.len()));
        Some(Self {
            machine,
            switch: &group.switch,
            leaves,
            needs: (own.len(), each),
            at: all()
                .filter(|leaf| leaf.iter().any(|host| own.contains(host)))
                .count(),
            is_spread: !own.is_subset(&within),
            in_blocks: levels.last()?.iter().any(|top| top.switch == BLOCKS),
        })
    }

    /// Predicts the job on as few leaf switches as hold it, however many hosts it has at each, and
    /// on hosts of all leaf switches in turn. Returns what saves enough to be worth asking for.
    fn all(&self, graph: &CommGraph, placement: &Placement) -> Option<Vec<NearerHosts>> {
        let now = time(graph, self.machine, placement);
        let (mut room, mut fewest) = (0, 0);
        while room < self.needs.0 {
            room += self.leaves.get(fewest)?.len();
            fewest += 1;
        }
        // Of a few leaf switches, the scheduler may fill one after the other or take hosts in turn.
        let few = &self.leaves[..fewest];
        let mut ways = vec![few.concat(), round_robin(few)];
        ways.truncate(fewest);
        let on_fewest = (self.at > fewest).then_some((Some(fewest), ways));
        let is_choice = self.is_spread && self.leaves.len() > fewest;
        let anywhere = is_choice.then(|| (None, vec![round_robin(&self.leaves)]));
        let asked = on_fewest.into_iter().chain(anywhere);
        let nearer = asked.filter_map(|(leaf_switches, ways)| {
            let times: Option<Vec<f64>> = ways.iter().map(|it| self.time_on(graph, it)).collect();
            Some(NearerHosts {
                leaf_switches,
                switch: self.switch.to_owned(),
                saving: 1.0 - times?.into_iter().fold(0.0, f64::max) / now,
                in_blocks: self.in_blocks,
            })
        });
        let mut nearer: Vec<_> = nearer.filter(|it| it.saving >= WORTH_ASKING).collect();
        // A scheduler has any hosts below a switch sooner than those of a few leaf switches.
        if matches!(&nearer[..], [few, any] if any.saving >= few.saving) {
            nearer.remove(0);
        }
        Some(nearer)
    }

    /// The time of the job on the first of these hosts, which schedulers list in their own order.
    fn time_on(&self, graph: &CommGraph, hosts: &[NodeId]) -> Option<f64> {
        let (count, each) = self.needs;
        let mut hosts = hosts.get(..count)?.to_vec();
        hosts.sort_unstable();
        let there = self.machine.on_hosts(&hosts, each);
        let request = Request {
            effort: Effort::Fast,
            ..Request::default()
        };
        let found = select(graph, &there, &request).ok()?;
        Some(found.winner().1.score().time.formula())
    }
}

/// Hosts of all leaf switches in turn: as a scheduler may choose them that is told the group alone.
fn round_robin(leaves: &[&[NodeId]]) -> Vec<NodeId> {
    let most = leaves.iter().map(|leaf| leaf.len()).max().unwrap_or(0);
    let turn = |n: usize| leaves.iter().filter_map(move |leaf| leaf.get(n).copied());
    (0..most).flat_map(turn).collect()
}

fn time(graph: &CommGraph, machine: &Machine, placement: &Placement) -> f64 {
    let assessor = Assessor::on(graph, machine);
    assessor.by_formula(placement.clone()).time().formula()
}

/// Most hosts that are named in a line.
const MOST_NAMED: usize = 8;

impl fmt::Display for NearerHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = (100.0 * self.saving).floor();
        match self.leaf_switches {
            Some(1) if self.in_blocks => write!(f, "in one block {percent} % less"),
            Some(blocks) if self.in_blocks => write!(f, "in {blocks} blocks {percent} % less"),
            Some(1) => write!(f, "on one switch {percent} % less: sbatch --switches=1"),
            Some(leaves) => write!(
                f,
                "on {leaves} leaf switches {percent} % less: sbatch --switches={leaves}"
            ),
            None => write!(
                f,
                "on any hosts below one switch such as {} {percent} % less",
                self.switch
            ),
        }
    }
}

impl fmt::Display for OtherHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for nearer in &self.nearer {
            writeln!(f, "{nearer}")?;
        }
        if self.used.is_empty() {
            return Ok(());
        }
        let named = self.used[..self.used.len().min(MOST_NAMED)].join(",");
        let more = if self.used.len() > MOST_NAMED {
            ",..."
        } else {
            ""
        };
        let (count, all) = (self.used.len(), self.hosts);
        writeln!(f, "ranks run on {count} of the {all} hosts: {named}{more}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::members::IMPORTERS;
    use rankfold_graph::samples::{graph, message};
    use rankfold_importers::Source;
    use rankfold_machine::HostList;

    /// Leaf switches of four hosts each, of which the job has these.
    fn tree(hosts: &str) -> Machine {
        let mut text = "SwitchName=top Switches=l[0-3]\n".to_owned();
        for leaf in 0..4 {
            text += &format!(
                "SwitchName=l{leaf} Nodes=n[{}-{}]\n",
                4 * leaf,
                4 * leaf + 3
            );
        }
        described(text, "4:1", hosts)
    }

    fn described(text: String, oversubscription: &str, hosts: &str) -> Machine {
        let file = "tree".to_owned();
        let description = IMPORTERS.named("slurm").import(vec![Source { file, text }]);
        let tree = description
            .unwrap()
            .oversubscribed(oversubscription.parse().unwrap())
            .unwrap();
        let list = HostList::from_list(hosts).unwrap();
        Machine::new(tree.build("tree").unwrap(), 2, Some(list)).unwrap()
    }

    /// Everybody sends everybody else the same.
    fn all_to_all() -> CommGraph {
        let pairs = (0..8).flat_map(|a| (0..8).map(move |b| (a, b)));
        let messages = pairs.filter(|(a, b)| a != b);
        graph(8, messages.map(|(a, b)| message(a, b, 1000)).collect())
    }

    #[test]
    fn one_switch_is_asked_for_where_it_has_room_and_saves_time() {
        let graph = all_to_all();
        let of = |hosts: &str| {
            let machine = tree(hosts);
            let found = OtherHosts::of(&graph, &machine, &machine.block_order(8)).unwrap();
            found
                .nearer
                .iter()
                .map(|it| it.leaf_switches)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("n0,n1,n4,n5"), [Some(1)]);
        assert!(of("n4,n5,n6,n7").is_empty());
    }

    #[test]
    fn what_few_leaf_switches_save_holds_for_any_numbers_of_hosts_at_each() {
        // Four hosts among themselves, and the fifth alone.
        let pairs = (0..8)
            .flat_map(|a| (0..8).map(move |b| (a, b)))
            .chain([(8, 9), (9, 8)]);
        let messages = pairs.filter(|(a, b)| a != b);
        let graph = graph(10, messages.map(|(a, b)| message(a, b, 1000)).collect());
        let machine = tree("n0,n4,n8,n1,n5");
        let placement = machine.block_order(10);
        let found = OtherHosts::of(&graph, &machine, &placement).unwrap();
        let own = placement.nodes(machine.slots()).into_iter().collect();
        let levels = machine.hosts_by_switch().unwrap();
        let trial = Trial::of(&machine, &levels, &own).unwrap();
        let now = time(&graph, &machine, &placement);
        let saving =
            |hosts: [u32; 5]| 1.0 - trial.time_on(&graph, &hosts.map(NodeId)).unwrap() / now;
        let (full, in_turn) = (saving([0, 1, 2, 3, 4]), saving([0, 1, 2, 4, 5]));
        assert!(in_turn < full, "{in_turn} {full}");
        let told = found.nearer.iter().map(|it| it.saving);
        assert!(told.clone().all(|saving| saving <= in_turn), "{told:?}");
    }

    #[test]
    fn of_blocks_no_number_of_switches_is_asked_for() {
        let blocks: String = (0..4)
            .map(|block| {
                format!(
                    "BlockName=b{block} Nodes=n[{}-{}]\n",
                    4 * block,
                    4 * block + 3
                )
            })
            .collect();
        let machine = described(blocks, "4:1", "n0,n1,n4,n5");
        let found = OtherHosts::of(&all_to_all(), &machine, &machine.block_order(8)).unwrap();
        let line = found.to_string();
        assert!(
            line.starts_with("in one block ") && !line.contains("sbatch"),
            "{line}"
        );
    }

    #[test]
    fn few_leaf_switches_are_asked_for_where_any_hosts_of_their_group_save_less() {
        let of = |graph: &CommGraph, oversubscription: &str| {
            let mut text = "SwitchName=top Switches=g[0-1]\n".to_owned();
            for group in 0..2 {
                let first = 3 * group;
                text += &format!("SwitchName=g{group} Switches=l[{first}-{}]\n", first + 2);
                for leaf in first..first + 3 {
                    let hosts = format!("n[{}-{}]", 2 * leaf, 2 * leaf + 1);
                    text += &format!("SwitchName=l{leaf} Nodes={hosts}\n");
                }
            }
            let machine = described(text, oversubscription, "n0,n2,n6,n8");
            let found = OtherHosts::of(graph, &machine, &machine.block_order(8)).unwrap();
            let nearer = found.nearer.iter();
            nearer.map(|it| it.leaf_switches).collect::<Vec<_>>()
        };
        assert_eq!(of(&all_to_all(), "1:1,8:1"), [None]);
        let pairs = (0..8).flat_map(|a| (a / 4 * 4..a / 4 * 4 + 4).map(move |b| (a, b)));
        let messages = pairs.filter(|(a, b)| a != b);
        let pairs_of_hosts = graph(8, messages.map(|(a, b)| message(a, b, 1000)).collect());
        assert_eq!(of(&pairs_of_hosts, "8:1,1:1"), [Some(2), None]);
    }

    #[test]
    fn hosts_of_a_larger_allocation_are_named_where_block_order_has_others() {
        let graph = all_to_all();
        let machine = tree("n0,n4,n8,n9,n10,n11");
        let nodes: Vec<NodeId> = (0..8).map(|rank| NodeId(8 + rank / 2)).collect();
        let placement = Placement::from_nodes(&nodes, machine.slots()).unwrap();
        let found = OtherHosts::of(&graph, &machine, &placement).unwrap();
        assert_eq!(found.used, ["n8", "n9", "n10", "n11"]);
        let line = found.to_string();
        assert!(
            line.contains("ranks run on 4 of the 6 hosts: n8,n9,n10,n11"),
            "{line}"
        );
    }
}
