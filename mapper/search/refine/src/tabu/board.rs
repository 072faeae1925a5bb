//! The cost of every rank on every node, while ranks are exchanged.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::Constraints;
use rankfold_base::{NodeId, Rank};
use rankfold_machine::Machine;
use rankfold_problem::weights::Weights;

/// What stays the same during a search. Nodes are numbered among those that take ranks.
pub(super) struct Tables<'a> {
    pub(super) weights: &'a Weights,
    /// The nodes that take ranks, ascending, and the number of ranks each takes.
    usable: Vec<NodeId>,
    capacity: Vec<u32>,
    /// Hops from node to node, row-major.
    hops: Vec<i64>,
    /// Weight from rank to rank, row-major.
    between: Vec<i64>,
    /// The ranks that may move, ascending.
    pub(super) movable: Vec<usize>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(weights: &'a Weights, machine: &Machine, constraints: &Constraints) -> Self {
        let slots = machine.slots();
        let all = (0..slots.nodes()).map(NodeId::at);
        let usable: Vec<NodeId> = all.filter(|&node| slots.capacity(node) > 0).collect();
        let distances = machine.topology().distances();
        let pairs = usable
            .iter()
            .flat_map(|&a| usable.iter().map(move |&b| (a, b)));
        let hops = pairs
            .map(|(a, b)| i64::from(distances.hops(a, b)))
            .collect();
        let ranks = weights.vertices();
        let mut between = vec![0; ranks * ranks];
        for rank in 0..ranks {
            for (partner, weight) in weights.partners(rank as u32) {
                between[rank * ranks + partner as usize] = weight;
            }
        }
        Self {
            weights,
            capacity: usable.iter().map(|&node| slots.capacity(node)).collect(),
            usable,
            hops,
            between,
            movable: (0..ranks)
                .filter(|&rank| !constraints.holds(Rank::at(rank)))
                .collect(),
        }
    }

    /// The machine's own numbers of these nodes.
    pub(super) fn nodes(&self, seats: &[u32]) -> Vec<NodeId> {
        seats
            .iter()
            .map(|&seat| self.usable[seat as usize])
            .collect()
    }

    pub(super) fn ranks(&self) -> usize {
        self.weights.vertices()
    }

    pub(super) fn node_count(&self) -> usize {
        self.usable.len()
    }

    /// Hops from a node to all nodes.
    fn hops_from(&self, node: usize) -> &[i64] {
        &self.hops[node * self.usable.len()..][..self.usable.len()]
    }

    /// Weights from a rank to all ranks.
    fn weights_of(&self, rank: usize) -> &[i64] {
        &self.between[rank * self.ranks()..][..self.ranks()]
    }
}

/// What the best move of a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Two ranks exchange their nodes.
    Exchange(usize, usize),
    /// A rank moves to a node with a free slot.
    Relocate(usize, usize),
}

/// A placement with the cost of every rank on every node.
#[derive(Clone)]
pub(super) struct Board<'a> {
    pub(super) tables: &'a Tables<'a>,
    /// The node of every rank.
    pub(super) seats: Vec<u32>,
    /// Free slots of every node.
    free: Vec<u32>,
    /// Nodes with free slots, in any order.
    roomy: Vec<u32>,
    /// What each rank's messages cost with the rank on each node and its partners where they are;
    /// a row for each rank.
    costs: Vec<i64>,
    /// What they cost where the rank is.
    own: Vec<i64>,
}

impl<'a> Board<'a> {
    pub(super) fn new(tables: &'a Tables<'a>, nodes: &[NodeId]) -> Self {
        let seat = |node| {
            tables
                .usable
                .binary_search(node)
                .expect("a rank is on a usable node")
        };
        let seats = nodes.iter().map(|node| seat(node) as u32).collect();
        let mut board = Self {
            tables,
            seats,
            free: Vec::new(),
            roomy: Vec::new(),
            costs: Vec::new(),
            own: Vec::new(),
        };
        board.count();
        board
    }

    /// Fills in everything that follows from the seats.
    fn count(&mut self) {
        let (tables, nodes) = (self.tables, self.tables.node_count());
        self.free.clone_from(&tables.capacity);
        for &seat in &self.seats {
            self.free[seat as usize] -= 1;
        }
        self.roomy = (0..nodes as u32)
            .filter(|&node| self.free[node as usize] > 0)
            .collect();
        self.costs = vec![0; tables.ranks() * nodes];
        for (rank, row) in self.costs.chunks_mut(nodes).enumerate() {
            for (partner, weight) in tables.weights.partners(rank as u32) {
                let hops = tables.hops_from(self.seats[partner as usize] as usize);
                row.iter_mut()
                    .zip(hops)
                    .for_each(|(cost, hops)| *cost += weight * hops);
            }
        }
        let own = |(rank, &seat): (usize, &u32)| self.costs[rank * nodes + seat as usize];
        self.own = self.seats.iter().enumerate().map(own).collect();
    }

