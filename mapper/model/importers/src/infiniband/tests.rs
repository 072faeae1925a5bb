mod diagnosed;

use super::*;

macro_rules! fixture {
    ($file:literal) => {
        Source {
            file: $file.into(),
            text: include_str!(concat!("../../tests/fixtures/infiniband/", $file)).into(),
        }
    };
}

pub(super) fn ftree() -> Source {
    fixture!("fat-tree-ftree/ibnetdiscover.txt")
}

pub(super) fn ftree_tables() -> Source {
    fixture!("fat-tree-ftree/opensm-lfts.dump")
}

#[test]
fn paths_are_those_ibtracert_finds() {
    let mut compared = 0;
    for (network, tables, traced) in [
        (
            ftree(),
            ftree_tables(),
            fixture!("fat-tree-ftree/ibtracert.txt"),
        ),
        (
            fixture!("fat-tree-minhop/ibnetdiscover.txt"),
            fixture!("fat-tree-minhop/opensm-lfts.dump"),
            fixture!("fat-tree-minhop/ibtracert.txt"),
        ),
        (
            fixture!("torus-dor/ibnetdiscover.txt"),
            fixture!("torus-dor/opensm-lfts.dump"),
            fixture!("torus-dor/ibtracert.txt"),
        ),
    ] {
        let subnet = Subnet::new(&[network, tables]).unwrap();
        for Traced { from, to, path } in traces(&traced.text) {
            assert_eq!(subnet.path(&from, &to), Some(path), "{from} to {to}");
            compared += 1;
        }
    }
    assert_eq!(compared, 30);
}

#[test]
fn every_form_of_table_gives_the_same_machine() {
    let expected = read(&[ftree(), ftree_tables()]).unwrap().to_string();
    for tables in [
        fixture!("fat-tree-ftree/dump_lfts.txt"),
        fixture!("fat-tree-ftree/opensm.fdbs"),
    ] {
        let file = tables.file.clone();
        assert_eq!(
            read(&[tables, ftree()]).unwrap().to_string(),
            expected,
            "{file}"
        );
    }
}

#[test]
fn hosts_come_leaf_by_leaf_and_leaves_before_spines() {
    let machine = read(&[ftree()]).unwrap();
    let expected: Vec<String> = (0..32).map(|n| format!("n{n:04}")).collect();
    assert_eq!(machine.hosts, expected);
    let switches = ["leaf00", "leaf01", "leaf02", "leaf03", "spine00", "spine01"];
    assert_eq!(machine.switches, switches);
    assert_eq!(machine.links.len(), 48);
    assert!(machine.links.iter().all(|l| l.speed.bandwidth == 1.0));
}

#[test]
fn faster_links_are_so_many_times_as_fast_as_the_slowest() {
    let mut network = ftree();
    network.text = network.text.replacen(
        "lmc 0 \"leaf03\" lid 9 4xQDR",
        "lmc 0 \"leaf03\" lid 9 4xHDR",
        1,
    );
    let machine = read(&[network]).unwrap();
    let fast: Vec<f64> = machine.links.iter().map(|l| l.speed.bandwidth).collect();
    assert_eq!(fast.iter().filter(|&&b| b == 50.0 / 8.0).count(), 1);
}

#[test]
fn a_cable_from_a_switch_to_itself_and_what_full_output_adds_change_nothing() {
    let mut network = ftree();
    network.text = network.text.replace("4xQDR", "4xQDR s=4 w=2 v=8 e=1");
    let switch = "\"S-0000000000200000\"";
    let at = network.text.find(&format!("Switch\t36 {switch}")).unwrap();
    let line = at + network.text[at..].find('\n').unwrap() + 1;
    let cable =
        format!("[35]\t{switch}[36]\t# \"\" lid 1 4xEDR\n[36]\t{switch}[35]\t# \"\" lid 1 4xEDR\n");
    network.text.insert_str(line, &cable);
    assert_eq!(
        read(&[network]).unwrap().to_string(),
        read(&[ftree()]).unwrap().to_string()
    );
}

