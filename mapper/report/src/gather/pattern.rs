//! The communication pattern as the report shows it.

use crate::data::{GridPattern, Pattern};
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use rankfold_pattern::{self as pattern, Numbering, Overlay, Stencil};

/// Maximum number of ranks whose grid is drawn rank by rank. Chosen by hand.
const DRAWN: usize = 1024;
/// Largest number of partners that is counted separately. Ranks with more are counted with it.
/// Chosen by hand.
const PARTNERS: usize = 64;

/// The pattern of a graph. The graph is analysed unless the pattern is already `known`.
pub(super) fn of(graph: &CommGraph, known: Option<&pattern::Pattern>) -> Pattern {
    let analysed;
    let known = match known {
        Some(known) => known,
        None => {
            analysed = pattern::analyze(graph);
            &analysed
        }
    };
    let mut seen = Pattern {
        groups: known.groups(graph.total_bytes()).map(|(words, _)| words),
        overlays: known.overlays().iter().map(overlay).collect(),
        ..Pattern::default()
    };
    match known {
        pattern::Pattern::Regular { best, .. } => seen.grid = Some(grid(best, graph.ranks())),
        pattern::Pattern::Irregular { explained, .. } => seen.explained = *explained,
    }
    (seen.partners, seen.heaviest) = partners(graph);
    seen
}

fn grid(best: &Stencil, ranks: usize) -> GridPattern {
    let mut cells = Vec::new();
    if ranks.max(best.cells()) <= DRAWN {
        cells = vec![None; best.cells()];
        for rank in (0..ranks).map(Rank::at) {
            if let Some(cell) = best.cell(rank) {
                cells[cell] = Some(rank.0);
            }
        }
    }
    let mut neighbours = Vec::new();
    let rings = best.rings();
    for offset in &best.offsets {
        let steps = &offset.steps;
        let having: f64 = (0..steps.len())
            .map(|dim| {
                if rings[dim] {
                    best.dims[dim] as f64
                } else {
                    best.dims[dim].saturating_sub(steps[dim].unsigned_abs() as usize) as f64
                }
            })
            .product();
        let opposite = steps.iter().map(|step| -step).collect();
        neighbours.push((steps.clone(), offset.forward as f64 / having.max(1.0)));
        neighbours.push((opposite, offset.backward as f64 / having.max(1.0)));
    }
    GridPattern {
        dims: best.dims.clone(),
        periodic: best.periodic.clone(),
        points: best.points,
        carried: best.carried,
        numbering: match &best.numbering {
            Numbering::Rows => "row by row",
            Numbering::Blocks { .. } => "block by block",
            Numbering::Permuted { .. } => "in no regular order",
        }
        .into(),
        ranks: cells,
        neighbours,
    }
}

fn overlay(overlay: &Overlay) -> String {
    match overlay {
        Overlay::Hub { rank, bytes } => {
            format!("rank {rank} talks to more than a quarter of all ranks, {bytes} bytes")
        }
        Overlay::Groups { count, size, bytes } => {
            format!("{count} groups of {size} ranks exchange all to all, {bytes} bytes")
        }
        Overlay::Levels { reaches, bytes } => {
            let reaches: Vec<String> = reaches.iter().map(ToString::to_string).collect();
            let reaches = reaches.join(", ");
            format!("coarser levels of a multigrid reach {reaches} cells far, {bytes} bytes")
        }
    }
}

/// Number of ranks by number of partners, and the share of the bytes by number of heaviest
/// partners.
fn partners(graph: &CommGraph) -> (Vec<usize>, Vec<f64>) {
    let mut degrees = vec![0; PARTNERS + 1];
    let mut nth = vec![0u64; PARTNERS + 1];
    for rank in (0..graph.ranks()).map(Rank::at) {
        let mut bytes: Vec<u64> = graph.sent_by(rank).map(|(_, bytes)| bytes).collect();
        degrees[bytes.len().min(PARTNERS)] += 1;
        bytes.sort_unstable_by(|a, b| b.cmp(a));
        for (place, bytes) in bytes.into_iter().enumerate() {
            nth[(place + 1).min(PARTNERS)] += bytes;
        }
    }
    let last = degrees.iter().rposition(|&ranks| ranks > 0).unwrap_or(0);
    degrees.truncate(last + 1);
    let total = (graph.total_bytes() as f64).max(1.0);
    let mut sum = 0.0;
    let shares = nth[..=last].iter().map(|&bytes| {
        sum += bytes as f64;
        sum / total
    });
    let shares = shares.collect();
    (degrees, shares)
}
