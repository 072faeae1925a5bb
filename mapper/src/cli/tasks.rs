//! More tasks than slots: the cells or blocks of a mesh, many to a slot.
//!
//! A search gives each node room for as many slots' worth of tasks as it has slots, and each slot's
//! worth is bounded by `--imbalance`. The tasks of a node with several slots are divided among them
//! afterwards, by a search of its own. A part is a slot, by its number in block order: the rank
//! that starts there.

use super::parts::{Parts, flat, loads};
use crate::error::Error;
use rankfold_assess::{Case, Constraints, Demand, Rule, Sizes};
use rankfold_base::words::counted;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, Mapfile, MapfileFormat};
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::HopBytes;
use rankfold_problem::team::Alone;
use rankfold_search::select::{Request, select_together};
use std::collections::BTreeSet;

/// The flag for tasks.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct TaskArgs {
    /// Place tasks, many to a slot, such as the cells of a mesh: each slot takes tasks of at most
    /// 1 + IMBALANCE times the mean weight, as in 0.03
    #[arg(long, value_name = "IMBALANCE", value_parser = imbalance)]
    imbalance: Option<f64>,
}

/// Formats that hold parts.
const OF_PARTS: [&str; 2] = ["partition", "openfoam"];

/// Largest value of the flag, which catches percents.
const MOST: f64 = 10.0;

fn imbalance(text: &str) -> Result<f64, String> {
    let value = text
        .parse()
        .ok()
        .filter(|value| (0.0..=MOST).contains(value));
    value.ok_or_else(|| format!("{text:?} is no number from 0 to {MOST}, such as 0.03"))
}

/// Tasks on the slots of a machine.
pub(super) struct Tasks {
    /// The machine with its own slots.
    machine: Machine,
    sizes: Sizes,
    /// The most weight that a slot takes.
    most: u32,
}

impl TaskArgs {
    /// The name of the format that is written: `asked` for, or the usual one.
    ///
    /// # Errors
    /// The format holds no parts.
    pub(super) fn format<'a>(&self, asked: Option<&'a str>) -> Result<&'a str, Error> {
        match (self.imbalance, asked) {
            (None, asked) => Ok(asked.unwrap_or("nodes")),
            (Some(_), None) => Ok(OF_PARTS[0]),
            (Some(_), Some(asked)) if OF_PARTS.contains(&asked) => Ok(asked),
            (Some(_), Some(asked)) => Err(Error::Flag {
                flag: "--to",
                value: asked.to_owned(),
                problem: format!("tasks are written as {}", OF_PARTS.join(" or ")),
            }),
        }
    }

    /// The format of parts that a placement is read in; `None` where it is one of ranks.
    pub(super) fn parts_of(
        &self,
        from: Option<&'static dyn MapfileFormat>,
    ) -> Result<Option<&'static dyn MapfileFormat>, Error> {
        let named = from.filter(|from| OF_PARTS.contains(&from.name()));
        Ok(match (named, self.imbalance) {
            (None, Some(_)) => Some(mapfile::format(OF_PARTS[0])?),
            (named, _) => named,
        })
    }

    /// The machine with room for the tasks of a file, as the flag says, or for the heaviest part on
    /// each slot.
    ///
    /// # Errors
    /// A part is too heavy, or a task; the error names it.
    pub(super) fn room(
        &self,
        parts: &[u32],
        sizes: &Sizes,
        machine: &Machine,
        file: &str,
    ) -> Result<Machine, Error> {
        let loads = loads(parts, sizes, machine);
        let heaviest = loads.iter().copied().max().unwrap_or(0);
        let tasks = self.of(sizes, parts.len(), machine)?;
        let allowed = tasks.map(|tasks| u64::from(tasks.most));
        let most = allowed.unwrap_or(MOST_ROOM / loads.len().max(1) as u64);
        if let Some(part) = loads.iter().position(|&load| load > most) {
            let load = loads[part];
            return Err(Error::Flag {
                flag: "--placement",
                value: file.to_owned(),
                problem: format!("part {part} weighs {load}, and the most is {most}"),
            });
        }
        Ok(room(machine, allowed.unwrap_or(heaviest) as u32))
    }

    /// Tasks of these weights on the slots of a machine; `None` without the flag.
    ///
    /// # Errors
    /// A task is too heavy for a slot, or the weights are too large.
    pub(super) fn of(
        &self,
        sizes: &Sizes,
        tasks: usize,
        machine: &Machine,
    ) -> Result<Option<Tasks>, Error> {
        let Some(imbalance) = self.imbalance else {
            return Ok(None);
        };
        let wrong = |problem| Error::Flag {
            flag: "--imbalance",
            value: imbalance.to_string(),
            problem,
        };
        let (total, slots) = (sizes.total(tasks), machine.slots().len() as u64);
        if slots == 0 {
            return Err(wrong("the machine has no slot".into()));
        }
        // Whole weights have no part below the mean rounded up.
        let mean = total as f64 / slots as f64;
        let most = ((1.0 + imbalance) * mean * (1.0 + f64::EPSILON)).floor();
        let most = (most as u64).max(total.div_ceil(slots)).max(1);
        if most.saturating_mul(slots) > MOST_ROOM {
            return Err(wrong(format!(
                "the tasks weigh {total} in all: give smaller weights, up to {MOST_ROOM} together"
            )));
        }
        let most = most as u32;
        let heavy = (0..tasks).map(Rank::at).find(|&task| sizes.of(task) > most);
        if let Some(task) = heavy {
            let weight = sizes.of(task);
            return Err(wrong(format!(
                "task {task} weighs {weight}, and a slot takes {most}, with a mean of {mean:.1}"
            )));
        }
        Ok(Some(Tasks {
            machine: machine.clone(),
            sizes: sizes.clone(),
            most,
        }))
    }
}

