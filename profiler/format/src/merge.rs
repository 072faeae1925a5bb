//! From what every rank counted to one profile.

use crate::collective::{Collective, Operation};
use crate::communicator::Communicator;
use crate::journal::Key;
use crate::ledger::{Laid, Ledger, Tally};
use crate::profile::{Manifest, Peer, Phase, Profile, Row};
use crate::time::{CallClass, Time};
use crate::topology::{Shape, Topology};
use std::collections::{BTreeMap, HashMap};

impl Profile {
    /// Merges the ledgers of all ranks, in rank order. What a rank fetched is moved to the row of the rank it came
    /// from; ranks beyond the world and communicators nobody told the members of are left out.
    #[must_use]
    pub fn merge(manifest: Manifest, ledgers: impl ExactSizeIterator<Item = Ledger>) -> Self {
        let mut merger = Merger::new(ledgers.len());
        for (rank, ledger) in (0..).zip(ledgers) {
            merger.add(rank, ledger);
        }
        merger.profile(manifest)
    }
}

/// Bytes and messages.
type Sums = (u64, u64);
/// By world rank, then peer.
type Pairs = Vec<BTreeMap<u32, Sums>>;
/// By communicator, operation, root and size class.
type Calls = BTreeMap<(u64, Operation, Option<u32>, u8), Sums>;

/// Index in the profile and members of a communicator, by its hash.
type Index = HashMap<u64, (u32, usize)>;

/// What is summed for each phase and the whole.
struct Part {
    rows: Pairs,
    exchanges: Pairs,
    calls: Calls,
}

struct Merger {
    ranks: usize,
    whole: Part,
    phases: BTreeMap<String, Part>,
    /// By their hash.
    communicators: HashMap<u64, Communicator>,
    /// Cartesian ones; the value is `reorder`.
    grids: BTreeMap<(u64, Shape), bool>,
    /// By communicator and whether it is a distributed one.
    graphs: BTreeMap<(u64, bool), Graph>,
    times: Vec<BTreeMap<CallClass, Sums>>,
    foreign: BTreeMap<u32, Sums>,
}

#[derive(Default)]
struct Graph {
    reorder: bool,
    /// Lists by member.
    edges: BTreeMap<u32, Vec<u32>>,
}

impl Merger {
    fn new(ranks: usize) -> Self {
        Self {
            ranks,
            whole: Part::new(ranks),
            phases: BTreeMap::new(),
            communicators: HashMap::new(),
            grids: BTreeMap::new(),
            graphs: BTreeMap::new(),
            times: vec![BTreeMap::new(); ranks],
            foreign: BTreeMap::new(),
        }
    }

    fn add(&mut self, rank: u32, ledger: Ledger) {
        let Ledger {
            tallies,
            communicators,
            topologies,
        } = ledger;
        let hashes: Vec<u64> = communicators.iter().map(|known| known.hash).collect();
        for known in communicators {
            let fits = |comm: &Communicator| comm.fits(self.ranks as u64);
            if let Some(communicator) = known.communicator.filter(fits) {
                self.communicators.insert(known.hash, communicator);
            }
        }
        let mut calls = Calls::new();
        for (phase, tally) in tallies {
            let mut own = Calls::new();
            if !phase.is_empty() {
                let ranks = self.ranks;
                let part = self.phases.entry(phase).or_insert_with(|| Part::new(ranks));
                part.pairs(rank, &tally);
                sum_calls(&mut own, &tally, &hashes);
                merge_calls(&mut part.calls, &own);
            }
            self.whole.pairs(rank, &tally);
            sum_calls(&mut calls, &tally, &hashes);
            self.rest(rank, &tally);
        }
        merge_calls(&mut self.whole.calls, &calls);
        for laid in topologies {
            if let Some(&hash) = hashes.get(laid.comm as usize) {
                self.lay(hash, laid);
            }
        }
    }

    /// What is not kept by phase.
    fn rest(&mut self, rank: u32, tally: &Tally) {
        for (key, bytes, messages) in tally.iter() {
            match key {
                Key::Foreign => add(self.foreign.entry(rank).or_default(), bytes, messages),
                Key::Time(class) => {
                    let sums = self.times[rank as usize].entry(class).or_default();
                    add(sums, bytes, messages);
                }
                _ => {}
            }
        }
    }

    fn lay(&mut self, hash: u64, laid: Laid) {
        let distributed = matches!(laid.shape, Shape::DistGraph(_));
        match laid.shape {
            Shape::Cart(_) => *self.grids.entry((hash, laid.shape)).or_default() |= laid.reorder,
            Shape::Graph(lists) | Shape::DistGraph(lists) => {
                let graph = self.graphs.entry((hash, distributed)).or_default();
                graph.reorder |= laid.reorder;
                let edges = graph.edges.entry(laid.member).or_default();
                for receiver in lists.into_iter().flatten() {
                    // Few, and in the order the program gave.
                    if !edges.contains(&receiver) {
                        edges.push(receiver);
                    }
                }
            }
        }
    }

