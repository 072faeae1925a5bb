//! Cases of cells: a rank that takes several slots is as many cells that share a node.
//!
//! A search places things that take one slot each. What takes more is cut in cells, which
//! constraints keep together, and which exchange so much that heuristics begin with them together.
//! So every heuristic and refinement knows the room of nodes without a notion of sizes, and what
//! comes back is a placement of ranks with the figures of ranks. Where all sizes have a common
//! divisor, that many slots are one: ranks of one size are placed as ranks of one slot.
//!
//! ```text
//! rank          0    1  2         cells of 2 slots   0 1   2   3
//! takes slots   4    2  2         rank               0 0   1   2      cells 0 and 1 share a node
//! ```

use crate::case::Case;
use crate::constraints::{Constraints, Demand, Gaps, Home, Infeasible, Rule, Seat, Sizes, Start};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::{CommGraph, Entry};
use rankfold_machine::Machine;
use std::collections::BTreeSet;

/// A case with the cells of each rank as ranks.
#[derive(Debug)]
pub struct CellCase {
    /// Bytes between the first cells of ranks, and between the cells of a rank.
    pub graph: CommGraph,
    /// The machine with slots for cells.
    pub machine: Machine,
    /// The constraints of the ranks, and that the cells of a rank share a node.
    pub constraints: Constraints,
    /// The first cell of every rank.
    first: Vec<u32>,
}

impl CellCase {
    /// The cells of a case whose ranks take several slots.
    ///
    /// # Errors
    /// [`Infeasible`]: no placement of the cells was found that keeps all constraints.
    pub fn of(case: &Case<'_>) -> Result<Self, Infeasible> {
        let (ranks, sizes) = (case.graph.ranks(), case.constraints.sizes());
        let all = (0..ranks).map(|rank| sizes.of(Rank::at(rank)));
        let unit = all.clone().fold(0, divisor).max(1);
        let mut first = Vec::with_capacity(ranks);
        let mut cells = 0;
        for size in all {
            first.push(cells);
            cells += size / unit;
        }
        let cells_of = |rank: Rank| {
            let from = first[rank.index()];
            (from..from + sizes.of(rank) / unit).map(Rank)
        };
        let slots = case.machine.slots();
        let gaps = case.constraints.gaps(slots);
        let gaps = gaps.expect("ranks that stay were found to have slots of their own");
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let mut capacities: Vec<u32> = nodes.map(|node| slots.capacity(node) / unit).collect();
        for (node, runs) in gaps.all() {
            let free: u32 = runs.iter().map(|run| run.len() as u32).sum();
            let within: u32 = runs.iter().map(|run| run.len() as u32 / unit).sum();
            capacities[node.index()] = (slots.capacity(node) - free) / unit + within;
        }
        let machine = case.machine.with_slots(&capacities);
        let mut rules = rules(case, &first);
        rules.extend(in_gaps(case, &gaps, &first));
        let large = (0..ranks)
            .map(Rank::at)
            .filter(|&rank| sizes.of(rank) > unit);
        let together = large.clone().map(|rank| Rule {
            demand: Demand::Together(cells_of(rank).collect()),
            origin: String::new(),
        });
        let rules = rules.into_iter().chain(together).collect();
        let ties = ties(&case.graph, large.map(|rank| cells_of(rank).collect()));
        let plain = || case.graph.among(&first, cells as usize, &[]);
        let graph = case.graph.among(&first, cells as usize, &ties);
        let graph = graph
            .or_else(|_| plain())
            .expect("the bytes of a graph fit a graph");
        let count = cells as usize;
        let start = start(case, &machine, |rank| cells_of(rank).count());
        let constraints = Constraints::begun(count, &machine, rules, start, Sizes::default())?;
        Ok(Self {
            constraints,
            graph,
            machine,
            first,
        })
    }

    /// The placement of the ranks, from one of the cells.
    #[must_use]
    pub fn of_ranks(&self, cells: &Placement, case: &Case<'_>) -> Placement {
        let slot = |rank: Rank| cells.slot(Rank(self.first[rank.index()]));
        let ranks = (0..self.first.len()).map(Rank::at);
        let nodes: Vec<NodeId> = ranks
            .map(|it| self.machine.slots().node_of(slot(it)))
            .collect();
        let (constraints, machine) = (&case.constraints, case.machine);
        let seated = constraints.in_slots(&nodes, machine.slots(), slot);
        seated.unwrap_or_else(|| constraints.any(nodes.len(), machine))
    }
}

