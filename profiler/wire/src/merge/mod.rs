//! Merges the counters of all ranks into one profile.

mod blocks;
mod calls;
mod collective_rows;
mod index;
mod outline;
mod phase_sums;
mod times;
mod topologies;

pub use outline::Outline;

use crate::communicator::Communicator;
use crate::cores::{self, Cores};
use crate::function_messages::FunctionMessages;
use crate::key::Key;
use crate::ledger::{self, Brief, Fetched, Ledger, Sums, Tally, add};
use crate::parameter::Parameter;
use crate::profile::{Manifest, Numbers, Phase, Profile};
use crate::sizes::{SizeCount, SizeKind};
use crate::surroundings::Surroundings;
use crate::timed_function::TimedFunction;
use crate::unseen::Unseen;
use calls::Calls;
use collective_rows::RunCommunicators;
use index::Index;
use phase_sums::PhaseSums;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use times::MergedTimes;
use topologies::Topologies;

impl Profile {
    /// Merges the ledgers of all ranks, which are in rank order. Data that a rank fetched is
    /// counted in the row of the rank it came from. Ranks outside the world are left out, and so
    /// are communicators whose members no rank provided.
    #[must_use]
    pub fn merge(manifest: Manifest, ledgers: &[Ledger]) -> Self {
        let mut merger = Merger::new(ledgers.len());
        ledgers.iter().for_each(|ledger| merger.add(ledger.brief()));
        let outline = merger.outline(manifest);
        let mut profile = outline.profile.clone();
        let fetched = fetched_from(ledgers);
        for plane in outline.planes() {
            let both = ledgers.iter().zip(&fetched);
            *profile.matrix_mut(plane.number, plane.matrix) = both
                .map(|(ledger, fetched)| outline.complete(ledger.row_with(fetched, plane)))
                .collect();
        }
        profile
    }
}

/// For each rank: the data that other ranks fetched from it, as messages sent by the rank.
fn fetched_from(ledgers: &[Ledger]) -> Vec<Ledger> {
    let mut all = vec![Ledger::default(); ledgers.len()];
    for (rank, ledger) in (0..).zip(ledgers) {
        for (
            source,
            Fetched {
                phase,
                bytes,
                messages,
            },
        ) in ledger.fetched()
        {
            if let Some(source) = all.get_mut(source as usize) {
                source.send(phase, rank, bytes, messages);
            }
        }
    }
    all
}

/// Merges the briefs of all ranks.
pub struct Merger {
    ranks: usize,
    /// The rank whose brief comes next.
    rank: u32,
    whole: PhaseSums,
    phases: BTreeMap<String, PhaseSums>,
    /// The communicators by their hash.
    communicators: HashMap<u64, Communicator>,
    topologies: Topologies,
    times: MergedTimes,
    foreign: BTreeMap<u32, Sums>,
    others: BTreeMap<u32, Sums>,
    unseen: BTreeSet<Unseen>,
    /// The hosts by name.
    surroundings: BTreeMap<String, Surroundings>,
    sizes: BTreeMap<(SizeKind, u32), Sums>,
    functions: BTreeMap<TimedFunction, Sums>,
    /// The cores of each rank.
    cores: Vec<Cores>,
    known_cores: cores::CoreLists,
    /// The numbers of each rank.
    numbers: Vec<Option<Numbers>>,
    /// The parameters of the MPI library, from the first rank that provides them.
    parameters: Vec<Parameter>,
    /// Whether the MPI library reports to all ranks so far what it sends inside collectives.
    monitored: bool,
}

