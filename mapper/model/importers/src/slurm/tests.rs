//! Networks of every kind are read, included files too, and mistakes name the line.

use super::*;

fn import(importer: &Importer, text: &str) -> Result<Description, ImportError> {
    let source = Source {
        file: "t".into(),
        text: text.into(),
    };
    (importer.read)(&[source])
}

const CONF: &str = "# two racks\nSwitchName=top Switches=rack[1-0]\n\
        SwitchName=rack0 Nodes=n[0-1]\nSwitchName=rack1 Nodes=n[2-3] # new\n";

#[test]
fn hosts_come_depth_first_whatever_the_order_of_lines() {
    let conf = CONF.replace("rack[1-0]", "rack1,rack0");
    let machine = import(&TOPOLOGY, &conf).unwrap();
    assert_eq!(machine.hosts, ["n2", "n3", "n0", "n1"]);
    assert_eq!(machine.switches, ["top", "rack1", "rack0"]);
    assert_eq!(machine.links.len(), 6);
}

#[test]
fn the_controllers_repeated_nodes_are_those_of_the_leaves() {
    let shown = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tn[0-3] \n\
            SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tn[4-7] \n\
            SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tn[0-7] Switches=s[0-1] \n";
    let machine = import(&TOPOLOGY, shown).unwrap();
    assert_eq!((machine.hosts.len(), machine.links.len()), (8, 10));
}

#[test]
fn blocks_hang_below_one_switch() {
    let blocks = "BlockName=b0 Nodes=n[0-1]\nBlockName=b1 \\\n Nodes=n[2-3]\nBlockSizes=2\n";
    let machine = import(&TOPOLOGY, blocks).unwrap();
    assert_eq!(machine.switches, ["blocks", "b0", "b1"]);
    assert_eq!(machine.hosts.len(), 4);
}

#[test]
fn what_the_controller_shows_of_blocks_rings_and_tori_is_understood() {
    let blocks = "BlockName=b0 BlockIndex=0 Nodes=n[0-1] BlockSize=2\n\
            BlockName=b1 BlockIndex=1 Nodes=n[2-3] BlockSize=2\n\
            AggregatedBlock=b0,b1 BlockIndex=2 Nodes=n[0-3] BlockSize=4\n";
    assert_eq!(import(&TOPOLOGY, blocks).unwrap().switches.len(), 3);
    let ring = import(&TOPOLOGY, "RingName=r0 Nodes=n[2-4,0] RingSize=4\n").unwrap();
    assert_eq!(ring.network.unwrap(), "torus:4");
    assert_eq!(ring.hosts, ["n2", "n3", "n4", "n0"]);
}

#[test]
fn hosts_of_a_torus_are_where_their_addresses_say_and_not_in_the_controllers_order() {
    let shown =
        "TorusName=pod Dims=3x2x1 Nodes=n[0-5]\n  TorusName=pod PlacementDims=3x1x1(3) Anchors=2\n";
    let error = import(&TOPOLOGY, shown).unwrap_err().to_string();
    assert!(
        error.starts_with("t:1: where the hosts of torus pod are"),
        "{error}"
    );
    let addresses = "pod:2:0:0.n0\nSLURM_TOPOLOGY_ADDR=pod:0:1:0.n4\npod:2:0:0.n0\n";
    let torus = import(&TOPOLOGY, &format!("{shown}{addresses}")).unwrap();
    assert_eq!(torus.network.unwrap(), "torus:1x2x3");
    assert_eq!(torus.hosts, ["-", "-", "n0", "n4", "-", "-"]);
    for (address, problem) in [
        ("pod:3:0:0.n0", "t:3: these places are not all within"),
        ("pod:1:0.n0", "t:3: a position has a coordinate"),
        ("pod:1:x:0.n0", "t:3: a coordinate in a torus"),
        ("rod:1:0:0.n0", "t:3: no line before this one"),
        (
            "pod:1:0:0.n0\npod:1:0:0.n1",
            "t:4: n1 is in the place of n0",
        ),
    ] {
        let error = import(&TOPOLOGY, &format!("{shown}{address}\n")).unwrap_err();
        assert!(error.to_string().starts_with(problem), "{error}");
    }
}

#[test]
fn tasks_addresses_make_the_tree_of_the_job() {
    let seen = "SLURM_TOPOLOGY_ADDR=spine.leaf0.n0\nspine.leaf0.n0\nspine.leaf1.n5\n";
    let machine = import(&ADDRESSES, seen).unwrap();
    assert_eq!(machine.hosts, ["n0", "n5"]);
    assert_eq!(machine.switches, ["spine", "leaf0", "leaf1"]);
}

#[test]
fn outermost_switches_of_addresses_hang_below_one_switch() {
    let seen = "b0.n0\nb0.n1\nb1.n4\n";
    let machine = import(&ADDRESSES, seen).unwrap();
    assert_eq!(machine.switches, ["network", "b0", "b1"]);
    let named = import(&ADDRESSES, "network.n0\nb1.n4\n").unwrap();
    assert_eq!(named.switches, ["network'", "network", "b1"]);
}

