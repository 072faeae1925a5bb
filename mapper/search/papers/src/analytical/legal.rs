//! Legalisation: processes diffuse from crowded nodes to empty ones (section 3.4, figure 4). Cost:
//! one linear system over the nodes per round, about 4 rounds.

use super::bins::{Points, nearest_nodes};
use super::instance::MappingInstance;
use super::solver::{System, solve};
use rankfold_base::{NodeId, Rank};

/// Most rounds of migration; the paper needs at most 4. Where all potentials differ by less than
/// one, ties can move a surplus in circles, so the remaining surplus then goes to the closest
/// places that are empty. The limit is far above the paper's and was not measured.
const MOST_ROUNDS: u32 = 32;

/// A node for every process, and the number of rounds and moves it took.
pub(super) struct LegalMapping {
    pub(super) node_of: Vec<NodeId>,
    pub(super) rounds: u32,
    pub(super) moves: u64,
}

/// Stage 2 of the paper: a node for every process, no node above its number.
pub(super) fn legalise(instance: &MappingInstance<'_>, points: &Points) -> LegalMapping {
    let mut migration = Migration::new(instance, nearest_nodes(instance, points));
    let mut rounds = 0;
    while rounds < MOST_ROUNDS && migration.surplus.iter().any(|&b| b != 0) {
        let before = migration.moves;
        migration.round();
        rounds += 1;
        if migration.moves == before {
            break;
        }
    }
    migration.settle();
    LegalMapping {
        node_of: migration.node_of,
        rounds,
        moves: migration.moves,
    }
}

struct Migration<'a> {
    instance: &'a MappingInstance<'a>,
    neighbours: Vec<Vec<NodeId>>,
    node_of: Vec<NodeId>,
    /// The processes on every node.
    on: Vec<Vec<Rank>>,
    /// The number of processes on every node beyond the number it takes: b of equation 11.
    surplus: Vec<i64>,
    moves: u64,
}

impl<'a> Migration<'a> {
    fn new(instance: &'a MappingInstance<'_>, node_of: Vec<NodeId>) -> Self {
        let nodes = instance.wanted.len();
        let mut on = vec![Vec::new(); nodes];
        for (process, node) in node_of.iter().enumerate() {
            on[node.index()].push(Rank::at(process));
        }
        let too_many = |(held, &wanted): (&Vec<Rank>, &u32)| held.len() as i64 - i64::from(wanted);
        Self {
            surplus: on.iter().zip(&instance.wanted).map(too_many).collect(),
            neighbours: (0..nodes)
                .map(|node| instance.neighbours(NodeId::at(node)))
                .collect(),
            instance,
            node_of,
            on,
            moves: 0,
        }
    }

    /// One round of figure 4: the potentials, then moves from the node with the highest potential
    /// downwards to its neighbours with lower potentials.
    fn round(&mut self) {
        let potential = self.potential();
        let mut order: Vec<usize> = (0..potential.len()).collect();
        order.sort_by(|&a, &b| potential[b].total_cmp(&potential[a]).then(a.cmp(&b)));
        for node in order {
            if self.surplus[node] <= 0 {
                continue;
            }
            let lower = |to: &NodeId| potential[node] > potential[to.index()];
            let drop = |to: NodeId| potential[node] - potential[to.index()];
            let mut to: Vec<NodeId> = self.neighbours[node].clone();
            to.retain(lower);
            for &to in &to {
                self.migrate(node, to, drop(to).floor() as i64);
            }
            let fraction = |to: NodeId| drop(to) - drop(to).floor();
            to.sort_by(|&a, &b| fraction(b).total_cmp(&fraction(a)).then(a.cmp(&b)));
            for to in to {
                self.migrate(node, to, 1);
            }
        }
    }

    /// Solves L lambda = b. L is singular and the entries of b sum to 0, so any solution is right.
    fn potential(&self) -> Vec<f64> {
        let rhs: Vec<f64> = self.surplus.iter().map(|&b| b as f64).collect();
        let mut potential = vec![0.0; rhs.len()];
        solve(&Laplacian(&self.neighbours), &rhs, &mut potential);
        potential
    }

    /// Moves up to `most` surplus processes, the ones first whose move costs the fewest hop-bytes.
    fn migrate(&mut self, from: usize, to: NodeId, most: i64) {
        for _ in 0..most.min(self.surplus[from]) {
            let Some(nth) = self.cheapest(from, to) else {
                return;
            };
            self.move_process(from, nth, to);
        }
    }

    fn cheapest(&self, from: usize, to: NodeId) -> Option<usize> {
        let here = NodeId::at(from);
        let cost = |process: Rank| {
            self.instance.cost(process, to, &self.node_of)
                - self.instance.cost(process, here, &self.node_of)
        };
        let held = &self.on[from];
        (0..held.len()).min_by_key(|&nth| (cost(held[nth]), held[nth]))
    }

    fn move_process(&mut self, from: usize, nth: usize, to: NodeId) {
        let process = self.on[from].swap_remove(nth);
        self.on[to.index()].push(process);
        self.node_of[process.index()] = to;
        self.surplus[from] -= 1;
        self.surplus[to.index()] += 1;
        self.moves += 1;
    }

    /// Moves the remaining surplus to the closest nodes that have too few processes.
    fn settle(&mut self) {
        for from in 0..self.surplus.len() {
            while self.surplus[from] > 0 {
                let here = NodeId::at(from);
                let lacking = (0..self.surplus.len()).filter(|&to| self.surplus[to] < 0);
                let closest = lacking
                    .map(NodeId::at)
                    .min_by_key(|&to| (self.instance.distances.hops(here, to), to))
                    .expect("surplus and lack are equal");
                self.migrate(from, closest, 1);
            }
        }
    }
}

/// The Laplacian of the network (equation 10).
struct Laplacian<'a>(&'a [Vec<NodeId>]);

impl System for Laplacian<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (node, neighbours) in self.0.iter().enumerate() {
            let around: f64 = neighbours.iter().map(|to| x[to.index()]).sum();
            y[node] = self.diagonal(node) * x[node] - around;
        }
    }

    fn diagonal(&self, node: usize) -> f64 {
        self.0[node].len().max(1) as f64
    }
}
