//! Which hosts constrained ranks may share: an assignment of blocks of ranks to nodes.
//!
//! Ranks that have to share a host are one block. Blocks are seated one after the other, those with
//! the least choice first, and taken back where a later one finds no node (depth-first search).
//! A rank that takes several slots is a block, too. Free ranks need no search: the machine has room
//! for all ranks, so they fit what blocks leave over.

use super::rule::{Demand, Seat};
use super::sizes::Sizes;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A search ends after it has looked at so many nodes, which takes a second at most.
const MOST_LOOKS: u64 = 30_000_000;

/// Ranks that share a node.
pub(super) struct Block {
    pub(super) ranks: Vec<Rank>,
    /// The slots that they take.
    size: u32,
    /// The node on which one of the ranks stays.
    node: Option<NodeId>,
    /// The numbers of the sets of ranks apart that the block has a rank of.
    apart: Vec<u32>,
}

/// All blocks of constrained ranks, those with the least choice first.
pub(super) struct Blocks<'a> {
    pub(super) all: Vec<Block>,
    machine: &'a Machine,
}

/// What a search found.
pub(super) enum Outcome {
    /// The node of every block.
    Found(Vec<NodeId>),
    /// There is no assignment.
    Impossible,
    /// The search was ended before it found one.
    Unknown,
}

impl<'a> Blocks<'a> {
    /// `None` if two demands contradict each other at once.
    pub(super) fn new(machine: &'a Machine, demands: &[&Demand], sizes: &Sizes) -> Option<Self> {
        let mut block_of: BTreeMap<Rank, usize> = BTreeMap::new();
        let mut all: Vec<Block> = Vec::new();
        let single = |rank: Rank| Block {
            ranks: vec![rank],
            size: 0,
            node: None,
            apart: Vec::new(),
        };
        let named = demands.iter().flat_map(|demand| demand.ranks()).copied();
        for rank in named.chain(sizes.large()) {
            block_of.entry(rank).or_insert_with(|| {
                all.push(single(rank));
                all.len() - 1
            });
        }
        let together = demands.iter().filter_map(|demand| match demand {
            Demand::Together(ranks) => Some(ranks),
            _ => None,
        });
        for pair in together.flat_map(|ranks| ranks.windows(2)) {
            let [kept, gone] = [block_of[&pair[0]], block_of[&pair[1]]];
            if kept != gone {
                let moved = std::mem::take(&mut all[gone].ranks);
                moved
                    .iter()
                    .for_each(|rank| *block_of.get_mut(rank).expect("known") = kept);
                all[kept].ranks.extend(moved);
            }
        }
        let mut taken = HashSet::new();
        for (number, demand) in (0..).zip(demands) {
            match demand {
                Demand::Together(_) => {}
                Demand::Apart(ranks) => {
                    for rank in ranks {
                        let block = &mut all[block_of[rank]];
                        if block.apart.last() == Some(&number) {
                            return None;
                        }
                        block.apart.push(number);
                    }
                }
                &&Demand::Stay(rank, seat) => {
                    let node = match seat {
                        Seat::Node(node) => node,
                        Seat::Slot(slot) => machine.slots().node_of(slot),
                    };
                    let block = &mut all[block_of[&rank]];
                    let is_free = !matches!(seat, Seat::Slot(slot) if !taken.insert(slot));
                    if !is_free || block.node.is_some_and(|known| known != node) {
                        return None;
                    }
                    block.node = Some(node);
                }
            }
        }
        all.retain(|block| !block.ranks.is_empty());
        for block in &mut all {
            block.ranks.sort_unstable();
            let sizes = block.ranks.iter().map(|&rank| sizes.of(rank));
            block.size = sizes.fold(0, u32::saturating_add);
        }
        let choice = |block: &Block| {
            let (size, apart) = (block.size, block.apart.len());
            (
                block.node.is_none(),
                u32::MAX - size,
                usize::MAX - apart,
                block.ranks[0],
            )
        };
        all.sort_by_key(choice);
        Some(Self { all, machine })
    }

    /// Nodes for all blocks, near to where a placement has their ranks. With `fewest`, as few ranks
    /// as can be leave that placement.
    pub(super) fn seated(&self, near: Option<&Placement>, fewest: bool) -> Outcome {
        let mut search = Search::new(self, near, fewest);
        let mut cursors = vec![0];
        let mut best: Option<(usize, Vec<NodeId>)> = None;
        while let Some(&cursor) = cursors.last() {
            let depth = cursors.len() - 1;
            let node = match self.all.get(depth) {
                Some(block) if search.looks < MOST_LOOKS => search.candidate(block, cursor),
                Some(_) => break,
                None => {
                    let found = (search.moves(), search.nodes.clone());
                    if !fewest {
                        return Outcome::Found(found.1);
                    }
                    if best.as_ref().is_none_or(|best| found.0 < best.0) {
                        best = Some(found);
                    }
                    None
                }
            };
            let is_short = |best: &(usize, Vec<NodeId>)| search.left < best.0;
            match node.filter(|_| best.as_ref().is_none_or(is_short)) {
                Some(node) => {
                    cursors[depth] += 1;
                    search.seat(&self.all[depth], node);
                    cursors.push(0);
                }
                None => {
                    cursors.pop();
                    if let Some(before) = depth.checked_sub(1) {
                        search.take_back(&self.all[before]);
                    }
                }
            }
        }
        match best {
            Some((_, nodes)) => Outcome::Found(nodes),
            None if cursors.is_empty() => Outcome::Impossible,
            None => Outcome::Unknown,
        }
    }
}

