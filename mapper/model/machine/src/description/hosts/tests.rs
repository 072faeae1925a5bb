//! Host lists.

use super::*;
use crate::{Machine, parse};
use rankfold_base::NodeId;

fn ring(hosts: Result<HostList, MachineError>) -> Result<Machine, MachineError> {
    Machine::new(parse("torus:3").unwrap(), 4, Some(hosts?))
}

fn capacities(machine: &Machine) -> Vec<u32> {
    (0..3)
        .map(|n| machine.slots().capacity(NodeId(n)))
        .collect()
}

#[test]
fn a_list_names_nodes_in_order() {
    let machine = ring(HostList::from_list("n3,-,n1")).unwrap();
    assert_eq!(machine.hosts().unwrap(), ["n3", "-", "n1"]);
    assert_eq!(capacities(&machine), [4, 0, 4]);
}

#[test]
fn a_file_may_say_how_many_ranks_a_host_takes() {
    let text = "# rack 1\nn0 slots=2\n\nn1   # spare\n-\n";
    let machine = ring(HostList::from_text(text, "hosts")).unwrap();
    assert_eq!(machine.hosts().unwrap(), ["n0", "n1", "-"]);
    assert_eq!(capacities(&machine), [2, 4, 0]);
}

#[test]
fn a_file_is_preferred_to_a_list_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts");
    std::fs::write(&path, "a\nb\nc\n").unwrap();
    let machine = ring(HostList::parse(path.to_str().unwrap())).unwrap();
    assert_eq!(machine.hosts().unwrap(), ["a", "b", "c"]);
}

