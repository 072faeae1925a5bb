use super::super::slurm::{ADDRESSES, TOPOLOGY};
use super::super::{Importer, Result, Source};
use super::before_cut;
use rankfold_machine::Description;

fn import(importer: &Importer, text: &str) -> Result<Description> {
    let source = Source {
        file: "t".into(),
        text: text.into(),
    };
    importer.import(vec![source])
}

#[test]
fn of_a_list_that_ends_anywhere_whole_names_count() {
    for (cut, whole) in [
        ("n[1-4],n[7-", "n[1-4]"),
        ("n[1-4,6,7-", "n[1-4,6]"),
        ("n[1-", ""),
        ("a,n[1-4]", "a,n[1-4]"),
        ("a1,a2,a3", "a1,a2"),
    ] {
        assert_eq!(before_cut(cut), whole);
    }
}

/// The bandwidth and the number of cables of the link up of a switch, as the network is built.
fn up(machine: &Description, switch: &str) -> (f64, u32) {
    let at = machine.switches.iter().position(|name| name == switch);
    let vertex = (machine.hosts.len() + at.unwrap()) as u32;
    let links = machine.wired().wired_links().unwrap();
    let up = links.iter().find(|link| link.ends.0 == vertex).unwrap();
    (up.speed.bandwidth, up.cables)
}

const CONTROLLER: &str = "SwitchName=top Level=2 LinkSpeed=1 Nodes=n-[01-12] Switches=c[1-2]\n\
        SwitchName=c1 Level=1 LinkSpeed=1 Nodes=n-[01-08] Switches=l[1-2]\n\
        SwitchName=c2 Level=1 LinkSpeed=1 Nodes=n-[09-12] Switches=l[3-4]\n\
        SwitchName=l1 Level=0 LinkSpeed=1 Nodes=n-[01-04]\n\
        SwitchName=l2 Level=0 LinkSpeed=1 Nodes=n-[05-08]\n\
        SwitchName=l3 Level=0 LinkSpeed=1 Nodes=n-[09,11]\n\
        SwitchName=l4 Level=0 LinkSpeed=1 Nodes=n-[10,12]\n";

#[test]
fn capacities_that_nobody_tells_are_non_blocking_and_shared_equally() {
    for importer in [&TOPOLOGY, &ADDRESSES] {
        let text = match importer.name {
            "slurm" => CONTROLLER.to_owned(),
            _ => "t.a.n0\nt.a.n1\nt.a.n2\nt.b.n3\n".into(),
        };
        let machine = import(importer, &text).unwrap();
        let text = machine.to_string();
        assert!(text.contains("oversubscription = \"unknown\""), "{text}");
        assert!(text.contains("sharing = \"equal\""), "{text}");
        let hardware = machine.build("t").unwrap();
        assert!(hardware.assumes_capacities());
    }
    let machine = import(&TOPOLOGY, CONTROLLER).unwrap();
    assert_eq!(
        (up(&machine, "l1"), up(&machine, "c1"), up(&machine, "c2")),
        ((4.0, 1), (8.0, 1), (4.0, 1))
    );
    let one = import(&TOPOLOGY, "SwitchName=s Nodes=n[0-3]\n").unwrap();
    assert!(
        !one.build("t").unwrap().assumes_capacities(),
        "a single switch has no link up"
    );
}

#[test]
fn speeds_of_links_count_where_they_differ() {
    let speeds = |top: &str| {
        let text = format!(
            "SwitchName=top LinkSpeed={top} Switches=a,b\nSwitchName=a LinkSpeed=100 Nodes=n[0-3]\n\
             SwitchName=b LinkSpeed=100 Nodes=n[4-7]\n"
        );
        import(&TOPOLOGY, &text).unwrap()
    };
    let description = speeds("400");
    assert_eq!(up(&description, "a"), (400.0, 1));
    assert!(!description.build("t").unwrap().assumes_capacities());
    for same in ["100", "fast"] {
        let machine = speeds(same);
        assert_eq!(up(&machine, "a"), (4.0, 1), "{same}");
        assert!(machine.build("t").unwrap().assumes_capacities());
    }
}

#[test]
fn spines_over_the_same_switches_are_one() {
    let text = "SwitchName=l1 Nodes=n[0-1]\nSwitchName=l2 Nodes=n[2-3]\nSwitchName=l3 Nodes=n[4-5]\n\
        SwitchName=s1 Switches=l[1-2]\nSwitchName=s2 Switches=l[1-2]\nSwitchName=s3 Switches=l3\n\
        SwitchName=core1 Switches=s1,s3\nSwitchName=core2 Switches=s2,s3\n";
    let machine = import(&TOPOLOGY, text).unwrap();
    assert_eq!(machine.switches, ["core1", "s1", "l1", "l2", "s3", "l3"]);
    assert_eq!(up(&machine, "s1"), (4.0, 1));
    let expected = "SwitchName=l1 Level=0 Nodes=n[0-1]\nSwitchName=l2 Level=0 Nodes=n[2-3]\n\
        SwitchName=s1 Level=1 Nodes=n[0-3] Switches=l[1-2]\nSwitchName=s2 Level=1 Nodes=n[0-3] Switches=l[1-2]\n";
    let machine = import(&TOPOLOGY, expected).unwrap();
    assert_eq!(machine.switches, ["s1", "l1", "l2"]);
    assert!(machine.notes.is_empty());
}

#[test]
fn lines_that_slurm_has_cut_are_completed_by_the_nodes_of_lower_switches() {
    let whole = import(&TOPOLOGY, CONTROLLER).unwrap().to_string();
    for longest in [60, 56, 52] {
        let cut: String = CONTROLLER
            .lines()
            .map(|line| format!("{}\n", &line[..line.len().min(longest)]))
            .collect();
        assert_ne!(cut, CONTROLLER);
        assert_eq!(
            import(&TOPOLOGY, &cut).unwrap().to_string(),
            whole,
            "{longest}"
        );
    }
    let leaf = "SwitchName=l1 Level=0 LinkSpeed=1 Nodes=n-[01-\n";
    let error = import(&TOPOLOGY, leaf).unwrap_err().to_string();
    assert_eq!(
        error,
        "t:1: the line is cut: unset SLURM_TOPO_LEN and ask scontrol again"
    );
}
#[test]
fn switches_and_blocks_that_wait_for_nodes_are_none_of_the_machine() {
    for (text, switches) in [
        (
            "SwitchName=t Switches=a,b,late\nSwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\nSwitchName=late\n",
            &["t", "a", "b"][..],
        ),
        (
            "SwitchName=t Level=1 LinkSpeed=1 Nodes=n0 Switches=a,late\nSwitchName=a Level=0 LinkSpeed=1 Nodes=n0\n\
             SwitchName=late Level=0 LinkSpeed=1 \n",
            &["t", "a"],
        ),
        (
            "SwitchName=a Nodes=n0\nSwitchName=upper Switches=late\nSwitchName=late Nodes=\n",
            &["a"],
        ),
        ("BlockName=x Nodes=n[0-1]\nBlockName=y\n", &["blocks", "x"]),
    ] {
        assert_eq!(
            import(&TOPOLOGY, text).unwrap().switches,
            switches,
            "{text}"
        );
    }
}
