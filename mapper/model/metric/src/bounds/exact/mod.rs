//! The fewest hop-bytes of all placements, by branch and bound, for up to 16 ranks.
//!
//! Ranks are placed one after the other, those with most bytes first, each on every free node in
//! turn. A partial placement is given up as soon as a lower bound shows that no completion has
//! fewer hop-bytes than the best placement known. Of nodes that a symmetry of the machine maps onto
//! each other while all occupied nodes stay, only the first is tried.
//!
//! ```text
//! mesh:3       rank 0 on node 0  ── rank 1 on node 1 ── rank 2 on node 2
//!                                └─ rank 1 on node 2 ── bound not below the best: given up
//!              rank 0 on node 1  ── rank 1 on node 0 ..        (node 2 is its mirror image)
//!              (node 2 is the mirror image of node 0)
//! ```
//!
//! Proof: every placement is a leaf of the tree, the image of a leaf under symmetries, or below a
//! partial placement whose bound is not less than the result.
//!
//! Source: Gilmore 1962 and Lawler 1963 for the bound of a partial placement, by linear assignment
//! of the free ranks to the free nodes. An assignment ends where its first rows show that it is not
//! below the best. Cost: O(free ranks x free nodes x different distances), and the assignment, for
//! each partial placement.

mod symmetry;

use super::assignment::Solver;
use rankfold_base::{NodeId, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;

/// With more ranks or usable nodes than these, the tree is too large. Chosen by hand.
const MOST_RANKS: usize = 16;
const MOST_NODES: usize = 18;

/// Symmetries are looked for among this many occupied nodes at most; with more, hardly any are
/// left. Chosen by hand.
const SYMMETRIC: usize = 4;

/// The descents from which the best placement known comes, for each rank. Chosen by hand.
const DESCENTS: usize = 8;

/// The fewest hop-bytes of all placements. `None` with more than 16 ranks, where a node takes
/// several ranks, and where the proof would take more than `most` partial placements.
#[must_use]
pub fn fewest_hop_bytes(affinity: &Affinity, machine: &Machine, most: u32) -> Option<u128> {
    let instance = Instance::new(affinity, machine)?;
    let mut search = Search::new(&instance, most);
    search.place_next();
    let is_proved = search.looked_at < most;
    u128::try_from(search.best).ok().filter(|_| is_proved)
}

/// Weights and distances as matrices. Ranks are numbered in the order in which they are placed.
pub(super) struct Instance {
    pub(super) ranks: usize,
    pub(super) nodes: usize,
    weights: Vec<Vec<i64>>,
    pub(super) hops: Vec<Vec<i64>>,
    /// The different distances between nodes, ascending, and the place in it of each distance.
    distances: Vec<i64>,
    place: Vec<Vec<usize>>,
    /// For each number of ranks placed and each rank, its heaviest 0, 1, 2, .. weights to other
    /// free ranks, added up.
    heaviest: Vec<Vec<Vec<i64>>>,
}

impl Instance {
    /// `None` if the instance is too large, if a node takes several ranks, if the way back is of
    /// another length, or if sums could overflow.
    fn new(affinity: &Affinity, machine: &Machine) -> Option<Self> {
        let (slots, ranks) = (machine.slots(), affinity.ranks());
        if !(2..=MOST_RANKS).contains(&ranks) || slots.len() > MOST_NODES || slots.len() < ranks {
            return None;
        }
        let all = (0..slots.nodes()).map(NodeId::at);
        let usable: Vec<NodeId> = all.filter(|&node| slots.capacity(node) > 0).collect();
        if usable.iter().any(|&node| slots.capacity(node) > 1) {
            return None;
        }
        let topology = machine.topology();
        let bytes = |rank: usize| {
            affinity
                .partners(Rank::at(rank))
                .map(|(_, b)| u128::from(b))
        };
        let total: u128 = (0..ranks).flat_map(bytes).sum();
        if total * u128::from(topology.diameter().max(1)) >= 1 << 60 {
            return None;
        }
        let between = |a: usize, b: usize| {
            let weight = affinity.bytes_between(Rank::at(a), Rank::at(b));
            weight.filter(|_| a != b).unwrap_or(0) as i64
        };
        let order = heaviest_first(ranks, between);
        let row = |&a: &usize| order.iter().map(|&b| between(a, b)).collect();
        let distances = topology.distances();
        let from = |&a: &NodeId| {
            let to = usable.iter().map(|&b| i64::from(distances.hops(a, b)));
            to.collect()
        };
        let hops: Vec<Vec<i64>> = usable.iter().map(from).collect();
        let is_symmetric = (0..usable.len()).all(|a| (0..a).all(|b| hops[a][b] == hops[b][a]));
        let weights: Vec<Vec<i64>> = order.iter().map(row).collect();
        let mut distances = hops.concat();
        distances.sort_unstable();
        distances.dedup();
        let places = |row: &Vec<i64>| {
            let place = |hops| distances.partition_point(|it| it < hops);
            row.iter().map(place).collect()
        };
        let place = hops.iter().map(places).collect();
        is_symmetric.then(|| Self {
            ranks,
            nodes: usable.len(),
            heaviest: (0..=ranks).map(|placed| added(&weights, placed)).collect(),
            weights,
            place,
            distances,
            hops,
        })
    }

    /// Hop-bytes of a placement, rank -> node.
    fn cost(&self, nodes: &[usize]) -> i64 {
        let pairs = (0..self.ranks).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs
            .map(|(a, b)| self.weights[a][b] * self.hops[nodes[a]][nodes[b]])
            .sum()
    }

    /// A placement that no exchange of the ranks of two nodes improves; a rank beyond the last
    /// stands for a free node.
    fn descended(&self, mut nodes: Vec<usize>) -> i64 {
        let mut cost = self.cost(&nodes);
        loop {
            let before = cost;
            for a in 0..self.ranks {
                for b in a + 1..self.nodes {
                    nodes.swap(a, b);
                    let after = self.cost(&nodes);
                    if after < cost {
                        cost = after;
                    } else {
                        nodes.swap(a, b);
                    }
                }
            }
            if cost == before {
                return cost;
            }
        }
    }
}

/// For each rank, its heaviest 0, 1, 2, .. weights to other ranks from `placed` on, added up.
fn added(weights: &[Vec<i64>], placed: usize) -> Vec<Vec<i64>> {
    let of_rank = |(rank, weights): (usize, &Vec<i64>)| {
        let others = (placed..weights.len()).filter(|&other| other != rank);
        let mut sorted: Vec<i64> = others.map(|other| weights[other]).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let sums = sorted.iter().scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    };
    weights.iter().enumerate().map(of_rank).collect()
}

/// The ranks, each time the one with most bytes to those listed before; first the one with most
/// bytes in all.
fn heaviest_first(ranks: usize, between: impl Fn(usize, usize) -> i64) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < ranks {
        let left = (0..ranks).filter(|rank| !order.contains(rank));
        let to = |rank: usize, others: &[usize]| -> i64 {
            others.iter().map(|&other| between(rank, other)).sum()
        };
        let all: Vec<usize> = (0..ranks).collect();
        let next = left.max_by_key(|&rank| (to(rank, &order), to(rank, &all)));
        order.extend(next);
    }
    order
}

