use super::*;
use crate::{HostList, Machine, Sharing, Timing};
use rankfold_base::{NodeId, SlotId};

const PAIR: &str = r#"
slots = [2, 0, 1]
hosts = ["n0", "n1", "n-2"]
switches = ["leaf", "other \"leaf\""]
links = [["n0", "leaf"], ["n1", "leaf", 2.5], ["leaf", "other \"leaf\""],
    ["leaf", "other \"leaf\""],
    ["n-2", "other \"leaf\""]]
[tables]
leaf = [0, 1, 3]
"other \"leaf\"" = [0, 1, 2]
"#;

#[test]
fn what_is_written_reads_back_the_same() {
    let written = Description::parse(PAIR).unwrap().to_string();
    let again = Description::parse(&written).unwrap();
    assert_eq!(again.to_string(), written);
    assert_eq!(again.hosts[2], "n-2");
    assert_eq!(again.links[1].speed.bandwidth, 2.5);
    let tables = again.tables.unwrap();
    // the second of the two cables between the switches
    assert_eq!((tables.link(0, 2), tables.link(1, 1)), (3, 3));
}

/// A ring with an unusable node, two equal hosts and a host with a single core.
const RING: &str = r#"network = "torus:4"
hosts = ["a", "-", "b", "c"]
[[inside]]
cores = 4
levels = [{ name = "package", cores = [2, 2] }]
[[inside]]
hosts = ["c"]
cores = 1
nics = [{ name = "mlx5_0", first = 0, cores = 1 }]
gpus = [{ name = "cuda0", first = 0, cores = 1 }]
"#;

#[test]
fn a_machine_file_may_name_a_network_and_what_is_inside_the_hosts() {
    let description = Description::parse(RING).unwrap();
    let written = description.to_string();
    assert_eq!(Description::parse(&written).unwrap().to_string(), written);
    let machine = Machine::new(description.hardware("t").unwrap(), None, None).unwrap();
    assert_eq!(machine.topology().spec(), "torus:4");
    let capacities = [0, 1, 2, 3].map(|n| machine.slots().capacity(NodeId(n)));
    assert_eq!(capacities, [4, 0, 4, 1]);
    let levels = [0, 3].map(|n| machine.inside(NodeId(n)).unwrap().levels().len());
    assert_eq!(levels, [1, 0]);
    let devices = [0, 3].map(|n| {
        let inside = machine.inside(NodeId(n)).unwrap();
        (inside.nics().len(), inside.gpus().len())
    });
    assert_eq!(devices, [(0, 0), (1, 1)]);
    // The slots that the job was given override the number of cores.
    let hosts = HostList::from_text("b slots=2\n", "hosts").unwrap();
    let machine = Machine::new(description.hardware("t").unwrap(), None, Some(hosts)).unwrap();
    assert_eq!(
        (machine.slots().len(), machine.cores(SlotId(1))),
        (2, Some(2..4))
    );
}

/// A network with all times, and a list of links of which one has times.
const TIMED: &str = r#"network = "dragonfly:2,2,1,3"
[time]
bandwidth = ["10GB/s", 8e9, "4 GB/s"]
latency = "500ns"
overhead = 3e-7
memory = "40GB/s"
eager = 12288
sharing = "equal"
sizes = [
    { bytes = 0, bandwidth = 0.5, latency = 1.5 },
    { bytes = 4096, bandwidth = 0.9 },
]
"#;
const WIRED: &str = r#"hosts = ["a", "b"]
switches = ["s"]
links = [["a", "s"],
    ["b", "s", "25GB/s+200ns", 2]]
[time]
bandwidth = "12.5GB/s"
latency = 6e-7
"#;

#[test]
fn a_machine_file_may_know_times() {
    for text in [TIMED, WIRED] {
        let description = Description::parse(text).unwrap();
        let written = description.to_string();
        let again = Description::parse(&written).unwrap();
        assert_eq!(again.to_string(), written);
        assert_eq!(again.timing, description.timing);
    }
    let machine = |text| {
        let hardware = Description::parse(text).unwrap().hardware("t").unwrap();
        Machine::new(hardware, None, None).unwrap()
    };
    let timed = machine(TIMED);
    let spec = "dragonfly:2,2,1,3@10GB/s+500ns,8GB/s+500ns,4GB/s+500ns";
    assert_eq!(timed.topology().spec(), spec);
    assert_eq!(timed.timing().memory, Some(4e10));
    assert_eq!(timed.timing().by_size.row(5000.0).unwrap().latency, 1.0);
    let Timing {
        sharing,
        eager_limit,
        ..
    } = *timed.timing();
    assert_eq!((sharing, eager_limit), (Some(Sharing::Equal), 12288));
    let wired = machine(WIRED);
    assert_eq!(wired.timing().sharing, None);
    let (topology, mut speeds) = (wired.topology(), Vec::new());
    topology.route(NodeId(0), NodeId(1), &mut |c| {
        speeds.push((topology.bandwidth(c), topology.latency(c)));
    });
    assert_eq!(speeds, [(12.5e9, 6e-7), (25e9, 2e-7)]);
}

