//! Files as their launchers document them: what is written, and how files from other sources are
//! read.

use super::text;
use crate::output::joined;
use crate::{RankPlaces, Seats, format, parse, parse_as, placement};
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::{self as machine, HostList, Machine};
use std::sync::Arc;

/// Ranks 0, 1, 2, 3 on hosts n0, n1, n0, n1.
pub(super) fn interleaved() -> (Machine, Placement) {
    let hosts = HostList::from_list("n0,n1").unwrap();
    let machine = Machine::new(machine::parse("torus:2").unwrap(), 2, Some(hosts)).unwrap();
    let nodes = [0, 1, 0, 1].map(NodeId);
    let placement = Placement::from_nodes(&nodes, machine.slots()).unwrap();
    (machine, placement)
}

fn written(name: &str) -> (String, String) {
    let (machine, placement) = interleaved();
    let mapfile = format(name).unwrap().write(&placement, &machine).unwrap();
    let line = mapfile.line("F");
    (String::from_utf8(mapfile.content).unwrap(), line)
}

fn seats(name: &str, content: &str) -> Seats {
    parse_as(format(name).unwrap(), content.as_bytes(), "f").unwrap()
}

pub(super) fn refusal(name: &str, content: &str) -> String {
    let error = parse_as(format(name).unwrap(), content.as_bytes(), "f");
    error.unwrap_err().to_string()
}

#[test]
fn files_and_lines_are_as_the_launchers_document_them() {
    let cases = [
        (
            "openmpi4",
            "rank 0=n0 slot=0-1\nrank 1=n1 slot=0-1\nrank 2=n0 slot=0-1\nrank 3=n1 slot=0-1\n",
            "mpirun -n 4 -rf F ./app",
        ),
        (
            "openmpi5",
            "rank 0=n0\nrank 1=n1\nrank 2=n0\nrank 3=n1\n",
            "mpirun -n 4 --map-by rankfile:file=F ./app",
        ),
        (
            "seq",
            "n0\nn1\nn0\nn1\n",
            "mpirun -n 4 --hostfile F --map-by seq ./app",
        ),
        (
            "mpich",
            "n0:1\nn1:1\nn0:1\nn1:1\n",
            "mpiexec -n 4 -f F ./app",
        ),
        (
            "mpich5",
            "# rankmap (vector,(0,2,1),(0,2,1))\nn0:2\nn1:2\n",
            "mpiexec -n 4 -f F -rankmap '(vector,(0,2,1),(0,2,1))' ./app",
        ),
        (
            "intel",
            "n0:1\nn1:1\nn0:1\nn1:1\n",
            "mpiexec -n 4 -machinefile F ./app",
        ),
        (
            "slurm",
            "n0\nn1\nn0\nn1\n",
            "SLURM_HOSTFILE=F srun -n 4 --distribution=arbitrary ./app",
        ),
        (
            "cray",
            "0,2\n1,3\n",
            "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=F srun -N 2 -n 4 --ntasks-per-node=2 --distribution=block ./app",
        ),
        (
            "flux",
            "[[0,2,1,2]]\n",
            "flux run -N 2 -n 4 --taskmap=manual:\"$(cat F)\" ./app",
        ),
        (
            "pals",
            "0,2\n1,3\n",
            "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=F mpiexec -n 4 -ppn 2 --hostfile F.hosts ./app",
        ),
        (
            "fujitsu",
            "(0)\n(1)\n(0)\n(1)\n",
            "mpiexec -n 4 --vcoordfile F ./app",
        ),
        (
            "json",
            "{\"format\":{\"name\":\"rankfold-mapfile\",\"version\":1},\"ranks\":4,\"slots\":[0,2,1,3],\"nodes\":[0,1,0,1],\"hosts\":[\"n0\",\"n1\",\"n0\",\"n1\"]}\n",
            "",
        ),
    ];
    for (name, content, line) in cases {
        assert_eq!(
            written(name),
            (content.to_owned(), line.to_owned()),
            "{name}"
        );
    }
    let (erf, line) = written("jsrun");
    assert!(
        erf.starts_with("app 0: ./app\ncpu_index_using: logical\n"),
        "{erf}"
    );
    assert!(
        erf.ends_with("rank: 3: { host: 2; cpu: {1} } : app 0\n"),
        "{erf}"
    );
    assert_eq!(line, "jsrun --erf_input F");
}

