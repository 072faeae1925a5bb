//! Chakra execution traces (the schema of MLCommons, 0.0.4), one file for each rank: in
//! [protobuf](super::chakra_protobuf), or in JSON, the documents of a protobuf trace one after the
//! other, as Chakra's jsonizer writes them.
//!
//! Read are the nodes `COMM_COLL_NODE` (`comm_type`, `comm_size`, `pg_name`) and `COMM_SEND_NODE`
//! (`comm_size`, `comm_dst`). `comm_size` counts what one member gives to the call, as in
//! ASTRA-sim. The rank is the number at the end of the file name, its ending left out. A node
//! without `pg_name` is a call of all ranks. Groups are in one more file beside the traces, in the
//! form of ASTRA-sim: `{"0": [0, 1], "1": [2, 3]}`. Traces name no roots: the first member stands
//! for the root, and a note says so.

use super::job_calls::refuse;
use super::operations::counted_bytes;
use super::{JobCalls, chakra_protobuf, input};
use rankfold_formats::content::head;
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
        name: "chakra",
        recognises: |head| is_trace(head) || is_groups(head) || chakra_protobuf::is_trace(head),
    },
    summary: "Chakra execution traces in protobuf or JSON, of all ranks with the file of their groups, or their directory",
    read: Read::Set(read),
    phases: None,
};

/// `CollectiveCommType` of the schema.
const COLLECTIVES: [Operation; 10] = [
    Operation::Allreduce,
    Operation::Reduce,
    Operation::Allgather,
    Operation::Gather,
    Operation::Scatter,
    Operation::Bcast,
    Operation::Alltoall,
    Operation::ReduceScatterBlock,
    Operation::ReduceScatterBlock,
    Operation::Barrier,
];

#[derive(Deserialize)]
struct Node {
    #[serde(default, rename = "type")]
    kind: Value,
    #[serde(default, alias = "attrs")]
    attr: Vec<Attribute>,
}

/// A name, and its value under a key that names the type.
#[derive(Deserialize)]
struct Attribute {
    name: String,
    #[serde(flatten)]
    value: BTreeMap<String, Value>,
}

/// The groups of a job by name.
type Groups = BTreeMap<String, Vec<u32>>;

fn is_trace(head: &[u8]) -> bool {
    input::has(head, &["_NODE\"", "\"attr\""])
}

/// Whether a file begins as one of groups: an object whose first value is a list of numbers.
fn is_groups(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let Some(rest) = text.trim_start().strip_prefix('{') else {
        return false;
    };
    let Some((key, value)) = rest.split_once(':') else {
        return false;
    };
    let mut list = value.trim_start().chars().filter(|c| !c.is_whitespace());
    key.trim().starts_with('"')
        && list.next() == Some('[')
        && list.next().is_some_and(|c| c.is_ascii_digit())
}

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let mut groups = Groups::new();
    let mut traces = Vec::new();
    for file in files {
        let head = head(file);
        if !is_trace(&head) && is_groups(&head) {
            groups.extend(input::json::<Groups>(file)?);
            continue;
        }
        let Some(rank) = input::number_of(file) else {
            return refuse(
                file,
                "the name of a trace must end in its rank, as trace.0.json",
            );
        };
        traces.push((rank, file));
    }
    // A trace names no world size: the highest rank of traces and groups is the last one.
    let in_groups = groups.values().flatten();
    let highest = traces.iter().map(|(rank, _)| rank).chain(in_groups).max();
    let ranks = highest.map_or(0, |&rank| rank as usize + 1);
    let mut job = JobCalls::new();
    for &(rank, file) in &traces {
        job.add_rank(rank, ranks, file)?;
    }
    for (rank, file) in traces {
        for node in nodes(file)? {
            add(&node, rank, ranks, &groups, &mut job, file)?;
        }
    }
    job.reading(part, &files[0])
}

fn nodes(file: &Path) -> Result<Vec<Node>> {
    if !chakra_protobuf::is_trace(&head(file)) {
        return input::documents(file);
    }
    let nodes = chakra_protobuf::nodes(&input::contents(file)?);
    let nodes = nodes.map(|nodes| nodes.into_iter().map(serde_json::from_value).collect());
    match nodes {
        Ok(Ok(nodes)) => Ok(nodes),
        Ok(Err(error)) => refuse(file, error.to_string()),
        Err(problem) => refuse(file, problem),
    }
}

fn add(
    node: &Node,
    rank: u32,
    ranks: usize,
    groups: &Groups,
    job: &mut JobCalls,
    file: &Path,
) -> Result<()> {
    let kind = node.kind.as_str().unwrap_or_default();
    let is_send = kind == "COMM_SEND_NODE";
    if !is_send && kind != "COMM_COLL_NODE" {
        return Ok(());
    }
    let number = |name: &str| {
        let value = node.value(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    };
    let needed = |name: &str| match number(name) {
        Some(number) => Ok(number),
        None => refuse(file, format!("a {kind} has no attribute {name}")),
    };
    let size = needed("comm_size")?;
    if is_send {
        let to = u32::try_from(needed("comm_dst")?).unwrap_or(u32::MAX);
        job.message(rank, to, size);
        return Ok(());
    }
    let kind = needed("comm_type")?;
    let op = usize::try_from(kind)
        .ok()
        .and_then(|kind| COLLECTIVES.get(kind));
    let Some(&op) = op else {
        return refuse(
            file,
            format!("comm_type {kind} is no collective of Chakra's schema"),
        );
    };
    let name = node.value("pg_name").map(|name| match name {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    });
    let group = match name.filter(|name| !name.is_empty()) {
        None => {
            let world: Vec<u32> = (0..ranks as u32).collect();
            job.named_group("", &world, file)?
        }
        Some(name) => match groups.get(&name) {
            Some(members) => job.named_group(&name, members, file)?,
            None => {
                return refuse(
                    file,
                    format!(
                        "a node is of group {name:?}, which no file of groups names: give one, as {{\"{name}\": [0, 1]}}"
                    ),
                );
            }
        },
    };
    let members = job.members(group);
    if !members.contains(&rank) {
        return refuse(
            file,
            format!(
                "rank {rank} calls a collective of group {members:?}, of which it is no member"
            ),
        );
    }
    let bytes = counted_bytes(op, size, size, members.len());
    job.collective_without_root(rank, group, op, bytes, "Chakra traces name no roots");
    Ok(())
}

impl Node {
    /// The value of an attribute, whatever its type.
    fn value(&self, name: &str) -> Option<&Value> {
        let attribute = self.attr.iter().find(|attribute| attribute.name == name)?;
        let mut values = attribute.value.iter();
        values
            .find(|(key, _)| key.to_ascii_lowercase().ends_with("val"))
            .map(|(_, value)| value)
    }
}
