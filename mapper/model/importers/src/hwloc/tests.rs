use super::*;
use rankfold_machine::Device;

fn fixture(name: &str) -> Source {
    let text = match name {
        "two-packages" => include_str!("../../tests/fixtures/hwloc/two-packages.xml"),
        "one-core-down" => include_str!("../../tests/fixtures/hwloc/one-core-down.xml"),
        "card-a-memory" => include_str!("../../tests/fixtures/hwloc/card-a-memory.xml"),
        "card-a-package" => include_str!("../../tests/fixtures/hwloc/card-a-package.xml"),
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

fn devices(devices: &[Device]) -> Vec<(&str, u32, u32)> {
    devices
        .iter()
        .map(|it| (it.name.as_str(), it.first, it.cores))
        .collect()
}

#[test]
fn adapters_and_gpus_are_near_to_the_cores_of_their_memory_or_package() {
    let memory = inside(&fixture("card-a-memory")).unwrap();
    let nics = [
        ("hsn2", 0, 4),
        ("hsn1", 4, 4),
        ("hsn3", 8, 4),
        ("hsn0", 12, 4),
    ];
    assert_eq!(devices(memory.nics()), nics);
    let gpus = devices(memory.gpus());
    assert_eq!((gpus.len(), gpus[0]), (8, ("rsmi4", 0, 4)));
    let package = inside(&fixture("card-a-package")).unwrap();
    assert_eq!(
        devices(package.nics()),
        [("ib0", 0, 6), ("ib1", 6, 6)],
        "Ethernet is not for the job"
    );
    assert_eq!(devices(package.gpus())[3], ("cuda3", 6, 6));
}

#[test]
fn a_host_has_a_cable_for_every_adapter() {
    let hosts = ["a", "b", "c"].map(|name| match name {
        "c" => called(name, &fixture("two-packages")),
        _ => fixture("card-a-memory"),
    });
    let description = read(&hosts).unwrap();
    let cables: Vec<u32> = description.links.iter().map(|link| link.cables).collect();
    assert_eq!(cables, [4, 4, 1]);
}

#[test]
fn version_3_of_the_format_tells_the_kinds_of_a_device_as_bits() {
    let two = fixture("card-a-package");
    let newer = two
        .text
        .replace("version=\"2.0\"", "version=\"3.0\"")
        .replace("osdev_type=\"5\"", "osdev_type=\"12\"")
        .replace("osdev_type=\"3\"", "osdev_type=\"48\"")
        .replace("osdev_type=\"2\"", "osdev_type=\"16\"");
    let three = Source {
        file: two.file.clone(),
        text: newer,
    };
    assert_eq!(inside(&three).unwrap(), inside(&two).unwrap());
}

#[test]
fn of_the_ports_of_a_card_one_counts_and_without_a_fabric_ethernet_is_for_the_job() {
    let whole = fixture("card-a-package");
    let source = |text: String| Source {
        file: "t".into(),
        text,
    };
    let one_card = source(whole.text.replace("0000:af:00.0", "0000:3b:00.1"));
    assert_eq!(devices(inside(&one_card).unwrap().nics()), [("ib0", 0, 6)]);
    let ethernet = whole.text.replace("osdev_type=\"3\"", "osdev_type=\"0\"");
    let plain = source(ethernet.replace("\"ib", "\"eth"));
    // The link of `eno1` is narrower than half of the others.
    assert_eq!(
        devices(inside(&plain).unwrap().nics()),
        [("eth0", 0, 6), ("eth1", 6, 6)]
    );
    let slow = source(plain.text.replace("31.5", "0.5"));
    assert_eq!(inside(&slow).unwrap().nics().len(), 3);
    let wireless = source(slow.text.replace("eno1", "wlp3s0"));
    assert_eq!(inside(&wireless).unwrap().nics().len(), 2);
}

/// The adapters of `card-a-package`, with what the file tells of the port of both cards.
fn adapters_with(ports: [(&str, &str); 2]) -> Vec<String> {
    let mut source = fixture("card-a-package");
    for (card, (state, lid)) in ["mlx5_0", "mlx5_1"].into_iter().zip(ports) {
        let device = format!("name=\"{card}\" osdev_type=\"3\"");
        let infos = format!(
            "{device}><info name=\"Port1State\" value=\"{state}\"/><info name=\"Port1LID\" value=\"{lid}\"/></object>"
        );
        source.text = source.text.replace(&format!("{device}/>"), &infos);
    }
    let inside = inside(&source).unwrap();
    inside.nics().iter().map(|it| it.name.clone()).collect()
}

#[test]
fn cards_that_are_down_or_on_ethernet_do_not_count_beside_others() {
    let (infiniband, ethernet, down) = (("4", "0x2f"), ("4", "0x0"), ("1", "0x0"));
    assert_eq!(adapters_with([infiniband, ("4", "0x30")]), ["ib0", "ib1"]);
    assert_eq!(adapters_with([infiniband, ethernet]), ["ib0"]);
    assert_eq!(adapters_with([ethernet, ethernet]), ["ib0", "ib1"]);
    assert_eq!(adapters_with([down, ethernet]), ["ib1"]);
    assert_eq!(adapters_with([down, down]), ["ib0", "ib1"]);
}

#[test]
fn a_card_for_graphics_that_renders_is_a_gpu_and_a_console_is_none() {
    let cuda = "<object type=\"OSDev\" gp_index=\"30\" name=\"cuda0\" osdev_type=\"5\"/>";
    let gpus = |class: &str, names: &[&str]| {
        let mut source = fixture("card-a-package");
        let devices = names.iter().map(|name| {
            format!("<object type=\"OSDev\" gp_index=\"30\" name=\"{name}\" osdev_type=\"1\"/>")
        });
        let devices: String = devices.collect();
        assert!(source.text.contains(cuda));
        source.text = source.text.replace(cuda, &devices);
        source.text = source.text.replacen("0302 [1234:5678]", class, 1);
        inside(&source).unwrap().gpus().len()
    };
    assert_eq!(gpus("0300 [1002:66a1]", &["card1", "renderD128"]), 4);
    assert_eq!(gpus("0300 [1a03:2000]", &["card0", "controlD64"]), 3);
    assert_eq!(gpus("0300 [8086:4680]", &["card0", "renderD128"]), 3);
}

#[test]
fn memory_behind_a_cache_is_a_level() {
    let mut source = fixture("card-a-memory");
    let memory = "<object type=\"NUMANode\" os_index=\"0\" gp_index=\"4\" local_memory=\"4096\"/>";
    assert!(source.text.contains(memory));
    let cache = format!("<object type=\"MemCache\" gp_index=\"999\">{memory}</object>");
    source.text = source.text.replace(memory, &cache);
    assert_eq!(inside(&source), inside(&fixture("card-a-memory")));
}

#[test]
fn packages_whose_memory_is_not_for_the_job_share_none() {
    let core = "<object type=\"Core\"/>";
    let package = |memory: &str| format!("<object type=\"Package\">{memory}{core}{core}</object>");
    let [with, without] = ["<object type=\"NUMANode\"/>", ""].map(package);
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\">{with}{without}{without}</object><distances2 type=\"NUMANode\"/></topology>"
    );
    let source = Source {
        file: "t".into(),
        text,
    };
    let inside = inside(&source).unwrap();
    let levels: Vec<_> = inside.levels().iter().map(|it| &it.cores[..]).collect();
    assert_eq!(levels, [[2; 3]]);
}

#[test]
fn cores_beside_those_that_share_a_part_share_none() {
    let core = "<object type=\"Core\"/>";
    let of = |kind: &str, cores: usize| {
        let cores = core.repeat(cores);
        format!("<object type=\"{kind}\">{cores}</object>")
    };
    let alone = of("L1Cache", 1);
    let some = format!(
        "<object type=\"Package\">{}{core}{core}</object>",
        of("L2Cache", 2)
    );
    let private = format!("<object type=\"Package\">{core}{core}{alone}{alone}</object>");
    let text = |packages: &str| {
        format!("<topology version=\"2.0\"><object type=\"Machine\">{packages}</object></topology>")
    };
    let levels = |packages: &str| {
        let text = text(packages);
        let inside = inside(&Source {
            file: "t".into(),
            text,
        })
        .unwrap();
        let levels = inside.levels().iter();
        levels.map(|it| it.cores.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        levels(&(some.clone() + &some)),
        [vec![4, 4], vec![2, 1, 1, 2, 1, 1]]
    );
    assert_eq!(levels(&(private.clone() + &private)), [vec![4, 4]]);
}

#[test]
fn several_hosts_hang_below_one_switch_and_those_alike_are_told_once() {
    let (big, small) = (fixture("four-packages-v1"), fixture("two-packages"));
    let hosts = [called("a", &small), called("b", &big), called("c", &small)];
    let description = read(&hosts).unwrap();
    assert_eq!(description.hosts, ["a", "b", "c"]);
    assert_eq!(description.links.len(), 3);
    let groups: Vec<_> = description
        .insides
        .iter()
        .map(|(hosts, inside)| (hosts.clone(), inside.cores()))
        .collect();
    let names = |names: &[&str]| Some(names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
    assert_eq!(groups, [(names(&["a", "c"]), 8), (names(&["b"]), 48)]);
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
