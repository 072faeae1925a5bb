mod given;
mod hosts;

use super::*;
use rankfold_base::NodeId;
use rankfold_machine::{Description, Paths};
use rankfold_wire::HostLevel;
use std::fs;

fn nodes(hosts: Option<&str>) -> NodeArgs {
    NodeArgs {
        hosts: hosts.map(str::to_owned),
        ..NodeArgs::default()
    }
}

fn seen(host: &str, address: &str) -> Surroundings {
    Surroundings {
        host: host.into(),
        address: address.into(),
        cores: "0-3".into(),
        levels: vec![HostLevel {
            name: "package".into(),
            cores: vec![2, 2],
        }],
        ..Surroundings::default()
    }
}

struct Question {
    hosts: Vec<String>,
    machine: Option<String>,
    nodes: NodeArgs,
    rule: Option<Rule>,
    seen: Vec<Surroundings>,
    settings: SiteSettings,
    cluster: &'static str,
    cache: Cache,
    _directory: tempfile::TempDir,
}

impl Question {
    fn of(hosts: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            hosts: hosts.iter().map(ToString::to_string).collect(),
            machine: None,
            nodes: nodes(None),
            rule: None,
            seen: Vec::new(),
            settings: SiteSettings::default(),
            cluster: "test#",
            cache: Cache::at(directory.path(), 1 << 20).unwrap(),
            _directory: directory,
        }
    }

    fn ask(&self) -> anyhow::Result<Discovery> {
        discover(&DiscoveryQuery {
            hosts: &self.hosts,
            machine: self.machine.as_deref(),
            nodes: &self.nodes,
            rule: self.rule.as_ref(),
            seen: &self.seen,
            settings: &self.settings,
            cluster: self.cluster,
            cache: Some(&self.cache),
        })
    }
}

#[test]
fn without_any_source_hosts_are_equally_far_and_that_is_said() {
    let found = Question::of(&["a", "b", "c"]).ask().unwrap().found;
    let line = found.line();
    assert!(
        line.contains("no source knows the network") && line.contains("3 hosts"),
        "{line}"
    );
    assert_eq!(found.hardware.topology.hops(NodeId(0), NodeId(2)), 2);
    let alone = Question::of(&["a"]).ask().unwrap().found;
    assert_eq!(alone.hardware.topology.nodes(), 1);
}

#[test]
fn addresses_of_slurms_tasks_make_a_tree_that_is_kept_for_later() {
    let mut question = Question::of(&["n0", "n1.site", "n2"]);
    let addresses = ["s.l0.n0", "s.l0.n1", "s.l1.n2"];
    let hosts = question.hosts.iter().zip(addresses);
    question.seen = hosts.map(|(host, address)| seen(host, address)).collect();
    let found = question.ask().unwrap().found;
    assert!(
        found
            .line()
            .contains("SLURM_TOPOLOGY_ADDR of the ranks, just now"),
        "{}",
        found.line()
    );
    let hops = |a, b| found.hardware.topology.hops(NodeId(a), NodeId(b));
    assert_eq!((hops(0, 1), hops(0, 2)), (2, 4));
    question.seen.clear();
    let again = question.ask().unwrap().found;
    assert!(
        again.source.starts_with("the cached machine file of test#"),
        "{}",
        again.source
    );
    // Another host is none of those the file knows.
    question.hosts.push("n9".into());
    assert!(
        question
            .ask()
            .unwrap()
            .found
            .source
            .contains("list of hosts alone")
    );
}

#[test]
fn the_domain_of_a_host_in_slurms_address_is_no_switch() {
    for (hosts, sites) in [
        (["n1", "n2", "n3"], ["n1.a.org", "n2.a.org", "n3.b.org"]),
        (
            ["n1.a.org", "n2.a.org", "n3.b.org"],
            ["n1.a.org", "n2.a.org", "n3.b.org"],
        ),
        (
            ["10.0.0.1", "10.0.0.2", "10.0.1.3"],
            ["10.0.0.1", "10.0.0.2", "10.0.1.3"],
        ),
    ] {
        let mut question = Question::of(&hosts);
        let all = hosts.iter().zip(sites);
        question.seen = all.map(|(host, address)| seen(host, address)).collect();
        let discovered = question.ask().unwrap();
        let source = discovered.found.source;
        assert!(source.contains("list of hosts alone"), "{source}");
        let notes = discovered.notes.join("\n");
        assert!(!notes.contains("SLURM_TOPOLOGY_ADDR"), "{notes}");
    }
    let mut question = Question::of(&["n1", "n2", "n3"]);
    question.seen = ["s.l0.N1.a.org", "s.l0.n2.a.org", "s.l1.n3.a.org"]
        .iter()
        .zip(["n1", "n2", "n3"])
        .map(|(address, host)| seen(host, address))
        .collect();
    let found = question.ask().unwrap().found;
    let hops = |a, b| found.hardware.topology.hops(NodeId(a), NodeId(b));
    assert_eq!((hops(0, 1), hops(0, 2)), (2, 4), "{}", found.source);
}

