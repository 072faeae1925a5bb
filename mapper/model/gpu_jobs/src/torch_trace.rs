//! Traces of PyTorch's profiler (`torch.profiler`, Kineto), one JSON file for each rank.
//!
//! Read are `distributedInfo` (rank, world size, the ranks of every process group) and the events
//! `record_param_comms`, which the profiler writes once for a call of c10d. Their arguments name
//! the collective, the element type, the numbers of elements in and out, the group, for messages
//! the peer as a rank in the group, and for uneven all-to-alls the elements for every member.
//! Events of GPU kernels repeat these arguments and are not read. A trace does not name the roots
//! of broadcasts and reductions; the first member stands for them, and a note says so.

use super::job_calls::refuse;
use super::operations::{self, RecordedCall};
use super::{GroupId, JobCalls, element_types, input};
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::Result;
use rankfold_wire::Operation;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "torch-trace",
        recognises: |head| {
            input::has(head, &["\"schemaVersion\""])
                || input::has(head, &["\"traceEvents\"", "\"distributedInfo\""])
        },
    },
    summary: "traces of PyTorch's profiler, of all ranks or their directory (JSON)",
    read: Read::Set(read),
    phases: None,
};

/// Name of the events that hold the calls of c10d.
const CALL_EVENT: &str = "record_param_comms";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    distributed_info: Option<DistributedInfo>,
    trace_events: Vec<TraceEvent>,
}

#[derive(Deserialize)]
struct DistributedInfo {
    rank: u32,
    world_size: usize,
    #[serde(default)]
    pg_config: Vec<GroupConfig>,
}

#[derive(Deserialize)]
struct GroupConfig {
    pg_name: Value,
    #[serde(default)]
    ranks: Value,
}

#[derive(Deserialize)]
struct TraceEvent {
    #[serde(default)]
    name: Value,
    #[serde(default)]
    args: CallArguments,
}

/// The arguments of an event as they are written. Other events have arguments of the same names
/// but other types.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CallArguments {
    #[serde(rename = "Collective name")]
    collective: Value,
    dtype: Value,
    #[serde(rename = "In msg nelems")]
    elements_in: Value,
    #[serde(rename = "Out msg nelems")]
    elements_out: Value,
    #[serde(rename = "In split size")]
    elements_by_member: Value,
    #[serde(rename = "Group size")]
    group_size: Value,
    #[serde(rename = "Process Group Name")]
    group: Value,
    #[serde(rename = "Process Group Ranks")]
    ranks: Value,
    #[serde(rename = "Global rank start")]
    first_rank: Value,
    #[serde(rename = "Global rank stride")]
    stride: Value,
    #[serde(rename = "Dst Rank")]
    receiver: Value,
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut job = JobCalls::new();
    for file in files {
        let trace: Trace = input::json(file)?;
        add(&trace, file, &mut job)?;
    }
    job.reading(part, &files[0])
}

fn add(trace: &Trace, file: &Path, job: &mut JobCalls) -> Result<()> {
    let Some(info) = &trace.distributed_info else {
        return refuse(
            file,
            "the trace has no distributedInfo (rank and world size): record it after torch.distributed.init_process_group",
        );
    };
    job.add_rank(info.rank, info.world_size, file)?;
    let configured: BTreeMap<String, Vec<u32>> = info
        .pg_config
        .iter()
        .filter_map(|config| Some((text(&config.pg_name)?, ranks(&config.ranks)?)))
        .collect();
    for event in &trace.trace_events {
        if event.name.as_str() != Some(CALL_EVENT) {
            continue;
        }
        let args = &event.args;
        let Some(name) = args.collective.as_str() else {
            continue;
        };
        let call = operations::named(name).or_else(|problem| refuse(file, problem))?;
        if matches!(call, RecordedCall::Silent | RecordedCall::Receive) {
            continue;
        }
        let group_name = text(&args.group).unwrap_or_default();
        let Some(members) = configured
            .get(&group_name)
            .cloned()
            .or_else(|| args.members(info.world_size))
        else {
            return refuse(
                file,
                format!(
                    "the ranks of process group {group_name:?} are neither in distributedInfo nor in the event of {name:?}"
                ),
            );
        };
        let group = job.named_group(&group_name, &members, file)?;
        args.add(call, name, info.rank, group, job)
            .or_else(|problem| refuse(file, problem))?;
    }
    Ok(())
}