struct Search<'a> {
    instance: &'a Instance,
    /// The nodes of the ranks placed so far.
    placed: Vec<usize>,
    is_free: Vec<bool>,
    /// Hop-bytes among the ranks placed so far.
    cost: i64,
    /// For each number of ranks placed: hop-bytes between them and each rank on each node, row by
    /// row.
    to_placed: Vec<Vec<i64>>,
    /// For each free node, the other free nodes within each distance.
    within: Vec<Vec<usize>>,
    /// What free ranks cost on free nodes, and who assigns them.
    twice: Vec<Vec<i64>>,
    solver: Solver,
    /// Hop-bytes of the best placement known.
    best: i64,
    /// Partial placements looked at.
    looked_at: u32,
    /// The search ends after so many partial placements.
    most: u32,
}

impl<'a> Search<'a> {
    fn new(instance: &'a Instance, most: u32) -> Self {
        let starts = (0..DESCENTS * instance.ranks).map(|start| {
            // Nodes in strides of 1 to 7, from another node each time; what a stride leaves out
            // comes last.
            let at = |place: usize| (place * (1 + start % 7) + start) % instance.nodes;
            let mut nodes: Vec<usize> = (0..instance.nodes).map(at).collect();
            let mut seen = vec![false; instance.nodes];
            nodes.retain(|&node| !std::mem::replace(&mut seen[node], true));
            nodes.extend((0..instance.nodes).filter(|&node| !seen[node]));
            instance.descended(nodes)
        });
        Self {
            instance,
            placed: Vec::new(),
            is_free: vec![true; instance.nodes],
            cost: 0,
            to_placed: vec![vec![0; instance.ranks * instance.nodes]; instance.ranks + 1],
            within: vec![Vec::new(); instance.nodes],
            twice: vec![Vec::new(); instance.ranks],
            solver: Solver::default(),
            best: starts.min().unwrap_or(i64::MAX),
            looked_at: 0,
            most,
        }
    }

