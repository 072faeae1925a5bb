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

/// One node of 24 GPUs whose ring lines are cut as `cut` says.
fn long_ring(cut: &str) -> String {
    let mut log = String::new();
    for rank in 0..24 {
        let writer = format!("big:{}:{} [{rank}] NCCL INFO", 50 + rank, 80 + rank);
        log += &format!(
            "{writer} ncclCommInitRank comm 0x1 rank {rank} nranks 24 cudaDev {rank} nvmlDev 0 busId 1 commId 0xabc - Init START\n"
        );
        if rank == 0 {
            log += &format!("{writer} Channel 00/01 : {cut}\n");
        }
    }
    log
}

#[test]
fn rings_that_nccl_has_cut_are_left_out_and_the_order_stands_in() {
    let first: Vec<String> = (0..20).rev().map(|rank| rank.to_string()).collect();
    for cut in [
        first.join(" "),
        format!("{} ...", first.join(" ")),
        "0 1 2 1...".to_owned(),
    ] {
        let record = vec![file("nccl.log", long_ring(&cut))];
        let pairs = pairs(&record);
        assert_eq!(pairs.len(), 24, "{cut}");
        assert!(pairs.contains(&(23, 0, 1)), "{cut}");
        let text = notes(&record);
        assert!(text.contains("cut the lines of 1 ring"), "{text:?}");
    }
    let twice = format!(
        "{} 23",
        (0..23)
            .map(|rank| rank.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    );
    let wrong = twice.replace("22 23", "22 22");
    refused(
        &vec![file("nccl.log", long_ring(&wrong))],
        &["each of the 24 ranks"],
    );
}

#[test]
fn words_of_launchers_before_the_lines_change_nothing() {
    let plain = two_nodes();
    let expected = pairs(&vec![file("nccl.log", plain.clone())]);
    for prefix in [
        "[1,0]<stdout>:",
        "[prterun-gpu-0-4711@1,3]<stderr>:",
        "Sun Nov 29 18:42:57 2026<stdout>:",
        "2026-11-29 18:42:57 ",
        "18:42:57.123: ",
        "12: ",
        "[default0]:",
    ] {
        let lines = plain.lines().map(|line| format!("{prefix}{line}\n"));
        let record = vec![file("nccl.log", lines.collect::<String>())];
        assert_eq!(pairs(&record), expected, "{prefix}");
    }
}