/// The rules of ranks as rules of their first cells. A pinned slot becomes its node, since a node
/// has other slots for cells.
fn rules(case: &Case<'_>, first: &[u32]) -> Vec<Rule> {
    let cell = |rank: &Rank| Rank(first[rank.index()]);
    let slots = case.machine.slots();
    let of_cells = |rule: &Rule| Rule {
        demand: match rule.demand.of(cell) {
            Demand::Stay(cell, seat) => Demand::Stay(cell, Seat::Node(seat.node(slots))),
            other => other,
        },
        origin: rule.origin.clone(),
    };
    case.constraints.rules().iter().map(of_cells).collect()
}

/// How many ranks of each size and above fit the runs of slots beside ranks that stay, where a node
/// has several.
fn in_gaps(case: &Case<'_>, gaps: &Gaps, first: &[u32]) -> Vec<Rule> {
    let sizes = case.constraints.sizes();
    let all = (0..first.len()).map(Rank::at);
    let loose: Vec<Rank> = all.filter(|&it| !case.constraints.seats(it)).collect();
    let several: BTreeSet<u32> = loose.iter().map(|&rank| sizes.of(rank)).collect();
    let split: Vec<_> = gaps.all().filter(|(_, runs)| runs.len() > 1).collect();
    let several = several
        .into_iter()
        .filter(|&size| size > 1 && !split.is_empty());
    let rule = |size: u32| {
        let mut most = vec![u32::MAX; case.machine.slots().nodes()];
        for (node, runs) in &split {
            most[node.index()] = runs.iter().map(|run| run.len() as u32 / size).sum();
        }
        let large = loose.iter().filter(|&&rank| sizes.of(rank) >= size);
        let large = large.map(|rank| Rank(first[rank.index()])).collect();
        Rule {
            demand: Demand::AtMost(large, most),
            origin: String::new(),
        }
    };
    several.map(rule).collect()
}

/// The placement to begin from as one of cells. Only the first cell of a rank is counted.
fn start(
    case: &Case<'_>,
    machine: &Machine,
    cells: impl Fn(Rank) -> usize,
) -> Option<(Start, Vec<Home>)> {
    let (start, begin, homes) = case.constraints.begin()?;
    let (mut nodes, mut of_cells) = (Vec::new(), Vec::new());
    for (rank, node) in begin.nodes(case.machine.slots()).into_iter().enumerate() {
        let home = match homes[rank] {
            Home::Node(node, _) => Home::on(node, machine.slots()),
            ref other => other.clone(),
        };
        let count = cells(Rank::at(rank));
        nodes.resize(nodes.len() + count, node);
        of_cells.push(home);
        of_cells.resize(nodes.len(), Home::Anywhere);
    }
    let placement = Placement::from_nodes(&nodes, machine.slots());
    let start = Start {
        placement: placement.expect("a node has as many cells as its ranks"),
        ..start.clone()
    };
    Some((start, of_cells))
}

/// What ties the cells of a rank to its first one: more than the rank exchanges with all others.
fn ties(graph: &CommGraph, large: impl Iterator<Item = Vec<Rank>>) -> Vec<Entry> {
    // What phases add up to is the whole, which has no ties.
    if !graph.phases().is_empty() {
        return Vec::new();
    }
    let mut exchanged = vec![1u64; graph.ranks()];
    for message in graph.messages() {
        for end in [message.from, message.to] {
            exchanged[end.index()] = exchanged[end.index()].saturating_add(message.bytes);
        }
    }
    let most = exchanged.into_iter().max().unwrap_or(1);
    let ties = large.flat_map(|cells| {
        let others = cells[1..].to_vec();
        others.into_iter().map(move |cell| Entry {
            from: cells[0],
            to: cell,
            bytes: most,
            messages: u64::from(graph.counts_messages()),
        })
    });
    ties.collect()
}

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}
