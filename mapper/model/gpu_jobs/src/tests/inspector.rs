//! JSON of NCCL Inspector.

use super::{PAIRS_OF_FOUR, Record, file, notes, pairs, refused};
use serde_json::{Value, json};

fn record(id: &str, rank: u32, ranks: u32, pid: u32, performance: &Value) -> String {
    let mut document = json!({
        "header": {"id": id, "rank": rank, "n_ranks": ranks, "nnodes": 2},
        "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "",
            "rec_mechanism": "profiler_plugin", "dump_timestamp_us": 1_748_030_377_748_202_u64,
            "hostname": format!("node{}", pid % 2), "pid": pid}
    });
    for (key, value) in performance.as_object().unwrap() {
        document[key] = value.clone();
    }
    document.to_string() + "\n"
}

fn collective(name: &str, bytes: u64) -> Value {
    json!({"coll_perf": {"coll": name, "coll_sn": 1, "coll_msg_size_bytes": bytes,
        "coll_exec_time_us": 61974, "coll_algobw_gbs": 277.2, "coll_busbw_gbs": 485.1}})
}

/// A world of 4 with an allreduce; pairs of it, whose ranks are those of the world reversed, with a
/// reduce-scatter, and a message in each.
pub(super) fn four_processes() -> Record {
    let of_rank = |rank: u32| {
        let (id, own) = (format!("0x{}", rank / 2), 1 - rank % 2);
        let mut text = record("0xa", rank, 4, 100 + rank, &collective("AllReduce", 64));
        let pid = 100 + rank;
        text += &record(&id, own, 2, pid, &collective("ReduceScatter", 8));
        let message = json!({"p2p_perf": {"p2p": if own == 0 { "Send" } else { "Recv" },
            "p2p_sn": 1, "p2p_peer": 1 - own, "p2p_msg_size_bytes": 1000}});
        text += &record(&id, own, 2, pid, &message);
        file(&format!("node-pid{pid}.log"), text)
    };
    (0..4).map(of_rank).collect()
}

#[test]
fn communicators_are_joined_to_one_world() {
    assert_eq!(pairs(&four_processes()), PAIRS_OF_FOUR);
}

#[test]
fn header_and_metadata_of_a_dump_hold_for_its_records() {
    let of_rank = |rank: u32| {
        let stats = json!({"dump_stats": {"coll_records": 1, "coll_dropped_total": 3,
            "p2p_records": 0, "p2p_dropped_total": 0}});
        let text = record("0xa", rank, 2, rank, &stats) + &collective("AllReduce", 64).to_string();
        file(&format!("{rank}.log"), text)
    };
    let files: Record = (0..2).map(of_rank).collect();
    assert_eq!(pairs(&files), [(0, 1, 64), (1, 0, 64)]);
    assert!(notes(&files).contains("dropped"));
}

#[test]
fn missing_processes_mixed_jobs_and_half_files_are_named() {
    let mut files = four_processes();
    files.remove(2);
    refused(
        &files,
        &["rank 2 of the 4 ranks of communicator 0xa is missing"],
    );
    let mut files = four_processes();
    files.push(file(
        "x.log",
        record("0xb", 0, 1, 7, &collective("AllReduce", 8)),
    ));
    refused(&files, &["no communicator holds all 5 processes"]);
    files[4] = file("x.log", record("0xa", 1, 4, 7, &collective("AllReduce", 8)));
    refused(&files, &["x.log", "rank 1 of communicator 0xa", "two jobs"]);
    files[4] = file(
        "x.log",
        record("0xa", 1, 8, 101, &collective("AllReduce", 8)),
    );
    refused(&files, &["8 ranks here and 4", "two jobs"]);
    let mut files = four_processes();
    let cut = files[1].1.len() - 30;
    files[1].1.truncate(cut);
    refused(&files, &["node-pid101.log:3", "half-written"]);
}
