//! Importers on the command line: they read files and write a machine file, which `--machine`
//! accepts.

#[allow(unreachable_pub, reason = "the library of the fuzz targets")]
#[path = "../../tests/fuzz/machines.rs"]
mod bodies;
mod damage;

use damage::{damage, damaged};
use proptest::prelude::*;
use rankfold_base::{ChannelId, NodeId};
use rankfold_importers::{Importer, Source};
use rankfold_machine::{self as machine, FAMILIES, HostList, Machine, MachineError};
use rankfold_mapper::members::IMPORTERS;
use std::fmt::Display;
use std::path::Path;
use std::process::Command;

const NETWORK: &str =
    include_str!("../model/importers/tests/fixtures/infiniband/fat-tree-ftree/ibnetdiscover.txt");
const TABLES: &str =
    include_str!("../model/importers/tests/fixtures/infiniband/fat-tree-ftree/opensm-lfts.dump");
const NODE: &str = include_str!("../model/importers/tests/fixtures/hwloc/two-packages.xml");
const SLURM: &str = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tn[0-3]\n\
    SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tn[4-5],x[08-11]\n\
    SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tn[0-5],x[08-11] Switches=s[0-1]\n";
const YAML: &str = "- topology: t\n  tree:\n    switches:\n      - switch: top\n        children: s[0-1]\n\
    \u{20}     - switch: s0\n        nodes: n[0-3]\n      - switch: s1\n        nodes: n[4-7]\n";
/// Samples of what clouds tell, each with the name of its importer.
const CLOUDS: &[(&str, &str)] = &[
    (
        "gcp",
        include_str!("../model/importers/tests/fixtures/clouds/gcp.csv"),
    ),
    (
        "gcp",
        include_str!("../model/importers/tests/fixtures/clouds/gcp.json"),
    ),
    (
        "aws",
        include_str!("../model/importers/tests/fixtures/clouds/aws-topology.json"),
    ),
    (
        "oci",
        include_str!("../model/importers/tests/fixtures/clouds/oci.txt"),
    ),
    (
        "oci",
        include_str!("../model/importers/tests/fixtures/clouds/oci-rdma.txt"),
    ),
    (
        "azure",
        include_str!("../model/importers/tests/fixtures/clouds/azure-cliques.txt"),
    ),
    (
        "kubernetes",
        include_str!("../model/importers/tests/fixtures/clouds/kubernetes-nodes.json"),
    ),
    (
        "xname",
        include_str!("../model/importers/tests/fixtures/clouds/cray-hosts"),
    ),
];
const ADDRESSES: &str = "spine.leaf0.tn0\nspine.leaf0.tn1\nspine.leaf1.tn4\n";

fn importer(name: &str) -> &'static Importer {
    let found = IMPORTERS.iter().find(|i| i.name == name);
    found.unwrap_or_else(|| panic!("there is an importer of {name}"))
}

fn source(file: &str, text: &str) -> Source {
    Source {
        file: file.into(),
        text: text.into(),
    }
}

/// Writes a machine file and builds the machine it describes.
fn build(description: &impl Display, hosts: Option<&str>) -> Result<Machine, MachineError> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("machine.toml");
    std::fs::write(&path, description.to_string()).unwrap();
    let hardware = IMPORTERS.load(path.to_str().unwrap())?;
    let hosts = hosts.map(|list| HostList::from_list(list).unwrap());
    Machine::new(hardware, 4, hosts)
}

fn fat_tree(hosts: Option<&str>) -> Result<Machine, MachineError> {
    let sources = [source("net", NETWORK), source("lft", TABLES)];
    build(&(importer("infiniband").read)(&sources).unwrap(), hosts)
}

