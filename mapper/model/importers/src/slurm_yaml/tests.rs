//! Topologies of every kind are read, and mistakes name the line.

use super::*;

const TWO: &str = "---
- topology: racks
  cluster_default: false
  block:
    block_sizes: [2]
    blocks:
      - block: b0
        nodes: n[0-1]
      - block: b1
        nodes: n[2-3]
- topology: fabric
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: leaf[0-1]
      - switch: leaf0
        nodes: n[0-1]
      - switch: leaf1
        nodes: n[2-3]
";

fn import(text: &str) -> Result<Description, ImportError> {
    read(&[Source {
        file: "t".into(),
        text: text.into(),
    }])
}

#[test]
fn the_clusters_default_is_taken_or_else_the_first() {
    let fabric = import(TWO).unwrap();
    assert_eq!(fabric.switches, ["top", "leaf0", "leaf1"]);
    assert_eq!(fabric.hosts, ["n0", "n1", "n2", "n3"]);
    let racks = import(&TWO.replace("true", "false")).unwrap();
    assert_eq!(racks.switches, ["blocks", "b0", "b1"]);
    assert_eq!(racks.hosts.len(), 4);
}

#[test]
fn flow_style_and_json_are_recognised_and_read() {
    let tree = "tree: {switches: [{switch: top, children: 'leaf[0-1]'}, {switch: leaf0, nodes: 'n[0-1]'}, {switch: leaf1, nodes: 'n[2-3]'}]}";
    let json = r#"[ { "topology" : "a", "cluster_default": true,
        "tree": {"switches": [{"switch": "s", "nodes": "n[0-3]"}]}}]"#;
    for text in [
        format!("[{{topology: fabric, cluster_default: true, {tree}}}]"),
        format!("# site\n- {{topology: fabric, {tree}}}\n"),
        format!("[\n  {{cluster_default: true,\n topology: fabric, {tree}}}]"),
        json.to_owned(),
    ] {
        let source = Source {
            file: "t".into(),
            text: text.clone(),
        };
        assert!((TOPOLOGY.recognises)(&source), "{text}");
        assert_eq!(import(&text).unwrap().hosts.len(), 4, "{text}");
    }
}

const TORUS: &str = "- topology: pods
  torus3d:
    toruses:
      - name: pod1
        dims: {x: 3, y: 2, z: 1}
        regions:
          - anchor: {x: 0, y: 0, z: 0}
            dims: {x: 1, y: 2, z: 1}
            nodes: a[0-1]
          - anchor: {x: 2, y: 0, z: 0}
            dims: {x: 1, y: 1, z: 1}
            nodes: b
        placements:
          - dims: {x: 1, y: 1, z: 1}
";

#[test]
fn regions_put_their_hosts_in_their_places_of_the_torus() {
    let pod = import(TORUS).unwrap();
    assert_eq!(pod.network.unwrap(), "torus:1x2x3");
    // x varies fastest
    assert_eq!(pod.hosts, ["a0", "-", "b", "a1", "-", "-"]);
}

#[test]
fn a_ring_is_a_torus_of_one_dimension() {
    let ring = "- topology: t\n  ring:\n    rings:\n      - ring: r0\n        nodes: n[1-3,0]\n";
    let ring = import(ring).unwrap();
    assert_eq!(ring.network.unwrap(), "torus:4");
    assert_eq!(ring.hosts, ["n1", "n2", "n3", "n0"]);
}

