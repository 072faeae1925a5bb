//! What a profile holds besides the matrix.

use super::traffic::LISTED;
use super::{date, times};
use crate::data::{Collective, Pair, Phase, Run, Seat, SentByFunction, SizeClass, Sizes, Traffic};
use rankfold_wire::{Cores, FunctionMessages, Numbers, Outcome, Profile, Row, SizeKind};
use std::collections::{HashMap, HashSet};

/// Maximum number of collectives listed; the most frequently called are kept. Chosen by hand, like
/// the limits below.
const COLLECTIVES: usize = 24;
/// Maximum number of ranks whose hosts and cores are listed.
const SEATS: usize = 16_384;
/// Maximum number of phases listed; those with most bytes are kept.
const PHASES: usize = 12;

/// The run that the profile describes.
pub(super) fn run(profile: &Profile) -> Run {
    let manifest = &profile.manifest;
    let if_any = |text: &String| (!text.is_empty()).then(|| text.clone());
    let hosts: HashSet<&String> = manifest.hosts.iter().filter(|h| !h.is_empty()).collect();
    let mut remarks = Vec::new();
    if let Outcome::Recovered { missing } = &manifest.outcome {
        remarks.push(match missing.len() {
            0 => "The run did not reach MPI_Finalize; this was recovered from its journals.".into(),
            ranks => {
                format!("The profile is partial: data of {ranks} ranks is incomplete or lost.")
            }
        });
    }
    if let Some(verification) = &profile.verification {
        remarks.push(format!(
            "When MPI_Init returned in the profiled run: {}.",
            verification.line
        ));
    }
    if !profile.unseen.is_empty() {
        let ways: Vec<&str> = profile.unseen.iter().map(|way| way.name()).collect();
        remarks.push(format!("Not counted: {}.", ways.join(", ")));
    }
    remarks.extend(shared_core(profile));
    Run {
        format: "profile".into(),
        seats: seats(profile),
        launcher_ranks: numbers(profile, |of| of.launcher_rank),
        shared_with: numbers(profile, |of| of.shared_with),
        as_planned: profile.verification.as_ref().map(|found| found.as_planned),
        program: if_any(&manifest.program),
        user: if_any(&profile.user),
        mpi: if_any(&manifest.mpi),
        hosts: (!hosts.is_empty()).then_some(hosts.len()),
        remarks,
        command: profile.launch.as_ref().and_then(|l| if_any(&l.command)),
        date: profile.launch.as_ref().map(|l| date::utc(l.started)),
        elapsed: profile.launch.as_ref().map(|l| l.nanoseconds as f64 * 1e-9),
    }
}

/// Host and cores of every rank.
fn seats(profile: &Profile) -> Vec<Seat> {
    let hosts = &profile.manifest.hosts;
    if hosts.len() > SEATS || hosts.iter().all(String::is_empty) {
        return Vec::new();
    }
    let unknown = Cores::default();
    let seat = |(rank, host): (usize, &String)| Seat {
        host: host.clone(),
        cores: profile.cores.get(rank).unwrap_or(&unknown).to_string(),
    };
    hosts.iter().enumerate().map(seat).collect()
}

/// One of the numbers that the launcher or the MPI library assigned to every rank.
fn numbers(profile: &Profile, number: fn(&Numbers) -> u32) -> Vec<u32> {
    if profile.numbers.len() > SEATS {
        Vec::new()
    } else {
        profile.numbers.iter().map(number).collect()
    }
}

/// A remark if two ranks were bound to the same core.
fn shared_core(profile: &Profile) -> Option<String> {
    let mut bound: HashMap<(&str, u32), usize> = HashMap::new();
    for (rank, (host, cores)) in profile
        .manifest
        .hosts
        .iter()
        .zip(&profile.cores)
        .enumerate()
    {
        if let [core] = *cores.numbers()
            && let Some(other) = bound.insert((host, core), rank)
        {
            return Some(format!(
                "Ranks {other} and {rank} were both bound to core {core} of {host}: they ran in turns."
            ));
        }
    }
    None
}

/// Adds phases, collectives, functions, message sizes and times.
pub(super) fn add(traffic: &mut Traffic, profile: &Profile) {
    let mut phases: Vec<Phase> = profile.phases.iter().map(phase).collect();
    phases.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.name.cmp(&b.name)));
    phases.truncate(PHASES);
    traffic.phases = phases;
    traffic.collectives = collectives(profile, traffic.ranks);
    traffic.functions = functions(profile);
    traffic.times = times::of(profile);
    if !profile.sizes.is_empty() {
        traffic.sizes = Some(sizes(profile));
    }
}

/// The functions that send, those with most bytes first.
fn functions(profile: &Profile) -> Vec<SentByFunction> {
    let sent = |of: &FunctionMessages| SentByFunction {
        function: of.function.clone(),
        bytes: of.bytes,
        messages: of.messages,
    };
    let mut functions: Vec<_> = profile.function_messages.iter().map(sent).collect();
    functions.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(b.messages.cmp(&a.messages)));
    functions
}

/// Messages by their own size. Messages without bytes count with those of one byte.
fn sizes(profile: &Profile) -> Sizes {
    let class = |kind: SizeKind| {
        let mut buckets: Vec<(u64, u64)> = Vec::new();
        for count in profile.sizes.iter().filter(|count| count.kind == kind) {
            let log2 = count.bits.saturating_sub(1) as usize;
            buckets.resize(buckets.len().max(log2 + 1), (0, 0));
            buckets[log2].0 += count.messages;
            buckets[log2].1 += count.bytes;
        }
        (!buckets.is_empty()).then(|| SizeClass {
            name: kind.name().into(),
            buckets,
        })
    };
    Sizes {
        counted: true,
        classes: SizeKind::ALL.into_iter().filter_map(class).collect(),
    }
}

fn phase(phase: &rankfold_wire::Phase) -> Phase {
    let mut pairs: Vec<Pair> = between(&phase.rows).take(LISTED + 1).collect();
    let whole = pairs.len() <= LISTED;
    pairs.truncate(LISTED);
    Phase {
        name: phase.name.clone(),
        bytes: between(&phase.rows).map(|pair| pair.bytes).sum(),
        messages: between(&phase.rows).map(|pair| pair.messages).sum(),
        calls: phase.collectives.iter().map(|row| row.calls).sum(),
        listed: whole.then_some(pairs),
    }
}

/// The pairs of different ranks that exchange bytes.
fn between(rows: &[Row]) -> impl Iterator<Item = Pair> + '_ {
    (0..).zip(rows).flat_map(|(from, row)| {
        let peers = row.peers.iter();
        let peers = peers.filter(move |peer| peer.rank != from && peer.bytes > 0);
        peers.map(move |peer| Pair {
            from,
            to: peer.rank,
            bytes: peer.bytes,
            messages: peer.messages,
        })
    })
}

fn collectives(profile: &Profile, world: usize) -> Vec<Collective> {
    let mut listed: Vec<Collective> = profile
        .collectives
        .iter()
        .map(|row| {
            let members = profile.communicators[row.comm as usize].members.len();
            Collective {
                name: row.op.name().into(),
                form: row.form.to_string(),
                members,
                world: members == world,
                root: row.root,
                bytes: row.bytes,
                calls: row.calls,
            }
        })
        .collect();
    listed.sort_by(|a, b| b.calls.cmp(&a.calls).then(b.bytes.cmp(&a.bytes)));
    listed.truncate(COLLECTIVES);
    listed
}