#[test]
fn a_machine_file_routes_by_the_imported_tables() {
    let machine = fat_tree(None).unwrap();
    let fabric = machine.topology();
    assert_eq!((fabric.nodes(), fabric.channels()), (32, 2 * 48));
    assert_eq!(machine.hosts().unwrap()[31], "n0031");
    // The load of each cable is that of a fat tree with half the bandwidth above the leaves.
    let mut loads = vec![0; fabric.channels()];
    for from in 0..32 {
        for to in 0..32 {
            let mut length = 0;
            fabric.route(NodeId(from), NodeId(to), &mut |channel: ChannelId| {
                loads[channel.index()] += 1;
                length += 1;
            });
            assert_eq!(length, fabric.hops(NodeId(from), NodeId(to)));
        }
    }
    loads.sort_unstable();
    let (hosts, trunks) = (loads.iter().filter(|&&l| l == 31), [8 * 24 / 4; 32]);
    assert_eq!(hosts.count(), 64);
    assert_eq!(loads[64..], trunks);
}

#[test]
fn a_job_names_the_hosts_it_has_in_any_order() {
    let machine = fat_tree(Some("n0030,n0001")).unwrap();
    let capacities: Vec<u32> = (0..32)
        .map(|n| machine.slots().capacity(NodeId(n)))
        .collect();
    assert_eq!((capacities[1], capacities[30]), (4, 4));
    assert_eq!(capacities.iter().sum::<u32>(), 8);
    assert_eq!(machine.hosts().unwrap()[..2], ["-", "n0001"]);
    let error = fat_tree(Some("n0030,elsewhere")).unwrap_err().to_string();
    assert!(
        error.contains("the machine has no host elsewhere"),
        "{error}"
    );
}

#[test]
fn both_files_of_slurm_describe_the_same_tree() {
    let read = |kind, text| {
        (importer(kind).read)(&[source("t", text)])
            .unwrap()
            .to_string()
    };
    let conf =
        "SwitchName=top Switches=s[0-1]\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n";
    assert_eq!(read("slurm-yaml", YAML), read("slurm", conf));
}

#[test]
fn a_network_and_the_xml_of_its_hosts_make_one_machine_file() {
    let sources = vec![source("conf", SLURM), source("node", NODE)];
    let description = importer("slurm").import(sources).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("machine.toml");
    std::fs::write(&path, description.to_string()).unwrap();
    let site = IMPORTERS.load(path.to_str().unwrap()).unwrap();
    let machine = Machine::new(site, None, None).unwrap();
    assert_eq!(machine.slots().len(), 10 * 8);
    assert_eq!(machine.inside(NodeId(9)).unwrap().levels().len(), 2);
}

#[test]
fn a_missing_or_broken_machine_file_is_named() {
    let error = machine::parse("no/machine.toml").unwrap_err().to_string();
    assert!(error.contains("no/machine.toml: cannot read it"), "{error}");
    let broken = "hosts = [\"a\", \"b\"]\nlinks = [\n[\"a\", \"c\"]]\n";
    let error = build(&broken, None).unwrap_err().to_string();
    assert!(
        error.ends_with("machine.toml:3: there is no host or switch named c"),
        "{error}"
    );
}

#[test]
fn the_command_writes_a_whole_file_or_none() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| scratch.path().join(name);
    std::fs::write(file("conf"), SLURM).unwrap();
    std::fs::write(file("broken"), "SwitchName=s0 Node=n0\n").unwrap();
    let import = |kind: &str, from: &str, to: &str| {
        Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
            .args(["machine", "import", kind])
            .arg(file(from))
            .arg("-o")
            .arg(file(to))
            .output()
            .unwrap()
    };
    assert!(import("slurm", "conf", "good.toml").status.success());
    let topology = machine::parse(file("good.toml").to_str().unwrap()).unwrap();
    assert_eq!((topology.nodes(), topology.diameter()), (10, 4));

    for (kind, from, problem) in [
        ("slurm", "broken", "broken:1: switch s0 has neither"),
        ("slurm", "absent", "absent: cannot read it"),
        ("scrum", "conf", "invalid value 'scrum' for '<KIND>'"),
    ] {
        let refused = import(kind, from, "bad.toml");
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(message.contains(problem), "{message}");
        assert!(!file("bad.toml").exists());
    }
}