/// A search under way.
struct Search<'a> {
    blocks: &'a Blocks<'a>,
    /// The node of every rank in the placement to stay near to.
    near: Vec<NodeId>,
    fewest: bool,
    /// The nodes of the blocks that are seated.
    nodes: Vec<NodeId>,
    /// Slots of every node that no block takes, and the blocks on it.
    room: Vec<u32>,
    seated: Vec<u32>,
    /// The sets of ranks apart that have a rank on a node.
    apart: HashSet<(NodeId, u32)>,
    /// The ranks of seated blocks that leave their nodes.
    left: usize,
    looks: u64,
}

impl<'a> Search<'a> {
    fn new(blocks: &'a Blocks<'a>, near: Option<&Placement>, fewest: bool) -> Self {
        let slots = blocks.machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        Self {
            blocks,
            near: near.map(|near| near.nodes(slots)).unwrap_or_default(),
            fewest,
            nodes: Vec::new(),
            room: nodes.map(|node| slots.capacity(node)).collect(),
            seated: vec![0; slots.nodes()],
            apart: HashSet::new(),
            left: 0,
            looks: 0,
        }
    }

    /// The node to try after so many others; `None` where there is no further one.
    fn candidate(&mut self, block: &Block, cursor: usize) -> Option<NodeId> {
        if let Some(node) = block.node {
            self.looks += 1;
            return Some(node).filter(|&node| cursor == 0 && self.takes(block, node));
        }
        self.looks += self.room.len() as u64;
        let mut here: BTreeMap<NodeId, usize> = BTreeMap::new();
        for rank in &block.ranks {
            if let Some(&node) = self.near.get(rank.index()) {
                *here.entry(node).or_default() += 1;
            }
        }
        let most = here
            .iter()
            .max_by_key(|(node, ranks)| (**ranks, std::cmp::Reverse(**node)));
        let centre = most.map(|(&node, _)| node);
        let topology = self.blocks.machine.topology();
        let rank = |&node: &NodeId| {
            let hops = centre.map_or(0, |centre| topology.hops(centre, node));
            (std::cmp::Reverse(here.get(&node).copied()), hops, node)
        };
        let all = (0..self.room.len()).map(NodeId::at);
        let fit = all.filter(|&node| self.takes(block, node));
        if cursor == 0 {
            return fit.min_by_key(rank);
        }
        let mut fit: Vec<NodeId> = fit.collect();
        fit.sort_by_key(rank);
        if !self.fewest {
            // Of empty nodes of one size, one has as much chance as another.
            let mut sizes = BTreeSet::new();
            fit.retain(|node| {
                self.seated[node.index()] > 0 || sizes.insert(self.room[node.index()])
            });
        }
        fit.get(cursor).copied()
    }

    fn takes(&self, block: &Block, node: NodeId) -> bool {
        self.room[node.index()] >= block.size
            && !block
                .apart
                .iter()
                .any(|&set| self.apart.contains(&(node, set)))
    }

    fn seat(&mut self, block: &Block, node: NodeId) {
        self.room[node.index()] -= block.size;
        self.seated[node.index()] += 1;
        self.apart
            .extend(block.apart.iter().map(|&set| (node, set)));
        self.left += self.leaving(block, node);
        self.nodes.push(node);
    }

    fn take_back(&mut self, block: &Block) {
        let Some(node) = self.nodes.pop() else {
            return;
        };
        self.room[node.index()] += block.size;
        self.seated[node.index()] -= 1;
        for &set in &block.apart {
            self.apart.remove(&(node, set));
        }
        self.left -= self.leaving(block, node);
    }

    fn leaving(&self, block: &Block, node: NodeId) -> usize {
        let is_elsewhere = |rank: &&Rank| self.near.get(rank.index()).is_some_and(|&at| at != node);
        block.ranks.iter().filter(is_elsewhere).count()
    }

    /// The ranks that leave their nodes: those of blocks, and free ranks that make room for them.
    fn moves(&self) -> usize {
        let mut free = vec![0; self.room.len()];
        self.near.iter().for_each(|node| free[node.index()] += 1);
        for rank in self.blocks.all.iter().flat_map(|block| &block.ranks) {
            if let Some(node) = self.near.get(rank.index()) {
                free[node.index()] -= 1;
            }
        }
        let displaced = free
            .iter()
            .zip(&self.room)
            .map(|(&free, &room)| u32::saturating_sub(free, room));
        self.left + displaced.sum::<u32>() as usize
    }
}