#[test]
fn a_launcher_without_host_names_gets_numbers_of_allocated_hosts() {
    let placement = Placement::new([2, 0].map(SlotId).into());
    let machine = Machine::uniform(machine::parse("torus:2").unwrap(), 2);
    assert_eq!(
        text("openmpi5", &placement, &machine),
        "rank 0=+n1\nrank 1=+n0\n"
    );
    let hosts = HostList::from_list("a,-,c").unwrap();
    let holes = Machine::new(machine::parse("torus:3").unwrap(), 1, Some(hosts)).unwrap();
    let read = seats("openmpi5", "rank 0=+n1 slot=10-12\nrank 1=+n0\n");
    assert_eq!(read.places, RankPlaces::Allocated(vec![1, 0]));
    assert_eq!(read.cores, [Some(10), None]);
    let placed = crate::placement(&read, &holes, 2, "f").unwrap();
    assert_eq!(
        placed.nodes(holes.slots()),
        [2, 0].map(NodeId),
        "node 1 is not in the job"
    );
}

#[test]
fn a_rank_order_is_the_inverse_of_a_placement() {
    // Two nodes of three slots each: ranks 3, 0 and 1 on the first, rank 2 on the second.
    let RankPlaces::InOrder(slots) = seats("cray", "# mine\n3,0-1\n2\n").places else {
        panic!("slots");
    };
    assert_eq!(slots, [1, 2, 3, 0]);
    assert_eq!(refusal("cray", "0,0\n"), "f:1: rank 0 is listed twice");
    assert_eq!(
        refusal("cray", "0\n\n2\n"),
        "f:3: rank 2 in a list of 2 ranks"
    );
    assert_eq!(
        refusal("pals", "0,x\n"),
        "f:1: \"x\" is neither a rank nor a range of ranks"
    );
    assert!(refusal("cray", "0-99999999999\n").starts_with("f:1: more ranks"));
    assert_eq!(
        refusal("pals", "0,1\n# places 4\n"),
        "f:2: 1 places for 2 ranks"
    );
    // A file with one number a line is `nodes` unless it says otherwise or the user does.
    assert_eq!(parse(b"1\n0\n", "f").unwrap().0, "nodes");
    assert_eq!(parse(b"# places 0-1\n1\n0\n", "f").unwrap().0, "cray");
    assert_eq!(parse(b"1,0\n2\n", "f").unwrap().0, "cray");
    assert_eq!(parse(b"1*2,0\n", "f").unwrap().0, "slurm");
    assert_eq!(parse(b"0 2 0 1\n0 0 0 0\n", "f").unwrap().0, "bluegene");
    assert_eq!(parse(b"0 2 4 1\n3 5 6 7\n", "f").unwrap().0, "cray");
}

#[test]
fn a_rank_order_wants_nodes_filled_alike() {
    let machine = super::machine(3, 2);
    let nodes = [0, 1, 1].map(NodeId);
    let uneven = Placement::from_nodes(&nodes, machine.slots()).unwrap();
    let error = format("cray")
        .unwrap()
        .write(&uneven, &machine)
        .unwrap_err();
    assert!(
        error.to_string().contains("the same number on every node"),
        "{error}"
    );
    // Nodes 0 and 2 are not the first nodes, so the launcher is told which nodes to use.
    let nodes = [2, 0, 0, 2].map(NodeId);
    let holes = Placement::from_nodes(&nodes, machine.slots()).unwrap();
    let written = format("cray").unwrap().write(&holes, &machine).unwrap();
    assert_eq!(written.content, b"# places 0-1,4-5\n1,2\n0,3\n");
    assert_eq!(written.companions[0].content, b"host-0.site\nhost-2.site\n");
    assert!(
        written.line("F").contains(" --nodefile=F.hosts "),
        "{}",
        written.usage
    );
}

