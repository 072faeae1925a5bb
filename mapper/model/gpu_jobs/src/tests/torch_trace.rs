//! Traces of PyTorch's profiler.

use super::{Record, file, pairs, refused};
use serde_json::{Value, json};

fn event(name: &str, sizes: [u64; 2], group: &str, more: &Value) -> Value {
    let mut args = json!({
        "External id": 7, "Collective name": name, "dtype": "BFloat16",
        "In msg nelems": sizes[0], "Out msg nelems": sizes[1], "Group size": 4,
        "Process Group Name": group, "Process Group Description": "x",
        "Process Group Ranks": "[0, 1, ..., 3]", "Global rank start": 0, "Global rank stride": 1
    });
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    json!({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1,
        "ts": 1.5, "dur": 2.0, "args": args})
}

fn trace(rank: usize, mut events: Vec<Value>) -> (String, Vec<u8>) {
    // The kernel of a call repeats its arguments, and other events have arguments of other types.
    let mut kernel = events[0].clone();
    kernel["name"] = json!("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    kernel["cat"] = json!("kernel");
    events.push(kernel);
    events.push(json!({"name": "aten::add", "args": {"Group size": "many", "dtype": 3}}));
    let text = json!({
        "schemaVersion": 1, "deviceProperties": [],
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4, "pg_count": 2,
            "pg_config": [
                {"pg_name": "1", "pg_desc": "tp", "pg_size": 2, "ranks": [rank / 2 * 2, rank / 2 * 2 + 1]}
            ]},
        "traceEvents": events, "traceName": "a.json"
    });
    file(&format!("host_{rank}.pt.trace.json"), text.to_string())
}

/// On every rank a reduce-scatter of the world, an allreduce of its pair, and an uneven all-to-all;
/// rank 0 sends to rank 3.
pub(super) fn four_ranks() -> Record {
    let of_rank = |rank: usize| {
        let mut events = vec![
            event("_reduce_scatter_base", [16, 4], "0", &json!({})),
            event("allreduce", [8, 8], "1", &json!({"Group size": 2})),
            event(
                "all_to_allv",
                [8, 8],
                "0",
                &json!({"In split size": "[0, 1, 0, 3]"}),
            ),
            event("wait", [0, 0], "0", &json!({})),
        ];
        if rank == 0 {
            events.push(event("send", [100, 100], "0", &json!({"Dst Rank": "3"})));
        }
        trace(rank, events)
    };
    (0..4).map(of_rank).collect()
}

#[test]
fn calls_follow_their_groups_and_kernels_are_not_counted_again() {
    let pairs = pairs(&four_ranks());
    let between = |from, to| {
        let pair = pairs.iter().find(|pair| (pair.0, pair.1) == (from, to));
        pair.map_or(0, |pair| pair.2)
    };
    // Ring of the reduce-scatter: 3 parts of 8 bytes. Allreduce of a pair: 16 bytes. Shares of the
    // all-to-all: a quarter and three quarters of 16 bytes.
    assert_eq!(between(0, 1), 24 + 16 + 4);
    assert_eq!(between(1, 2), 24);
    assert_eq!(between(2, 3), 24 + 16 + 12);
    assert_eq!(between(0, 3), 12 + 200);
    assert_eq!(between(1, 0), 16);
}

#[test]
fn a_trace_of_one_rank_is_not_a_job() {
    let files = four_ranks().split_off(3);
    refused(&files, &["3 ranks of 4 missing: 0, 1, 2"]);
}

#[test]
fn groups_and_peers_that_are_not_known_are_refused() {
    let stride = json!({"Global rank stride": null});
    for (bad, part) in [
        (
            event("allreduce", [4, 4], "5", &stride),
            "process group \"5\"",
        ),
        (
            event("send", [4, 4], "0", &json!({"Dst Rank": "9"})),
            "names no receiver",
        ),
        (
            event("allreduce", [4, 4], "0", &json!({"dtype": "Nibble"})),
            "Nibble",
        ),
    ] {
        refused(&vec![trace(0, vec![bad])], &["host_0.pt.trace.json", part]);
    }
    let alone = json!({"schemaVersion": 1, "traceEvents": []}).to_string();
    refused(&vec![file("a.json", alone)], &["no distributedInfo"]);
}