/// The most weight that all slots take together, since a search has a place for each unit of it.
const MOST_ROOM: u64 = 1 << 28;

impl Tasks {
    /// The machine with room for the tasks.
    pub(super) fn room(&self) -> Machine {
        room(&self.machine, self.most)
    }

    /// How many tasks of each weight and above fit the slots of a node. Of tasks that weigh a
    /// quarter of a slot or less, there is no need to say it.
    pub(super) fn rules(&self, tasks: usize) -> Vec<Rule> {
        let all = (0..tasks).map(Rank::at);
        let heavy: Vec<Rank> = all
            .filter(|&it| 4 * self.sizes.of(it) > self.most)
            .collect();
        let weights: BTreeSet<u32> = heavy.iter().map(|&task| self.sizes.of(task)).collect();
        let slots = self.machine.slots();
        let rule = |weight: u32| {
            let fit = |node| slots.capacity(NodeId::at(node)) * (self.most / weight);
            let of = heavy.iter().copied();
            let tasks = of.filter(|&task| self.sizes.of(task) >= weight);
            let most = (0..slots.nodes()).map(fit);
            Rule {
                demand: Demand::AtMost(tasks.collect(), most.collect()),
                origin: format!("--imbalance gives a slot {}", self.most),
            }
        };
        let weights = weights.into_iter().filter(|_| self.are_divided());
        weights.map(rule).collect()
    }

    /// Whether tasks are divided among the slots of nodes.
    pub(super) fn are_divided(&self) -> bool {
        let slots = self.machine.slots();
        (0..slots.nodes()).any(|node| slots.capacity(NodeId::at(node)) > 1)
    }

