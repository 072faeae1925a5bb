//! Generated grids of ranks, and the results of heuristics on them.

use rankfold_base::{Placement, Rank};
use rankfold_graph::{Affinity, CommGraph, Message};
use rankfold_machine::{Machine, parse};
use rankfold_metric as metric;
use rankfold_pattern::{self as pattern, Numbering, Offset, Pattern, Source, Stencil};
use rankfold_problem::heuristic::{Effort, Heuristic, Problem, Refinement};
use rankfold_problem::member_options::MemberOptions;
use rankfold_refine::Swap;

/// The cells that a cell sends to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Points {
    /// The neighbours one step along one dimension: 5-point in 2D, 7-point in 3D.
    Star,
    /// The neighbours of the star and the corners of the box around the cell: 15-point in 3D.
    StarAndCorners,
}

/// Bytes of every message.
const BYTES: u64 = 512;

/// The graph of a grid without wrap-around whose cells send [`BYTES`] to every neighbour.
pub(crate) fn grid(dims: &[usize], points: Points) -> CommGraph {
    let ranks: usize = dims.iter().product();
    let mut messages = Vec::new();
    for steps in offsets(dims.len(), points) {
        messages.extend((0..ranks).filter_map(|from| {
            Some(Message {
                from: Rank::at(from),
                to: Rank::at(neighbour(dims, from, &steps)?),
                bytes: BYTES,
            })
        }));
    }
    CommGraph::from_messages(ranks, messages).expect("a grid is a valid graph")
}

fn offsets(dims: usize, points: Points) -> Vec<Vec<i64>> {
    let all = (0..3usize.pow(dims as u32)).map(|code| {
        let digit = |d: u32| (code / 3usize.pow(d) % 3) as i64 - 1;
        (0..dims as u32).map(digit).collect::<Vec<_>>()
    });
    let wanted = |steps: &Vec<i64>| {
        let moved = steps.iter().filter(|&&s| s != 0).count();
        moved == 1 || (moved == dims && points == Points::StarAndCorners)
    };
    all.filter(wanted).collect()
}

fn neighbour(dims: &[usize], cell: usize, steps: &[i64]) -> Option<usize> {
    let (mut rest, mut stride, mut to) = (cell, 1, 0);
    for (&k, &step) in dims.iter().zip(steps).rev() {
        let at = (rest % k).checked_add_signed(step as isize)?;
        if at >= k {
            return None;
        }
        to += at * stride;
        rest /= k;
        stride *= k;
    }
    Some(to)
}

/// A grid, a machine, and the pattern that the analyser finds.
pub(crate) struct Case {
    pub(crate) graph: CommGraph,
    affinity: Affinity,
    pattern: Pattern,
    pub(crate) machine: Machine,
    effort: Effort,
    options: MemberOptions,
}

impl Case {
    pub(crate) fn new(dims: &[usize], spec: &str) -> Self {
        Self::of(grid(dims, Points::Star), spec, 1)
    }

    pub(crate) fn of(graph: CommGraph, spec: &str, cores: u32) -> Self {
        Self {
            affinity: graph.affinity(),
            pattern: pattern::analyze(&graph),
            graph,
            machine: Machine::uniform(parse(spec).expect("a spec of the benchmark"), cores),
            effort: Effort::default(),
            options: MemberOptions::default(),
        }
    }

    /// A case whose pattern is given instead of found by the analyser, with an effort that leaves
    /// out exchanges.
    pub(crate) fn with_known_grid(dims: &[usize], spec: &str) -> Self {
        let graph = grid(dims, Points::Star);
        let offsets = (0..dims.len()).map(|dim| {
            let mut steps = vec![0; dims.len()];
            steps[dim] = 1;
            let bytes = (graph.ranks() / dims[dim] * (dims[dim] - 1)) as u64 * BYTES;
            Offset {
                steps,
                forward: bytes,
                backward: bytes,
            }
        });
        let stencil = Stencil {
            source: Source::Traffic,
            dims: dims.to_vec(),
            numbering: Numbering::Rows,
            periodic: vec![false; dims.len()],
            points: 2 * dims.len() + 1,
            confidence: 1.0,
            carried: 1.0,
            offsets: offsets.collect(),
        };
        Self {
            affinity: graph.affinity(),
            pattern: Pattern::Regular {
                best: stencil,
                alternatives: Vec::new(),
                overlays: Vec::new(),
            },
            graph,
            machine: Machine::uniform(parse(spec).expect("a spec of the benchmark"), 1),
            effort: Effort::Fast,
            options: MemberOptions::default(),
        }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem {
            graph: &self.graph,
            affinity: &self.affinity,
            machine: &self.machine,
            constraints: rankfold_assess::Constraints::none(),
            pattern: &self.pattern,
            seed: 0,
            objective: Default::default(),
            effort: self.effort,
            loops: None,
            options: &self.options,
            deadline: None,
            team: &rankfold_problem::team::Alone,
        }
    }

    /// Hops per byte of a heuristic alone; `None` where the heuristic does not apply.
    pub(crate) fn hops(&self, heuristic: &dyn Heuristic) -> Option<f64> {
        let placed = heuristic.place(&self.problem()).ok()?;
        Some(self.hops_of(&placed.placement))
    }

    /// Hops per byte of a heuristic after exchanges, as `rankfold map` runs it.
    pub(crate) fn refined_hops(&self, heuristic: &dyn Heuristic) -> Option<f64> {
        let mut placed = heuristic.place(&self.problem()).ok()?;
        Swap.refine(&self.problem(), &mut placed.placement);
        Some(self.hops_of(&placed.placement))
    }

    pub(crate) fn hops_of(&self, placement: &Placement) -> f64 {
        let nodes = placement.nodes(self.machine.slots());
        let hop_bytes = metric::hop_bytes(&self.graph, self.machine.topology(), &nodes);
        hop_bytes as f64 / self.graph.total_bytes().max(1) as f64
    }
}