#[test]
fn mistakes_name_file_and_line() {
    for (text, expected) in [
        ("a\nb\n", "--hosts f: 2 hosts for a machine of 3 nodes"),
        ("a\n[b\nc\n", "--hosts f:2: a [ is never closed"),
        ("", "--hosts f: the list names no host"),
        (
            "a slots=x\nb\nc\n",
            "--hosts f:1: \"slots=x\" is not slots=K",
        ),
        ("a\nb colour=2\nc\n", "--hosts f:2: unexpected \"colour=2\""),
        ("a\nb\n- slots=2\n", "--hosts f:3: - is a node"),
        ("a\nb slots=2 c\n", "--hosts f:2: unexpected \"c\""),
    ] {
        let error = ring(HostList::from_text(text, "f"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
    for (list, expected) in [
        ("a,b]", "\"b]\" is no host name"),
        ("a.txt/", "(there is no file of this name)"),
        ("a,,b", "a host name is missing"),
        (
            "hosts.txt",
            "1 host for a machine of 3 nodes: there is no file",
        ),
    ] {
        let error = ring(HostList::parse(list)).unwrap_err().to_string();
        assert!(error.contains(expected), "{list:?}: {error}");
    }
}

#[test]
fn a_file_that_names_hosts_the_machine_lacks_is_told_by_line() {
    let mut hardware = crate::Hardware::from(parse("torus:2").unwrap());
    hardware.names = Some(vec!["a".into(), "b".into()]);
    let hosts = HostList::from_text("b\n\nc\n", "f").unwrap();
    let error = Machine::new(hardware, 4, Some(hosts))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "--hosts f:3: the machine has no host c");
}

#[test]
fn slots_beyond_32_bits_are_refused() {
    let error = Machine::new(parse("torus:3").unwrap(), u32::MAX, None).unwrap_err();
    assert!(matches!(error, MachineError::TooManySlots { .. }));
}

/// Names and slots of a list.
fn read(text: &str) -> Vec<(String, Option<u32>)> {
    let list = HostList::from_text(text, "f").unwrap();
    let hosts = list.hosts().iter();
    hosts.map(|host| (host.name.clone(), host.slots)).collect()
}

#[track_caller]
fn assert_reads(text: &str, expected: &[(&str, Option<u32>)]) {
    let expected = expected
        .iter()
        .map(|(name, slots)| ((*name).to_owned(), *slots));
    assert_eq!(read(text), expected.collect::<Vec<_>>(), "{text:?}");
}

#[test]
fn brackets_of_slurm_are_expanded_wherever_a_name_may_be() {
    assert_eq!(read("r[1-2]c[0-1]n[1,3]\n").len(), 8);
    assert_reads("c[1,2]", &[("c1", None), ("c2", None)]);
    assert_reads(
        "c[08-09]:4,d",
        &[("c08", Some(4)), ("c09", Some(4)), ("d", None)],
    );
    assert_reads("c[0-8/4]", &[("c0", None), ("c4", None), ("c8", None)]);
    assert_reads("c[1-2] slots=3\n", &[("c1", Some(3)), ("c2", Some(3))]);
}

#[test]
fn numbers_of_slots_are_read_as_every_launcher_writes_them() {
    for text in [
        "a:2\nb:6\nc\n",
        "a:2:mlx5_0\nuser@b:6\nc:*\n",
        "a slots=2 max_slots=4\nb slots = 6 port=22\nc\n",
        "a*2\nb*6\nc\n",
        "a:ppn=2+b:ppn=6+c",
        "(a:ncpus=8:mpiprocs=2)+(b:ncpus=6:mem=4gb)+(c)",
        "a:2 binding=user:0,4,5\nb:6 ifname=ib0\nc\n",
        "\u{feff}a:2\r\nb:6\r\nc\r\n",
    ] {
        assert_reads(text, &[("a", Some(2)), ("b", Some(6)), ("c", None)]);
    }
}

#[test]
fn hosts_of_lsf_without_a_number_have_one_slot() {
    for text in ["3*a b 2*c", "3*a:b:2*c", "3*a\nb\n2*c\n", "b\n3*a:2*c\n"] {
        let mut hosts = read(text);
        hosts.sort();
        let expected = [("a", Some(3)), ("b", Some(1)), ("c", Some(2))];
        let expected = expected.map(|(name, slots)| (name.to_owned(), slots));
        assert_eq!(hosts, expected, "{text:?}");
    }
    assert_reads(
        "2*a[1-2] b",
        &[("a1", Some(2)), ("a2", Some(2)), ("b", Some(1))],
    );
}

#[test]
fn lists_of_batch_systems_name_a_host_once_for_every_slot_or_with_its_slots() {
    for text in [
        "a\na\nb\n",
        "a a b",
        "a,b,a",
        "a 2 b 1",
        "a 2 all.q@a.site UNDEFINED\nb 1 all.q@b.site <NULL>\n",
        "a 0,1\na 2,3\nb 0-1\n",
        "a 0\na 1\nb 0\n",
        "a 0,1 0 1\na 4,5 1 1\nb 0,1\n",
        "a/0*2+b/0",
        "a/0-1+b/3",
        "a/0+a/1+b/0",
        "a/0,5+b/3",
        "(a[0]:ncpus=1:mem=4gb)+(a[1]:ncpus=1)+(b[0]:ncpus=1)",
    ] {
        assert_reads(text, &[("a", Some(2)), ("b", Some(1))]);
    }
}

#[test]
fn a_host_with_no_slots_is_a_node_without_room() {
    let machine = ring(HostList::from_text("a slots=0\nb\nc max_slots=4\n", "f")).unwrap();
    assert_eq!(capacities(&machine), [0, 4, 4]);
}

#[test]
fn addresses_are_names() {
    assert_reads(
        "fe80::1,10.0.0.2:4",
        &[("fe80::1", None), ("10.0.0.2", Some(4))],
    );
    assert_reads("[fe80::1]:3", &[("fe80::1", Some(3))]);
}

#[test]
fn names_that_no_launcher_takes_are_refused() {
    for text in ["a=b", "a;b", "n$1", "a/x", "a:b", "+n0", "\"a\"", "a*b"] {
        let error = HostList::from_text(text, "f").unwrap_err().to_string();
        assert!(error.starts_with("--hosts f:1: "), "{text}: {error}");
    }
}

/// A machine with hosts of these names.
fn named(names: &[&str], list: &str) -> Result<Machine, MachineError> {
    let network = format!("torus:{}", names.len());
    let mut hardware = crate::Hardware::from(parse(&network).unwrap());
    hardware.names = Some(names.iter().map(ToString::to_string).collect());
    Machine::new(hardware, 1, Some(HostList::from_list(list)?))
}

#[test]
fn short_and_full_names_match_where_one_host_is_meant_and_it_is_told() {
    let machine = named(&["N1.site", "n2.site", "n3"], "n1,n3.other").unwrap();
    assert_eq!(machine.hosts().unwrap(), ["n1", "-", "n3.other"]);
    let note = &machine.notes()[0];
    assert!(
        note.contains("n1 is taken for the machine's N1.site (2 hosts"),
        "{note}"
    );
    assert!(named(&["n1", "n2"], "n2,n1").unwrap().notes().is_empty());
    for (list, problem) in [
        ("n1", "n1 may be any of n1.a, n1.b"),
        ("n2,N2.c", "n2 and N2.c are one host"),
        ("n9", "the machine has no host n9"),
    ] {
        let error = named(&["n1.a", "n1.b", "n2.c"], list)
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn block_order_follows_the_list_and_not_the_machine() {
    let mut hardware = crate::Hardware::from(parse("torus:3").unwrap());
    hardware.names = Some(["a", "b", "c"].map(String::from).to_vec());
    let list = HostList::from_list("c,a").unwrap();
    let machine = Machine::new(hardware, 2, Some(list)).unwrap();
    assert_eq!(machine.launch_order(), [NodeId(2), NodeId(0)]);
    let nodes = machine.block_order(3).nodes(machine.slots());
    assert_eq!(nodes, [NodeId(2), NodeId(2), NodeId(0)]);
}
