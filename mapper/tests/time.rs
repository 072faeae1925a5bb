//! Predicted times on the command line: their parts, their bounds, and errors in the input.

mod valid_json;

use rankfold_machine::HEDGE;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn rankfold_map(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A ring of four ranks, ten messages of 1000 bytes to each neighbour.
const RING: &str = "0,1,10000,10\n1,2,10000,10\n2,3,10000,10\n3,0,10000,10\n\
                    1,0,10000,10\n2,1,10000,10\n3,2,10000,10\n0,3,10000,10\n";

/// A directory with the ring as CSV and as a matrix without counts, and block order as a placement.
fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let put = |name: &str, text: String| std::fs::write(scratch.path().join(name), text).unwrap();
    put("ring.csv", format!("src,dst,bytes,messages\n{RING}"));
    let entries = RING.lines().map(|line| {
        let numbers: Vec<u64> = line.split(',').map(|n| n.parse().unwrap()).collect();
        format!("{} {} {}\n", numbers[0] + 1, numbers[1] + 1, numbers[2])
    });
    let head = "%%MatrixMarket matrix coordinate integer general\n4 4 8\n";
    put("ring.mtx", head.to_owned() + &entries.collect::<String>());
    put("block.nodes", "0\n1\n2\n3\n".into());
    put("together.nodes", "0\n0\n0\n0\n".into());
    scratch
}