    /// The same placement as another board.
    pub(super) fn seat_as(&mut self, seats: &[u32]) {
        self.seats.copy_from_slice(seats);
        self.count();
    }

    /// Whether a rank stays on its node.
    pub(super) fn stays(&self, rank: usize) -> bool {
        let movable = &self.tables.movable;
        movable.len() < self.seats.len() && movable.binary_search(&rank).is_err()
    }

    /// Hop-bytes, in units of the weights.
    pub(super) fn cost(&self) -> i64 {
        self.own.iter().sum::<i64>() / 2
    }

    /// Exchanges ranks at random until nothing of the placement is left.
    pub(super) fn shuffle(&mut self, random: &mut Xoshiro256PlusPlus) {
        let movable = &self.tables.movable;
        for last in (1..movable.len()).rev() {
            let other = random.random_range(0..=last);
            self.seats.swap(movable[last], movable[other]);
        }
        self.count();
    }

    /// The cheapest move that `allowed` allows, given the change of cost, and that change. Of equal
    /// moves the first one is returned. `allowed` is called with a rank and its new node, and the
    /// same for the rank that comes back.
    pub(super) fn cheapest(
        &self,
        allowed: impl Fn(i64, (usize, usize), Option<(usize, usize)>) -> bool,
    ) -> Option<(Move, i64)> {
        let (tables, nodes) = (self.tables, self.tables.node_count());
        let (mut best, mut least) = (None, i64::MAX);
        for (rank, row) in self.costs.chunks(nodes).enumerate() {
            let (here, own) = (self.seats[rank] as usize, self.own[rank]);
            let hops = tables.hops_from(here);
            let shared = &tables.weights_of(rank)[rank + 1..];
            let others = self.costs[(rank + 1) * nodes..].chunks(nodes);
            let others = others.zip(&self.own[rank + 1..]).zip(shared);
            let others = others.zip(&self.seats[rank + 1..]).enumerate();
            for (place, (((other_row, other_own), shared), &there)) in others {
                let there = there as usize;
                let change =
                    row[there] - own + other_row[here] - other_own + 2 * shared * hops[there];
                if change < least && there != here {
                    let other = rank + 1 + place;
                    if allowed(change, (rank, there), Some((other, here))) {
                        (best, least) = (Some(Move::Exchange(rank, other)), change);
                    }
                }
            }
            for &node in &self.roomy {
                let node = node as usize;
                let change = row[node] - own;
                if change < least && node != here && allowed(change, (rank, node), None) {
                    (best, least) = (Some(Move::Relocate(rank, node)), change);
                }
            }
        }
        best.map(|found| (found, least))
    }

    /// The number of moves that [`cheapest`](Self::cheapest) looks at.
    pub(super) fn moves(&self) -> u64 {
        let ranks = self.seats.len() as u64;
        ranks * ranks.saturating_sub(1) / 2 + ranks * self.roomy.len() as u64
    }

    /// Carries a move out; returns the number of costs that it changes.
    pub(super) fn carry_out(&mut self, chosen: Move) -> u64 {
        match chosen {
            Move::Exchange(a, b) => {
                let (from, to) = (self.seats[a], self.seats[b]);
                self.reseat(a, to) + self.reseat(b, from)
            }
            Move::Relocate(rank, node) => {
                let left = self.seats[rank] as usize;
                self.free[left] += 1;
                if self.free[left] == 1 {
                    self.roomy.push(left as u32);
                }
                self.free[node] -= 1;
                if self.free[node] == 0 {
                    self.roomy.retain(|&roomy| roomy as usize != node);
                }
                self.reseat(rank, node as u32)
            }
        }
    }

    fn reseat(&mut self, rank: usize, to: u32) -> u64 {
        let (tables, nodes) = (self.tables, self.tables.node_count());
        let before = tables.hops_from(self.seats[rank] as usize);
        let after = tables.hops_from(to as usize);
        self.seats[rank] = to;
        for (partner, weight) in tables.weights.partners(rank as u32) {
            let partner = partner as usize;
            let row = &mut self.costs[partner * nodes..][..nodes];
            for ((cost, after), before) in row.iter_mut().zip(after).zip(before) {
                *cost += weight * (after - before);
            }
            self.own[partner] = row[self.seats[partner] as usize];
        }
        self.own[rank] = self.costs[rank * nodes + to as usize];
        (tables.weights.degree(rank as u32) * nodes) as u64
    }
}
