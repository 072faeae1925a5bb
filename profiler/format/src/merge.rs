//! From what every rank counted to one profile.

use crate::collective::{Collective, Operation};
use crate::communicator::Communicator;
use crate::error::ProfileError;
use crate::journal::Key;
use crate::ledger::{self, Brief, Laid, Ledger, Sums, Tally, add};
use crate::profile::{Manifest, Matrix, Phase, Plane, Profile, Row};
use crate::time::{CallClass, Time};
use crate::topology::{Shape, Topology};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

impl Profile {
    /// Merges the ledgers of all ranks, in rank order. What a rank fetched is moved to the row of the rank it came
    /// from; ranks beyond the world and communicators nobody told the members of are left out.
    #[must_use]
    pub fn merge(manifest: Manifest, ledgers: &[Ledger]) -> Self {
        let mut merger = Merger::new(ledgers.len());
        ledgers.iter().for_each(|ledger| merger.add(ledger.brief()));
        let outline = merger.outline(manifest);
        let mut profile = outline.profile.clone();
        for plane in &outline.planes {
            let told = (0..).zip(ledgers);
            *profile.matrix_mut(plane.number, plane.matrix) = told
                .map(|(rank, ledger)| outline.complete(plane, rank, ledger.row(plane)))
                .collect();
        }
        profile
    }
}

/// By communicator, operation, root and size class.
type Calls = BTreeMap<(u64, Operation, Option<u32>, u8), Sums>;

/// By whom it came from and who fetched it.
type Fetched = BTreeMap<(u32, u32), Sums>;

/// Index in the profile and members of a communicator, by its hash.
type Index = HashMap<u64, (u32, usize)>;

/// What is summed for each phase and the whole.
#[derive(Default)]
struct Part {
    fetched: Fetched,
    /// Whether anybody gave something in an exchange.
    exchanging: bool,
    calls: Calls,
}

/// A profile but for the rows of its matrices, and what others than their rank know of them.
pub struct Outline {
    profile: Profile,
    ranks: usize,
    planes: Vec<Plane>,
    /// By number of the phase.
    fetched: Vec<Fetched>,
}

impl Outline {
    /// The matrices there are, in the order in which [`Self::write`] asks for them.
    #[must_use]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Writes the profile while its rows arrive: `tell` hands over those of one matrix, all ranks' in rank order. No
    /// more than a section of the file is held.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`], with what the system said, or `tell`; what was under `path` is untouched then.
    pub fn write(
        &self,
        path: &Path,
        mut tell: impl FnMut(&Plane, &mut dyn FnMut(Row)) -> io::Result<()>,
    ) -> Result<(), ProfileError> {
        self.profile.write_told(path, &mut |number, matrix, visit| {
            let is_meant = |plane: &&Plane| (plane.number, plane.matrix) == (number, matrix);
            let Some(plane) = self.planes.iter().find(is_meant) else {
                return Ok(());
            };
            let mut rank = 0;
            tell(plane, &mut |row| {
                visit(&self.complete(plane, rank, row));
                rank += 1;
            })
        })
    }

    /// A rank's row as it told it, with what others fetched.
    fn complete(&self, plane: &Plane, rank: u32, mut row: Row) -> Row {
        row.peers.retain(|peer| (peer.rank as usize) < self.ranks);
        let fetched = self.fetched.get(plane.number as usize);
        let fetched = fetched.filter(|_| plane.matrix == Matrix::Sent);
        let mut fetched = fetched
            .into_iter()
            .flat_map(|fetched| fetched.range((rank, 0)..=(rank, u32::MAX)))
            .peekable();
        if fetched.peek().is_none() {
            return row;
        }
        let peers = row.peers.iter();
        let mut sums: BTreeMap<u32, Sums> = peers
            .map(|peer| (peer.rank, (peer.bytes, peer.messages)))
            .collect();
        for (&(_, receiver), &(bytes, messages)) in fetched {
            add(sums.entry(receiver).or_default(), bytes, messages);
        }
        ledger::row(sums)
    }
}

/// Puts together what all ranks tell briefly.
pub struct Merger {
    ranks: usize,
    /// Who is next.
    rank: u32,
    whole: Part,
    phases: BTreeMap<String, Part>,
    /// By their hash.
    communicators: HashMap<u64, Communicator>,
    /// Cartesian ones; the value is `reorder`.
    grids: BTreeMap<(u64, Shape), bool>,
    /// By communicator and whether it is a distributed one.
    graphs: BTreeMap<(u64, bool), Graph>,
    times: BTreeMap<u32, BTreeMap<CallClass, Sums>>,
    foreign: BTreeMap<u32, Sums>,
}

