//! `ltm-recursive`: recursive bisection mapping of LibTopoMap (Hoefler and Snir, ICS 2011,
//! Algorithm 2).
//!
//! The machine and the communication graph are both cut in two by their lightest cuts, again and
//! again. The ranks of one half go to the nodes of one half. The machine is cut together with its
//! switches. Its halves have about the same number of slots, C(v) in the paper, so switches and
//! nodes without slots weigh nothing.
//!
//! What differs from the paper: it leaves open what happens if the halves differ in size; here the
//! ranks are always cut to the number of slots on either side. As in the paper, links that are cut
//! play no part in later cuts. Where nodes have several slots, groups of ranks as large as a node
//! are mapped (section 3.4).
//!
//! Cost: O((m + L) log N) for m pairs, L links and N nodes.

use rankfold_base::{NodeId, Placement};
use rankfold_machine::{Edge, Machine};
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::weights::Weights;
use rankfold_search::irregular::bundles::bundled;
use rankfold_search::irregular::exact_bisector::{ExactBisector, SizeRange, exactly};

/// Most ranks for which the heuristic takes part without being asked for by name: a few seconds, by
/// estimate.
const AFFORDABLE_RANKS: usize = 8192;

/// Share of its slots by which the halves of the machine may differ: METIS's default tolerance.
const UNEVEN: f64 = 0.03;

/// The heuristic `ltm-recursive`.
#[derive(Debug)]
pub(crate) struct LtmRecursive;

impl Heuristic for LtmRecursive {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ltm-recursive",
            Family::Irregular,
            "machine and ranks each cut in two by their lightest cuts, again and again (Hoefler and Snir 2011, Algorithm 2)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        bundled(problem, place)
    }
}

fn place(problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
    let (nodes, cuts) = Bisection::new(problem).run();
    let placement = Placement::from_nodes(&nodes, problem.machine.slots());
    Ok(Placed {
        placement: placement.expect("every half gets as many ranks as it has slots at most"),
        diagnostics: Diagnostics {
            passes: cuts,
            ..Diagnostics::default()
        },
    })
}

struct Bisection<'a> {
    machine: &'a Machine,
    ranks: usize,
    weights: Weights,
    links: Weights,
    seed: u64,
}

impl<'a> Bisection<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        Self {
            machine: problem.machine,
            ranks: problem.graph.ranks(),
            weights: Weights::new(problem.affinity, 1),
            links: links(problem.machine),
            seed: problem.seed,
        }
    }

    /// The node of every rank, and the number of cuts through the machine.
    fn run(&self) -> (Vec<NodeId>, u32) {
        let mut of_machine = self.machine_bisector();
        let mut of_ranks = ExactBisector::new(&self.weights, self.seed);
        let mut node_of = vec![NodeId(0); self.ranks];
        let mut cuts = 0;
        let everything = (0..self.links.vertices() as u32).collect::<Vec<_>>();
        let all_ranks = (0..self.ranks as u32).collect::<Vec<_>>();
        let mut open = vec![(everything, all_ranks)];
        while let Some((vertices, ranks)) = open.pop() {
            if ranks.is_empty() {
                continue;
            }
            if let Some(node) = self.only_node(&vertices) {
                ranks.iter().for_each(|&rank| node_of[rank as usize] = node);
                continue;
            }
            let halves = self.halves(&mut of_machine, &vertices);
            let [left, right] = [0, 1].map(|side| self.slots(&halves[side]));
            // Free slots are divided in proportion to all slots.
            let share = (ranks.len() * left).div_ceil(left + right);
            let first = share.clamp(ranks.len().saturating_sub(right), left.min(ranks.len()));
            let [one, other] = of_ranks.halve(&ranks, exactly(first));
            let [here, there] = halves;
            open.push((here, one));
            open.push((there, other));
            cuts += 1;
        }
        (node_of, cuts)
    }

    /// Bisects the machine; parts are as large as the number of their slots.
    fn machine_bisector(&self) -> ExactBisector<'_> {
        let vertices = 0..self.links.vertices() as u32;
        let slots = vertices.map(|v| self.capacity(v) as u32).collect();
        ExactBisector::with_sizes(&self.links, slots, self.seed)
    }

    fn halves(&self, of_machine: &mut ExactBisector<'_>, vertices: &[u32]) -> [Vec<u32>; 2] {
        let room = about_half(of_machine.size(vertices));
        self.both_usable(of_machine.halve(vertices, room))
    }

    /// The only vertex that can take ranks; `None` if there are several.
    fn only_node(&self, vertices: &[u32]) -> Option<NodeId> {
        let mut usable = vertices.iter().filter(|&&v| self.capacity(v) > 0);
        let first = usable.next()?;
        usable.next().is_none().then_some(NodeId(*first))
    }

    /// The halves after a node was moved into a half without slots, if there is one: the node with
    /// the least bandwidth, as the paper's library does. Such a half exists only where one node has
    /// more than half of all slots.
    fn both_usable(&self, mut halves: [Vec<u32>; 2]) -> [Vec<u32>; 2] {
        for (empty, full) in [(0, 1), (1, 0)] {
            if self.slots(&halves[empty]) > 0 {
                continue;
            }
            let usable = (0..halves[full].len()).filter(|&at| self.capacity(halves[full][at]) > 0);
            let bandwidth = |&at: &usize| -> i64 {
                let links = self.links.partners(halves[full][at]);
                links.map(|(_, bandwidth)| bandwidth).sum()
            };
            if let Some(at) = usable.min_by_key(bandwidth) {
                let node = halves[full].swap_remove(at);
                halves[empty].push(node);
            }
        }
        halves
    }

    fn slots(&self, vertices: &[u32]) -> usize {
        vertices.iter().map(|&v| self.capacity(v)).sum()
    }

    fn capacity(&self, vertex: u32) -> usize {
        let slots = self.machine.slots();
        if (vertex as usize) < slots.nodes() {
            slots.capacity(NodeId(vertex)) as usize
        } else {
            0
        }
    }
}

/// About half of the slots, at least one, and not all.
fn about_half(slots: i64) -> SizeRange {
    let off = (slots as f64 * UNEVEN / 2.0) as i64;
    SizeRange {
        least: (slots / 2 - off).max(1),
        most: (slots - slots / 2 + off).min(slots - 1),
    }
}

/// The network as a graph of nodes and switches with bandwidths as weights.
fn links(machine: &Machine) -> Weights {
    /// Weight of the slowest link; other weights are rounded to integers. Any large number serves.
    const SLOWEST: f64 = 1000.0;
    let wiring = machine.topology().wiring();
    let bandwidths = wiring.bandwidths().into_iter();
    let slowest = bandwidths.fold(f64::INFINITY, f64::min);
    let weight = |edge: &Edge| (edge.bandwidth / slowest * SLOWEST).min(1e12) as i64;
    let edges = wiring.edges.indexed();
    let edges = edges.map(|(from, edge)| (from as u32, edge.to, weight(edge)));
    Weights::of_edges(wiring.vertices(), edges)
}

#[cfg(test)]
mod tests;