#[test]
fn broken_fabrics_name_file_and_line() {
    for (from, to, expected) in [
        ("4xQDR", "8x", "\"8x\" is no width and speed"),
        (
            "[7]\t\t# \"spine00\"",
            "\t\t# \"spine00\"",
            "cannot be read",
        ),
        ("Switch\t36 \"S-00", "Switch\t36 \"S-zz", "identifier"),
        (
            "Switch\t36 \"S-0000000000200005",
            "Switch\t36 \"S-0000000000300005",
            "1 device at the ends of cables is not described in this file (S-0000000000200005): is it complete?",
        ),
        (
            "\"S-0000000000200000\"[8]",
            "\"S-0000000000200000\"[7]",
            "has another cable already",
        ),
    ] {
        let mut network = ftree();
        network.text = network.text.replacen(from, to, 1);
        assert_ne!(network.text, ftree().text, "{from} is there");
        let error = read(&[network]).unwrap_err();
        assert!(error.problem.contains(expected), "{error}");
        assert!(error.line > Some(1), "{error}");
    }
}

#[test]
fn a_fabric_in_two_parts_is_refused() {
    let network = Source {
        file: "net".into(),
        text: "Switch 2 \"S-01\" # \"a\"\n[1] \"H-03\"[1] # \"h3\" lid 1 4xHDR\n\
            Switch 2 \"S-02\" # \"b\"\n[1] \"H-04\"[1] # \"h4\" lid 2 4xHDR\n\
            Ca 1 \"H-03\" # \"h3\"\n[1] \"S-01\"[1] # lid 1 lmc 0 \"a\" lid 3 4xHDR\n\
            Ca 1 \"H-04\" # \"h4\"\n[1] \"S-02\"[1] # lid 2 lmc 0 \"b\" lid 4 4xHDR\n"
            .into(),
    };
    let error = read(&[network]).unwrap_err().to_string();
    assert_eq!(error, "net:7: no path joins h3 and h4");
}

#[test]
fn broken_tables_name_file_and_line() {
    // leaf00 is switch 0x200002, n0031 has LID 0x26 and is reached from there by spine01, switch
    // 0x200001.
    let text = ftree_tables().text;
    let head_of = |guid: &str| text.find(&format!(" guid {guid}")).unwrap();
    let line_of = |place: usize| 1 + text[..place].matches('\n').count();
    let leaf = head_of("0x0000000000200002");
    let spine = head_of("0x0000000000200001");
    let route_in = |block: usize| line_of(block + text[block..].find("0x0026 ").unwrap());
    for (block, from, to, line, expected) in [
        (
            leaf,
            "0x0026 ",
            "0x0126 ",
            line_of(leaf),
            "has no route to host n0031",
        ),
        (leaf, "0x0026 0", "0x0026 9", route_in(leaf), "has no cable"),
        (
            spine,
            "0x0026 008",
            "0x0026 001",
            route_in(leaf),
            "to host n0031 loop through switch leaf00",
        ),
        (
            leaf,
            "0x0026 ",
            "0x0026 x",
            route_in(leaf),
            "does not begin with a LID",
        ),
        (
            leaf,
            "0x0000000000200002",
            "0x0000000000300002",
            line_of(leaf),
            "no switch has the GUID",
        ),
    ] {
        let mut tables = ftree_tables();
        let changed = tables.text[block..].replacen(from, to, 1);
        assert_ne!(changed, tables.text[block..], "{from} is there");
        tables.text.replace_range(block.., &changed);
        let error = read(&[ftree(), tables]).unwrap_err();
        assert!(error.problem.contains(expected), "{error}");
        let at = format!("fat-tree-ftree/opensm-lfts.dump:{line}: ");
        assert!(error.to_string().starts_with(&at), "{error}, not {at}");
    }
}