#[derive(Default)]
struct Graph {
    reorder: bool,
    /// Lists by member.
    edges: BTreeMap<u32, Vec<u32>>,
}

impl Merger {
    /// For a world of `ranks`.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        Self {
            ranks,
            rank: 0,
            whole: Part::default(),
            phases: BTreeMap::new(),
            communicators: HashMap::new(),
            grids: BTreeMap::new(),
            graphs: BTreeMap::new(),
            times: BTreeMap::new(),
            foreign: BTreeMap::new(),
        }
    }

    /// Adds what the next rank tells.
    pub fn add(&mut self, brief: Brief) {
        let rank = self.rank;
        self.rank += 1;
        let Ledger {
            tallies,
            communicators,
            topologies,
        } = brief.rest;
        let hashes: Vec<u64> = communicators.iter().map(|known| known.hash).collect();
        for known in communicators {
            let fits = |comm: &Communicator| comm.fits(self.ranks as u64);
            if let Some(communicator) = known.communicator.filter(fits) {
                self.communicators.insert(known.hash, communicator);
            }
        }
        let mut calls = Calls::new();
        for (phase, tally) in tallies {
            let exchanging = brief.exchanging.contains(&phase);
            let mut own = Calls::new();
            if !phase.is_empty() {
                let part = self.phases.entry(phase).or_default();
                part.add(rank, &tally, exchanging, self.ranks);
                sum_calls(&mut own, &tally, &hashes);
                merge_calls(&mut part.calls, &own);
            }
            self.whole.add(rank, &tally, exchanging, self.ranks);
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
                    let times = self.times.entry(rank).or_default();
                    add(times.entry(class).or_default(), bytes, messages);
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

    /// What all ranks have told.
    #[must_use]
    pub fn outline(self, manifest: Manifest) -> Outline {
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
        let mut outline = Outline {
            profile: Profile {
                manifest,
                communicators,
                times: times(self.times, self.ranks),
                topologies,
                foreign: ledger::row(self.foreign).peers,
                ..Profile::default()
            },
            ranks: self.ranks,
            planes: Vec::new(),
            fetched: Vec::new(),
        };
        outline.profile.collectives = collectives(&self.whole.calls, &index);
        outline.add("", self.whole);
        for (name, part) in self.phases {
            outline.profile.phases.push(Phase {
                name: name.clone(),
                collectives: collectives(&part.calls, &index),
                ..Phase::default()
            });
            outline.add(&name, part);
        }
        outline
    }
}

impl Outline {
    /// Adds the next phase.
    fn add(&mut self, phase: &str, part: Part) {
        let number = self.fetched.len() as u32;
        let plane = |matrix| Plane {
            number,
            phase: phase.to_owned(),
            matrix,
        };
        self.planes.push(plane(Matrix::Sent));
        self.planes
            .extend(part.exchanging.then(|| plane(Matrix::Exchanged)));
        self.fetched.push(part.fetched);
    }
}

impl Part {
    fn add(&mut self, rank: u32, tally: &Tally, exchanging: bool, ranks: usize) {
        self.exchanging |= exchanging;
        for (key, bytes, messages) in tally.iter() {
            if let Key::Fetched(source) = key
                && (source.max(rank) as usize) < ranks
            {
                add(
                    self.fetched.entry((source, rank)).or_default(),
                    bytes,
                    messages,
                );
            }
        }
    }
}

fn collectives(calls: &Calls, index: &Index) -> Vec<Collective> {
    let row = |(&(hash, op, root, _), &(bytes, calls))| {
        let &(comm, size) = index.get(&hash)?;
        let row = Collective {
            comm,
            op,
            root,
            bytes,
            calls,
        };
        root.is_none_or(|root: u32| (root as usize) < size)
            .then_some(row)
    };
    let mut collectives: Vec<Collective> = calls.iter().filter_map(row).collect();
    // Stable: what differs in size only stays in the order of size.
    collectives.sort_by_key(|row| (row.comm, row.op, row.root));
    collectives
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

fn times(mut all: BTreeMap<u32, BTreeMap<CallClass, Sums>>, ranks: usize) -> Vec<Vec<Time>> {
    if all.is_empty() {
        return Vec::new();
    }
    let time = |(class, (nanoseconds, calls))| Time {
        class,
        nanoseconds,
        calls,
    };
    let mut of = |rank| {
        all.remove(&rank)
            .unwrap_or_default()
            .into_iter()
            .map(time)
            .collect()
    };
    (0..).take(ranks).map(&mut of).collect()
}
