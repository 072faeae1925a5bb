//! JSON of CoMMA.

use super::{PAIRS_OF_FOUR, Record, file, pairs, refused};
use serde_json::{Value, json};

fn event(id: &str, rank: u32, name: &str, size: u64) -> Value {
    json!({"args": {"size": size}, "cat": "COLL", "child_dur": 1456, "comm_hash": id, "dur": 11039,
        "name": name, "ph": "X", "rank": rank, "seq_num": 57, "ts": 9_615_369, "algo": "RING",
        "proxyops": [{"cat": "PROXY", "chunk_size": 1_048_576, "is_send": true, "n_steps": 2,
            "name": "ProxyOp", "peer": 1, "ph": "X", "pid": 169}]})
}

fn group() -> Value {
    json!({"cat": "GROUP", "ph": "X", "ts": 1, "dur": 2, "name": "group"})
}

/// The events of one process of four: an allreduce of all, and a reduce-scatter and a message of
/// pairs, whose ranks are those of the world reversed.
fn events(rank: u32) -> Vec<Value> {
    let (id, own) = (format!("0x{}", rank / 2), 1 - rank % 2);
    let name = if own == 0 { "send" } else { "recv" };
    let message = json!({"args": {"size": 1000}, "cat": "P2P", "comm_hash": id, "dur": 1, "ts": 2,
        "name": name, "ph": "X", "rank": own, "peer": 1 - own});
    let sum = event("0x58aecebabb9e37af", rank, "all_reduce", 64);
    vec![group(), sum, event(&id, own, "reduce_scatter", 8), message]
}

/// One process writes a list, the others a line for each event.
pub(super) fn four_processes() -> Record {
    let of_rank = |rank: u32| {
        let events = events(rank);
        let text = if rank == 0 {
            Value::Array(events).to_string()
        } else {
            events.iter().map(|event| format!("{event}\n")).collect()
        };
        file(&format!("node0-{}.json", 100 + rank), text)
    };
    (0..4).map(of_rank).collect()
}

#[test]
fn communicators_are_joined_to_one_world() {
    assert_eq!(pairs(&four_processes()), PAIRS_OF_FOUR);
}

#[test]
fn missing_processes_two_jobs_and_half_written_files_are_named() {
    let mut files = four_processes();
    files.remove(1);
    refused(&files, &["rank 1 of", "0x58aecebabb9e37af", "missing"]);
    let mut files = four_processes();
    files.push(file("other.json", files[2].1.clone()));
    refused(&files, &["rank 2 of communicator", "two jobs"]);
    let mut files = four_processes();
    files[3].1.truncate(200);
    refused(&files, &["node0-103.json", "half-written"]);
    let mut files = four_processes();
    files[1] = file(
        "node0-101.json",
        event("0x1", 0, "all_dance", 8).to_string(),
    );
    refused(&files, &["node0-101.json", "all_dance"]);
}
