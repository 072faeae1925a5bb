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
use crate::constraints::{Constraints, Demand, Infeasible, Rule};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::{CommGraph, Entry};
use rankfold_machine::Machine;

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
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let capacities: Vec<u32> = nodes.map(|node| slots.capacity(node) / unit).collect();
        let machine = case.machine.with_slots(&capacities);
        let rules = rules(&case.constraints, &first);
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
        Ok(Self {
            constraints: Constraints::new(cells as usize, &machine, rules, None)?,
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
        let sizes = case.constraints.sizes();
        sizes.seated(&nodes, case.machine.slots(), slot)
    }
}

/// The rules of the ranks as rules of their first cells.
fn rules(constraints: &Constraints, first: &[u32]) -> Vec<Rule> {
    let cell = |rank: &Rank| Rank(first[rank.index()]);
    let of_cells = |rule: &Rule| Rule {
        demand: match &rule.demand {
            Demand::Stay(rank, seat) => Demand::Stay(cell(rank), *seat),
            Demand::Together(ranks) => Demand::Together(ranks.iter().map(cell).collect()),
            Demand::Apart(ranks) => Demand::Apart(ranks.iter().map(cell).collect()),
        },
        origin: rule.origin.clone(),
    };
    constraints.rules().iter().map(of_cells).collect()
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
