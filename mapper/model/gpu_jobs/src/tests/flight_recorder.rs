//! Dumps of the flight recorder.

use super::{Record, file, notes, pairs, refused};
use serde_json::{Value, json};

fn entry(group: &str, name: &str, size: u64) -> Value {
    json!({
        "record_id": 0, "pg_id": 0, "process_group": [group, "a description"],
        "collective_seq_id": 1, "p2p_seq_id": 0, "op_id": 1, "profiling_name": name,
        "time_created_ns": 1, "duration_ms": null,
        "input_sizes": [[size, 2]], "input_dtypes": ["Float"],
        "output_sizes": [[size, 2]], "output_dtypes": ["Float"],
        "state": "completed", "retired": true, "timeout_ms": 600_000, "is_p2p": false
    })
}

fn dump(entries: &[Value]) -> Value {
    json!({
        "version": "2.10",
        "pg_config": {
            "0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"},
            "1": {"name": "1", "desc": "dp", "ranks": "[1, 0]"},
        },
        "pg_status": {}, "entries": entries
    })
}

fn dumps() -> [Value; 2] {
    let sum = entry("0", "nccl:all_reduce", 8);
    let gather = entry("1", "nccl:_all_gather_base", 2);
    let send = entry("0", "nccl:send 0->1", 8);
    let receive = entry("0", "nccl:recv 1<-0", 8);
    [
        dump(&[sum.clone(), gather.clone(), send]),
        dump(&[sum, gather, receive]),
    ]
}

/// An allreduce of 64 bytes, an all-gather of blocks of 16 bytes, and a message of 64 bytes.
pub(super) fn two_ranks() -> Record {
    let named = |rank: usize| format!("nccl_trace_rank_{rank}");
    let dumps = dumps().into_iter().enumerate();
    dumps
        .map(|(rank, dump)| file(&named(rank), dump.to_string()))
        .collect()
}

#[test]
fn calls_of_all_ranks_count_once() {
    // 64 along the ring of two for the allreduce (half of it in each of two passes), one block of
    // 16 for the all-gather, and the message.
    assert_eq!(pairs(&two_ranks()), [(0, 1, 64 + 16 + 64), (1, 0, 64 + 16)]);
}

#[test]
fn a_pickle_says_the_same_as_json() {
    let options = || serde_pickle::SerOptions::new().proto_v2();
    let pickled: Record = (0..)
        .zip(dumps())
        .map(|(rank, dump)| {
            let pickle = serde_pickle::to_vec(&dump, options()).unwrap();
            file(&format!("nccl_trace_rank_{rank}"), pickle)
        })
        .collect();
    assert_eq!(pairs(&pickled), pairs(&two_ranks()));
    let mut cut = pickled;
    let half = cut[1].1.len() / 2;
    cut[1].1.truncate(half);
    refused(&cut, &["nccl_trace_rank_1", "damaged or half-written"]);
}

#[test]
fn a_missing_rank_is_named() {
    let mut files = two_ranks();
    files.pop();
    refused(&files, &["1 rank of 2 missing: 1"]);
}

#[test]
fn half_a_file_is_named_with_its_line() {
    let mut files = two_ranks();
    let half = files[1].1.len() / 2;
    files[1].1.truncate(half);
    refused(&files, &["nccl_trace_rank_1:1", "half-written"]);
}

#[test]
fn files_of_two_jobs_are_named() {
    let mut files = two_ranks();
    let mut other = dump(&[]);
    other["rank"] = json!(1);
    files.push(file("other_job_rank_3", other.to_string()));
    refused(&files, &["rank 1 is in", "two jobs"]);
    let mut larger = dump(&[]);
    larger["pg_config"]["0"]["ranks"] = json!("[0, 1, 2]");
    files[2] = file("other_job_rank_2", larger.to_string());
    refused(&files, &["world of 3 ranks", "two jobs"]);
}

#[test]
fn groups_of_one_name_that_overlap_are_named() {
    let mut files = two_ranks();
    let mut other = dump(&[entry("1", "nccl:all_reduce", 8)]);
    other["pg_config"]["1"]["ranks"] = json!("[1]");
    files[1] = file("nccl_trace_rank_1", other.to_string());
    refused(&files, &["group \"1\"", "rank 1 is in both"]);
}

#[test]
fn what_a_dump_cannot_say_is_told() {
    let text = notes(&two_ranks());
    assert!(
        text.contains("last calls") && text.contains("nccl-ring"),
        "{text}"
    );
    let mut files = two_ranks();
    let broadcast = dump(&[entry("0", "nccl:broadcast", 8)]);
    files[0] = file("nccl_trace_rank_0", broadcast.to_string());
    let text = notes(&files);
    assert!(
        text.contains("no roots") && text.contains("disagree"),
        "{text}"
    );
}

#[test]
fn unknown_names_and_types_are_refused() {
    for (key, value, part) in [
        ("profiling_name", json!("nccl:all_dance"), "all_dance"),
        ("input_dtypes", json!(["Octuple"]), "Octuple"),
        ("process_group", json!(["7", "x"]), "process group \"7\""),
        (
            "profiling_name",
            json!("nccl:send 0->9"),
            "names no receiver",
        ),
    ] {
        let mut bad = entry("0", "nccl:all_reduce", 8);
        bad[key] = value;
        let files = vec![file("trace_0", dump(&[bad]).to_string())];
        refused(&files, &["trace_0", part]);
    }
}
