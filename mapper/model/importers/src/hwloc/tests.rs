use super::*;

fn fixture(name: &str) -> Source {
    let text = match name {
        "two-packages" => include_str!("../../tests/fixtures/hwloc/two-packages.xml"),
        "one-core-down" => include_str!("../../tests/fixtures/hwloc/one-core-down.xml"),
        _ => include_str!("../../tests/fixtures/hwloc/four-packages-v1.xml"),
    };
    Source {
        file: name.into(),
        text: text.into(),
    }
}

/// The same host with another name.
fn called(name: &str, source: &Source) -> Source {
    let info = format!("<info name=\"HostName\" value=\"{name}\"/><info name=\"Backend\"");
    Source {
        file: name.into(),
        text: source.text.replacen("<info name=\"Backend\"", &info, 1),
    }
}

fn levels_of(name: &str) -> Vec<(String, Vec<u32>)> {
    let description = read(&[fixture(name)]).unwrap();
    let inside = &description.insides[0].1;
    let levels = inside.levels().iter();
    levels.map(|l| (l.name.clone(), l.cores.clone())).collect()
}

#[test]
fn packages_and_caches_are_levels_and_threads_are_not() {
    let expected = [
        ("package".to_owned(), vec![4; 2]),
        ("l3".to_owned(), vec![2; 4]),
    ];
    assert_eq!(levels_of("two-packages"), expected);
}

#[test]
fn memory_is_a_level_in_version_1_of_the_format_too() {
    let expected = [
        ("package".to_owned(), vec![12; 4]),
        ("numa".to_owned(), vec![6; 8]),
    ];
    assert_eq!(levels_of("four-packages-v1"), expected);
}

#[test]
fn a_core_that_is_down_leaves_its_groups_smaller() {
    let expected = [
        ("package".to_owned(), vec![4, 3]),
        ("l3".to_owned(), vec![2, 2, 2, 1]),
    ];
    assert_eq!(levels_of("one-core-down"), expected);
}

#[test]
fn several_hosts_hang_below_one_switch_and_those_alike_are_told_once() {
    let (big, small) = (fixture("four-packages-v1"), fixture("two-packages"));
    let hosts = [called("a", &small), called("b", &big), called("c", &small)];
    let description = read(&hosts).unwrap();
    assert_eq!(description.hosts, ["a", "b", "c"]);
    assert_eq!(description.links.len(), 3);
    let told: Vec<_> = description
        .insides
        .iter()
        .map(|(hosts, inside)| (hosts.clone(), inside.cores()))
        .collect();
    let names = |names: &[&str]| Some(names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
    assert_eq!(told, [(names(&["a", "c"]), 8), (names(&["b"]), 48)]);
    let alike = read(&[called("a", &small), called("b", &small)]).unwrap();
    assert_eq!(alike.insides[0].0, None);
}

#[test]
fn one_file_holds_for_all_hosts_of_a_network_and_several_for_those_they_name() {
    let network = || Description {
        hosts: vec!["a".into(), "b".into()],
        ..Description::default()
    };
    let small = fixture("two-packages");
    let mut all = network();
    add(&mut all, std::slice::from_ref(&small)).unwrap();
    assert_eq!(all.insides[0].0, None);

    let big = fixture("four-packages-v1");
    let mut each = network();
    add(&mut each, &[called("b", &big), called("a", &small)]).unwrap();
    assert_eq!(each.insides.len(), 2);
    assert_eq!(each.insides[0].0, Some(vec!["a".into()]));

    for (files, problem) in [
        (
            [called("a", &small), called("z", &big)],
            "z:3: there is no host named z",
        ),
        (
            [called("a", &small), called("a", &big)],
            "a:3: there are two files of host a",
        ),
        (
            [called("a", &small), big.clone()],
            "four-packages-v1:3: of several such files",
        ),
    ] {
        let error = add(&mut network(), &files).unwrap_err().to_string();
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn mistakes_name_the_line() {
    let whole = fixture("two-packages");
    for (text, problem) in [
        (
            whole.text.replace("</topology>", ""),
            "t:1: this is not XML",
        ),
        (
            whole.text.replace("topology", "topologydiff"),
            "t:3: <topologydiff> is not",
        ),
        (
            whole
                .text
                .replace("\"Core\"", "\"Misc\"")
                .replace("\"PU\"", "\"Misc\""),
            "t:3: there is no core",
        ),
    ] {
        let source = Source {
            file: "t".into(),
            text,
        };
        let error = read(&[source]).unwrap_err().to_string();
        assert!(error.starts_with(problem), "{error}");
    }
}