#[test]
fn a_topology_file_is_known_by_its_first_words_or_by_what_it_includes() {
    let is_known = |text: &str| {
        is_topology(&Source {
            file: "t".into(),
            text: text.into(),
        })
    };
    assert!(is_known("# ours\nSWITCHNAME=s Nodes=n0\n"));
    assert!(is_known(
        "# ours\nInclude racks.conf\ninclude /etc/more.conf\n"
    ));
    for other in [
        "",
        "# SwitchName=s\n",
        "include racks.conf\nn0\n",
        "n0\nn1\n",
    ] {
        assert!(!is_known(other), "{other}");
    }
}

#[test]
fn a_file_that_includes_islands_joins_them() {
    let directory = tempfile::tempdir().unwrap();
    let islands = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\n";
    std::fs::write(directory.path().join("islands.conf"), islands).unwrap();
    let joined = directory.path().join("joined.conf");
    std::fs::write(
        &joined,
        "include islands.conf\nSwitchName=all Switches=a,b\n",
    )
    .unwrap();
    let hosts = ["n0", "n3"].map(str::to_owned);
    let source = Source::read(&joined).unwrap();
    let network = TOPOLOGY.import_for_job(vec![source], &hosts).unwrap();
    assert_eq!(network.description.switches, ["all", "a", "b"]);
}

#[test]
fn addresses_are_told_from_lists_of_hosts() {
    let are = |text: &str| {
        are_addresses(&Source {
            file: "t".into(),
            text: text.into(),
        })
    };
    assert!(are("SLURM_TOPOLOGY_ADDR=spine.leaf0.n0\n"));
    assert!(are("spine.leaf0.n0\nspine.leaf0.n0\nspine.leaf1.n5\n"));
    for other in [
        "",
        "n0\nn1\n",
        "n0.cluster.site\nn1.cluster.site\n",
        "n0.site\n",
        "a = 1.5\nb = 2.5\n",
    ] {
        assert!(!are(other), "{other}");
    }
}

