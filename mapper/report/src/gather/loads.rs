//! The load of every link, and the pairs of ranks that cause it.

use super::links::Links;
use super::{folded, traffic};
use crate::data::{BusyLink, Figures, LinkLoads, LoadUnit, Pair, Side};
use rankfold_assess::Assessment;
use rankfold_base::{ChannelId, NodeId};
use rankfold_graph::CommGraph;
use rankfold_machine::{Flow, Machine};
use rankfold_metric::{self as metric, Score};
use rayon::prelude::*;
use std::collections::HashMap;

/// Number of busiest links whose pairs of ranks are named, if links are listed one by one. Chosen
/// by hand, like the two numbers below.
const MOST_LISTED: usize = 100;
/// Number of busiest links whose pairs of ranks are named, if links are not listed.
const MOST_UNLISTED: usize = 5;
/// Number of pairs named for each such link.
const NAMED: usize = 5;
/// Loads above this share of the highest load count as equal to it.
const LEVEL: f64 = 0.99;
/// Number of bars in the histogram of loads: chosen by hand.
const BINS: usize = 36;
/// Limit on the work of congestion over all shortest paths, as a number of channels visited by
/// messages. An eighth of the limit of `rankfold eval`, so that a report takes a second or two
/// longer.
const MOST_STEPS: u64 = 1 << 24;

impl Links<'_> {
    /// Computes the loads of all links if ranks run on these nodes.
    pub(super) fn loads(&self, graph: &CommGraph, nodes: &[NodeId]) -> LinkLoads {
        let topology = self.layout.machine.topology();
        let flows = metric::flows(graph, nodes);
        let bytes = topology.loads(&flows);
        let load = |&channel: &u32| {
            let bytes = bytes[channel as usize] as f64;
            match self.unit {
                LoadUnit::Bytes => bytes,
                _ => bytes / topology.bandwidth(ChannelId(channel)),
            }
        };
        let loads: Vec<f64> = self.channels.iter().map(load).collect();
        let mut kinds = vec![(0.0, 0.0f64); self.layout.kinds().len()];
        for (&channel, &load) in self.channels.iter().zip(&loads) {
            if let Some(ends) = self.layout.ends[channel as usize] {
                let kind = &mut kinds[self.layout.kind(ends, channel as usize)];
                *kind = (kind.0 + load, kind.1.max(load));
            }
        }
        let busiest = self.busiest(&loads);
        let most = loads.iter().copied().fold(0.0, f64::max);
        LinkLoads {
            most,
            level: loads
                .iter()
                .filter(|&&load| load > 0.0 && load >= LEVEL * most)
                .count(),
            idle: loads.iter().filter(|&&load| load == 0.0).count(),
            busiest: self.with_pairs(&busiest, &loads, graph, nodes, &flows),
            folded: folded::of(self, &loads),
            kinds,
            links: loads,
            ..LinkLoads::default()
        }
    }

    /// Loads of a machine without a run: 1 for every link.
    pub(super) fn equal_loads(&self) -> LinkLoads {
        let links = vec![1.0; self.channels.len()];
        LinkLoads {
            most: 1.0,
            folded: folded::of(self, &links),
            links,
            ..LinkLoads::default()
        }
    }

    /// The busiest links whose pairs are named, busiest first.
    fn busiest(&self, loads: &[f64]) -> Vec<usize> {
        let most = if self.is_listed() {
            MOST_LISTED
        } else {
            MOST_UNLISTED
        };
        let mut order: Vec<usize> = (0..loads.len()).filter(|&link| loads[link] > 0.0).collect();
        let before = |a: &usize, b: &usize| loads[*b].total_cmp(&loads[*a]).then(a.cmp(b));
        if order.len() > most {
            order.select_nth_unstable_by(most, before);
            order.truncate(most);
        }
        order.sort_unstable_by(before);
        order
    }

    /// Names the pairs of ranks that use these links.
    fn with_pairs(
        &self,
        busiest: &[usize],
        loads: &[f64],
        graph: &CommGraph,
        nodes: &[NodeId],
        flows: &[Flow],
    ) -> Vec<BusyLink> {
        let topology = self.layout.machine.topology();
        // The number of every channel among the busiest links.
        let mut number = vec![None; topology.channels()];
        for (nth, &link) in busiest.iter().enumerate() {
            number[self.channels[link] as usize] = Some(nth as u32);
        }
        // For each pair of nodes: which of the busiest links their messages cross.
        let crossed: HashMap<(NodeId, NodeId), Vec<u32>> = flows
            .par_iter()
            .filter_map(|flow| {
                let mut met = Vec::new();
                topology.route(flow.from, flow.to, &mut |channel| {
                    met.extend(number[channel.index()]);
                });
                (!met.is_empty()).then_some(((flow.from, flow.to), met))
            })
            .collect();
        // Most nodes of a large machine send nothing over those few links: their pairs of ranks are
        // passed over without a search in the map.
        let mut sends = vec![false; topology.nodes()];
        for (from, _) in crossed.keys() {
            sends[from.index()] = true;
        }
        let mut pairs = vec![Vec::new(); busiest.len()];
        for pair in traffic::pairs(graph) {
            let ends = (nodes[pair.from as usize], nodes[pair.to as usize]);
            if !sends[ends.0.index()] {
                continue;
            }
            for &nth in crossed.get(&ends).into_iter().flatten() {
                pairs[nth as usize].push(pair);
            }
        }
        let one = |(&link, pairs): (&usize, Vec<Pair>)| BusyLink {
            link: self.is_listed().then_some(link),
            name: self.layout.link(self.channels[link] as usize),
            load: loads[link],
            pairs: pairs.len(),
            top: traffic::heaviest(pairs.into_iter(), NAMED),
        };
        busiest.iter().zip(pairs).map(one).collect()
    }
}

