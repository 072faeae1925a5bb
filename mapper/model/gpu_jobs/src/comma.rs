//! JSON of CoMMA (Google's "Collective coMMunication Analyzer", a plugin of NCCL's profiler
//! interface): one file for each process, which `NCCL_PROFILER_LATENCY_FILE` names, with one object
//! for each event, a line each or in one list.
//!
//! Read are events of the category `COLL` (`name`, `comm_hash`, `rank`, `args.size`) and sends of
//! the category `P2P` (`peer` as well). Ranks are those in communicators: see
//! [`Communicators`]. No event tells the size of its communicator, so the highest rank in any file
//! is the last one. Roots are not named.

use super::communicators::{Communicators, Process};
use super::job_calls::refuse;
use super::operations::{self, RecordedCall, counted_by_nccl};
use super::{JobCalls, input};
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::Result;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "comma",
        recognises: |head| input::has(head, &["\"comm_hash\"", "\"cat\"", "\"args\""]),
    },
    summary: "JSON of CoMMA, of all processes or their directory",
    read: Read::Set(read),
    phases: None,
};

/// An object of a file, or the list of all of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Event(Event),
    Events(Vec<Event>),
}

/// An event. Those of other categories have no communicator.
#[derive(Deserialize)]
struct Event {
    cat: String,
    #[serde(default)]
    name: String,
    comm_hash: Option<String>,
    rank: Option<u32>,
    peer: Option<u32>,
    args: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    size: Option<u64>,
}

/// A call of a member of a communicator.
struct Call {
    id: String,
    rank: u32,
    peer: Option<u32>,
    what: RecordedCall,
    size: u64,
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut calls = Vec::new();
    for file in files {
        let events = input::documents::<Document>(file)?.into_iter();
        let events = events.flat_map(|document| match document {
            Document::Event(event) => vec![event],
            Document::Events(events) => events,
        });
        for event in events {
            match call(event) {
                Ok(Some(call)) => calls.push((call, file)),
                Ok(None) => {}
                Err(problem) => return refuse(file, problem),
            }
        }
    }
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for (call, _) in &calls {
        let last = call.rank.max(call.peer.unwrap_or(0)) as usize;
        let size = sizes.entry(call.id.clone()).or_default();
        *size = last.saturating_add(1).max(*size);
    }
    let mut communicators = Communicators::default();
    for (call, file) in &calls {
        let process = Process {
            name: "the process of this file".into(),
            file: (*file).clone(),
        };
        communicators.join(&call.id, (call.rank, sizes[&call.id]), &process, file)?;
    }
    let world = communicators.world_ranks(&files[0])?;
    let mut job = JobCalls::new();
    for (process, &rank) in &world {
        job.add_rank(rank, world.len(), &process.file)?;
    }
    for (call, file) in &calls {
        add(call, &communicators, &world, &mut job).or_else(|problem| refuse(file, problem))?;
    }
    job.reading(part, &files[0])
}

/// The call that an event is; `None` for an event that moves no data or is part of another one.
fn call(event: Event) -> Result<Option<Call>, String> {
    let is_of_group = event.cat == "P2P";
    if !is_of_group && event.cat != "COLL" {
        return Ok(None);
    }
    let what = operations::named(&event.name)?;
    let missing = |key: &str| format!("an event {:?} of {} has no {key}", event.name, event.cat);
    let id = event.comm_hash.ok_or_else(|| missing("comm_hash"))?;
    let rank = event.rank.ok_or_else(|| missing("rank"))?;
    let size = event.args.and_then(|arguments| arguments.size);
    let size = size.ok_or_else(|| missing("args.size"))?;
    if is_of_group && event.peer.is_none() {
        return Err(missing("peer"));
    }
    Ok(Some(Call {
        id,
        rank,
        peer: event.peer,
        what,
        size,
    }))
}

fn add(
    call: &Call,
    communicators: &Communicators,
    world: &BTreeMap<Process, u32>,
    job: &mut JobCalls,
) -> Result<(), String> {
    let own = communicators.world_rank((&call.id, call.rank), world)?;
    match (call.what, call.peer) {
        (RecordedCall::Collective(op), _) => {
            let members = communicators.members(&call.id, world)?;
            let bytes = counted_by_nccl(op, call.size, members.len());
            let group = job.group(&members)?;
            job.collective_without_root(own, group, op, bytes, "CoMMA names no roots");
        }
        (RecordedCall::Send, Some(peer)) => {
            let to = communicators.world_rank((&call.id, peer), world)?;
            job.message(own, to, call.size);
        }
        _ => {}
    }
    Ok(())
}