#[test]
fn mistakes_of_tori_name_the_line() {
    for (from, to, expected) in [
        (
            "nodes: b",
            "nodes: b[0-1]",
            "t:12: 2 hosts are named for 1 places",
        ),
        ("nodes: b", "nodes: a0", "t:12: a0 is in two places"),
        (
            "{x: 2, y: 0",
            "{x: 0, y: 0",
            "t:12: b is in the place of a0",
        ),
        (
            "{x: 2, y: 0",
            "{x: 3, y: 0",
            "t:12: these places are not all",
        ),
        ("{x: 3,", "{x: 0,", "t:4: every dimension must be"),
        ("{x: 3,", "{x: 99999999999,", "t:4: the sizes multiply"),
        (
            "regions:",
            "nodes: c\n        regions:",
            "t:4: a torus has either",
        ),
        ("torus3d:", "flat: true\n  x:", "t:1: topology pods is flat"),
    ] {
        let error = import(&TORUS.replacen(from, to, 1)).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(expected), "{to}: {error}");
    }
}

#[test]
fn nodes_all_are_the_hosts_of_the_job() {
    let text = "- topology: t\n  tree:\n    switches:\n      - switch: s\n        nodes: ALL\n";
    let error = import(text).unwrap_err().to_string();
    assert!(error.starts_with("t:5: Nodes=ALL"), "{error}");
    let source = Source {
        file: "t".into(),
        text: text.into(),
    };
    let hosts = ["n3", "n1"].map(str::to_owned);
    let network = TOPOLOGY.import_part_of_job(vec![source], &hosts).unwrap();
    assert_eq!(network.hosts, hosts);
}

#[test]
fn mistakes_name_the_line() {
    for (from, to, expected) in [
        (
            "leaf[0-1]",
            "leaf[0-2]",
            "t:16: there is no switch named leaf2",
        ),
        ("leaf[0-1]", "leaf[0-", "t:16: a [ is never closed"),
        (
            "- switch: leaf1",
            "- switch: leaf0",
            "t:19: leaf0 is described twice",
        ),
        ("  tree:", "  star:", "t:11: topology fabric is neither"),
        ("---", "--- {", "t:"),
    ] {
        let error = import(&TWO.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{to}: {error}");
    }
    let twice = TWO
        .replace("true", "false")
        .replacen("block: b1", "block: b0", 1);
    let error = import(&twice).unwrap_err().to_string();
    assert_eq!(error, "t:9: b0 is described twice");
    let error = import("[]").unwrap_err().to_string();
    assert_eq!(error, "t:1: there is no topology in this file");
}

#[test]
fn one_topology_needs_no_list() {
    let lines = TWO.lines().skip(10).map(|line| line.get(2..).unwrap_or(""));
    let one = lines.collect::<Vec<_>>().join("\n");
    assert!(one.starts_with("topology: fabric"), "{one}");
    assert_eq!(import(&one).unwrap().switches, ["top", "leaf0", "leaf1"]);
    let error = import(&one.replace("tree:", "shrub:")).unwrap_err();
    assert!(error.to_string().starts_with("t:1"), "{error}");
}

#[test]
fn switches_and_blocks_that_wait_for_nodes_are_none_of_the_machine() {
    let empty = TWO.replace("nodes: n[2-3]", "nodes: ''");
    assert_eq!(import(&empty).unwrap().switches, ["top", "leaf0"]);
    let none = TWO
        .replace("true", "false")
        .replace("        nodes: n[2-3]\n", "");
    assert_eq!(import(&none).unwrap().switches, ["blocks", "b0"]);
}

#[test]
fn hosts_beside_children_stay_below_the_children_that_have_them() {
    let both = TWO.replace("leaf[0-1]\n", "leaf[0-1]\n        nodes: n[0-4]\n");
    let machine = import(&both).unwrap();
    assert!(machine.notes.is_empty(), "{:?}", machine.notes);
    let names = |vertex: u32| {
        machine
            .hosts
            .iter()
            .chain(&machine.switches)
            .nth(vertex as usize)
            .unwrap()
    };
    let below = machine
        .links
        .iter()
        .map(|link| (names(link.ends.0), names(link.ends.1)));
    let of_top: Vec<&String> = below
        .filter(|(_, to)| *to == "top")
        .map(|(from, _)| from)
        .collect();
    assert_eq!(of_top, ["n4", "leaf0", "leaf1"]);
}