    /// Places the next rank on every node that may lead below the best.
    fn place_next(&mut self) {
        let rank = self.placed.len();
        if rank == self.instance.ranks {
            self.best = self.best.min(self.cost);
            return;
        }
        let mut children: Vec<(i64, usize)> = Vec::new();
        for node in self.different_nodes() {
            self.put(rank, node);
            children.extend(self.bound_below_best().map(|bound| (bound, node)));
            self.take_back(rank, node);
        }
        children.sort_unstable();
        for (bound, node) in children {
            if bound >= self.best || self.looked_at >= self.most {
                break;
            }
            self.put(rank, node);
            self.place_next();
            self.take_back(rank, node);
        }
    }

    /// The free nodes, one of all that symmetries map onto each other.
    fn different_nodes(&self) -> Vec<usize> {
        let free = (0..self.instance.nodes).filter(|&node| self.is_free[node]);
        if self.placed.len() > SYMMETRIC {
            return free.collect();
        }
        let mut kept: Vec<usize> = Vec::new();
        for node in free {
            let alike =
                |&other: &usize| symmetry::maps(&self.instance.hops, &self.placed, other, node);
            if !kept.iter().any(alike) {
                kept.push(node);
            }
        }
        kept
    }

    /// Places the first free rank.
    fn put(&mut self, rank: usize, node: usize) {
        let instance = self.instance;
        let (before, after) = self.to_placed.split_at_mut(rank + 1);
        let (before, after) = (&before[rank], &mut after[0]);
        let at = |rank: usize| rank * instance.nodes..(rank + 1) * instance.nodes;
        self.cost += before[at(rank)][node];
        for later in rank + 1..instance.ranks {
            let weight = instance.weights[later][rank];
            let known = before[at(later)].iter().zip(&instance.hops[node]);
            let sums = after[at(later)].iter_mut().zip(known);
            sums.for_each(|(sum, (known, hops))| *sum = known + weight * hops);
        }
        self.placed.push(node);
        self.is_free[node] = false;
    }

    fn take_back(&mut self, rank: usize, node: usize) {
        self.placed.pop();
        self.is_free[node] = true;
        self.cost -= self.to_placed[rank][rank * self.instance.nodes + node];
    }

    /// No completion of the partial placement has fewer hop-bytes; `None` if none has fewer than
    /// the best. Twice the hop-bytes among free ranks are counted, once from each end.
    fn bound_below_best(&mut self) -> Option<i64> {
        self.looked_at += 1;
        let instance = self.instance;
        let free = (0..instance.nodes).filter(|&node| self.is_free[node]);
        let free: Vec<usize> = free.collect();
        for &node in &free {
            let within = &mut self.within[node];
            within.clear();
            within.resize(instance.distances.len(), 0);
            for &other in free.iter().filter(|&&other| other != node) {
                within[instance.place[node][other]] += 1;
            }
            let mut sum = 0;
            for count in within {
                sum += *count;
                *count = sum;
            }
        }
        let placed = self.placed.len();
        let rows = &mut self.twice[placed..];
        let mut least = 0;
        for (rank, row) in (placed..).zip(rows.iter_mut()) {
            let added = &instance.heaviest[placed][rank];
            let to_placed = &self.to_placed[placed][rank * instance.nodes..];
            let cost = |&node: &usize| {
                2 * to_placed[node] + nearest(added, &instance.distances, &self.within[node])
            };
            row.clear();
            row.extend(free.iter().map(cost));
            let cheapest = row.iter().copied().min().unwrap_or(0);
            row.iter_mut().for_each(|cost| *cost -= cheapest);
            least += cheapest;
        }
        // Twice what free ranks may cost, so that the bound is below the best.
        let limit = (self.best - self.cost).saturating_mul(2).saturating_sub(1);
        let more = self.solver.cost_below(rows, limit - least)?;
        Some(self.cost + (least + more + 1) / 2)
    }
}

/// Hop-bytes of weights at the nearest nodes, the heaviest weights nearest: `added` are sums of the
/// heaviest weights, `within` is the number of nodes within each distance.
fn nearest(added: &[i64], distances: &[i64], within: &[usize]) -> i64 {
    let (last, all) = (added.len() - 1, added[added.len() - 1]);
    let beyond = |within: usize| all - added[within.min(last)];
    let steps = distances.windows(2).zip(within);
    let further: i64 = steps
        .map(|(pair, &within)| (pair[1] - pair[0]) * beyond(within))
        .sum();
    distances[0] * all + further
}

#[cfg(test)]
mod tests;
