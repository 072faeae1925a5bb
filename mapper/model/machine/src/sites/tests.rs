use super::*;
use crate::samples::machine;
use crate::{HostList, parse};

fn shape(sites: &Sites) -> Vec<usize> {
    sites.levels().iter().map(Level::groups).collect()
}

#[test]
fn single_ranks_below_one_switch_are_one_site_and_several_a_node_make_the_node_one() {
    let by_switch = Sites::new(&machine("tree:3x2x4", 1));
    assert_eq!(shape(&by_switch), [1, 3, 6]);
    assert_eq!((by_switch.capacity(0), by_switch.hops(0, 0)), (4, 2));
    let by_node = Sites::new(&machine("tree:3x2x4", 2));
    assert_eq!(shape(&by_node), [1, 3, 6, 24]);
    assert_eq!((by_node.capacity(0), by_node.hops(0, 0)), (2, 0));
}

#[test]
fn networks_that_do_not_say_how_they_are_built_come_apart_by_distance() {
    // 14 hosts on 5 leaf switches, 2 of which share a line switch: 4 hops within a line, 6 beyond.
    let sites = Sites::new(&machine("ibcore:hosts=14,leaf=3,up=2,line=2,spines=2", 1));
    assert_eq!(shape(&sites), [1, 3, 5]);
    assert_eq!(sites.capacities(), [3, 3, 3, 3, 2]);
    let sides = Sites::new(&machine("tianhe3:2x2,4", 1));
    assert_eq!(shape(&sides), [1, 4, 8]);
}

#[test]
fn networks_without_any_hierarchy_are_cut_into_near_halves() {
    let host = |i| format!("[{i}, {}]", i + 8);
    let cable = |i| format!("[{}, {}]", i + 8, (i + 1) % 8 + 8);
    let links: Vec<String> = (0..8).map(host).chain((0..8).map(cable)).collect();
    let ring = format!(
        r#"{{"hosts": 8, "vertices": 16, "links": [{}]}}"#,
        links.join(",")
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), ring).unwrap();
    let machine = machine(&format!("file:{}", file.path().display()), 1);
    let sites = Sites::new(&machine);
    let half: Vec<u32> = sites.levels()[1].sites(0).collect();
    assert_eq!(half.len(), 4);
    let farthest = half.iter().flat_map(|&a| half.iter().map(move |&b| (a, b)));
    assert_eq!(farthest.map(|(a, b)| sites.hops(a, b)).max(), Some(2 + 3));
}

#[test]
fn grids_come_apart_in_halves_of_their_longest_side() {
    let sites = Sites::new(&machine("mesh:4x2", 1));
    assert_eq!(shape(&sites), [1, 2, 4, 8]);
    let quarter: Vec<NodeId> = (0..2).flat_map(|s| sites.nodes(s).to_vec()).collect();
    assert_eq!(quarter, [NodeId(0), NodeId(1)]);
}

#[test]
fn nodes_without_slots_are_no_site() {
    let text = (0..12).map(|n| {
        if n % 4 == 3 {
            "-".into()
        } else {
            format!("n{n} slots={}", 1 + n / 8)
        }
    });
    let hosts = HostList::from_text(&text.collect::<Vec<_>>().join("\n"), "hosts").unwrap();
    let sites = Sites::new(&Machine::new(parse("tree:3x4").unwrap(), 1, Some(hosts)).unwrap());
    assert_eq!(sites.capacities(), [3, 3, 2, 2, 2]);
    assert_eq!(shape(&sites), [1, 3, 5]);
}

#[test]
fn hops_between_sites_are_those_between_their_ranks() {
    for spec in [
        "tree:3x2x4",
        "dragonfly:3,4,2,3",
        "percs:3",
        "torus:4x3",
        "tianhe3:2x3,4",
    ] {
        for cores in [1, 3] {
            let machine = machine(spec, cores);
            let sites = Sites::new(&machine);
            for (a, b) in
                (0..sites.len() as u32).flat_map(|a| (0..sites.len() as u32).map(move |b| (a, b)))
            {
                for &from in sites.nodes(a) {
                    let others = sites.nodes(b).iter().filter(|&&to| a != b || to != from);
                    for &to in others {
                        assert_eq!(
                            sites.hops(a, b),
                            machine.topology().hops(from, to),
                            "{spec}"
                        );
                    }
                }
            }
        }
    }
}
