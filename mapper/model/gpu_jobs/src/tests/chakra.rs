//! Chakra execution traces in JSON.

use super::{Record, file, pairs, refused};
use serde_json::json;

fn trace(rank: u32, group: &str) -> (String, Vec<u8>) {
    let mut text = json!({"version": "0.0.4"}).to_string();
    let nodes = [
        json!({"id": "1", "name": "matmul", "type": "COMP_NODE",
            "attr": [{"name": "num_ops", "int64Val": "5"}]}),
        json!({"id": "2", "name": "COMM_COLL_NODE_ALL_REDUCE", "type": "COMM_COLL_NODE",
            "dataDeps": ["1"], "attr": [{"name": "is_cpu_op", "boolVal": false},
                {"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "64"}]}),
        json!({"id": "3", "name": "ep", "type": "COMM_COLL_NODE", "attr": [
            {"name": "comm_type", "int64_val": 6}, {"name": "comm_size", "uint64Val": "80"},
            {"name": "pg_name", "stringVal": group}]}),
        json!({"id": "4", "name": "pp", "type": "COMM_SEND_NODE", "attr": [
            {"name": "comm_size", "int64Val": "1000"},
            {"name": "comm_dst", "int32Val": (rank + 1) % 4}]}),
    ];
    for node in nodes {
        text += "\n";
        text += &serde_json::to_string_pretty(&node).unwrap();
    }
    file(&format!("model.{rank}.json"), text)
}

pub(super) fn four_ranks() -> Record {
    let groups = json!({"17": [0, 2], "18": [1, 3]}).to_string();
    let of_rank = |rank| trace(rank, if rank == 0 || rank == 2 { "17" } else { "18" });
    let traces = (0..4).map(of_rank);
    traces.chain([file("groups.json", groups)]).collect()
}

#[test]
fn nodes_are_calls_of_their_groups() {
    // Every link of the ring has 96 bytes of the allreduce and a message of 1000; the all-to-all of
    // two moves half of 80 bytes each way.
    let ring = |from: u32| (from, (from + 1) % 4, 96 + 1000);
    let mut expected: Vec<_> = (0..4).map(ring).collect();
    expected.extend([(0, 2, 40), (2, 0, 40), (1, 3, 40), (3, 1, 40)]);
    expected.sort_unstable();
    assert_eq!(pairs(&four_ranks()), expected);
}

#[test]
fn missing_ranks_groups_and_members_are_named() {
    let mut files = four_ranks();
    files.remove(1);
    refused(&files, &["1 rank of 4 missing: 1"]);
    let mut files = four_ranks();
    files.pop();
    refused(&files, &["group \"17\"", "no file of groups"]);
    let mut files = four_ranks();
    files[1] = trace(1, "17");
    refused(&files, &["rank 1 calls", "[0, 2]"]);
    let mut files = four_ranks();
    files[2].1.truncate(200);
    refused(&files, &["model.2.json", "half-written"]);
}

/// A protobuf field of a number.
fn number(tag: u64, value: u64) -> Vec<u8> {
    [varint(tag << 3), varint(value)].concat()
}

/// A protobuf field of bytes: a text or a message.
fn bytes(tag: u64, content: &[u8]) -> Vec<u8> {
    let length = varint(content.len() as u64);
    [varint((tag << 3) | 2), length, content.to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 127 {
        encoded.push(value as u8 | 128);
        value >>= 7;
    }
    encoded.push(value as u8);
    encoded
}

fn attribute(name: &str, value: Vec<u8>) -> Vec<u8> {
    bytes(10, &[bytes(1, name.as_bytes()), value].concat())
}

/// The trace of [`trace`] in protobuf.
fn binary(rank: u32, group: &str) -> (String, Vec<u8>) {
    let node = |id: u64, kind: u64, attributes: &[Vec<u8>]| {
        let start = [
            number(1, id),
            bytes(2, b"a name"),
            number(3, kind),
            bytes(5, &[1]),
        ];
        [start.concat(), attributes.concat()].concat()
    };
    let messages = [
        bytes(1, b"0.0.4"),
        node(1, 4, &[attribute("num_ops", number(9, 5))]),
        node(
            2,
            7,
            &[
                attribute("comm_type", number(9, 0)),
                attribute("comm_size", number(9, 64)),
            ],
        ),
        node(
            3,
            7,
            &[
                attribute("comm_type", number(9, 6)),
                attribute("comm_size", number(13, 80)),
                attribute("pg_name", bytes(29, group.as_bytes())),
            ],
        ),
        node(
            4,
            5,
            &[
                attribute("comm_size", number(9, 1000)),
                attribute("comm_dst", number(7, u64::from((rank + 1) % 4))),
            ],
        ),
    ];
    let framed = messages.map(|message| [varint(message.len() as u64), message].concat());
    file(&format!("model.{rank}.et"), framed.concat())
}

pub(super) fn four_ranks_in_protobuf() -> Record {
    let mut record = four_ranks();
    for (rank, trace) in record.iter_mut().take(4).enumerate() {
        *trace = binary(rank as u32, if rank % 2 == 0 { "17" } else { "18" });
    }
    record
}

#[test]
fn protobuf_says_the_same_as_json() {
    assert_eq!(pairs(&four_ranks_in_protobuf()), pairs(&four_ranks()));
}

#[test]
fn a_half_written_protobuf_trace_is_named() {
    let mut files = four_ranks_in_protobuf();
    let half = files[2].1.len() - 3;
    files[2].1.truncate(half);
    refused(&files, &["model.2.et", "half-written", "byte "]);
}