#[test]
fn flux_maps_are_read_in_every_form_of_the_rfc() {
    let nodes = |content| match seats("flux", content).places {
        RankPlaces::Allocated(nodes) => nodes,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        nodes("[[1,3,4,1],[0,1,4,1]]"),
        [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 0, 0, 0, 0]
    );
    assert_eq!(nodes("[[0,4,1,2]]"), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(
        nodes("{\"version\":1,\"map\":[[0,1,1,1],[1,1,2,1],[0,1,1,1]]}"),
        [0, 1, 1, 0]
    );
    assert_eq!(
        seats("flux", "a\nb\n").places,
        RankPlaces::Hosts(vec!["a".into(), "b".into()])
    );
    assert!(
        refusal("flux", "[[0,1,1]]").starts_with("f:"),
        "three numbers"
    );
    assert!(refusal("flux", "[[0,9999999,9999999,9999999]]").contains("more ranks"));
}

#[test]
fn the_ranks_of_a_line_share_the_name_of_their_host() {
    for (name, content) in [
        ("slurm", "n0*1000"),
        ("mpich", "n0:1000"),
        ("deepspeed", "n0 slots=1000"),
    ] {
        let RankPlaces::Hosts(hosts) = seats(name, content).places else {
            panic!("{name} names hosts");
        };
        assert_eq!(hosts.len(), 1000);
        assert!(
            hosts.iter().all(|host| Arc::ptr_eq(host, &hosts[0])),
            "{name}"
        );
    }
}

#[test]
fn spellings_of_other_launchers_are_read() {
    let hosts = |name: &str, content: &str| match seats(name, content).places {
        RankPlaces::Hosts(hosts) => joined(&hosts, " "),
        other => panic!("{other:?}"),
    };
    assert_eq!(hosts("slurm", "n0,n1\n# c\nn0*2"), "n0 n1 n0 n0");
    assert_eq!(
        hosts("mpich5", "# rankmap (vector,1,0,0,1)\na:2\nb:2\n"),
        "b a a b"
    );
    assert_eq!(hosts("deepspeed", "w1 slots=2\nw0 slots=1\n"), "w1 w1 w0");
    let erf = "app 0: ./a.out\ncpu_index_using: logical\nrank: 0: { host: 1; cpu: {0-3} ; gpu: {0} } : app 0\n";
    let read = seats("jsrun", erf);
    assert_eq!(
        (read.places, read.cores),
        (RankPlaces::Allocated(vec![0]), vec![Some(0)])
    );
    assert_eq!(
        refusal("jsrun", "rank: 0: { host: 0; cpu: {0} }\n")
            .split(':')
            .nth(1),
        Some("1")
    );
}

#[test]
fn coordinates_are_those_of_the_machine() {
    let machine = Machine::uniform(machine::parse("torus:2x3x4").unwrap(), 2);
    // Slot 17 is place 1 of node 8, which has the coordinates 0, 2, 0.
    let placed = Placement::new([17, 0].map(SlotId).into());
    assert_eq!(text("fujitsu", &placed, &machine), "(0,2,0)\n(0,0,0)\n");
    assert_eq!(text("bluegene", &placed, &machine), "0 2 0 1\n0 0 0 0\n");
    let read = seats("bluegene", "0 2 0 1\n0 0 0 0\n");
    assert_eq!(placement(&read, &machine, 2, "f").unwrap(), placed);
    let outside = seats("fujitsu", "(2,0,0)\n");
    let error = placement(&outside, &machine, 1, "f")
        .unwrap_err()
        .to_string();
    assert_eq!(error, "f: rank 0: (2,0,0) is outside torus:2x3x4");
    let tree = Machine::uniform(machine::parse("tree:2x2").unwrap(), 1);
    let error = format("fujitsu")
        .unwrap()
        .write(&Placement::block(1), &tree);
    assert!(error.unwrap_err().to_string().contains("no torus or mesh"));
}

#[test]
fn tracer_counts_the_cores_of_a_switch_by_turns() {
    let machine = Machine::uniform(machine::parse("tree:2x4").unwrap(), 2);
    // The first switch has the nodes 0 to 3 with 2 cores each. Server 4 is the second core of node
    // 0.
    let placed = Placement::new([1, 15].map(SlotId).into());
    let written = format("tracer").unwrap().write(&placed, &machine).unwrap();
    let integers: Vec<i32> = written
        .content
        .chunks(4)
        .map(|b| i32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(integers, [4, 0, 0, 15, 1, 0]);
    assert_eq!(
        written.companions[0].content,
        [4i32, 15].map(i32::to_le_bytes).concat()
    );
}

#[test]
fn deepspeed_knows_an_order_of_hosts_only() {
    let (machine, placement) = interleaved();
    let error = format("deepspeed")
        .unwrap()
        .write(&placement, &machine)
        .unwrap_err();
    assert!(
        error.to_string().contains("host n0 are not consecutive"),
        "{error}"
    );
    let swapped = Placement::new([2, 3, 0, 1].map(SlotId).into());
    assert_eq!(
        text("deepspeed", &swapped, &machine),
        "n1 slots=2\nn0 slots=2\n"
    );
}

#[test]
fn open_mpi_5_leaves_han_out_where_it_is_known_to_be_wrong() {
    let (machine, _) = interleaved();
    let line = |nodes: [u32; 4]| {
        let placement = Placement::from_nodes(&nodes.map(NodeId), machine.slots()).unwrap();
        format("openmpi5")
            .unwrap()
            .write(&placement, &machine)
            .unwrap()
            .usage
    };
    assert!(!line([0, 1, 0, 1]).contains("han"), "cyclic is safe");
    assert!(
        line([0, 1, 1, 0]).contains("--mca coll ^han"),
        "was found wrong"
    );
}

#[test]
fn pinning_by_local_rank_is_told_where_all_nodes_agree() {
    let level = machine::InsideLevel {
        name: "package".into(),
        cores: vec![2, 2],
    };
    let inside = machine::Inside::new(4, vec![level]).unwrap();
    let mut hardware = machine::Hardware::from(machine::parse("torus:2").unwrap());
    hardware.insides = machine::Insides::everywhere(inside);
    let hosts = HostList::from_list("a,b").unwrap();
    let on = |cores| Machine::new(hardware.clone(), cores, Some(hosts.clone())).unwrap();
    let single = Placement::new([3, 0, 7, 4].map(SlotId).into());
    let usage = |name| format(name).unwrap().write(&single, &on(4)).unwrap().usage;
    assert!(usage("slurm").contains("--cpu-bind=map_cpu:3,0"));
    assert!(usage("intel").starts_with("I_MPI_PIN_PROCESSOR_LIST=3,0 "));
    let machine = on(2);
    let line = |slots: [u32; 4], name: &str| {
        let placement = Placement::new(slots.map(SlotId).into());
        format(name)
            .unwrap()
            .write(&placement, &machine)
            .unwrap()
            .usage
    };
    let slots = [1, 0, 3, 2];
    assert!(line(slots, "slurm").contains("--cpu-bind=mask_cpu:0xc,0x3"));
    assert!(line(slots, "intel").starts_with("I_MPI_PIN_DOMAIN='[0xc,0x3]' "));
    assert!(line(slots, "mpich5").contains("-bind-to user:2+3,0+1"));
    assert!(line(slots, "pals").contains("--cpu-bind list:0-1:2-3"));
    for name in ["slurm", "intel", "mpich5"] {
        assert!(
            !line([1, 0, 2, 3], name).contains("0x"),
            "the nodes disagree"
        );
    }
}
