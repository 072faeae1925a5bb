//! Offset histogram: the analyser for ranks numbered along their grid.
//!
//! In rank order, one step along a dimension is a fixed difference of ranks, its stride. Differences that
//! occur nearly as often as they can are candidates; strides divide one another and the number of ranks.
//! Every chain of candidates is one [`reading`](super::reading) of the ranks as a grid, checked edge by
//! edge. Traffic with a root and stray messages have differences that occur once, so they only count
//! against the confidence.

use super::reading::Reading;
use super::{ACCEPT, Pattern, Stencil};
use crate::comm::CommGraph;

/// Share of the pairs at one difference that must talk for it to be a stride: dimensions of size 2 talk
/// at every other one, and a few may be missing.
const STRIDE_SHARE: f64 = 0.45;

/// Most dimensions of a grid.
pub(super) const MOST_DIMS: usize = 5;

/// Share of all pairs from which a graph is rather an all-to-all than a grid; for worlds above
/// [`TINY`] ranks, since below every graph is dense.
const DENSE: f64 = 0.75;
const TINY: usize = 3;

pub(super) fn analyze(graph: &CommGraph) -> Pattern {
    let ranks = graph.ranks();
    if !neighbours_may_talk(graph) {
        return Pattern::Irregular { explained: 0.0 };
    }
    let histogram = histogram(graph);
    let strides = strides(&histogram);
    if strides.first() != Some(&1) || is_dense(&histogram) {
        return Pattern::Irregular { explained: 0.0 };
    }
    let mut explained: f64 = 0.0;
    let mut stencils = Vec::new();
    for chain in chains(&strides, ranks) {
        let reading = Reading::of(graph, dims(&chain, ranks));
        explained = explained.max(reading.matched_bytes());
        stencils.extend(reading.into_stencil().filter(|s| s.confidence >= ACCEPT));
    }
    // Equally sure: fewer offsets, then fewer dimensions, is the simpler explanation.
    stencils.sort_by(|a: &Stencil, b: &Stencil| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| (a.points, a.dims.len()).cmp(&(b.points, b.dims.len())))
    });
    let mut stencils = stencils.into_iter();
    match stencils.next() {
        Some(best) => Pattern::Regular {
            best,
            alternatives: stencils.collect(),
        },
        None => Pattern::Irregular { explained },
    }
}

/// Whether difference 1 can be a stride, judged without looking for answers: large irregular graphs end here.
fn neighbours_may_talk(graph: &CommGraph) -> bool {
    let messages = graph.messages();
    let next = messages.filter(|m| m.from.index().abs_diff(m.to.index()) == 1);
    let ranks = graph.ranks();
    ranks > 1 && next.count() as f64 >= STRIDE_SHARE * (ranks - 1) as f64
}

/// Pairs of ranks that talk in either direction, by the difference of their ranks.
fn histogram(graph: &CommGraph) -> Vec<usize> {
    let mut count = vec![0; graph.ranks()];
    for m in graph.messages() {
        // Count a pair once: at its lower rank's message, or at the other if that one is silent.
        let answered = m.from > m.to && graph.bytes(m.to, m.from) > 0;
        if !answered {
            count[m.from.index().abs_diff(m.to.index())] += 1;
        }
    }
    count
}

/// Differences that may be strides, ascending.
fn strides(histogram: &[usize]) -> Vec<usize> {
    let ranks = histogram.len();
    histogram
        .iter()
        .enumerate()
        .skip(1)
        .filter(|&(d, _)| ranks.is_multiple_of(d))
        .filter(|&(d, &count)| count > 0 && count as f64 >= STRIDE_SHARE * (ranks - d) as f64)
        .map(|(d, _)| d)
        .collect()
}

fn is_dense(histogram: &[usize]) -> bool {
    let ranks = histogram.len();
    let pairs: usize = histogram.iter().sum();
    ranks > TINY && pairs as f64 > DENSE * (ranks * (ranks - 1) / 2) as f64
}

/// Every chain 1 = s1 | s2 | ... | `ranks` of candidates, up to [`MOST_DIMS`] long.
fn chains(strides: &[usize], ranks: usize) -> Vec<Vec<usize>> {
    let mut chains = vec![vec![1]];
    let mut grown = 0;
    while grown < chains.len() {
        let chain = chains[grown].clone();
        let last = chain[chain.len() - 1];
        let next = strides
            .iter()
            .filter(|&&s| s > last && s < ranks && s.is_multiple_of(last));
        if chain.len() < MOST_DIMS {
            chains.extend(next.map(|&s| [&chain[..], &[s]].concat()));
        }
        grown += 1;
    }
    chains
}

/// Sizes of the dimensions, slowest first, whose strides are the chain's.
fn dims(chain: &[usize], ranks: usize) -> Vec<usize> {
    let above = chain[1..].iter().chain(std::iter::once(&ranks));
    let mut dims: Vec<usize> = chain.iter().zip(above).map(|(s, next)| next / s).collect();
    dims.reverse();
    dims
}