/// Valid inputs, by the importer that reads them.
const PLATFORM: &str = include_str!("../model/simgrid/tests/fixtures/zones.xml");
const TARGETS: &str = "torus3D 4 2 3\n";
const FILE: &str = "slots = 2\nhosts = [\"a\", \"b\"]\nswitches = [\"s\"]\n\
    links = [[\"a\", \"s\"], [\"b\", \"s\", 2.0]]\n[tables]\ns = [0, 1]\n\
    [[inside]]\ncores = 4\nlevels = [{ name = \"l3\", cores = [2, 2] }]\n";
const NETWORK_FILE: &str = "network = \"torus:2x2\"\nhosts = [\"a\", \"-\", \"b\", \"-\"]\n";
const PATHS_FILE: &str = "hosts = [\"a\", \"b\"]\n\
    channels = [{ name = \"bus\", speed = \"1GB/s+1us\" }, { name = \"far\", latency = \"2ms\" }]\n\
    [paths]\na = [[], [0, 1]]\nb = [[1, 0], []]\n";
const GRAPH: &str = "{\"hosts\": 3, \"vertices\": 4, \"capacity\": [1, 1, 2], \"rdiv\": [1, 1, 1, 2],\n\
    \"links\": [[0, 3], [1, 3, 2.5], [2, 3, 1.0, 2]]}";
const HOSTS: &str = "# rack 1\na slots=2\n-\nb\n";

proptest! {
    #[test]
    fn damaged_networks_are_refused_or_make_a_machine(damage in damage()) {
        let tables = [source("lft", TABLES)];
        bodies::importer_beside("infiniband", &tables, &damaged(NETWORK, &damage));
    }

    #[test]
    fn damaged_tables_are_refused_or_make_a_machine(damage in damage()) {
        let network = [source("net", NETWORK)];
        bodies::importer_beside("infiniband", &network, &damaged(TABLES, &damage));
    }

    #[test]
    fn damaged_descriptions_are_refused_or_make_a_machine(damage in damage()) {
        for (kind, text) in [
            ("slurm", SLURM),
            ("slurm-yaml", YAML),
            ("slurm-addr", ADDRESSES),
            ("hwloc", NODE),
            ("scotch", TARGETS),
            ("simgrid", PLATFORM),
        ].into_iter().chain(CLOUDS.iter().copied()) {
            bodies::importer(kind, &damaged(text, &damage));
        }
        bodies::machine_file(&damaged(FILE, &damage));
        bodies::machine_file(&damaged(NETWORK_FILE, &damage));
        bodies::machine_file(&damaged(PATHS_FILE, &damage));
        bodies::graph_file(&damaged(GRAPH, &damage));
        bodies::hosts(&damaged(HOSTS, &damage));
    }

    #[test]
    fn specs_of_any_text_are_refused_or_make_a_machine(
        family in prop::sample::select(FAMILIES.iter().map(|f| f.name).collect::<Vec<_>>()),
        parameters in prop_oneof![
            "[0-9x,:@=.a-z-]{0,12}",
            "[1-9][0-9]{0,3}([x,:][1-9][0-9]{0,3}){0,4}(/distances=1(:[1-9][0-9]?){0,3})?",
        ],
    ) {
        bodies::spec(&format!("{family}:{parameters}"));
    }

    #[test]
    fn readers_survive_any_text(text in any::<String>()) {
        for importer in IMPORTERS.iter() {
            bodies::importer(importer.name, &text);
        }
        bodies::machine_file(&text);
        bodies::graph_file(&text);
        bodies::hosts(&text);
    }
}

