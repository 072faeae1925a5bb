use super::*;
use crate::ALL;

/// A record in the form of the file that xtdb2proc writes, as NERSC's page on the interconnect of
/// Cori shows it.
fn record(node: u32, at: [u32; 3], kind: &str, status: &str) -> String {
    let ([x, y, z], slot, cpu) = (at, node / 4, node % 4);
    format!(
        "cpu={cpu},slot={slot},cage=0,cabinet=null,cab_position=0,cab_row=0,x_coord={x},y_coord={y},z_coord={z},process_slots=4,process_slots_free=4,processor_status='{status}',processor_type='{kind}',alloc_mode='batch',processor_id={node},od_allocator_id=0,next_red_black_switch=null,processor_spec=null\n"
    )
}

fn source(file: &str, text: String) -> Source {
    Source {
        file: file.into(),
        text,
    }
}

/// A torus of 2x2x3 with one node on each router; node 0 is a service node.
fn sea_star() -> Source {
    let mut text =
        String::from("#\n# This file lists tables currently in the system database,\n#\n");
    for node in 0..12 {
        let kind = if node == 0 { "service" } else { "compute" };
        text += &record(node, [node / 6, node / 3 % 2, node % 3], kind, "up");
    }
    source("processor", text)
}

/// The output of xtprocadmin, in which node 5 is down.
fn states() -> Source {
    source(
        "states",
        "  NID    (HEX)   NODENAME     TYPE  STATUS        MODE\n    4      0x4 c0-0c0s1n0  compute      up interactive\n    5      0x5 c0-0c0s1n1  compute    down       batch\n".into(),
    )
}

#[test]
fn a_node_on_each_router_makes_a_torus_that_routes_x_first() {
    assert_eq!(
        ALL.kind_of(&sea_star()).map(|kind| kind.name),
        Some("cray-xt")
    );
    let machine = read(&[sea_star()]).unwrap();
    assert_eq!(machine.network.as_deref(), Some("torus:2x2x3"));
    assert_eq!(machine.hosts[..2], ["-", "nid00001"]);
    assert_eq!(machine.aliases["c0-0c0s1n1"], "nid00005");
}

#[test]
fn xtprocadmin_takes_nodes_out_that_are_down() {
    assert_eq!(
        ALL.kind_of(&states()).map(|kind| kind.name),
        Some("cray-xt")
    );
    let machine = read(&[states(), sea_star()]).unwrap();
    assert_eq!(machine.hosts[4..6], ["nid00004", "-"]);
}

#[test]
fn two_nodes_on_each_router_make_switches_with_a_torus_of_links() {
    let nodes = (0..24).map(|node| record(node, [node / 2 / 3, node / 2 % 3, 0], "compute", "up"));
    let machine = read(&[source("gemini", nodes.collect())]).unwrap();
    assert_eq!((machine.hosts.len(), machine.switches.len()), (24, 12));
    // 24 host links, and a torus of 4x3 routers with two links for each router.
    assert_eq!(machine.links.len(), 24 + 2 * 12);
}

#[test]
fn a_dragonfly_is_refused() {
    let nodes = (0..4).map(|node| record(node, [0, 0, 0], "compute", "up"));
    let error = read(&[source("aries", nodes.collect())]).unwrap_err();
    assert!(
        error.to_string().starts_with("aries:3: more than 2 nodes"),
        "{error}"
    );
}

#[test]
fn damaged_records_name_file_and_line() {
    for (from, to, expected) in [
        (
            "processor_id=2,",
            "processor_id=1,",
            "processor:6: node 1 is already on line 5",
        ),
        (
            "z_coord=1,",
            "z_coord=one,",
            "processor:5: z_coord=one is not a number",
        ),
        (
            "z_coord=1,",
            "",
            "processor:5: this record has no field z_coord",
        ),
        (
            ",x_coord=0",
            ",x_coord=4294967295",
            "processor:1: the sizes multiply",
        ),
        ("'up'", "'down'", "processor:1: no compute node"),
    ] {
        let mut database = sea_star();
        database.text = match expected {
            "processor:1: no compute node" => database.text.replace(from, to),
            _ => database.text.replacen(from, to, 1),
        };
        assert_ne!(database.text, sea_star().text, "{from} is there");
        let error = read(&[database]).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn damaged_state_tables_name_file_and_line() {
    for (from, to, expected) in [
        ("  4   ", "  99   ", "states:2: the database has no node 99"),
        (
            "compute    down       batch",
            "",
            "states:3: this row has no node number",
        ),
        ("STATUS", "STATE", "states:1: this is neither"),
    ] {
        let mut table = states();
        table.text = table.text.replacen(from, to, 1);
        assert_ne!(table.text, states().text, "{from} is there");
        let error = read(&[table, sea_star()]).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let error = read(&[states()]).unwrap_err().to_string();
    assert!(error.contains("there are no coordinates"), "{error}");
}