#[test]
fn files_that_are_included_are_read_from_where_the_including_file_lies() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    file(
        "racks.conf",
        "SwitchName=rack0 Nodes=n[0-1]\nSwitchName=rack1 Nodes=n[2-3]\n",
    );
    let conf = file(
        "topology.conf",
        "Include racks.conf # both\nSwitchName=top Switches=rack[0-1]\n",
    );
    let source = Source::read(&conf).unwrap();
    let machine = TOPOLOGY.import(vec![source]).unwrap();
    assert_eq!(machine.hosts, ["n0", "n1", "n2", "n3"]);
    for (text, problem) in [
        (
            "SwitchName=a Nodes=n0\ninclude none.conf\n",
            "topology.conf:2: ",
        ),
        ("include topology.conf\n", "topology.conf:1: too many files"),
    ] {
        let conf = file("topology.conf", text);
        let source = Source::read(&conf).unwrap();
        let error = TOPOLOGY.import(vec![source]).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_line_goes_on_behind_a_backslash_even_within_a_list() {
    let text = "SwitchName=s0 Nodes=a0,\\\na1\nSwitchName=s1 \\\n  Nodes=b0\\\n,b1\nSwitchName=t Switches=s[0-1]\n";
    assert_eq!(
        import(&TOPOLOGY, text).unwrap().hosts,
        ["a0", "a1", "b0", "b1"]
    );
}

#[test]
fn the_last_line_counts_where_it_would_go_on_and_a_name_goes_on_within_brackets() {
    let text = "SwitchName=s0 Nodes=\"n[0-\\\n1]\"\nSwitchName=t Switches=s0 \\\n";
    let machine = import(&TOPOLOGY, text).unwrap();
    assert_eq!(machine.hosts, ["n0", "n1"]);
    assert_eq!(machine.switches, ["t", "s0"]);
}

#[test]
fn hosts_that_no_lower_switch_has_are_directly_below_the_upper_one() {
    for top in ["Nodes=n[0-2] Switches=s0", "Level=1 Nodes=n[0-2]"] {
        let text = format!("SwitchName=t {top}\nSwitchName=s0 Nodes=n[0-1]\n");
        let machine = import(&TOPOLOGY, &text).unwrap();
        assert_eq!(machine.hosts, ["n0", "n1", "n2"], "{top}");
        let up_of_n2 = machine.links.iter().find(|link| link.ends.0 == 2).unwrap();
        assert_eq!(machine.switches[up_of_n2.ends.1 as usize - 3], "t", "{top}");
    }
}

#[test]
fn speeds_that_tell_links_apart_and_cannot_be_read_are_told() {
    let with = |leaf: &str, top: &str| {
        let text = format!(
            "SwitchName=s0 Nodes=n0 LinkSpeed={leaf}\nSwitchName=t Switches=s0 LinkSpeed={top}\n"
        );
        import(&TOPOLOGY, &text).unwrap()
    };
    let told = with("100Gbps", "400Gbps");
    assert_eq!(
        told.links[1].speed.bandwidth,
        4.0 * told.links[0].speed.bandwidth
    );
    assert!(told.notes.is_empty());
    let note = &with("EDR", "HDR").notes[0];
    assert!(note.contains("LinkSpeed=EDR, HDR is not used"), "{note}");
    assert!(with("EDR", "EDR").notes.is_empty());
}

#[test]
fn nodes_all_are_the_hosts_of_the_job() {
    let source = Source {
        file: "t".into(),
        text: "SwitchName=root Level=0 Nodes=ALL\n".into(),
    };
    let hosts = ["n3", "n1"].map(str::to_owned);
    let network = TOPOLOGY.import_part_of_job(vec![source], &hosts).unwrap();
    assert_eq!(network.hosts, ["n3", "n1"]);
    assert_eq!(network.switches, ["root"]);
}

#[test]
fn what_is_below_several_switches_counts_once_where_the_job_is_and_it_is_told() {
    let spines = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=s Switches=a,b\nSwitchName=t Switches=a,b\n";
    let machine = import(&TOPOLOGY, spines).unwrap();
    assert_eq!(machine.switches, ["s", "a", "b"]);
    assert!(
        machine.notes.is_empty(),
        "spines over the same switches are one"
    );
    let twice = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=s Switches=a,b\nSwitchName=t Switches=a\n";
    let machine = import(&TOPOLOGY, twice).unwrap();
    assert_eq!(machine.switches, ["s", "a", "b"]);
    assert!(machine.notes[0].contains("a is below several switches, and s counts"));
    let islands = "SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=n[2-4]\n";
    for (hosts, expected) in [
        (["n2", "n3"], ["n3", "n4", "n2"]),
        (["n0", "n2"], ["n0", "n1", "n2"]),
    ] {
        let source = Source {
            file: "t".into(),
            text: islands.into(),
        };
        let hosts = hosts.map(str::to_owned);
        let network = TOPOLOGY.import_part_of_job(vec![source], &hosts).unwrap();
        assert_eq!(network.hosts, expected);
    }
}

#[test]
fn addresses_may_have_empty_levels_and_switches_in_brackets() {
    let opa = "core[06,14-15].edge13.cn-0256\ncore[06,14-15].edge13.cn-0257\ncore[06,14-15].edge12.cn-0300\n";
    let empty = "root.a.b.w-0\nroot..unknown.w-1\n";
    for (text, switches) in [(opa, 3), (empty, 4)] {
        let source = Source {
            file: "t".into(),
            text: text.into(),
        };
        assert!(are_addresses(&source), "{text}");
        let machine = import(&ADDRESSES, text).unwrap();
        assert_eq!(machine.switches.len(), switches, "{text}");
    }
}

#[test]
fn mistakes_name_the_line() {
    for (importer, text, expected) in [
        (&TOPOLOGY, CONF, "t:2: the range 1-0 is empty"),
        (&TOPOLOGY, "SwitchName=a Nodes", "t:1: \"Nodes\" is not"),
        (&TOPOLOGY, "SwitchName=a", "t:1: there is no host below"),
        (
            &TOPOLOGY,
            "SwitchName=a Node=n0",
            "t:1: switch a has neither",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Nodes=n0 SwitchName=b Nodes=n1",
            "t:1: SwitchName=b is here, and switchname= before it",
        ),
        (
            &TOPOLOGY,
            "\nLevel=2",
            "t:2: neither SwitchName=, BlockName=",
        ),
        (&TOPOLOGY, "", "t:1: there is no switch"),
        (
            &TOPOLOGY,
            "SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1",
            "t:2: switch a is described twice",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1",
            "t:2: no path joins a and b",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Nodes=ALL",
            "t:1: Nodes=ALL: give the hosts of the job",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Switches=b\nSwitchName=b Switches=a",
            "t:1: every switch is below another",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Switches=b",
            "t:1: there is no switch named b",
        ),
        (
            &TOPOLOGY,
            "SwitchName=a Nodes=a",
            "t:1: a is a host and a switch",
        ),
        (
            &TOPOLOGY,
            "RingName=a Nodes=n0\nRingName=b Nodes=n1",
            "t:2: several rings or tori",
        ),
        (
            &TOPOLOGY,
            "RingName=a Nodes=n0,n0",
            "t:1: n0 is in two places",
        ),
        (&TOPOLOGY, "RingName=a", "t:1: every dimension must be"),
        (
            &TOPOLOGY,
            "TorusName=a Dims=2x2x2 Nodes=n[0-8]",
            "t:1: 9 hosts are named for 8 places",
        ),
        (
            &TOPOLOGY,
            "TorusName=a Dims=99999x99999x2 Nodes=n[0-6]",
            "t:1: the sizes multiply",
        ),
        (
            &TOPOLOGY,
            "RingName=a Nodes=n0\nSwitchName=s Nodes=n1",
            "t:1: there are switches and a ring",
        ),
        (&ADDRESSES, "n0", "t:1: \"n0\" is not switch"),
        (
            &ADDRESSES,
            "pod:0:1:1.n0",
            "t:1: \"pod:0:1:1.n0\" is a position in a ring",
        ),
        (&ADDRESSES, "a.n0\nb.n0", "t:2: n0 is below a and below b"),
    ] {
        let error = import(importer, text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