impl Merger {
    /// A merger for `ranks` ranks.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        Self {
            ranks,
            rank: 0,
            whole: PhaseSums::default(),
            phases: BTreeMap::new(),
            communicators: HashMap::new(),
            topologies: Topologies::default(),
            times: MergedTimes::default(),
            foreign: BTreeMap::new(),
            others: BTreeMap::new(),
            unseen: BTreeSet::new(),
            surroundings: BTreeMap::new(),
            sizes: BTreeMap::new(),
            functions: BTreeMap::new(),
            cores: Vec::new(),
            known_cores: cores::CoreLists::default(),
            numbers: Vec::new(),
            parameters: Vec::new(),
            monitored: ranks > 0,
        }
    }

    /// Adds the brief of the next rank.
    pub fn add(&mut self, brief: Brief) {
        let rank = self.rank;
        self.rank += 1;
        let Ledger {
            tallies,
            communicators,
            topologies,
            surroundings,
            cores,
            numbers,
            parameters,
            monitored,
            nccl: _,
            turns: _,
        } = brief.rest;
        self.monitored &= monitored;
        if self.parameters.is_empty() {
            self.parameters = parameters;
        }
        self.cores.push(self.known_cores.shared(cores));
        self.numbers.push(numbers);
        if let Some(seen) = surroundings {
            self.surroundings.entry(seen.host.clone()).or_insert(seen);
        }
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
                calls::sum(&mut own, &tally, &hashes);
                calls::merge(&mut part.calls, &own);
                part.blocks.add(rank, &tally, &hashes);
            }
            self.whole.blocks.add(rank, &tally, &hashes);
            self.whole.add(rank, &tally, exchanging, self.ranks);
            calls::sum(&mut calls, &tally, &hashes);
            self.rest(rank, &tally);
        }
        calls::merge(&mut self.whole.calls, &calls);
        for laid in topologies {
            if let Some(&hash) = hashes.get(laid.comm as usize) {
                self.topologies.add(hash, laid);
            }
        }
    }

    /// Adds the counters that are not kept by phase.
    fn rest(&mut self, rank: u32, tally: &Tally) {
        for (key, bytes, messages) in tally.iter() {
            match key {
                Key::Foreign => add(self.foreign.entry(rank).or_default(), bytes, messages),
                Key::Others => add(self.others.entry(rank).or_default(), bytes, messages),
                Key::Unseen(way) => _ = self.unseen.insert(way),
                Key::Size(kind, bits) => {
                    add(self.sizes.entry((kind, bits)).or_default(), bytes, messages);
                }
                Key::Function(function) => {
                    add(self.functions.entry(function).or_default(), bytes, messages);
                }
                Key::Time(class, function) => {
                    self.times.add(rank, class, function, (bytes, messages));
                }
                _ => {}
            }
        }
    }

    /// The merged profile without the rows of its matrices.
    #[must_use]
    pub fn outline(mut self, manifest: Manifest) -> Outline {
        let mut order: Vec<(&Communicator, u64)> =
            self.communicators.iter().map(|(&h, c)| (c, h)).collect();
        order.sort();
        let places = order.iter().zip(0..);
        let index: Index = places
            .map(|(&(comm, hash), place)| (hash, (place, comm.members.len())))
            .collect();
        let communicators = order.iter().map(|&(comm, _)| comm.clone()).collect();
        let known = RunCommunicators {
            index: &index,
            communicators: &self.communicators,
        };
        let (collectives, blocks) = known.rows(&self.whole);
        let profile = Profile {
            manifest,
            communicators,
            collectives,
            blocks,
            parameters: self.parameters,
            bursts: self.whole.take_bursts(self.ranks),
            function_times: self.times.by_function(),
            times: self.times.by_rank(self.ranks),
            topologies: self.topologies.topologies(&index),
            foreign: ledger::row(self.foreign).peers,
            others: ledger::row(self.others).peers,
            unseen: self.unseen.into_iter().collect(),
            surroundings: self.surroundings.into_values().collect(),
            sizes: self.sizes.into_iter().map(size_count).collect(),
            function_messages: self.functions.into_iter().map(function_messages).collect(),
            cores: known_cores(self.cores),
            // The numbers are useless if one rank lacks them: they refer to other ranks.
            numbers: self
                .numbers
                .into_iter()
                .collect::<Option<_>>()
                .unwrap_or_default(),
            ..Profile::default()
        };
        let mut outline = Outline::new(profile, self.ranks);
        outline.add("", &self.whole, self.monitored);
        for (name, mut part) in self.phases {
            let (collectives, blocks) = known.rows(&part);
            outline.profile.phases.push(Phase {
                name: name.clone(),
                collectives,
                blocks,
                bursts: part.take_bursts(self.ranks),
                ..Phase::default()
            });
            outline.add(&name, &part, self.monitored);
        }
        outline
    }
}

/// The cores of all ranks; empty if no rank provided them.
fn known_cores(cores: Vec<Cores>) -> Vec<Cores> {
    if cores.iter().all(Cores::is_unknown) {
        Vec::new()
    } else {
        cores
    }
}

fn size_count(((kind, bits), (bytes, messages)): ((SizeKind, u32), Sums)) -> SizeCount {
    SizeCount {
        kind,
        bits,
        bytes,
        messages,
    }
}

fn function_messages((function, (bytes, messages)): (TimedFunction, Sums)) -> FunctionMessages {
    FunctionMessages {
        function: function.name().to_owned(),
        bytes,
        messages,
    }
}
