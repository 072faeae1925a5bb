//! Decides which process becomes which rank.

mod hosts;

use rankfold_wire::plan::{PlannedRank, RenumberingPlan, Seating};
use rankfold_wire::{Cores, chosen_cores};
use std::collections::{BTreeMap, BTreeSet};

/// What one process has reported. Its index is the rank that the launcher gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Process {
    /// The name of its host.
    pub(crate) host: String,
    /// The cores on which it may run.
    pub(crate) cores: Cores,
    /// The policy by which it gets memory.
    pub(crate) memory: String,
    /// The variables that give it its place and its devices on its host.
    pub(crate) variables: String,
    /// The number of the program of an MPMD launch to which it belongs.
    pub(crate) program: i32,
}

impl Process {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self {
            host,
            cores,
            memory,
            variables,
            program,
        } = self;
        format!("{program} {cores} {memory} {variables} {host}").into_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut words = text.splitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        Self {
            program: word().parse().unwrap_or_default(),
            cores: word().parse().unwrap_or_default(),
            memory: word().to_owned(),
            variables: word().to_owned(),
            host: word().to_owned(),
        }
    }
}

/// The process that becomes each rank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) processes: Vec<u32>,
    /// Warnings for the user.
    pub(crate) notes: Vec<String>,
    /// Whether the ranks are on hosts that the plan does not name.
    pub(crate) on_other_hosts: bool,
}

/// Why a plan does not fit these processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// The plan is for another number of ranks.
    Ranks { planned: usize, found: usize },
    /// No host left has as many processes as the plan has ranks on this host.
    Shape { host: String, planned: usize },
    /// The plan names a process for this rank that is on another host.
    Elsewhere { rank: usize, process: u32 },
    /// The rank would become a process of another program of an MPMD launch, or one with another
    /// number of cores.
    Kinds { rank: usize },
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Ranks { planned, found } => {
                write!(f, "the plan is for {planned} ranks, and there are {found}")
            }
            Self::Shape { host, planned } => write!(
                f,
                "{planned} ranks are planned on {host}, but neither there nor on another host has the launcher started as many"
            ),
            Self::Elsewhere { rank, process } => write!(
                f,
                "the plan gives rank {rank} to the launcher's rank {process}, which is on another host"
            ),
            Self::Kinds { rank } => write!(
                f,
                "rank {rank} would become a rank of another program of the launch, or of another number of cores"
            ),
        }
    }
}

/// Finds a process for every rank of the plan. Rank 0 stays the process that the launcher calls
/// rank 0, because standard input arrives there. Every rank stays in the program that the launcher
/// has started as that rank, and keeps the number of cores that the launch has chosen for it.
pub(crate) fn order(plan: &RenumberingPlan, found: &[Process]) -> Result<Order, Misfit> {
    match plan {
        RenumberingPlan::Shuffled(seed) => Ok(Order {
            processes: shuffled(*seed, found),
            notes: Vec::new(),
            on_other_hosts: false,
        }),
        RenumberingPlan::Seats(seating) => seated(seating, found),
    }
}

/// As [`order`], where only the number of processes is known: in a session, which is local.
pub(crate) fn order_of_number(plan: &RenumberingPlan, number: usize) -> Option<Vec<u32>> {
    match plan {
        RenumberingPlan::Shuffled(seed) => Some(shuffled(*seed, &vec![Process::default(); number])),
        RenumberingPlan::Seats(seating) => {
            let named = seating.ranks().iter().map(|rank| rank.process);
            let processes: Vec<u32> = named.collect::<Option<_>>()?;
            (processes.len() == number && processes[0] == 0).then_some(processes)
        }
    }
}

/// What a rank keeps of its process: the program, and the number of cores that the launch has
/// chosen.
type Kind = (i32, u32);

fn kinds(found: &[Process]) -> Vec<Kind> {
    let seats = found.iter().map(|it| (it.host.as_str(), &it.cores));
    let cores = chosen_cores(&seats.collect::<Vec<_>>(), |_, _| false);
    let programs = found.iter().map(|process| process.program);
    programs.zip(cores).collect()
}

/// The kind of each process as a number from 1; none where all are of one kind.
pub(crate) fn numbered_kinds(found: &[Process]) -> Vec<u32> {
    let kinds = kinds(found);
    let all: BTreeSet<&Kind> = kinds.iter().collect();
    let number = |kind: &Kind| 1 + all.iter().take_while(|it| **it != kind).count() as u32;
    let numbers = kinds.iter().filter(|_| all.len() > 1).map(number);
    numbers.collect()
}

