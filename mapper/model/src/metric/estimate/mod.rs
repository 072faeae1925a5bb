//! Congestion as LibTopoMap estimates it (Hoefler & Snir, "Generic topology mapping strategies for
//! large-scale parallel architectures", ICS 2011, algorithm 3).
//!
//! Messages are routed one after the other, each on the least loaded of its shortest paths so far,
//! in the order in which the graph lists them: by sender, then by receiver. The order matters:
//! routed heaviest first, messages in no order would load all links of a torus alike. The paper
//! makes paths short by a high initial weight of every link; comparing hops before loads does the
//! same without its rounding.

mod incremental;
mod max_tree;
mod router;

use super::{ChannelLoads, Congestion};
use crate::comm::{CommGraph, Message};
use crate::ids::NodeId;
use crate::machine::Topology;
pub use incremental::IncrementalEstimate;
use router::Router;

/// Loads of the network's directed edges, parallel cables as one.
#[must_use]
pub fn estimated_loads(
    graph: &CommGraph,
    topology: &dyn Topology,
    nodes: &[NodeId],
) -> ChannelLoads {
    Estimate::new(graph, topology).loads(nodes)
}

/// The messages of a graph on a network, for estimates of one placement after the other.
pub struct Estimate {
    /// By sender, then by receiver.
    messages: Vec<Message>,
    router: Router,
}

impl Estimate {
    /// Nothing is routed yet.
    #[must_use]
    pub fn new(graph: &CommGraph, topology: &dyn Topology) -> Self {
        Self {
            messages: graph.messages().collect(),
            router: Router::new(topology.wiring()),
        }
    }

    /// Loads of the network's directed edges with every rank on its node.
    #[must_use]
    pub fn loads(&mut self, nodes: &[NodeId]) -> ChannelLoads {
        self.router.bytes.fill(0.0);
        for m in &self.messages {
            let [from, to] = [m.from, m.to].map(|rank| nodes[rank.index()]);
            if from != to {
                self.router.route(from.0, to.0);
                self.router.load_route(m.bytes as f64);
            }
        }
        ChannelLoads {
            bandwidths: self.router.wiring.bandwidths(),
            bytes: self.router.bytes.clone(),
        }
    }

    /// The highest bytes over bandwidth of any of them.
    #[must_use]
    pub fn congestion(&mut self, nodes: &[NodeId]) -> f64 {
        Congestion::of(&self.loads(nodes)).max
    }
}

#[cfg(test)]
mod tests;
