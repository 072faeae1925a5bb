//! Logs of NCCL.

use super::{Record, file, notes, pairs, refused};

/// Two nodes of two GPUs: a world of four with two channels and a pair on each node.
pub(super) fn two_nodes() -> String {
    let mut log = String::from("libfabric: noise of another library\n");
    for rank in 0..4 {
        let (host, device) = (format!("gpu-{}", rank / 2), rank % 2);
        let writer = format!("{host}:{}:{} [{device}] NCCL INFO", 50 + rank, 50 + rank);
        let member = |comm: &str, rank: u32, ranks: u32, id: &str| {
            format!(
                "{writer} ncclCommInitRank comm {comm} rank {rank} nranks {ranks} cudaDev {device} nvmlDev 0 busId 31000 commId {id} - Init START\n"
            )
        };
        log += &member("0x10", rank, 4, "0xabc");
        if rank == 0 {
            log += &format!("{writer} Channel 00/02 :    0   1   2   3\n");
            log += &format!("{writer} Channel 01/02 :    1   0   3   2\n");
        }
        log += &format!("{writer} Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n");
        log += &format!("{writer} Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1\n");
        log += &member("0x20", rank % 2, 2, &format!("0x{}", rank / 2));
        log += &format!(
            "{writer} AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 16 datatype 7 op 0 root 0 comm 0x10 [nranks=4] stream 0x3\n"
        );
        log += &format!(
            "{writer} ReduceScatter: opCount 1 sendbuff 0x1 recvbuff 0x2 count 4 datatype 6 op 0 root 0 comm 0x20 [nranks=2] stream 0x3\n"
        );
        if rank == 1 {
            log += &format!(
                "{writer} Send: opCount 2 sendbuff 0x1 recvbuff (nil) count 5 datatype 1 op 0 root 3 comm 0x10 [nranks=4] stream 0x3\n"
            );
        }
    }
    log
}

fn record() -> Record {
    vec![file("nccl.log", two_nodes())]
}

#[test]
fn calls_run_along_the_rings_of_the_log() {
    // Each channel carries half of the allreduce of 64 bytes: 48 bytes on every link of its ring.
    // The reduce-scatter of a pair moves one part of 8 bytes each way.
    let expected = [
        (0, 1, 48 + 8),
        (0, 3, 48),
        (1, 0, 48 + 8),
        (1, 2, 48),
        (1, 3, 5),
        (2, 1, 48),
        (2, 3, 48 + 8),
        (3, 0, 48),
        (3, 2, 48 + 8),
    ];
    assert_eq!(pairs(&record()), expected);
}

#[test]
fn a_log_without_calls_counts_its_channels() {
    let lines = two_nodes();
    let lines = lines.lines().filter(|line| !line.contains("opCount"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let files = vec![file("nccl.log", text)];
    let channels = [
        (0, 1, 1),
        (0, 3, 1),
        (1, 0, 1),
        (1, 2, 1),
        (2, 1, 1),
        (2, 3, 1),
        (3, 0, 1),
        (3, 2, 1),
    ];
    assert_eq!(pairs(&files), channels);
    assert!(notes(&files).contains("holds no calls"));
}

#[test]
fn missing_processes_mixed_jobs_and_damaged_lines_are_named() {
    let without = |part: &str| {
        let text = two_nodes();
        let lines = text.lines().filter(|line| !line.contains(part));
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let refused = |text: String, parts: &[&str]| refused(&vec![file("nccl.log", text)], parts);
    refused(
        without("gpu-1:52"),
        &["is missing; give the logs of all processes"],
    );
    refused(
        without("0xabc"),
        &["nccl.log:", "ring before the line of its communicator"],
    );
    let other = two_nodes().replace("gpu-0:50:", "gpu-9:50:");
    refused(
        two_nodes() + &other,
        &["rank 0 of communicator 0xabc", "two jobs"],
    );
    let apart = two_nodes()
        .replace("0xabc", "0xdef")
        .replace("gpu-", "tpu-");
    let apart = apart
        .replace("commId 0x0", "commId 0x8")
        .replace("commId 0x1", "commId 0x9");
    refused(
        two_nodes() + &apart,
        &["no communicator holds all 8 GPUs", "two jobs"],
    );
    refused(
        two_nodes().replace(
            "Channel 01/02 :    1   0   3   2",
            "Channel 01/02 :    1   0   3",
        ),
        &["nccl.log:", "each of the 4 ranks"],
    );
    refused(
        two_nodes().replace("datatype 7", "datatype 77"),
        &["nccl.log:", "datatype 77"],
    );
    refused(
        two_nodes().replace("count 16 ", "count x "),
        &["count \"x\" is no number"],
    );
}