/// Lets the ranks of one kind change places at random, except rank 0 (Durstenfeld's shuffle, with
/// the generator splitmix64).
fn shuffled(seed: u64, found: &[Process]) -> Vec<u32> {
    let mut state = seed;
    let mut random = |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) as usize % below
    };
    let mut processes: Vec<u32> = (0..found.len() as u32).collect();
    let mut of_kind: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    for (rank, kind) in kinds(found).into_iter().enumerate().skip(1) {
        of_kind.entry(kind).or_default().push(rank);
    }
    for ranks in of_kind.values() {
        for last in (1..ranks.len()).rev() {
            processes.swap(ranks[last], ranks[random(last + 1)]);
        }
    }
    processes
}

fn seated(seating: &Seating, found: &[Process]) -> Result<Order, Misfit> {
    let ranks = seating.ranks();
    if ranks.len() != found.len() {
        let (planned, found) = (ranks.len(), found.len());
        return Err(Misfit::Ranks { planned, found });
    }
    let hosts = hosts::Matched::new(seating, found)?;
    let on_other_hosts = hosts.note.is_some();
    let mut notes: Vec<String> = hosts.note.into_iter().collect();
    let mut processes = vec![None; ranks.len()];
    let mut free = vec![true; ranks.len()];
    let kinds = kinds(found);
    let mut groups: BTreeMap<(usize, Kind), Vec<usize>> = BTreeMap::new();
    for (rank, planned) in ranks.iter().enumerate() {
        let host = hosts.of_planned[planned.host as usize];
        let Some(process) = planned.process else {
            let group = groups.entry((host, kinds[rank])).or_default();
            group.push(rank);
            continue;
        };
        if hosts.of_process[process as usize] != host {
            return Err(Misfit::Elsewhere { rank, process });
        }
        if kinds[process as usize] != kinds[rank] {
            return Err(Misfit::Kinds { rank });
        }
        processes[rank] = Some(process);
        free[process as usize] = false;
    }
    let mut there: BTreeMap<(usize, Kind), Vec<u32>> = BTreeMap::new();
    for (process, kind) in kinds.iter().enumerate().filter(|(it, _)| free[*it]) {
        let group = there.entry((hosts.of_process[process], *kind));
        group.or_default().push(process as u32);
    }
    for (group, wanted) in groups {
        let there = there.remove(&group).unwrap_or_default();
        if there.len() != wanted.len() {
            return Err(Misfit::Kinds { rank: wanted[0] });
        }
        by_cores(&wanted, there, ranks, found, &mut processes);
    }
    let mut processes: Vec<u32> = processes.into_iter().flatten().collect();
    if let Some(rank) = processes.iter().position(|&process| process == 0)
        && rank != 0
    {
        let other = &found[processes[0] as usize].host;
        if *other != found[0].host {
            let here = &found[0].host;
            notes.push(format!(
                "rank 0 stays on {here}, where standard input arrives; rank {rank} takes its place on {other}"
            ));
        }
        processes.swap(0, rank);
    }
    Ok(Order {
        processes,
        notes,
        on_other_hosts,
    })
}

/// Gives the ranks `wanted` the processes `there`, which are on one host and of the same number. A
/// rank gets a process that may run on exactly the planned cores; if there is none, one that may
/// run on some of them; else any. Ranks and processes that are equal in this keep their order.
fn by_cores(
    wanted: &[usize],
    mut there: Vec<u32>,
    ranks: &[PlannedRank],
    found: &[Process],
    processes: &mut [Option<u32>],
) {
    let cores = |process: &u32| &found[*process as usize].cores;
    let mut left = Vec::new();
    for &rank in wanted {
        let planned = &ranks[rank].cores;
        let exact = there.iter().position(|process| cores(process) == planned);
        match exact.filter(|_| !planned.is_unknown()) {
            Some(place) => processes[rank] = Some(there.remove(place)),
            None => left.push(rank),
        }
    }
    // Ranks with cores choose before ranks without. Each takes the first of the best processes, so
    // that equal ones keep their order.
    left.sort_by_key(|&rank| ranks[rank].cores.is_unknown());
    for rank in left {
        let common = |process: &u32| cores(process).in_common(&ranks[rank].cores);
        let best = there.iter().map(common).max().unwrap_or(0);
        if let Some(place) = there.iter().position(|process| common(process) == best) {
            processes[rank] = Some(there.remove(place));
        }
    }
}

#[cfg(test)]
mod tests;