/// Two hosts of two rails on two leaf switches, `n0` of three ports on two adapters.
fn rails() -> [Source; 2] {
    [
        fixture!("two-rails/ibnetdiscover.txt"),
        fixture!("two-rails/dump_lfts.txt"),
    ]
}

#[test]
fn adapters_and_ports_of_one_name_are_the_rails_of_one_host() {
    let machine = read(&rails()[..1]).unwrap();
    assert_eq!(machine.hosts, ["n0", "n1"]);
    let ends: Vec<(u32, u32)> = machine.links.iter().map(|link| link.ends).collect();
    // n0 by HCA-1 port 1, port 2 and HCA-2; then n1 by both ports; then the switches.
    assert_eq!(ends, [(0, 2), (0, 3), (0, 3), (1, 2), (1, 3), (2, 3)]);
}

#[test]
fn tables_are_followed_for_the_first_rail() {
    let subnet = Subnet::new(&rails()).unwrap();
    let cable = |out, device: &str, into| Cable {
        out,
        device: device.into(),
        into,
    };
    let path = subnet.path("n0", "n1").unwrap();
    assert_eq!(path, [cable(1, "leaf0", 1), cable(3, "n1", 1)]);
}

#[test]
fn adapters_that_nobody_has_named_are_hosts_by_their_guids() {
    let [mut network, _] = rails();
    network.text = network.text.replace("n0 HCA-2", "n0 HCA-1");
    let alike = read(&[network.clone()]).unwrap().hosts;
    let by_guid = |name: &&String| name.starts_with("H-00000000001000");
    assert_eq!(alike.iter().filter(by_guid).count(), 2, "{alike:?}");
    assert!(alike.contains(&"n1".to_owned()), "{alike:?}");
    network.text = network
        .text
        .replace("n1 HCA-1", "MT4129 ConnectX7   Mellanox Technologies");
    let unnamed = read(&[network]).unwrap().hosts;
    assert_eq!(unnamed.iter().filter(by_guid).count(), 3, "{unnamed:?}");
}

#[test]
fn a_file_that_ends_in_the_middle_names_what_it_lacks() {
    let mut network = ftree();
    let cut = network.text.rfind("Ca\t").unwrap();
    network.text.truncate(cut);
    let error = read(&[network]).unwrap_err().to_string();
    assert!(
        error.contains("1 device at the ends of cables is not described"),
        "{error}"
    );
    assert!(error.contains("H-"), "{error}");
}

#[test]
fn an_identifier_with_more_zeros_is_the_same() {
    let mut network = ftree();
    let first = network.text.find("S-").unwrap();
    let identifier = network.text[first..].split('"').next().unwrap();
    let longer = identifier.replace("S-", "S-0000");
    network
        .text
        .push_str(&format!("\nSwitch\t36 \"{longer}\"\t\t# \"another\"\n"));
    let error = read(&[network]).unwrap_err().to_string();
    let expected = format!("{longer} is already on line");
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn a_cable_to_an_adapter_that_has_none_is_refused() {
    let [mut network, _] = rails();
    network.text = network
        .text
        .replace("[1](100004) \t\"S-0000000000200001\"[2]", "");
    let error = read(&[network]).unwrap_err().to_string();
    assert!(
        error.contains("H-0000000000100003 is described without"),
        "{error}"
    );
}

#[test]
fn a_network_without_hosts_ends_too_early() {
    let cut = |lines: usize| Source {
        file: "net".into(),
        text: ftree()
            .text
            .lines()
            .take(lines)
            .map(|line| format!("{line}\n"))
            .collect(),
    };
    for (lines, expected) in [(0, "net:1: "), (20, "net:20: ")] {
        let error = read(&[cut(lines)]).unwrap_err().to_string();
        let expected = format!("{expected}the file ends without a host");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn tables_without_a_network_are_no_machine() {
    let error = read(&[ftree_tables()]).unwrap_err().to_string();
    assert!(error.contains("one output of ibnetdiscover"), "{error}");
}