    /// The part of every task, from a placement on the machine with room. `graph` is needed where
    /// tasks [are divided](Self::are_divided).
    ///
    /// # Errors
    /// The tasks of a node cannot be divided among its slots.
    pub(super) fn parts(
        &self,
        graph: Option<&CommGraph>,
        nodes: &[NodeId],
    ) -> Result<Vec<u32>, Error> {
        let slots = self.machine.slots();
        let mut of_node = vec![Vec::new(); slots.nodes()];
        for (task, node) in nodes.iter().enumerate() {
            of_node[node.index()].push(Rank::at(task));
        }
        let mut parts = vec![0; nodes.len()];
        let mut first = 0;
        for node in self.machine.launch_order() {
            let (tasks, capacity) = (&of_node[node.index()], slots.capacity(node));
            let within = match graph {
                Some(graph) if capacity > 1 => self.divided(graph, tasks, capacity)?,
                _ => vec![0; tasks.len()],
            };
            for (task, within) in tasks.iter().zip(within) {
                parts[task.index()] = first + within;
            }
            first += capacity;
        }
        Ok(parts)
    }

    /// The slot of each of some tasks within their node.
    fn divided(&self, graph: &CommGraph, tasks: &[Rank], slots: u32) -> Result<Vec<u32>, Error> {
        let number = |rank: Rank| tasks.binary_search(&rank).ok().map(Rank::at);
        let within = tasks.iter().flat_map(|&from| {
            let sent = graph.sent_by(from);
            sent.filter_map(move |(to, bytes)| {
                let (from, to) = (number(from)?, number(to)?);
                Some(Message { from, to, bytes })
            })
        });
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let graph = CommGraph::from_messages(tasks.len(), within)?;
        let node = rankfold_machine::parse(&format!("hierarchy:{slots}"))?;
        let machine = Machine::uniform(node, self.most);
        let of = tasks.iter().map(|&task| self.sizes.of(task)).collect();
        let sizes = Sizes::new(of, self.sizes.origin());
        let made = Constraints::sized(tasks.len(), &machine, Vec::new(), None, sizes);
        let constraints = made.map_err(|_| Error::Flag {
            flag: "--imbalance",
            value: format!("gives a slot {}", self.most),
            problem: format!(
                "{} do not divide among the {slots} slots of a node: raise it",
                counted(tasks.len(), "task")
            ),
        })?;
        let case = Case::new(&graph, &machine).keeping(constraints);
        let request = Request {
            objective: &HopBytes,
            effort: Effort::Fast,
            ..Request::default()
        };
        let found = select_together(case, &request, &Alone, &|_| ())?;
        let placement = found.winner().1.placement();
        let nodes = placement.nodes(machine.slots());
        Ok(nodes.into_iter().map(|node| node.0).collect())
    }

    /// How even parts are.
    pub(super) fn evenness(&self, parts: &[u32]) -> Parts {
        Parts::of(parts, &self.sizes, &self.machine)
    }

    /// The file of these parts.
    ///
    /// # Errors
    /// Those of the format.
    pub(super) fn write(
        &self,
        format: &dyn MapfileFormat,
        parts: &[u32],
    ) -> Result<Mapfile, Error> {
        let nodes: Vec<NodeId> = parts.iter().copied().map(NodeId).collect();
        let each = flat(&self.machine, parts.len() as u32);
        let placement = Placement::from_nodes(&nodes, each.slots());
        Ok(format.write(&placement.expect("each part has room for all tasks"), &each)?)
    }
}

/// The machine with so much room in each slot.
fn room(machine: &Machine, most: u32) -> Machine {
    let slots = machine.slots();
    let nodes = (0..slots.nodes()).map(NodeId::at);
    let room: Vec<u32> = nodes.map(|node| slots.capacity(node) * most).collect();
    machine.with_slots(&room)
}

#[cfg(test)]
mod tests {
    use super::super::parts::{placed, read};
    use super::*;
    use rankfold_graph::samples::{graph, message, star_stencil};
    use rankfold_machine::samples::{machine, unequal_nodes};

    fn tasks(imbalance: f64, sizes: &Sizes, count: usize, machine: &Machine) -> Tasks {
        let args = TaskArgs {
            imbalance: Some(imbalance),
        };
        args.of(sizes, count, machine).unwrap().unwrap()
    }