/// Completes loads with what depends on all sides: histograms with a common axis, and the number of
/// links above the last side's busiest.
pub(super) fn compare(sides: &mut [Side], links: &Links<'_>) {
    let top = sides.iter().map(|side| side.loads.most).fold(0.0, f64::max);
    let last = sides.last().map_or(0.0, |side| side.loads.most);
    for loads in sides.iter_mut().map(|side| &mut side.loads) {
        loads.above = loads.links.iter().filter(|&&load| load > last).count();
        loads.bins = vec![0; BINS];
        for &load in loads.links.iter().filter(|&&load| load > 0.0) {
            let bin = (load / top * BINS as f64) as usize;
            loads.bins[bin.min(BINS - 1)] += 1;
        }
        if !links.is_listed() {
            loads.links = Vec::new();
        }
    }
}

/// Computes all metrics, with congestion multiplied by `scale`, and the bytes by distance.
pub(super) fn figures(
    graph: &CommGraph,
    machine: &Machine,
    assessment: &Assessment,
    scale: f64,
) -> (Figures, Vec<u64>) {
    let (placement, score) = (assessment.placement(), assessment.score().clone());
    let nodes = placement.nodes(machine.slots());
    let amp = metric::all_minimal_paths_congestion(graph, machine, placement, MOST_STEPS);
    let distances = machine.topology().distances();
    let mut hops = vec![0; score.max_dilation as usize + 1];
    for message in graph.messages() {
        let (from, to) = (nodes[message.from.index()], nodes[message.to.index()]);
        hops[distances.hops(from, to) as usize] += message.bytes;
    }
    let figures = Figures {
        predicted_time: score.time.total(),
        predicted_by: score.time.predictor(),
        time_unit: score.time.unit.to_string(),
        score: Score {
            max_congestion: score.max_congestion * scale,
            max_congestion_amp: amp.map(|congestion| congestion * scale),
            nz_avg: score.nz_avg * scale,
            nz_var: score.nz_var * scale * scale,
            ..score
        },
    };
    (figures, hops)
}
