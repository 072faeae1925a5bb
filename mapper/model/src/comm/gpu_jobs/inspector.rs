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

use super::job_calls::refuse;
use super::operations::{self, RecordedCall};
use super::{JobCalls, input};
use crate::comm::{CommError, Mark, Read, Reader, Reading, RunPart};
use rankfold_profile::Operation;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Entry in [`READERS`](crate::comm::READERS).
pub(in crate::comm) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "nccl-inspector",
        recognises: |head| input::has(head, &["\"inspector_output_format_version\""]),
    },
    summary: "JSON of NCCL Inspector, of all processes or their directory",
    read: Read::Set(read),
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

/// A process: its host, its number there, and the file that it wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    host: String,
    pid: u64,
    file: PathBuf,
}

/// The processes of a communicator by rank in it.
#[derive(Default)]
struct Membership {
    size: usize,
    by_rank: BTreeMap<u32, Process>,
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading, CommError> {
    let mut records = Vec::new();
    let mut communicators: BTreeMap<String, Membership> = BTreeMap::new();
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
                host: metadata.hostname.clone(),
                pid: metadata.pid,
                file: file.clone(),
            };
            join(header, &process, &mut communicators, file)?;
            records.push((header.clone(), document, file));
        }
    }
    let mut job = JobCalls::new();
    let world = world_ranks(&communicators, &files[0])?;
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

/// Adds the process of a record to its communicator.
fn join(
    header: &Header,
    process: &Process,
    communicators: &mut BTreeMap<String, Membership>,
    file: &Path,
) -> Result<(), CommError> {
    let id = &header.id;
    let known = communicators.entry(id.clone()).or_default();
    if known.size != 0 && known.size != header.n_ranks {
        return refuse(
            file,
            format!(
                "communicator {id} has {} ranks here and {} in another file: are these files of two jobs?",
                header.n_ranks, known.size
            ),
        );
    }
    known.size = header.n_ranks;
    match known.by_rank.insert(header.rank, process.clone()) {
        Some(other) if other != *process => refuse(
            file,
            format!(
                "rank {} of communicator {id} is process {} of {} here and process {} of {} in {}: are these files of two jobs?",
                header.rank,
                process.pid,
                process.host,
                other.pid,
                other.host,
                other.file.display()
            ),
        ),
        _ => Ok(()),
    }
}

/// The rank of every process: that in the communicator of all processes.
fn world_ranks(
    communicators: &BTreeMap<String, Membership>,
    first: &Path,
) -> Result<BTreeMap<Process, u32>, CommError> {
    let mut processes: Vec<&Process> = communicators
        .values()
        .flat_map(|members| members.by_rank.values())
        .collect();
    processes.sort_unstable();
    processes.dedup();
    let largest = communicators.iter().max_by_key(|(_, members)| members.size);
    let Some((id, largest)) = largest else {
        return refuse(first, "the files hold no records");
    };
    if let Some(missing) = (0..largest.size as u32).find(|rank| !largest.by_rank.contains_key(rank))
    {
        return refuse(
            first,
            format!(
                "rank {missing} of the {} ranks of communicator {id} is missing; give the files of all processes",
                largest.size
            ),
        );
    }
    if largest.by_rank.len() != processes.len() {
        return refuse(
            first,
            format!(
                "no communicator holds all {} processes (the largest, {id}, has {}): their ranks in the job are not known, or these files are of two jobs",
                processes.len(),
                largest.size
            ),
        );
    }
    let ranks = largest.by_rank.iter();
    Ok(ranks
        .map(|(&rank, process)| (process.clone(), rank))
        .collect())
}

fn add(
    header: &Header,
    document: &Document,
    communicators: &BTreeMap<String, Membership>,
    world: &BTreeMap<Process, u32>,
    job: &mut JobCalls,
) -> Result<(), String> {
    let of_communicator = &communicators[&header.id].by_rank;
    let world_rank = |rank: u32| {
        let process = of_communicator.get(&rank).ok_or_else(|| {
            format!(
                "rank {rank} of communicator {} is missing; give the files of all processes",
                header.id
            )
        })?;
        Ok::<u32, String>(world[process])
    };
    let own = world_rank(header.rank)?;
    if let Some(record) = &document.coll_perf {
        let members: Vec<u32> = (0..header.n_ranks as u32)
            .map(world_rank)
            .collect::<Result<_, _>>()?;
        let group = job.group(&members)?;
        let RecordedCall::Collective(op) = operations::named(&record.coll)? else {
            return Err(format!("{:?} is no collective", record.coll));
        };
        let bytes = match op {
            // NCCL counts the part that one member gets.
            Operation::ReduceScatterBlock => record
                .coll_msg_size_bytes
                .saturating_mul(header.n_ranks as u64),
            _ => record.coll_msg_size_bytes,
        };
        job.collective_without_root(own, group, op, bytes, "NCCL Inspector names no roots");
    }
    if let Some(record) = &document.p2p_perf
        && operations::named(&record.p2p)? == RecordedCall::Send
    {
        job.message(own, world_rank(record.p2p_peer)?, record.p2p_msg_size_bytes);
    }
    Ok(())
}