    #[test]
    fn a_slot_takes_no_more_than_the_imbalance_above_the_mean_or_the_mean_rounded_up() {
        let most = |imbalance, weights: &[u32], nodes: &str| {
            let sizes = Sizes::new(weights.to_vec(), "w");
            let made = tasks(imbalance, &sizes, weights.len(), &machine(nodes, 1));
            made.most
        };
        assert_eq!(most(0.03, &[1; 100], "mesh:10"), 10);
        assert_eq!(most(0.1, &[1; 100], "mesh:10"), 11);
        assert_eq!(most(0.0, &[1; 10], "mesh:4"), 3);
        assert_eq!(most(0.5, &[3, 1, 1, 1], "mesh:2"), 4);
        assert_eq!(most(0.0, &[1; 3], "mesh:8"), 1);
        let sizes = Sizes::new(vec![9, 1, 1, 1], "w");
        let args = TaskArgs {
            imbalance: Some(0.1),
        };
        let message = args.of(&sizes, 4, &machine("mesh:2", 1)).err().unwrap();
        let message = message.to_string();
        assert!(
            message.contains("task 0 weighs 9, and a slot takes 6"),
            "{message}"
        );
    }

    #[test]
    fn tasks_are_divided_among_the_slots_of_unequal_nodes_and_read_back() {
        let graph = star_stencil(&[10, 6], false);
        let machine = unequal_nodes("mesh:3", &[1, 3, 2]);
        let weights = (0..60).map(|task| 1 + task % 3).collect();
        let sizes = Sizes::new(weights, "w");
        let tasks = tasks(0.05, &sizes, 60, &machine);
        let room = tasks.room();
        let constraints = Constraints::sized(60, &room, Vec::new(), None, sizes.clone()).unwrap();
        let case = Case::new(&graph, &room).keeping(constraints);
        let request = Request {
            objective: &HopBytes,
            effort: Effort::Fast,
            ..Request::default()
        };
        let found = select_together(case, &request, &Alone, &|_| ()).unwrap();
        let nodes = found.winner().1.placement().nodes(room.slots());
        let parts = tasks.parts(Some(&graph), &nodes).unwrap();
        assert_eq!(tasks.most, 21);
        assert!(
            loads(&parts, &sizes, &machine)
                .iter()
                .all(|&load| load <= 21)
        );
        for format in OF_PARTS.map(|name| mapfile::format(name).unwrap()) {
            let written = tasks.write(format, &parts).unwrap();
            let seats = mapfile::parse_as(format, &written.content, "f").unwrap();
            assert_eq!(read(&seats, &machine, 60, "f").unwrap(), parts);
        }
        let placement = placed(&parts, &machine, &room);
        assert_eq!(placement.nodes(room.slots()), nodes);
        let message = tasks.evenness(&parts).to_string();
        assert!(message.contains("60 tasks on 6 slots"), "{message}");
    }
    #[test]
    fn heavy_tasks_go_where_slots_take_them() {
        // Three heavy tasks exchange most, and two slots take no more than two of them.
        let bytes = [(0, 1), (1, 2), (2, 0)].map(|(from, to)| message(from, to, 1000));
        let graph = graph(8, bytes.to_vec());
        let machine = machine("mesh:2", 2);
        let sizes = Sizes::new(vec![6, 6, 6, 6, 4, 4, 4, 4], "w");
        let tasks = tasks(0.1, &sizes, 8, &machine);
        let room = tasks.room();
        let request = Request {
            objective: &HopBytes,
            effort: Effort::Fast,
            ..Request::default()
        };
        let parts = |rules: Vec<Rule>| {
            let kept = Constraints::sized(8, &room, rules, None, sizes.clone()).unwrap();
            let case = Case::new(&graph, &room).keeping(kept);
            let found = select_together(case, &request, &Alone, &|_| ()).unwrap();
            let nodes = found.winner().1.placement().nodes(room.slots());
            tasks.parts(Some(&graph), &nodes)
        };
        assert!(parts(Vec::new()).is_err());
        let parts = parts(tasks.rules(8)).unwrap();
        let loads = loads(&parts, &sizes, &machine);
        assert!(loads.iter().all(|&load| load <= 11), "{loads:?}");
    }
}