#[test]
fn routes_of_a_published_machine_adapt_wherever_its_tree_is_from() {
    let mut question = Question::of(&["nid1", "nid2", "nid3"]);
    let addresses = ["top.l0.nid1", "top.l0.nid2", "top.l1.nid3"];
    let hosts = question.hosts.iter().zip(addresses);
    question.seen = hosts.map(|(host, address)| seen(host, address)).collect();
    for (cluster, adapt) in [("test#", false), ("archer2", true), ("summit", false)] {
        question.cluster = cluster;
        let found = question.ask().unwrap().found;
        let paths = found.hardware.topology.rules().paths;
        assert_eq!(paths == Some(Paths::Spread), adapt, "{cluster}: {paths:?}");
    }
}

#[test]
fn positions_that_ranks_of_a_cray_have_read_are_told_as_such() {
    let mut question = Question::of(&["nid1", "nid2", "nid3"]);
    let addresses = [
        "x1000.x1000c0.nid1",
        "x1000.x1000c0.nid2",
        "x1000.x1000c1.nid3",
    ];
    let hosts = question.hosts.iter().zip(addresses);
    question.seen = hosts.map(|(host, address)| seen(host, address)).collect();
    let found = question.ask().unwrap().found;
    assert!(
        found.source.starts_with("/etc/cray/xname of the ranks"),
        "{}",
        found.source
    );
    let hops = |a, b| found.hardware.topology.hops(NodeId(a), NodeId(b));
    assert_eq!((hops(0, 1), hops(0, 2)), (2, 4));
}

#[test]
fn hosts_are_found_by_the_addresses_that_a_machine_file_has_of_them() {
    let mut question = Question::of(&["10.0.0.1", "n1"]);
    let file = question._directory.path().join("site.toml");
    let text =
        "network = \"torus:2\"\nhosts = [\"n0\", \"n1\"]\n[aliases]\n\"10.0.0.1\" = \"n0\"\n";
    fs::write(&file, text).unwrap();
    question.settings.topology.0 = vec![file];
    let found = question.ask().unwrap().found;
    assert_eq!(found.hardware.names.unwrap(), ["10.0.0.1", "n1"]);
}

#[test]
fn a_configured_rule_counts_for_hosts_of_such_names_only() {
    let mut question = Question::of(&["r0n0", "r0n1", "r1n0"]);
    question.settings.rule = Some(r"r(\d)n\d".parse().unwrap());
    let found = question.ask().unwrap().found;
    assert!(
        found.source.contains("by the configured rule"),
        "{}",
        found.source
    );
    question.hosts.push("login".into());
    assert!(
        question
            .ask()
            .unwrap()
            .found
            .source
            .contains("list of hosts alone")
    );
}

#[test]
fn an_address_without_a_switch_tells_nothing() {
    let mut question = Question::of(&["n0", "n1"]);
    // The last two are positions in a ring and in a torus, whose sizes they do not tell.
    for [one, other] in [
        ["n0", "n1"],
        ["ring:0.n0", "ring:5.n1"],
        ["pod:0:0:0.n0", "pod:1:0:1.n1"],
    ] {
        question.seen = vec![seen("n0", one), seen("n1", other)];
        let source = question.ask().unwrap().found.source;
        assert!(source.contains("list of hosts alone"), "{source}");
    }
}

