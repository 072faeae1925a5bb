//! Dumps of PyTorch's flight recorder, one file for each rank: `TORCH_FR_BUFFER_SIZE=20000`,
//! `TORCH_FR_DUMP_TEMP_FILE=NAME`, then files `NAMErank`. A dump is a pickle, or JSON where it was
//! asked for as JSON.
//!
//! Read are `pg_config` (the ranks of every process group) and of every entry `process_group`,
//! `profiling_name`, `input_sizes`, `input_dtypes`, `output_sizes` and `output_dtypes`. The rank is
//! the key `rank`, or the number at the end of the file name. A dump does not name the roots of
//! broadcasts and reductions; the first member stands for them, and a note says so. The recorder
//! keeps the last entries only, so the bytes are those of the end of a run.

use super::job_calls::refuse;
use super::operations::{self, RecordedCall};
use super::{JobCalls, element_types, input};
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::Result;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "torch-flight-recorder",
        recognises: |head| {
            input::has(head, &["profiling_name", "process_group"])
                || input::has(head, &["pg_config", "pg_status"])
        },
    },
    summary: "dumps of PyTorch's flight recorder, of all ranks or their directory (pickle or JSON)",
    read: Read::Set(read),
    phases: None,
};

/// First byte of a pickle of protocol 2 and later.
const PICKLE: u8 = 0x80;

/// Description of the group of all ranks.
const WORLD: &str = "default_pg";

#[derive(Deserialize)]
struct Dump {
    rank: Option<Number>,
    pg_config: BTreeMap<String, GroupConfig>,
    #[serde(default)]
    entries: Vec<RecorderEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u32),
    Text(String),
}

#[derive(Deserialize)]
struct GroupConfig {
    #[serde(default)]
    desc: String,
    ranks: RankList,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RankList {
    Plain(Vec<u32>),
    Text(String),
}

#[derive(Deserialize)]
struct RecorderEntry {
    process_group: GroupName,
    profiling_name: String,
    #[serde(default)]
    input_sizes: Vec<Vec<u64>>,
    #[serde(default)]
    input_dtypes: Vec<String>,
    #[serde(default)]
    output_sizes: Vec<Vec<u64>>,
    #[serde(default)]
    output_dtypes: Vec<String>,
}

/// Name and description of a group, or its name alone as older dumps have it.
#[derive(Deserialize)]
#[serde(untagged)]
enum GroupName {
    Plain(String),
    WithDescription(Vec<String>),
}

impl GroupName {
    fn name(&self) -> &str {
        match self {
            Self::Plain(name) => name,
            Self::WithDescription(both) => both.first().map_or("", String::as_str),
        }
    }
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut job = JobCalls::new();
    for file in files {
        add(&dump(file)?, file, &mut job)?;
    }
    job.note(
        "the flight recorder keeps the last calls of a run only: bytes are those of its end".into(),
    );
    job.reading(part, &files[0])
}

fn dump(file: &Path) -> Result<Dump> {
    let contents = input::contents(file)?;
    if contents.first() != Some(&PICKLE) {
        return input::json(file);
    }
    let options = serde_pickle::DeOptions::new();
    serde_pickle::from_slice(&contents, options).or_else(|error| {
        refuse(
            file,
            format!("the pickle is damaged or half-written: {error}"),
        )
    })
}

fn add(dump: &Dump, file: &Path, job: &mut JobCalls) -> Result<()> {
    let rank = match &dump.rank {
        Some(Number::Plain(rank)) => Some(*rank),
        Some(Number::Text(rank)) => rank.parse().ok(),
        None => input::number_of(file),
    };
    let Some(rank) = rank else {
        return refuse(
            file,
            "the dump names no rank, and the file name does not end in one",
        );
    };
    let mut members = BTreeMap::new();
    let mut world = None;
    for (name, config) in &dump.pg_config {
        let ranks = match &config.ranks {
            RankList::Plain(ranks) => ranks.clone(),
            RankList::Text(text) => {
                input::ranks_in(text).or_else(|problem| refuse(file, problem))?
            }
        };
        if config.desc == WORLD {
            world = Some(ranks.len());
        }
        members.insert(name.as_str(), ranks);
    }
    let Some(world) = world else {
        return refuse(file, format!("pg_config has no group {WORLD:?}, the world"));
    };
    job.add_rank(rank, world, file)?;
    for entry in &dump.entries {
        let name = entry.process_group.name();
        let Some(ranks) = members.get(name) else {
            return refuse(
                file,
                format!("an entry is of process group {name:?}, which pg_config does not have"),
            );
        };
        let group = job.named_group(name, ranks, file)?;
        add_entry(entry, rank, group, job).or_else(|problem| refuse(file, problem))?;
    }
    Ok(())
}

fn add_entry(
    entry: &RecorderEntry,
    rank: u32,
    group: super::GroupId,
    job: &mut JobCalls,
) -> Result<(), String> {
    // `nccl:send 0->1`: backend, call, and for messages the two ranks in the group.
    let name = &entry.profiling_name;
    let call = name.split_once(':').map_or(name.as_str(), |(_, call)| call);
    let (call, ends) = call.split_once(' ').unwrap_or((call, ""));
    let sent = bytes(&entry.input_sizes, &entry.input_dtypes)?;
    let got = bytes(&entry.output_sizes, &entry.output_dtypes)?;
    match operations::named(call)? {
        RecordedCall::Silent | RecordedCall::Receive => {}
        RecordedCall::Send => {
            let receiver = ends.split_once("->").and_then(|(_, to)| {
                let to: usize = to.parse().ok()?;
                job.members(group).get(to).copied()
            });
            let receiver = receiver.ok_or_else(|| format!("{name:?} names no receiver"))?;
            job.message(rank, receiver, sent.max(got));
        }
        RecordedCall::Collective(op) => {
            let members = job.members(group).len();
            let bytes = operations::counted_bytes(op, sent, got, members);
            let no_roots = "the flight recorder names no roots";
            job.collective_without_root(rank, group, op, bytes, no_roots);
        }
    }
    Ok(())
}

/// Bytes of tensors of these sizes and element types.
fn bytes(sizes: &[Vec<u64>], types: &[String]) -> Result<u64, String> {
    let mut sum = 0u64;
    for (index, size) in sizes.iter().enumerate() {
        let Some(name) = types.get(index).or(types.last()) else {
            return Err("an entry has sizes but no element types".into());
        };
        let elements = size
            .iter()
            .try_fold(1u64, |n, &extent| n.checked_mul(extent));
        let bytes = elements.and_then(|n| n.checked_mul(element_types::of_torch(name).ok()?));
        element_types::of_torch(name)?;
        let bytes = bytes.and_then(|bytes| sum.checked_add(bytes));
        sum =
            bytes.ok_or_else(|| format!("tensors of sizes {sizes:?} have more than 2^64 bytes"))?;
    }
    Ok(sum)
}