/// The figures that `eval` writes as JSON.
fn figures(scratch: &Path, arguments: &[&str]) -> Value {
    let out = rankfold_map(
        scratch,
        &[&["eval"], arguments, &["--json", "out.json"]].concat(),
    );
    assert!(out.status.success(), "{}", text(&out.stderr));
    valid_json::document(&scratch.join("out.json"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {value}"))
}

#[test]
fn a_machine_with_times_gives_seconds_part_by_part() {
    let scratch = scratch();
    let machine = "network = \"torus:4\"\n[time]\nbandwidth = \"1GB/s\"\nlatency = \"1us\"\noverhead = \"500ns\"\n";
    std::fs::write(scratch.path().join("ring.toml"), machine).unwrap();
    let arguments = [
        "ring.csv",
        "--machine",
        "ring.toml",
        "--placement",
        "block.nodes",
    ];
    let figures = figures(scratch.path(), &arguments);
    let time = &figures["predicted_time"];
    assert_eq!(time["unit"], "seconds");
    assert_eq!(time["predicted_by"], "replay");
    // Ten exchanges. All at once: 1 us for two sends, 2 us on the way, 1 us for two receives.
    // Partner by partner: twice 0.5 us for a send, 2 us on the way, 0.5 us for a receive.
    let total = 0.75 * 10.0 * 4e-6 + 0.25 * 10.0 * 6e-6;
    // Which way half-way ties go is not known, so a message may be divided, but one link carries
    // the share HEDGE of it. This takes HEDGE us, and 1 us of latency. No rank's last send is
    // received before 1 us for two sends, this way, and 0.5 us for a receive. Partner by partner,
    // two messages take this way one after the other.
    let way = HEDGE * 1e-6 + 1e-6;
    let bound = 0.75 * 10.0 * (1.5e-6 + way) + 0.25 * 10.0 * 2.0 * way;
    for (key, expected) in [
        ("busiest_link", 1e-5),
        ("latency", 1e-5),
        ("overhead", 2e-5),
        ("mean_transfer", 4e-5),
        ("s", 0.25),
        ("total", total),
        ("lower_bound", bound),
        ("gap", total / bound - 1.0),
        ("at_stake", 1.0 - bound / total),
    ] {
        assert!(
            (number(time, key) - expected).abs() < 1e-9 * expected,
            "{key}: {time}"
        );
    }
    assert_eq!(&figures["baseline"]["predicted_time"], time);
}

#[test]
fn exchange_says_how_much_of_the_time_is_partner_by_partner() {
    let scratch = scratch();
    for (exchange, s) in [("auto", 0.25), ("all", 0.0), ("pairwise", 1.0)] {
        let arguments = [
            "ring.mtx",
            "--machine",
            "torus:4",
            "--placement",
            "block.nodes",
            "--exchange",
            exchange,
        ];
        let time = &figures(scratch.path(), &arguments)["predicted_time"];
        assert_eq!(number(time, "s"), s);
        assert_eq!(time["unit"], "bytes over one link");
        // Every channel has one message. Partner by partner, two messages follow each other.
        let expected = (1.0 - s) * 10000.0 + s * 20000.0;
        assert!((number(time, "total") - expected).abs() < 1e-6, "{time}");
    }
}

#[test]
fn messages_nobody_counted_are_one_a_pair() {
    let scratch = scratch();
    let latency = |input| {
        let arguments = [
            input,
            "--machine",
            "torus:4@1GB/s+1us",
            "--placement",
            "block.nodes",
        ];
        number(
            &figures(scratch.path(), &arguments)["predicted_time"],
            "latency",
        )
    };
    for (input, expected) in [("ring.csv", 1e-5), ("ring.mtx", 1e-6)] {
        let found = latency(input);
        assert!((found / expected - 1.0).abs() < 1e-12, "{input}: {found}");
    }
}

#[test]
fn all_traffic_inside_a_node_takes_no_time_and_is_said_so() {
    let scratch = scratch();
    let arguments = [
        "eval",
        "ring.csv",
        "--machine",
        "torus:4@1GB/s+1us",
        "--cores",
        "4",
        "--placement",
        "together.nodes",
    ];
    let out = rankfold_map(scratch.path(), &arguments);
    let printed = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(printed.contains("no bytes cross the network"), "{printed}");
}

#[test]
fn map_says_when_placement_changes_little() {
    let scratch = scratch();
    let machine = "network = \"torus:4@100GB/s+10ns\"\n[time]\noverhead = \"50us\"\n";
    std::fs::write(scratch.path().join("slow.toml"), machine).unwrap();
    let arguments = [
        "map",
        "ring.csv",
        "--machine",
        "slow.toml",
        "-o",
        "out.map",
        "--explain",
    ];
    let out = rankfold_map(scratch.path(), &arguments);
    let printed = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let percent = "placement can change the communication time of block order by less than 0.1 %: the overhead";
    assert!(printed.contains(percent), "{printed}");
    assert!(printed.contains("of overhead for messages"), "{printed}");
}

#[test]
fn wrong_speeds_and_tables_end_with_status_2_and_their_place() {
    let scratch = scratch();
    for (name, text) in [
        (
            "table.toml",
            "network = \"torus:4\"\n[time]\nsizes = [\n  { bytes = 8 },\n  { bytes = 8 },\n]\n",
        ),
        (
            "zero.toml",
            "network = \"torus:4\"\n[time]\nlatency = \"1us\"\nbandwidth = 0\n",
        ),
        (
            "negative.toml",
            "network = \"torus:4\"\n[time]\nbandwidth = \"-2GB/s\"\n",
        ),
        (
            "none.toml",
            "network = \"torus:4\"\n[time]\nlatency = \"1us\"\n",
        ),
        (
            "zero.json",
            "{\"hosts\": 4, \"vertices\": 5, \"links\": [[0, 4], [1, 4], [2, 4],\n[3, 4, 0]]}",
        ),
        (
            "negative.json",
            "{\"hosts\": 4, \"vertices\": 5, \"links\": [[0, 4], [1, 4],\n[2, 4, -1], [3, 4]]}",
        ),
    ] {
        std::fs::write(scratch.path().join(name), text).unwrap();
    }
    for (machine, problem) in [
        ("torus:4@0GB/s", "bandwidth 0GB/s is not positive"),
        ("torus:4@-1", "bandwidth -1 is not positive"),
        ("torus:4@5+1us", "needs a bandwidth with a unit"),
        ("torus:4@", "bandwidth \"\" is not a number"),
        (
            "table.toml",
            "table.toml:5: [time] sizes: 8 bytes after 8: sizes must rise",
        ),
        (
            "zero.toml",
            "zero.toml:4: [time]: bandwidth 0B/s is not positive",
        ),
        (
            "negative.toml",
            "negative.toml:3: [time]: bandwidth -2GB/s is not positive",
        ),
        ("none.toml", "none.toml:3: [time]: latency needs bandwidth"),
        (
            "file:zero.json",
            "zero.json: line 2: link 3: bandwidth 0 is not positive",
        ),
        (
            "file:negative.json",
            "negative.json: line 2: link 2: bandwidth -1 is not positive",
        ),
    ] {
        let arguments = [
            "eval",
            "ring.csv",
            "--machine",
            machine,
            "--placement",
            "block.nodes",
        ];
        let out = rankfold_map(scratch.path(), &arguments);
        let printed = text(&out.stderr).replace('\n', " ");
        assert_eq!(out.status.code(), Some(2), "{printed}");
        assert!(printed.contains(problem), "{machine}: {printed}");
    }
}

#[test]
fn one_rank_no_traffic_and_one_full_node_are_mapped_and_nothing_is_at_stake() {
    let scratch = scratch();
    let head = "%%MatrixMarket matrix coordinate integer general\n";
    for (name, entries) in [("one.mtx", "1 1 0\n"), ("silent.mtx", "4 4 0\n")] {
        std::fs::write(scratch.path().join(name), format!("{head}{entries}")).unwrap();
    }
    for (input, machine, cores) in [
        ("one.mtx", "torus:1", "1"),
        ("one.mtx", "torus:4@1GB/s+1us", "1"),
        ("silent.mtx", "torus:4@1GB/s+1us", "1"),
        ("silent.mtx", "tree:2x2", "1"),
        ("ring.csv", "torus:1@1GB/s+1us", "4"),
        ("ring.csv", "tree:2x2", "4"),
    ] {
        let arguments = ["map", input, "--machine", machine, "--cores", cores];
        let files = ["--to", "nodes", "-o", "out.map", "--json", "out.json"];
        let out = rankfold_map(scratch.path(), &[&arguments[..], &files].concat());
        let printed = text(&out.stdout);
        assert!(out.status.success(), "{input}: {}", text(&out.stderr));
        assert!(
            printed.contains("no bytes cross the network: placement cannot change"),
            "{input} on {machine}: {printed}"
        );
        let figures = valid_json::document(&scratch.path().join("out.json"));
        let time = &figures["predicted_time"];
        for (key, expected) in [
            ("total", 0.0),
            ("lower_bound", 0.0),
            ("gap", 0.0),
            ("at_stake", 0.0),
        ] {
            assert_eq!(number(time, key), expected, "{input} on {machine}: {key}");
        }
    }
}
