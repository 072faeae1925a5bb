//! What a profile holds besides its matrices, as columns: the keys are the names of the columns.

use rankfold_wire::{Outcome, Profile};
use serde::Serialize;
use std::collections::BTreeMap;

/// The run.
#[derive(Serialize)]
struct Metadata<'a> {
    program: &'a str,
    mpi: &'a str,
    ranks: usize,
    /// The host of every rank; empty if unknown.
    hosts: &'a [String],
    /// Whether every rank reached `MPI_Finalize`.
    finalized: bool,
    /// Ranks whose counters are empty or incomplete.
    missing: &'a [u32],
    /// The login name of the user who launched the run; empty if unknown or left out.
    user: &'a str,
    command: Option<&'a str>,
    /// Start of the launch in seconds since 1970 UTC.
    started: Option<u64>,
    /// Wall-clock seconds of the launch.
    seconds: Option<f64>,
    phases: Vec<&'a str>,
    /// Parameters of the MPI library that were set.
    parameters: BTreeMap<&'a str, &'a str>,
    /// Ways in which the program may have moved data that was not counted.
    unseen: Vec<&'static str>,
    /// The line about the seats of the ranks.
    verification: Option<&'a str>,
}

/// One row for each operation, communicator, root, form and size.
#[derive(Default, Serialize)]
struct Collectives<'a> {
    /// Empty for the whole run.
    phase: Vec<&'a str>,
    operation: Vec<&'static str>,
    communicator: Vec<u32>,
    members: Vec<usize>,
    root: Vec<Option<u32>>,
    /// How it was called, such as "nonblocking"; empty for a blocking call with separate buffers
    /// and an operator of MPI.
    form: Vec<String>,
    bytes: Vec<u64>,
    calls: Vec<u64>,
}

/// One row for each rank and class of calls.
#[derive(Default, Serialize)]
struct Times {
    rank: Vec<usize>,
    calls_of: Vec<&'static str>,
    seconds: Vec<f64>,
    calls: Vec<u64>,
}

/// One row for each function of MPI.
#[derive(Default, Serialize)]
struct FunctionTimes<'a> {
    function: Vec<&'a str>,
    calls_of: Vec<&'static str>,
    seconds: Vec<f64>,
    longest: Vec<f64>,
    longest_rank: Vec<u32>,
    calls: Vec<u64>,
}

/// One row for each function that sends or fetches.
#[derive(Default, Serialize)]
struct FunctionMessages<'a> {
    function: Vec<&'a str>,
    bytes: Vec<u64>,
    messages: Vec<u64>,
}

/// One row for each kind of messages and number of bits of their size.
#[derive(Default, Serialize)]
struct Sizes {
    kind: Vec<&'static str>,
    smallest: Vec<u64>,
    messages: Vec<u64>,
    bytes: Vec<u64>,
}

/// The table of this name as JSON; `None` where there is none of this name. The profile is of a
/// world of `ranks` ranks.
pub(crate) fn table(
    profile: &Profile,
    ranks: usize,
    name: &str,
) -> Option<serde_json::Result<String>> {
    Some(match name {
        "metadata" => serde_json::to_string(&metadata(profile, ranks)),
        "collectives" => serde_json::to_string(&collectives(profile)),
        "times" => serde_json::to_string(&times(profile)),
        "function_times" => serde_json::to_string(&function_times(profile)),
        "function_messages" => serde_json::to_string(&function_messages(profile)),
        "sizes" => serde_json::to_string(&sizes(profile)),
        _ => return None,
    })
}

fn metadata(profile: &Profile, ranks: usize) -> Metadata<'_> {
    let manifest = &profile.manifest;
    let (finalized, missing) = match &manifest.outcome {
        Outcome::Finalized => (true, &[][..]),
        Outcome::Recovered { missing } => (false, &missing[..]),
    };
    let launch = profile.launch.as_ref();
    let parameters = profile.parameters.iter();
    Metadata {
        program: &manifest.program,
        mpi: &manifest.mpi,
        ranks,
        hosts: &manifest.hosts,
        finalized,
        missing,
        user: &profile.user,
        command: launch.map(|launch| &*launch.command),
        started: launch.map(|launch| launch.started),
        seconds: launch.map(|launch| launch.nanoseconds as f64 * 1e-9),
        phases: profile.phases.iter().map(|phase| &*phase.name).collect(),
        parameters: parameters.map(|one| (&*one.name, &*one.value)).collect(),
        unseen: profile.unseen.iter().map(|way| way.name()).collect(),
        verification: profile.verification.as_ref().map(|found| &*found.line),
    }
}

fn collectives(profile: &Profile) -> Collectives<'_> {
    let phases = profile.phases.iter();
    let phases = phases.map(|phase| (&*phase.name, &phase.collectives));
    let mut table = Collectives::default();
    for (phase, rows) in [("", &profile.collectives)].into_iter().chain(phases) {
        for row in rows {
            let communicator = profile.communicators.get(row.comm as usize);
            table.phase.push(phase);
            table.operation.push(row.op.name());
            table.communicator.push(row.comm);
            table
                .members
                .push(communicator.map_or(0, |one| one.members.len()));
            table.root.push(row.root);
            table.form.push(row.form.to_string());
            table.bytes.push(row.bytes);
            table.calls.push(row.calls);
        }
    }
    table
}

fn times(profile: &Profile) -> Times {
    let mut table = Times::default();
    for (rank, times) in profile.times.iter().enumerate() {
        for time in times {
            table.rank.push(rank);
            table.calls_of.push(time.class.name());
            table.seconds.push(time.seconds());
            table.calls.push(time.calls);
        }
    }
    table
}

fn function_times(profile: &Profile) -> FunctionTimes<'_> {
    let mut table = FunctionTimes::default();
    for time in &profile.function_times {
        table.function.push(&time.function);
        table.calls_of.push(time.class.name());
        table.seconds.push(time.nanoseconds as f64 * 1e-9);
        table.longest.push(time.longest as f64 * 1e-9);
        table.longest_rank.push(time.longest_rank);
        table.calls.push(time.calls);
    }
    table
}

fn function_messages(profile: &Profile) -> FunctionMessages<'_> {
    let mut table = FunctionMessages::default();
    for of in &profile.function_messages {
        table.function.push(&of.function);
        table.bytes.push(of.bytes);
        table.messages.push(of.messages);
    }
    table
}

fn sizes(profile: &Profile) -> Sizes {
    let mut table = Sizes::default();
    for count in &profile.sizes {
        table.kind.push(count.kind.name());
        table.smallest.push(match count.bits {
            0 => 0,
            bits => 1 << (bits - 1),
        });
        table.messages.push(count.messages);
        table.bytes.push(count.bytes);
    }
    table
}
