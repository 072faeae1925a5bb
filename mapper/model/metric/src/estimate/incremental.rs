//! An estimate that is updated while ranks exchange places.

use super::Estimate;
use super::max_tree::MaxTree;
use super::router::Router;
use rankfold_base::{Csr, NodeId, Rank};
use rankfold_graph::Message;

/// The routes of all messages of one placement. When two ranks exchange places, only their messages
/// are routed again, on top of the loads of all others.
///
/// The other messages keep their routes, which were found under different loads. After some
/// exchanges, the loads therefore differ from those of [`Estimate::loads`], which routes all
/// messages in order; [`refresh`](Self::refresh) does the same.
pub struct IncrementalEstimate {
    messages: Vec<Message>,
    /// Indices of the messages of every rank, ascending.
    of_rank: Csr<u32>,
    nodes: Vec<NodeId>,
    router: Router,
    /// Edges of every message's route.
    routes: Vec<Vec<u32>>,
    highest: MaxTree,
    /// The ranks of the last exchange, and the former routes of their messages.
    last: Option<[Rank; 2]>,
    before: Vec<(u32, Vec<u32>)>,
}

impl Estimate {
    /// Turns the estimate into one that is updated exchange by exchange, for ranks on `nodes`.
    #[must_use]
    pub fn incremental(self, nodes: Vec<NodeId>) -> IncrementalEstimate {
        let ends = (0..).zip(&self.messages).flat_map(|(number, m)| {
            let other = (m.to != m.from).then_some(m.to);
            let ends = std::iter::once(m.from).chain(other);
            ends.map(move |rank| (rank.index(), number))
        });
        let mut kept = IncrementalEstimate {
            of_rank: Csr::grouped(nodes.len(), ends),
            nodes,
            routes: vec![Vec::new(); self.messages.len()],
            messages: self.messages,
            router: self.router,
            highest: MaxTree::new(&[]),
            last: None,
            before: Vec::new(),
        };
        kept.refresh();
        kept
    }
}

impl IncrementalEstimate {
    /// Routes all messages again in order. Returns the highest congestion of an edge, equal to
    /// [`Estimate::congestion`].
    pub fn refresh(&mut self) -> f64 {
        self.router.bytes.fill(0.0);
        for number in 0..self.messages.len() {
            self.find_route(number);
            self.routes[number].clone_from(&self.router.path);
            self.router.load_route(self.messages[number].bytes as f64);
        }
        let edges = self.router.wiring.edges.entries();
        let loads = self.router.bytes.iter().zip(edges);
        let congestion: Vec<f64> = loads.map(|(bytes, edge)| bytes / edge.bandwidth).collect();
        self.highest = MaxTree::new(&congestion);
        self.last = None;
        self.highest.get()
    }

    /// The highest congestion of an edge.
    #[must_use]
    pub fn congestion(&self) -> f64 {
        self.highest.get()
    }

    /// Number of messages that two ranks send and receive.
    #[must_use]
    pub fn messages_of(&self, [a, b]: [Rank; 2]) -> usize {
        self.of_rank.row(a.index()).len() + self.of_rank.row(b.index()).len()
    }

    /// Bytes over every edge.
    #[cfg(test)]
    pub(super) fn loads(&self) -> &[f64] {
        &self.router.bytes
    }

    /// The node of every rank.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Places the ranks on other nodes and routes all messages again in order. Returns the highest
    /// congestion of an edge.
    pub fn place(&mut self, nodes: &[NodeId]) -> f64 {
        self.nodes.copy_from_slice(nodes);
        self.refresh()
    }

    /// Exchanges the places of two ranks. Returns the highest congestion of an edge after the
    /// exchange.
    pub fn exchange(&mut self, ranks: [Rank; 2]) -> f64 {
        self.nodes.swap(ranks[0].index(), ranks[1].index());
        let [a, b] = ranks.map(|rank| self.of_rank.row(rank.index()));
        let mut messages = [a, b].concat();
        messages.sort_unstable();
        messages.dedup();
        self.before.clear();
        for &message in &messages {
            let route = self.reload(message, Vec::new());
            self.before.push((message, route));
        }
        for message in messages {
            self.find_route(message as usize);
            let route = self.router.path.clone();
            self.reload(message, route);
        }
        self.last = Some(ranks);
        self.highest.get()
    }

    /// Reverts the last exchange, unless another call came after it.
    pub fn undo(&mut self) {
        let Some([a, b]) = self.last.take() else {
            return;
        };
        self.nodes.swap(a.index(), b.index());
        for (message, route) in std::mem::take(&mut self.before) {
            self.reload(message, route);
        }
    }

    /// Finds the route of a message and leaves it in the router. Ranks on one node need no route.
    fn find_route(&mut self, message: usize) {
        let m = self.messages[message];
        let [from, to] = [m.from, m.to].map(|rank| self.nodes[rank.index()]);
        if from == to {
            self.router.path.clear();
        } else {
            self.router.route(from.0, to.0);
        }
    }

    /// Moves the bytes of a message from its route to another one. Returns the former route.
    fn reload(&mut self, message: u32, route: Vec<u32>) -> Vec<u32> {
        let bytes = self.messages[message as usize].bytes as f64;
        let before = std::mem::replace(&mut self.routes[message as usize], route);
        for &edge in &before {
            self.add(edge, -bytes);
        }
        for place in 0..self.routes[message as usize].len() {
            self.add(self.routes[message as usize][place], bytes);
        }
        before
    }

    fn add(&mut self, edge: u32, bytes: f64) {
        let edge = edge as usize;
        self.router.bytes[edge] += bytes;
        let bandwidth = self.router.wiring.edges.entries()[edge].bandwidth;
        let congestion = self.router.bytes[edge] / bandwidth;
        self.highest.set(edge, congestion);
    }
}