#[test]
fn names_of_a_cray_are_known_and_others_need_a_rule() {
    let hosts = [
        "x1000c0s0b0n0",
        "x1000c0s0b0n1",
        "x1000c1s0b0n0",
        "x1001c0s0b0n0",
    ];
    let found = Question::of(&hosts).ask().unwrap().found;
    assert!(found.source.contains("cray-ex"), "{}", found.source);
    let mut question = Question::of(&["r0n0", "r0n1", "r1n0"]);
    question.rule = Some(r"r(\d)n\d".parse().unwrap());
    let found = question.ask().unwrap().found;
    assert!(found.source.contains("--rule"), "{}", found.source);
    assert_eq!(found.hardware.topology.hops(NodeId(0), NodeId(1)), 2);
    question.hosts.push("login".into());
    let error = question.ask().map(|found| found.found.source).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("host login is not named by the rule"),
        "{error}"
    );
}

#[test]
fn sources_that_contradict_each_other_are_told_and_the_first_counts() {
    let hosts = [
        "x1000c0s0b0n0",
        "x1000c0s0b0n1",
        "x1001c0s0b0n0",
        "x1001c0s0b0n1",
    ];
    let mut question = Question::of(&hosts);
    // The switches are said to join the hosts of different cabinets.
    let leaves = ["s.l0", "s.l1", "s.l0", "s.l1"];
    let all = hosts.iter().zip(leaves);
    question.seen = all
        .map(|(host, leaf)| seen(host, &format!("{leaf}.{host}")))
        .collect();
    let discovered = question.ask().unwrap();
    assert!(discovered.found.source.contains("SLURM_TOPOLOGY_ADDR"));
    let notes = discovered.notes.join("\n");
    assert!(
        notes.contains("contradict each other")
            && notes.contains("SLURM_TOPOLOGY_ADDR of the ranks counts"),
        "{notes}"
    );
    question.seen = hosts
        .map(|host| seen(host, &format!("s.{}.{host}", &host[..5])))
        .into();
    let question = Question {
        seen: question.seen,
        ..Question::of(&hosts)
    };
    assert_eq!(
        question.ask().unwrap().notes,
        Vec::<String>::new(),
        "they agree"
    );
}

/// A machine file of a ring, or of hosts alone.
fn ring(network: &str) -> String {
    format!("network = \"{network}\"\nhosts = [\"n0\", \"n1\", \"n2\", \"n3\"]\n")
}

impl Question {
    fn probed(&self, text: &str) {
        let kept = self
            .cache
            .keep_machine("test#", MachineOrigin::Probed, "q 0.97", text);
        kept.unwrap();
    }

    fn source(&self) -> String {
        self.ask().unwrap().found.source
    }
}

#[test]
fn a_probe_comes_before_what_is_found_unless_it_tells_no_host_from_another() {
    let hosts = ["n0", "n1", "n2", "n3"];
    let mut question = Question::of(&hosts);
    question.probed(&Description::flat(&question.hosts).to_string());
    assert!(question.source().contains("a probe has measured"));
    question.seen = ["a.n0", "a.n1", "b.n2", "b.n3"]
        .iter()
        .zip(hosts)
        .map(|(address, host)| seen(host, address))
        .collect();
    assert!(question.source().contains("SLURM_TOPOLOGY_ADDR"));
    question.probed(&ring("torus:4"));
    let source = question.source();
    assert!(
        source.contains("a probe has measured") && source.contains("q 0.97"),
        "{source}"
    );
}

#[test]
fn what_is_told_now_comes_before_what_was_told_to_an_earlier_run() {
    let mut question = Question::of(&["n0", "n1", "n2", "n3"]);
    let hosts = question.hosts.clone();
    let addresses = |leaves: [&str; 4]| -> Vec<Surroundings> {
        let hosts = hosts.iter().zip(leaves);
        hosts
            .map(|(host, leaf)| seen(host, &format!("s.{leaf}.{host}")))
            .collect()
    };
    question.seen = addresses(["a", "a", "b", "b"]);
    let first = question.ask().unwrap().digest;
    question.seen = addresses(["a", "b", "a", "b"]);
    let second = question.ask().unwrap();
    assert!(
        second.found.source.contains("of the ranks"),
        "{}",
        second.found.source
    );
    assert_ne!(first, second.digest);
    assert_eq!(
        second.notes,
        Vec::<String>::new(),
        "what was told before does not count"
    );
    question.seen.clear();
    assert_eq!(
        question.ask().unwrap().digest,
        second.digest,
        "the latest answer"
    );
}

#[test]
fn hosts_alone_have_no_digest() {
    assert_eq!(Question::of(&["a", "b"]).ask().unwrap().digest, "");
}