#[test]
fn texts_that_are_right_are_accepted_by_the_bodies_of_the_fuzz_targets() {
    let accepted = |kind: &str, text: &str| importer(kind).import(vec![source("t", text)]).is_ok();
    for (kind, text) in [
        ("slurm", SLURM),
        ("slurm-yaml", YAML),
        ("slurm-addr", ADDRESSES),
        ("hwloc", NODE),
        ("scotch", TARGETS),
        ("simgrid", PLATFORM),
    ] {
        assert!(accepted(kind, text), "{kind}");
    }
    for text in [FILE, NETWORK_FILE, PATHS_FILE] {
        build(&text, None).unwrap();
    }
}

/// Four hosts, two on each of two leaf switches, whatever the cloud calls them.
#[test]
fn what_every_cloud_tells_is_recognised_and_becomes_a_machine() {
    for (kind, text) in CLOUDS {
        let file = source("told", text);
        assert_eq!(
            IMPORTERS.kind_of(&file).map(|known| known.name),
            Some(*kind),
            "{text}"
        );
        let machine = build(&importer(kind).import(vec![file]).unwrap(), None).unwrap();
        let mut hops: Vec<u32> = (1..4)
            .map(|to| machine.topology().hops(NodeId(0), NodeId(to)))
            .collect();
        hops.sort_unstable();
        assert_eq!(
            (machine.topology().nodes(), hops),
            (4, vec![2, 4, 4]),
            "{kind}"
        );
    }
}

#[test]
fn several_files_of_a_cloud_make_one_machine() {
    let files = |kind: &str, names: &[&str]| {
        let read = |name: &&str| {
            let path = format!(
                "{}/model/importers/tests/fixtures/clouds/{name}",
                env!("CARGO_MANIFEST_DIR")
            );
            Source::read(Path::new(&path)).unwrap()
        };
        importer(kind)
            .import(names.iter().map(read).collect())
            .unwrap()
    };
    let aws = files("aws", &["aws-topology.json", "aws-instances.json"]);
    let jobs = build(&aws, Some("queue1-dy-p4d-2,10.0.0.3")).unwrap();
    let names = ["-", "queue1-dy-p4d-2", "10.0.0.3", "-"];
    assert_eq!(jobs.hosts().unwrap(), names);
    let torsets = files("azure", &["azure-ports.txt", "azure-switches.txt"]);
    assert_eq!(
        torsets.hosts(),
        ["ccw-gpu-0", "ccw-gpu-2", "ccw-gpu-1", "ccw-gpu-3"]
    );
    let kubernetes = [
        "kubernetes-nodes.json",
        "kueue-topology.json",
        "kubernetes-pods.json",
    ];
    let pods = build(
        &files("kubernetes", &kubernetes),
        Some("pi-worker-7.pi.default.svc"),
    )
    .unwrap();
    assert_eq!(pods.topology().nodes(), 8);
    let hops = |a, b| pods.topology().hops(NodeId(a), NodeId(b));
    // Pods of one node, of two nodes at one leaf switch, and of two leaf switches.
    assert_eq!((hops(0, 1), hops(0, 2), hops(0, 4)), (2, 4, 6));
}

#[test]
fn no_result_replaces_a_file_that_the_command_reads() {
    const CSV: &str = "0,1,10,1\n1,0,10,1\n";
    let folder = tempfile::tempdir().unwrap();
    let files = [("g.csv", CSV), ("t.conf", SLURM), ("hosts", "tn0\ntn4\n")];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for line in [
        "map g.csv --machine t.conf -o g.csv",
        "map g.csv --machine t.conf -o map --json ./t.conf",
        "map g.csv --machine t.conf --hosts hosts -o hosts",
        "convert g.csv g.csv",
        "analyze g.csv --json g.csv",
        "report g.csv -o g.csv",
        "machine t.conf --json t.conf",
        "machine import slurm t.conf -o t.conf",
        "machine draw t.conf -o t.conf",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankfold-map"));
        command.args(line.split(' ')).current_dir(folder.path());
        let out = command.output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{line}: {out:?}");
        let words = String::from_utf8_lossy(&out.stderr);
        assert!(words.contains("is read by this command"), "{line}: {words}");
        for (name, text) in files {
            let now = std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(now, text, "{line}");
        }
    }
}
