//! Which hosts constrained ranks may share: an assignment of blocks of ranks to nodes.
//!
//! Ranks that have to share a host are one block. Blocks are seated one after the other, those with
//! the least choice first, and taken back where a later one finds no node (depth-first search).
//! A rank that takes several slots is a block, too. Free ranks need no search: the machine has room
//! for all ranks, so they fit what blocks leave over.

use super::at;
use super::gaps::Gaps;
use super::rule::Demand;
use super::sizes::Sizes;
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_machine::Machine;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A search ends after it has looked at so many nodes, which takes a second at most.
const MOST_LOOKS: u64 = 30_000_000;

/// Ranks that share a node.
pub(super) struct Block {
    pub(super) ranks: Vec<Rank>,
    /// The slots that they take.
    size: u32,
    /// The sizes of those that take several slots and are in no certain ones.
    loose: Vec<u32>,
    /// The node on which one of the ranks stays.
    node: Option<NodeId>,
    /// The demands that limit how many ranks a node takes, and how many ranks of the block each
    /// one counts.
    limited: BTreeMap<u32, u32>,
}

/// All blocks of constrained ranks, those with the least choice first.
pub(super) struct Blocks<'a> {
    pub(super) all: Vec<Block>,
    machine: &'a Machine,
    /// What each demand limits on every node; one rank, where nothing is said.
    most: Vec<&'a [u32]>,
    /// The free slots beside those that ranks stay in.
    gaps: Gaps,
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
    pub(super) fn new(machine: &'a Machine, demands: &[&'a Demand], sizes: &Sizes) -> Option<Self> {
        let mut block_of: BTreeMap<Rank, usize> = BTreeMap::new();
        let mut all: Vec<Block> = Vec::new();
        let single = |rank: Rank| Block {
            ranks: vec![rank],
            size: 0,
            loose: Vec::new(),
            node: None,
            limited: BTreeMap::new(),
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
        let mut pins: BTreeMap<Rank, SlotId> = BTreeMap::new();
        for (number, demand) in (0..).zip(demands) {
            match demand {
                Demand::Together(_) => {}
                Demand::Apart(ranks) | Demand::AtMost(ranks, _) => {
                    for rank in ranks {
                        *all[block_of[rank]].limited.entry(number).or_default() += 1;
                    }
                }
                &&Demand::Stay(rank, seat) => {
                    let node = seat.node(machine.slots());
                    let block = &mut all[block_of[&rank]];
                    if let Some(slot) = seat.slot() {
                        pins.insert(rank, slot).is_none().then_some(())?;
                    }
                    if block.node.is_some_and(|known| known != node) {
                        return None;
                    }
                    block.node = Some(node);
                }
            }
        }
        all.retain(|block| !block.ranks.is_empty());
        for block in &mut all {
            block.ranks.sort_unstable();
            let all = block.ranks.iter().map(|&rank| sizes.of(rank));
            block.size = all.fold(0, u32::saturating_add);
            let loose = block.ranks.iter().filter(|rank| !pins.contains_key(rank));
            let loose = loose.map(|&rank| sizes.of(rank)).filter(|&size| size > 1);
            block.loose = loose.collect();
        }
        let gaps = Gaps::beside(pins.into_iter(), sizes, machine.slots())?;
        let choice = |block: &Block| {
            let (size, apart) = (block.size, block.limited.len());
            (
                block.node.is_none(),
                u32::MAX - size,
                usize::MAX - apart,
                block.ranks[0],
            )
        };
        all.sort_by_key(choice);
        let most = demands.iter().map(|demand| match demand {
            Demand::AtMost(_, most) => &most[..],
            _ => &[],
        });
        Some(Self {
            all,
            machine,
            most: most.collect(),
            gaps,
        })
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
    /// The sizes of ranks of several slots that are in no certain ones, by node.
    loose: HashMap<NodeId, Vec<u32>>,
    /// The ranks on a node that a demand limits.
    limited: HashMap<(NodeId, u32), u32>,
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
            loose: HashMap::new(),
            limited: HashMap::new(),
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
            // Of empty nodes of one size and the same limits, one has as much chance as another.
            let mut sizes = BTreeSet::new();
            let limits = |node: NodeId| -> Vec<u32> {
                let most = self.blocks.most.iter().filter(|most| !most.is_empty());
                most.map(|most| most[node.index()]).collect()
            };
            fit.retain(|&node| {
                let room = self.room[node.index()];
                self.seated[node.index()] > 0 || sizes.insert((room, limits(node)))
            });
        }
        fit.get(cursor).copied()
    }

    fn takes(&self, block: &Block, node: NodeId) -> bool {
        self.room[node.index()] >= block.size
            && block.limited.iter().all(|(&demand, ranks)| {
                let there = self.limited.get(&(node, demand)).copied().unwrap_or(0);
                there + ranks <= at(self.blocks.most[demand as usize], node)
            })
            && (block.loose.is_empty() || {
                let there = self.loose.get(&node).map_or(&[][..], Vec::as_slice);
                let slots = self.blocks.machine.slots();
                let all = [there, &block.loose].concat();
                self.blocks.gaps.filled(node, &all, slots).is_some()
            })
    }

    fn seat(&mut self, block: &Block, node: NodeId) {
        self.room[node.index()] -= block.size;
        self.seated[node.index()] += 1;
        for (&demand, ranks) in &block.limited {
            *self.limited.entry((node, demand)).or_default() += ranks;
        }
        self.loose.entry(node).or_default().extend(&block.loose);
        self.left += self.leaving(block, node);
        self.nodes.push(node);
    }

    fn take_back(&mut self, block: &Block) {
        let Some(node) = self.nodes.pop() else {
            return;
        };
        self.room[node.index()] += block.size;
        self.seated[node.index()] -= 1;
        for (&demand, ranks) in &block.limited {
            *self.limited.entry((node, demand)).or_default() -= ranks;
        }
        if let Some(loose) = self.loose.get_mut(&node) {
            loose.truncate(loose.len() - block.loose.len());
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