#[test]
fn mistakes_name_the_line() {
    for (text, changes) in [
        (PAIR, &PAIR_MISTAKES[..]),
        (RING, &RING_MISTAKES[..]),
        (TIMED, &TIMED_MISTAKES[..]),
        (WIRED, &WIRED_MISTAKES[..]),
    ] {
        for &(from, to, line, problem) in changes {
            let text = text.replacen(from, to, 1);
            let (at, what) = Description::parse(&text).unwrap_err();
            assert_eq!(at, line, "{what}");
            assert!(what.contains(problem), "{what}");
        }
    }
}

/// The text that is replaced, its replacement, the line of the error, and the message.
type Mistake = (&'static str, &'static str, Option<usize>, &'static str);

const PAIR_MISTAKES: [Mistake; 13] = [
    (
        "[\"n1\", \"leaf\", 2.5], ",
        "",
        Some(3),
        "no path joins n0 and n1",
    ),
    (
        "[2, 0, 1]",
        "[2, 0]",
        Some(2),
        "2 numbers of slots for 3 hosts",
    ),
    ("\"n1\", \"n-2\"", "\"n1\", \"n1\"", Some(3), "two hosts"),
    (
        "[\"n1\", \"leaf\", 2.5]",
        "[\"n9\", \"leaf\"]",
        Some(5),
        "named n9",
    ),
    ("2.5", "0.0", Some(5), "not positive"),
    ("2.5", "1.0, 0", Some(5), "one cable at least"),
    ("slots", "seats", Some(2), "unknown field"),
    (
        "leaf = [0, 1, 3]",
        "leaf = [0, 1, 4]",
        Some(9),
        "entry 2 is no link",
    ),
    (
        "leaf = [0, 1, 3]",
        "leaf = [0, 1]",
        Some(9),
        "one number a host",
    ),
    (
        "leaf = [0, 1, 3]",
        "twig = [0, 1, 3]",
        Some(9),
        "no switch of this name",
    ),
    (
        "leaf = [0, 1, 3]",
        "leaf = [0, 3, 3]",
        Some(9),
        "messages to host n1 loop",
    ),
    (
        "leaf = [0, 1, 3]",
        "leaf = [0, 1, -1]",
        Some(9),
        "no route to host n-2",
    ),
    ("leaf = [0, 1, 3]", "leaf = [0, 1, 0]", Some(9), "elsewhere"),
];

const TIMED_MISTAKES: [Mistake; 13] = [
    (
        "8e9",
        "0",
        Some(3),
        "[time]: bandwidth 0B/s is not positive",
    ),
    ("8e9", "-1.0", Some(3), "not positive"),
    ("8e9", "\"8\"", Some(3), "needs a unit"),
    (", \"4 GB/s\"", ", 4e9, 5e9", Some(1), "4 bandwidths"),
    ("[\"10GB/s\", 8e9, \"4 GB/s\"]", "[]", Some(3), "as many"),
    ("\"500ns\"", "[1e-6, 2e-6]", Some(3), "as many latencies"),
    ("\"500ns\"", "\"-5ns\"", Some(4), "negative"),
    ("3e-7", "\"3\"", Some(5), "no unit such as us"),
    ("40GB/s", "0GB/s", Some(6), "not positive"),
    (
        "4096",
        "0",
        Some(11),
        "[time] sizes: 0 bytes after 0: sizes must rise",
    ),
    ("0.9", "0.0", Some(11), "bandwidth 0 is not positive"),
    ("0.9", "0.9, share = 1", Some(11), "unknown field"),
    ("1,3\"", "1,3@1GB/s\"", Some(1), "one of them is enough"),
];

const WIRED_MISTAKES: [Mistake; 5] = [
    (
        "bandwidth = \"12.5GB/s\"",
        "",
        Some(7),
        "latency needs bandwidth",
    ),
    (
        "bandwidth = \"12.5GB/s\"\nlatency = 6e-7",
        "",
        Some(4),
        "some a relative one",
    ),
    (
        "bandwidth = \"12.5GB/s\"\nlatency",
        "overhead",
        Some(4),
        "some a relative one",
    ),
    (
        "25GB/s",
        "0GB/s",
        Some(4),
        "bandwidth 0GB/s is not positive",
    ),
    (
        "\"25GB/s+200ns\"",
        "\"2+200ns\"",
        Some(4),
        "needs a bandwidth with a unit",
    ),
];

#[test]
fn overhead_and_memory_need_links_in_bytes_per_second() {
    for time in ["overhead = 1e-6", "memory = 1e9"] {
        let text = format!("network = \"torus:4\"\n[time]\n{time}\n");
        let (line, problem) = Description::parse(&text).unwrap_err();
        assert_eq!(line, Some(3));
        assert!(problem.contains("in bytes per second"), "{problem}");
    }
    let sizes = "network = \"torus:4\"\n[time]\nsizes = [{ bytes = 0, bandwidth = 0.5 }]\n";
    assert!(Description::parse(sizes).is_ok());
}

const RING_MISTAKES: [Mistake; 11] = [
    (
        "torus:4",
        "torus:5",
        Some(1),
        "4 hosts for a network of 5 nodes",
    ),
    ("torus:4", "torus:4x0", Some(1), "size 0"),
    ("torus:4", "ring:4", Some(1), "\"ring:4\" is no spec"),
    ("torus:4", "file:x.json", Some(1), "is no spec"),
    (
        "\"c\"]",
        "\"c\"]\nlinks = []",
        Some(1),
        "in place of switches",
    ),
    (
        "network = \"torus:4\"",
        "",
        None,
        "neither links nor network",
    ),
    ("\"b\"", "\"a\"", Some(2), "two hosts or switches named a"),
    ("[\"c\"]", "[\"d\"]", Some(7), "no host named d"),
    (
        "first = 0, cores = 1",
        "first = 1, cores = 1",
        Some(6),
        "mlx5_0 is near to cores 1 to 1, and the node has cores 0 to 0",
    ),
    (
        "hosts = [\"c\"]",
        "",
        Some(6),
        "two [[inside]] without hosts",
    ),
    ("[2, 2]", "[2, 3]", Some(3), "must share out the 4 cores"),
];

#[test]
fn rules_of_routes_are_keys_of_the_file() {
    let spec = |text: &str| {
        let description = Description::parse(text).unwrap();
        let written = description.to_string();
        let again = Description::parse(&written).unwrap();
        assert_eq!(again.to_string(), written);
        let topology = again.build("site.toml").unwrap().topology;
        (topology.spec(), topology.routing().to_string())
    };
    let torus = |keys: &str| spec(&format!("network = \"torus:4x4@1GB/s\"\n{keys}"));
    for (keys, suffix) in [
        ("", ""),
        (
            "ties = \"source\"\norder = [1, 0]",
            "/ties=source,order=1,0",
        ),
        ("ties = \"any\"", ""),
    ] {
        let message = format!("torus:4x4@1GB/s{suffix}");
        assert_eq!(torus(keys), (message, "dor".into()));
    }
    let message = "torus:4x4@1GB/s/routes=spread";
    assert_eq!(
        torus("routes = \"spread\""),
        (message.into(), "spread".into())
    );
    let with_time = "network = \"torus:4x4/ties=-\"\n[time]\nbandwidth = \"1GB/s\"";
    assert_eq!(spec(with_time).0, "torus:4x4@1GB/s/ties=-");
    let links = "hosts = [\"a\", \"b\"]\nswitches = [\"s\"]\nroutes = \"spread\"\n\
                 links = [[\"a\", \"s\"], [\"b\", \"s\"]]\n";
    assert_eq!(spec(links), ("site.toml".into(), "spread".into()));
}

#[test]
fn wrong_rules_of_routes_name_line_and_key() {
    let links = "hosts = [\"a\", \"b\"]\nlinks = [[\"a\", \"b\"]]\n";
    for (text, line, problem) in [
        (
            "network = \"torus:4\"\nties = \"up\"".into(),
            2,
            "ties=up: allowed are +, -, source, split, any",
        ),
        (
            "network = \"torus:4x4\"\n\norder = [0, 0]".into(),
            3,
            "order=0,0 must name each",
        ),
        (
            "network = \"tree:4x4\"\nties = \"+\"".into(),
            2,
            "ties: only a torus has half-way ties",
        ),
        (
            "network = \"torus:4/ties=+\"\nties = \"-\"".into(),
            2,
            "ties is given, and rules at the end of network",
        ),
        (
            format!("ties = \"+\"\n{links}"),
            1,
            "ties: only a torus has half-way ties",
        ),
        (
            format!("routes = \"spread\"\n{links}[tables]\n"),
            1,
            "routes: [tables] give each pair of hosts one path",
        ),
    ] {
        let (at, message) = Description::parse(&text).unwrap_err();
        assert_eq!(at, Some(line), "{message}");
        assert!(message.contains(problem), "{message}");
    }
}
