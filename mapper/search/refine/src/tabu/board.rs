//! What every rank would save or lose on the node of every other, while ranks are exchanged.
//!
//! For two ranks a and b on nodes A and B, `changes` has in row a and column b what the messages of
//! a cost more if a goes to B, plus bytes x hops between the two, which an exchange leaves as they
//! are. Row a, column b plus row b, column a is what an exchange adds to hop-bytes. Where slots are
//! free, a column for each node follows: what the rank's messages cost more there.
//!
//! ```text
//! ranks 0, 1, 2 on mesh:3; 0 and 2 exchange one byte      changes    0   1   2
//!                                                              0     0  -1   0
//!   0 -- 1 -- 2      1 and 2 change places:                    1     0   0   0
//!                    row 1, column 2 + row 2, column 1 = -1    2     0  -1   0
//! ```

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

/// A placement with the change of cost by every move.
#[derive(Clone)]
pub(super) struct Board<'a> {
    pub(super) tables: &'a Tables<'a>,
    /// The node of every rank.
    pub(super) seats: Vec<u32>,
    /// Free slots of every node.
    free: Vec<u32>,
    /// Nodes with free slots, in any order.
    roomy: Vec<u32>,
    /// The table of the module's description, row by row. A row belongs to the rank that would
    /// move, a column to the rank or the node where that rank would go.
    changes: Vec<i64>,
    /// The length of a row of `changes`. It is odd, since entries of a column whose distance is a
    /// power of two displace each other from the processor's cache.
    stride: usize,
    /// Hops to each column's node after a move less those before it.
    farther: Vec<i64>,
    /// Hop-bytes, in units of the weights.
    cost: i64,
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
        let (ranks, slots) = (tables.ranks(), tables.capacity.iter().sum::<u32>() as usize);
        let free = if slots > ranks {
            tables.node_count()
        } else {
            0
        };
        let mut board = Self {
            tables,
            seats,
            free: Vec::new(),
            roomy: Vec::new(),
            changes: Vec::new(),
            stride: (ranks + free) | 1,
            farther: Vec::new(),
            cost: 0,
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
        self.changes = vec![0; tables.ranks() * self.stride];
        let (seats, mut twice) = (&self.seats, 0);
        for (rank, row) in self.changes.chunks_exact_mut(self.stride).enumerate() {
            let here = seats[rank] as usize;
            let mut costs = vec![0; nodes];
            for (partner, weight) in tables.weights.partners(rank as u32) {
                let hops = tables.hops_from(seats[partner as usize] as usize);
                let costs = costs.iter_mut().zip(hops);
                costs.for_each(|(cost, hops)| *cost += weight * hops);
            }
            twice += costs[here];
            let (of_ranks, of_nodes) = row.split_at_mut(seats.len());
            let others = of_ranks.iter_mut().zip(seats).zip(tables.weights_of(rank));
            for ((change, &there), weight) in others {
                let there = there as usize;
                *change = costs[there] - costs[here] + weight * tables.hops_from(here)[there];
            }
            let free = of_nodes.iter_mut().zip(&costs);
            free.for_each(|(change, cost)| *change = cost - costs[here]);
        }
        self.cost = twice / 2;
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
        self.cost
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
        let ranks = self.seats.len();
        let (mut best, mut least) = (None, i64::MAX);
        for (rank, row) in self.changes.chunks_exact(self.stride).enumerate() {
            let here = self.seats[rank] as usize;
            let others = self.changes[(rank + 1) * self.stride..].chunks_exact(self.stride);
            let others = row[rank + 1..ranks].iter().zip(others).enumerate();
            for (place, (there, back)) in others {
                let change = there + back[rank];
                if change < least {
                    let other = rank + 1 + place;
                    let there = self.seats[other] as usize;
                    if there != here && allowed(change, (rank, there), Some((other, here))) {
                        (best, least) = (Some(Move::Exchange(rank, other)), change);
                    }
                }
            }
            for &node in &self.roomy {
                let node = node as usize;
                let change = row[ranks + node];
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

    /// Carries a move out; returns the number of costs of a rank on a node that it changes.
    pub(super) fn carry_out(&mut self, chosen: Move) -> u64 {
        let (rank, to, other) = match chosen {
            Move::Exchange(a, b) => (a, self.seats[b], Some(b)),
            Move::Relocate(rank, node) => (rank, node as u32, None),
        };
        let from = self.seats[rank];
        self.count_hops(from, to);
        self.change_partners(rank, to, other);
        let column = other.unwrap_or(self.seats.len() + to as usize);
        self.cost += self.change_own(rank, column, other, 1);
        self.seats[rank] = to;
        let mut changed = self.tables.weights.degree(rank as u32);
        if let Some(other) = other {
            self.cost += self.change_own(other, rank, Some(rank), -1);
            self.seats[other] = from;
            changed += self.tables.weights.degree(other as u32);
        } else {
            self.take_slot(from, to);
        }
        (changed * self.tables.node_count()) as u64
    }

    fn take_slot(&mut self, left: u32, taken: u32) {
        self.free[left as usize] += 1;
        if self.free[left as usize] == 1 {
            self.roomy.push(left);
        }
        self.free[taken as usize] -= 1;
        if self.free[taken as usize] == 0 {
            self.roomy.retain(|&roomy| roomy != taken);
        }
    }

    /// Hops from node `to` to the node of each column, less those from node `from`.
    fn count_hops(&mut self, from: u32, to: u32) {
        let [before, after] = [from, to].map(|node| self.tables.hops_from(node as usize));
        let farther = |node: usize| after[node] - before[node];
        let nodes = 0..self.tables.node_count();
        self.farther.clear();
        self.farther
            .extend(self.seats.iter().map(|&seat| farther(seat as usize)));
        self.farther.extend(nodes.map(farther));
        self.farther.truncate(self.stride);
    }

    /// The rows of the ranks that stay, when `rank` goes to node `to` and `other` takes its place.
    fn change_partners(&mut self, rank: usize, to: u32, other: Option<usize>) {
        let (tables, ranks) = (self.tables, self.seats.len());
        let (before, after) = (self.seats[rank] as usize, to as usize);
        let weights = tables.weights_of(rank);
        let others = other.map(|other| tables.weights_of(other));
        for (partner, row) in self.changes.chunks_exact_mut(self.stride).enumerate() {
            if partner == rank || other == Some(partner) {
                continue;
            }
            let weight = weights[partner] - others.map_or(0, |weights| weights[partner]);
            if weight != 0 {
                let own = self.farther[partner];
                let columns = row.iter_mut().zip(&self.farther);
                columns.for_each(|(change, farther)| *change += weight * (farther - own));
            }
            let hops = tables.hops_from(self.seats[partner] as usize);
            let (left, entered) = (row[rank], row[other.unwrap_or(ranks + after)]);
            row[rank] = entered + weight * hops[after];
            if let Some(other) = other {
                row[other] = left - weight * hops[before];
            }
        }
    }

    /// The row of a rank that goes to the node of a column. `other` is the rank there, which comes
    /// back; hops count as [`farther`](Self::farther) if `sign` is 1, and the other way if it is
    /// -1. Returns half of what the exchange changes, or all that the rank's going changes.
    fn change_own(&mut self, rank: usize, column: usize, other: Option<usize>, sign: i64) -> i64 {
        let weights = self.tables.weights_of(rank);
        let shared = other.map_or(0, |other| weights[other]);
        let row = &mut self.changes[rank * self.stride..][..self.stride];
        let change = row[column];
        let (of_ranks, of_nodes) = row.split_at_mut(weights.len());
        let (to_ranks, to_nodes) = self.farther.split_at(weights.len());
        for ((it, weight), farther) in of_ranks.iter_mut().zip(weights).zip(to_ranks) {
            *it += sign * (weight - shared) * farther - change;
        }
        for (it, farther) in of_nodes.iter_mut().zip(to_nodes) {
            *it -= sign * shared * farther + change;
        }
        self.changes[rank * self.stride + rank] = 0;
        if let Some(other) = other {
            self.changes[rank * self.stride + other] = -change;
        }
        change
    }
}
