mod training;
mod vectors;

use super::*;
use proptest::prelude::*;
use rankfold_base::NodeId;
use rankfold_machine as machine;
use rankfold_machine::hosts::HostList;

fn machine(nodes: usize, cores: u32) -> Machine {
    let names: Vec<_> = (0..nodes).map(|i| format!("host-{i}.site")).collect();
    let hosts = HostList::from_list(&names.join(",")).unwrap();
    let ring = machine::parse(&format!("torus:{nodes}")).unwrap();
    Machine::new(ring, cores, Some(hosts)).unwrap()
}

/// A machine, and a placement on a random choice of its slots.
fn machine_and_placement() -> impl Strategy<Value = (Machine, Placement)> {
    (1usize..12, 1u32..5).prop_flat_map(|(nodes, cores)| {
        let slots: Vec<u32> = (0..u32::try_from(nodes).unwrap() * cores).collect();
        let count = 1..=slots.len();
        (Just(slots).prop_shuffle(), count).prop_map(move |(slots, count)| {
            let slots = slots[..count].iter().copied().map(rankfold_base::SlotId);
            (machine(nodes, cores), Placement::new(slots.collect()))
        })
    })
}

proptest! {
    #[test]
    fn every_format_reads_back_the_nodes_it_wrote((machine, placement) in machine_and_placement()) {
        for format in FORMATS {
            let written = match format.write(&placement, &machine) {
                Ok(written) => written,
                Err(MapfileError::CannotExpress { .. }) => continue,
                Err(error) => panic!("{}: {error}", format.name()),
            };
            let seats = parse_as(*format, &written.content, "map").unwrap();
            let nodes = nodes_of(&seats, &machine, "map").unwrap();
            prop_assert_eq!(nodes, placement.nodes(machine.slots()), "{}", format.name());
        }
    }

    #[test]
    fn what_a_file_tells_of_places_on_a_node_comes_back((machine, placement) in machine_and_placement()) {
        for name in ["json", "tracer", "cray", "pals"] {
            let format = format(name).unwrap();
            let Ok(written) = format.write(&placement, &machine) else {
                continue;
            };
            let (_, seats) = parse(&written.content, "map").unwrap();
            let back = super::placement(&seats, &machine, placement.ranks(), "map").unwrap();
            prop_assert_eq!(&back, &placement, "{}", name);
        }
    }

    #[test]
    fn no_content_makes_a_reader_panic(
        content in prop_oneof![
            "(rank:? [0-9]{1,2}[=:]|[a-z0-9:=#\\- ,\\[\\](){}\"*+]{0,12}\n){0,6}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..40),
        ],
    ) {
        for format in FORMATS {
            if let Some(Ok(seats)) = format.read(&content, "map") {
                let ranks = seats.ranks();
                let _ = placement(&seats, &machine(3, 2), ranks, "map");
            }
        }
    }
}

/// The main file as text.
fn text(format: &str, placement: &Placement, machine: &Machine) -> String {
    let written = super::format(format).unwrap().write(placement, machine);
    String::from_utf8(written.unwrap().content).unwrap()
}

/// The file for ranks 0, 1, 2 on hosts 1, 1, 0, where two hosts have `cores` slots each.
fn written(format: &str, cores: u32) -> String {
    let machine = machine(2, cores);
    let nodes = [1, 1, 0].map(NodeId);
    let placement = Placement::from_nodes(&nodes, machine.slots()).unwrap();
    text(format, &placement, &machine)
}

#[test]
fn a_rankfile_names_the_cores_of_each_slot_where_the_inside_of_nodes_is_known() {
    let level = machine::InsideLevel {
        name: "package".into(),
        cores: vec![3, 3],
    };
    let inside = machine::Inside::new(6, vec![level]).unwrap();
    let mut hardware = machine::Hardware::from(machine::parse("torus:2").unwrap());
    hardware.insides = machine::Insides::everywhere(inside);
    let hosts = HostList::from_text("a\nb slots=3\n", "hosts").unwrap();
    let machine = Machine::new(hardware, None, Some(hosts)).unwrap();
    let slots = [4, 0, 7].map(rankfold_base::SlotId);
    let placement = Placement::new(slots.into());
    // Of three slots on two packages, none has cores of both.
    let expected = "rank 0=a slot=4\nrank 1=a slot=0\nrank 2=b slot=3\n";
    for name in ["openmpi4", "openmpi5"] {
        assert_eq!(text(name, &placement, &machine), expected);
        let seats = parse_as(format(name).unwrap(), expected.as_bytes(), "f").unwrap();
        let back = super::placement(&seats, &machine, 3, "f").unwrap();
        assert_eq!(
            back, placement,
            "{name}: every rank back in the slot of its cores"
        );
    }
}

#[test]
fn the_files_look_as_the_launchers_want_them() {
    assert_eq!(written("nodes", 2), "1\n1\n0\n");
    assert_eq!(written("seq", 2), "host-1.site\nhost-1.site\nhost-0.site\n");
    assert_eq!(written("mpich", 2), "host-1.site:2\nhost-0.site:1\n");
    assert_eq!(
        written("openmpi4", 4),
        "rank 0=host-1.site slot=0-3\nrank 1=host-1.site slot=0-3\nrank 2=host-0.site slot=0-3\n"
    );
}

#[test]
fn a_single_slot_is_not_bound_to_core_0() {
    let machine = machine(1, 1);
    let text = text("openmpi4", &Placement::block(1), &machine);
    assert_eq!(text, "rank 0=host-0.site slot=0:*\n");
}

#[test]
fn a_rankfile_by_hand_is_read_with_comments_and_loose_spaces() {
    let (name, seats) = parse(
        b"# mine\nrank 0 = n1 slot=0\n\nrank 1=n0 slots=0:1 # b\n",
        "f",
    )
    .unwrap();
    assert_eq!(name, "openmpi4");
    assert_eq!(
        seats.places,
        RankPlaces::Hosts(vec!["n1".into(), "n0".into()])
    );
    assert_eq!(seats.cores, [Some(0), None]);
}

#[test]
fn broken_files_are_refused_by_line() {
    let cases = [
        (
            "rank 0=n1 slot=0\nrank 2=n1 slot=0\n",
            "f:2: rank 2 found, rank 1 expected",
        ),
        ("0\n1\nn1\n", "f:3: \"n1\" is not a node index"),
        ("n0:1\nn1\n", "f:2: \"n1\" is not host:count"),
        ("n0:99999999999\n", "f:1: more ranks"),
        ("n0:1\nn1:18446744073709551615\n", "f:2: more ranks"),
        ("n0*1\nn1*18446744073709551615\n", "f:2: more ranks"),
        ("n0\nn1 slots=2\n", "f:2: \"n1 slots=2\" is not one host"),
        ("", "f: not a mapfile"),
    ];
    for (text, message) in cases {
        let error = parse(text.as_bytes(), "f").unwrap_err().to_string();
        assert!(error.starts_with(message), "{text:?} gives {error}");
    }
}

#[test]
fn a_placement_must_have_the_jobs_ranks_and_fit_the_nodes() {
    let machine = machine(2, 1);
    let seats = RankPlaces::Nodes(vec![NodeId(1), NodeId(1)]).into();
    let wrong = placement(&seats, &machine, 3, "f").unwrap_err();
    assert!(matches!(
        wrong,
        MapfileError::WrongRanks {
            placed: 2,
            ranks: 3,
            ..
        }
    ));
    let full = placement(&seats, &machine, 2, "f").unwrap_err();
    assert!(
        full.to_string().starts_with("f: rank 1: node 1 is full"),
        "{full}"
    );
}
