//! JSON of NCCL Inspector, the profiler plugin that comes with NCCL (and of RCCL's): one file for
//! each process, with one document for each operation, formats v4.0 to v4.3.
//!
//! Read are `header` (communicator, rank in it, its size), `metadata` (host and process),
//! `coll_perf` (`coll`, `coll_msg_size_bytes`) and `p2p_perf` (`p2p`, `p2p_msg_size_bytes`,
//! `p2p_peer`). From v4.3 on, the document `dump_stats` carries header and metadata for the
//! documents after it.
//!
//! Inspector knows ranks in communicators, not in a world. The communicator that all processes are
//! members of numbers the ranks. Operations below `NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES` are not in
//! the files, and roots are not named.

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
        name: "nccl-inspector",
        recognises: |head| input::has(head, &["\"inspector_output_format_version\""]),
    },
    summary: "JSON of NCCL Inspector, of all processes or their directory",
    read: Read::Set(read),
    phases: None,
};

#[derive(Clone, Deserialize)]
struct Header {
    id: String,
    rank: u32,
    n_ranks: usize,
}

#[derive(Clone, Deserialize)]
struct Metadata {
    hostname: String,
    pid: u64,
}

#[derive(Deserialize)]
struct Document {
    header: Option<Header>,
    metadata: Option<Metadata>,
    coll_perf: Option<CollectiveRecord>,
    p2p_perf: Option<MessageRecord>,
    dump_stats: Option<Losses>,
}

#[derive(Deserialize)]
struct CollectiveRecord {
    coll: String,
    coll_msg_size_bytes: u64,
}

#[derive(Deserialize)]
struct MessageRecord {
    p2p: String,
    p2p_msg_size_bytes: u64,
    p2p_peer: u32,
}

#[derive(Deserialize)]
struct Losses {
    #[serde(default)]
    coll_dropped_total: u64,
    #[serde(default)]
    p2p_dropped_total: u64,
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut records = Vec::new();
    let mut communicators = Communicators::default();
    let mut lost = 0u64;
    for file in files {
        let mut context = None;
        for document in input::documents::<Document>(file)? {
            if let (Some(header), Some(metadata)) = (&document.header, &document.metadata) {
                context = Some((header.clone(), metadata.clone()));
            }
            let Some((header, metadata)) = &context else {
                return refuse(file, "a record has neither header nor metadata before it");
            };
            if let Some(stats) = &document.dump_stats {
                lost = stats.coll_dropped_total.saturating_add(lost);
                lost = stats.p2p_dropped_total.saturating_add(lost);
            }
            let process = Process {
                name: format!("process {} of {}", metadata.pid, metadata.hostname),
                file: file.clone(),
            };
            communicators.join(&header.id, (header.rank, header.n_ranks), &process, file)?;
            records.push((header.clone(), document, file));
        }
    }
    let mut job = JobCalls::new();
    let world = communicators.world_ranks(&files[0])?;
    for (process, &rank) in &world {
        job.add_rank(rank, world.len(), &process.file)?;
    }
    for (header, document, file) in &records {
        add(header, document, &communicators, &world, &mut job)
            .or_else(|problem| refuse(file, problem))?;
    }
    if lost > 0 {
        job.note(format!(
            "NCCL Inspector dropped records ({lost} by its own count, repeated in every dump): bytes are too low"
        ));
    }
    job.reading(part, &files[0])
}

fn add(
    header: &Header,
    document: &Document,
    communicators: &Communicators,
    world: &BTreeMap<Process, u32>,
    job: &mut JobCalls,
) -> Result<(), String> {
    let id = &header.id;
    let own = communicators.world_rank((id, header.rank), world)?;
    if let Some(record) = &document.coll_perf {
        let group = job.group(&communicators.members(id, world)?)?;
        let RecordedCall::Collective(op) = operations::named(&record.coll)? else {
            return Err(format!("{:?} is no collective", record.coll));
        };
        let bytes = counted_by_nccl(op, record.coll_msg_size_bytes, header.n_ranks);
        job.collective_without_root(own, group, op, bytes, "NCCL Inspector names no roots");
    }
    if let Some(record) = &document.p2p_perf
        && operations::named(&record.p2p)? == RecordedCall::Send
    {
        let to = communicators.world_rank((id, record.p2p_peer), world)?;
        job.message(own, to, record.p2p_msg_size_bytes);
    }
    Ok(())
}