impl CallArguments {
    /// Members of the group: the list, if it is whole, or first rank, stride and size.
    fn members(&self, world: usize) -> Option<Vec<u32>> {
        let size = whole(&self.group_size)? as usize;
        let listed = ranks(&self.ranks).filter(|ranks| ranks.len() == size);
        listed.or_else(|| {
            let first = u32::try_from(whole(&self.first_rank)?).ok()?;
            let stride = u32::try_from(whole(&self.stride)?).ok()?;
            let size = u32::try_from(size)
                .ok()
                .filter(|&size| size as usize <= world)?;
            (0..size)
                .map(|at| first.checked_add(at.checked_mul(stride)?))
                .collect()
        })
    }

    fn add(
        &self,
        call: RecordedCall,
        name: &str,
        rank: u32,
        group: GroupId,
        job: &mut JobCalls,
    ) -> Result<(), String> {
        let Some(dtype) = self.dtype.as_str() else {
            return Err(format!("an event of {name:?} has no dtype"));
        };
        let size = element_types::of_torch(dtype);
        let bytes = |elements: &Value| match whole(elements) {
            Some(0) | None => Ok(0),
            Some(elements) => elements
                .checked_mul(size.clone()?)
                .ok_or_else(|| format!("{elements} elements have more than 2^64 bytes")),
        };
        let (sent, got) = (bytes(&self.elements_in)?, bytes(&self.elements_out)?);
        match call {
            RecordedCall::Silent | RecordedCall::Receive => {}
            RecordedCall::Send => {
                let receiver = whole(&self.receiver).and_then(|to| {
                    let to = usize::try_from(to).ok()?;
                    job.members(group).get(to).copied()
                });
                let receiver =
                    receiver.ok_or_else(|| format!("an event of {name:?} names no receiver"))?;
                job.message(rank, receiver, sent.max(got));
            }
            RecordedCall::Collective(Operation::Alltoall) => {
                let members = job.members(group).to_vec();
                let split = ranks(&self.elements_by_member);
                match split.filter(|split| split.len() == members.len()) {
                    Some(split) => add_uneven(rank, &members, &split, sent, job),
                    None => {
                        let op = Operation::Alltoall;
                        let bytes = operations::counted_bytes(op, sent, got, members.len());
                        job.collective(rank, group, op, None, bytes);
                    }
                }
            }
            RecordedCall::Collective(op) => {
                let members = job.members(group).len();
                let bytes = operations::counted_bytes(op, sent, got, members);
                let no_roots = "traces of PyTorch name no roots";
                job.collective_without_root(rank, group, op, bytes, no_roots);
            }
        }
        Ok(())
    }
}

/// An all-to-all in which a member sends every other member a share of its own. `split` holds the
/// sizes of the shares, in rows of elements.
fn add_uneven(rank: u32, members: &[u32], split: &[u32], sent: u64, job: &mut JobCalls) {
    let all: u128 = split.iter().map(|&share| u128::from(share)).sum();
    if all == 0 {
        return;
    }
    for (&to, &share) in members.iter().zip(split) {
        let bytes = u128::from(sent) * u128::from(share) / all;
        if bytes > 0 {
            job.message(rank, to, u64::try_from(bytes).unwrap_or(u64::MAX));
        }
    }
}

/// A whole number, written as a number or as text.
fn whole(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

/// A name, written as text or as a number.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list of ranks, written as a list or as text. `None` if it is no whole list.
fn ranks(value: &Value) -> Option<Vec<u32>> {
    let list = match value {
        Value::String(text) => input::ranks_in(text).ok(),
        Value::Array(items) => items
            .iter()
            .map(|item| u32::try_from(whole(item)?).ok())
            .collect(),
        _ => None,
    };
    list.filter(|list: &Vec<u32>| !list.is_empty())
}