    fn profile(self, manifest: Manifest) -> Profile {
        let mut order: Vec<(&Communicator, u64)> =
            self.communicators.iter().map(|(&h, c)| (c, h)).collect();
        order.sort();
        let places = order.iter().zip(0..);
        let index: Index = places
            .map(|(&(comm, hash), place)| (hash, (place, comm.members.len())))
            .collect();
        let communicators = order.iter().map(|&(comm, _)| comm.clone()).collect();
        let grids = self
            .grids
            .into_iter()
            .filter_map(|((hash, shape), reorder)| {
                let &(comm, size) = index.get(&hash)?;
                let topology = Topology {
                    comm,
                    reorder,
                    shape,
                };
                (topology.shape.size() == Some(size)).then_some(topology)
            });
        let graphs = self
            .graphs
            .into_iter()
            .filter_map(|((hash, distributed), graph)| {
                let &(comm, size) = index.get(&hash)?;
                Some(graph.topology(comm, size, distributed))
            });
        let mut topologies: Vec<Topology> = grids.chain(graphs).collect();
        topologies.sort_by(|a, b| (a.comm, &a.shape).cmp(&(b.comm, &b.shape)));
        let whole = self.whole.phase(String::new(), &index);
        let phases = self.phases.into_iter();
        Profile {
            manifest,
            rows: whole.rows,
            exchanges: whole.exchanges,
            communicators,
            collectives: whole.collectives,
            phases: phases
                .map(|(name, part)| part.phase(name, &index))
                .collect(),
            times: times(self.times),
            topologies,
            foreign: row(self.foreign).peers,
        }
    }
}

impl Part {
    fn new(ranks: usize) -> Self {
        Self {
            rows: vec![BTreeMap::new(); ranks],
            exchanges: vec![BTreeMap::new(); ranks],
            calls: Calls::new(),
        }
    }

    fn pairs(&mut self, rank: u32, tally: &Tally) {
        let ranks = self.rows.len();
        for (key, bytes, messages) in tally.iter() {
            let (rows, source, receiver) = match key {
                Key::Sent(other) => (&mut self.rows, rank, other),
                Key::Fetched(other) => (&mut self.rows, other, rank),
                Key::Exchanged(other) => (&mut self.exchanges, rank, other),
                _ => continue,
            };
            if (receiver as usize) < ranks
                && let Some(row) = rows.get_mut(source as usize)
            {
                add(row.entry(receiver).or_default(), bytes, messages);
            }
        }
    }

    fn phase(self, name: String, index: &Index) -> Phase {
        let calls = self.calls.into_iter();
        let mut collectives: Vec<Collective> = calls
            .filter_map(|((hash, op, root, _), (bytes, calls))| {
                let &(comm, size) = index.get(&hash)?;
                let row = Collective {
                    comm,
                    op,
                    root,
                    bytes,
                    calls,
                };
                root.is_none_or(|root| (root as usize) < size)
                    .then_some(row)
            })
            .collect();
        // Stable: what differs in size only stays in the order of size.
        collectives.sort_by_key(|row| (row.comm, row.op, row.root));
        let exchanges = Some(rows(self.exchanges));
        Phase {
            name,
            rows: rows(self.rows),
            exchanges: exchanges
                .filter(|rows| rows.iter().any(|row| !row.peers.is_empty()))
                .unwrap_or_default(),
            collectives,
        }
    }
}

impl Graph {
    fn topology(mut self, comm: u32, size: usize, distributed: bool) -> Topology {
        let list = |member| {
            let mut list = self.edges.remove(&member).unwrap_or_default();
            list.retain(|&receiver| (receiver as usize) < size);
            list
        };
        let lists = (0..).take(size).map(list).collect();
        Topology {
            comm,
            reorder: self.reorder,
            shape: if distributed {
                Shape::DistGraph(lists)
            } else {
                Shape::Graph(lists)
            },
        }
    }
}

/// One rank's calls: those on different communicators of the same members, or in different phases, are added.
fn sum_calls(calls: &mut Calls, tally: &Tally, hashes: &[u64]) {
    for (key, bytes, number) in tally.iter() {
        if let Key::Collective {
            comm,
            op,
            root,
            class,
        } = key
            && let Some(&hash) = hashes.get(comm as usize)
        {
            add(
                calls.entry((hash, op, root, class)).or_default(),
                bytes,
                number,
            );
        }
    }
}

/// Every member counted the same calls, up to where it died. Blocks of their own are added.
fn merge_calls(all: &mut Calls, one: &Calls) {
    for (&key, &(bytes, calls)) in one {
        let sums = all.entry(key).or_default();
        let (_, op, ..) = key;
        sums.0 = if op.is_exchange() {
            sums.0.saturating_add(bytes)
        } else {
            sums.0.max(bytes)
        };
        sums.1 = sums.1.max(calls);
    }
}

fn times(all: Vec<BTreeMap<CallClass, Sums>>) -> Vec<Vec<Time>> {
    if all.iter().all(BTreeMap::is_empty) {
        return Vec::new();
    }
    let time = |(class, (nanoseconds, calls))| Time {
        class,
        nanoseconds,
        calls,
    };
    all.into_iter()
        .map(|classes| classes.into_iter().map(time).collect())
        .collect()
}

fn rows(pairs: Pairs) -> Vec<Row> {
    pairs.into_iter().map(row).collect()
}

fn row(peers: BTreeMap<u32, Sums>) -> Row {
    let peer = |(rank, (bytes, messages))| Peer {
        rank,
        bytes,
        messages,
    };
    Row {
        peers: peers.into_iter().map(peer).collect(),
    }
}

fn add(sums: &mut Sums, bytes: u64, messages: u64) {
    sums.0 = sums.0.saturating_add(bytes);
    sums.1 = sums.1.saturating_add(messages);
}
