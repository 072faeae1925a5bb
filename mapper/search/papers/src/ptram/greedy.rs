//! Algorithm 1 of PTRAM: the next process goes to the node where the hybrid metric of all processes
//! placed so far is lowest. Cost: O(p^2 d l) for p processes with d partners each and routes of l
//! links.

use super::Variant;
use super::links::{LinkLoads, LoadChange};
use crate::next_process::NextProcess;
use rankfold_base::{NodeId, Rank};
use rankfold_problem::team::{Team, is_mine, timed};
use rankfold_search::irregular::bundles::Bundles;
use rayon::prelude::*;

/// Runs Algorithm 1 and returns the node of every process. The link loads are left in `links`.
///
/// The free nodes are divided among the processes of the team, which the paper calls node leaders.
/// Each leader finds the best of its own nodes, and one reduction per step finds the best of all.
pub(super) fn place(
    bundles: &Bundles,
    variant: &Variant,
    links: &mut LinkLoads<'_>,
    team: &dyn Team,
) -> Vec<NodeId> {
    let processes = bundles.graph.ranks();
    let mut next_process = NextProcess::new(&bundles.affinity);
    let mut free = bundles.nodes.clone();
    let mut node_of: Vec<Option<NodeId>> = vec![None; processes];
    let mut change = LoadChange::default();
    for mapped in 0..processes {
        let Some(process) = next_process.take(variant.divisor(mapped, processes)) else {
            break;
        };
        let nearby = Mapped::partners(bundles, process, &node_of);
        let metric = |change: &mut LoadChange, node| {
            nearby.collect(links, node, change);
            variant.metric(links.after(change).terms())
        };
        let chosen = timed(team, || {
            (0..free.len())
                .into_par_iter()
                .filter(|&i| is_mine(team, i))
                .map_init(LoadChange::default, |change, i| {
                    (metric(change, free[i].0), i as u64)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        });
        let chosen = team.min_loc(chosen.unwrap_or((f64::INFINITY, u64::MAX)));
        let chosen = usize::try_from(chosen.1).expect("a free node's index");
        let (node, room) = &mut free[chosen];
        let node = *node;
        *room -= 1;
        if *room == 0 {
            free.remove(chosen);
        }
        nearby.collect(links, node, &mut change);
        links.apply(&change);
        node_of[process.index()] = Some(node);
    }
    node_of.into_iter().flatten().collect()
}

/// The partners of a process that are mapped already: node, bytes sent and bytes received.
struct Mapped(Vec<(NodeId, u64, u64)>);

impl Mapped {
    fn partners(bundles: &Bundles, process: Rank, node_of: &[Option<NodeId>]) -> Self {
        let partners = bundles.affinity.partners(process);
        let mapped = partners.filter_map(|(partner, both)| {
            let sent = bundles.graph.bytes(process, partner);
            Some((node_of[partner.index()]?, sent, both - sent))
        });
        Self(mapped.collect())
    }

    /// Collects the traffic that the process would cause on `node`.
    fn collect(&self, links: &LinkLoads<'_>, node: NodeId, change: &mut LoadChange) {
        change.clear();
        for &(partner, sent, received) in &self.0 {
            for (from, to, bytes) in [(node, partner, sent), (partner, node, received)] {
                if bytes > 0 {
                    links.send(change, from, to, bytes as i64);
                }
            }
        }
    }
}
