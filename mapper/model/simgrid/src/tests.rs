use super::SIMGRID;
use rankfold_base::{ChannelId, NodeId};
use rankfold_importers::Source;
use rankfold_machine::{Description, Hardware, Ties, load, parse};
use std::collections::BTreeMap;

/// The platform files of the tests, each with what SimGrid answers: see `scripts/simgrid-routes`.
macro_rules! platforms {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            include_str!(concat!("../tests/fixtures/", $name, ".xml")),
            include_str!(concat!("../tests/fixtures/", $name, ".routes")),
        )),*]
    };
}

const PLATFORMS: [(&str, &str, &str); 17] = platforms![
    "torus",
    "torus_of_one_ring",
    "torus_limited_and_shared",
    "fat_tree",
    "fat_tree_parallel_cables",
    "fat_tree_limited",
    "fat_trees",
    "dragonfly",
    "dragonfly_chassis",
    "dragonfly_limited",
    "flat",
    "flat_backbone",
    "flat_fat_backbone",
    "full",
    "floyd",
    "dijkstra",
    "zones",
];

fn source(text: &str) -> Source {
    Source {
        file: "p.xml".into(),
        text: text.into(),
    }
}

fn import(text: &str) -> Description {
    SIMGRID.import(vec![source(text)]).unwrap()
}

fn platform(name: &str) -> &'static str {
    PLATFORMS.iter().find(|entry| entry.0 == name).unwrap().1
}

/// What SimGrid answers: bandwidth (infinite where messages do not slow each other down) and
/// latency of every link, and for every host the routes to all hosts in the order of the hosts.
struct Answers {
    links: Vec<(f64, f64)>,
    hosts: Vec<String>,
    routes: Vec<Vec<Vec<usize>>>,
}

fn answers(text: &str) -> Answers {
    let mut answers = Answers {
        links: Vec::new(),
        hosts: Vec::new(),
        routes: Vec::new(),
    };
    for line in text.lines() {
        if let Some(link) = line.strip_prefix("link ") {
            let words: Vec<&str> = link.split(' ').collect();
            let bandwidth = words[1].parse().unwrap_or(f64::INFINITY);
            answers.links.push((bandwidth, words[2].parse().unwrap()));
        } else {
            let (host, routes) = line.split_once(": ").unwrap();
            let numbers = |route: &str| {
                let links = route.split(',').filter(|link| !link.is_empty());
                links.map(|link| link.parse().unwrap()).collect()
            };
            answers.hosts.push(host.into());
            let routes = routes.strip_suffix(';').unwrap().split(';');
            answers.routes.push(routes.map(numbers).collect());
        }
    }
    answers
}

/// A link by the pairs of hosts whose messages pass it, with its bandwidth and latency.
type LinkUse = (Vec<usize>, f64, f64);

/// All links, ordered, from the links on the way of every pair of hosts.
fn uses(paths: &[Vec<usize>], speed: impl Fn(usize) -> (f64, f64)) -> Vec<LinkUse> {
    let mut pairs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (pair, path) in paths.iter().enumerate() {
        for &link in path {
            pairs.entry(link).or_default().push(pair);
        }
    }
    let with_speed = |(link, pairs)| {
        let (bandwidth, latency) = speed(link);
        (pairs, bandwidth, latency)
    };
    let mut uses: Vec<LinkUse> = pairs.into_iter().map(with_speed).collect();
    let speed = |a: &LinkUse, b: &LinkUse| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2));
    uses.sort_by(|a, b| a.0.cmp(&b.0).then(speed(a, b)));
    uses
}

/// Checks that the routes of a machine are those of SimGrid: every pair of hosts passes the same
/// links, and the links have the same speeds. The order of links is not compared, since SimGrid
/// lists those of a zone with Dijkstra's routes before the links that come first.
fn check(name: &str, hardware: &Hardware, answers: &Answers) {
    let names = hardware.names.as_ref().unwrap();
    let node = |host: &String| NodeId::at(names.iter().position(|name| name == host).unwrap());
    let nodes: Vec<NodeId> = answers.hosts.iter().map(node).collect();
    let topology = &hardware.topology;
    assert_eq!(nodes.len(), topology.nodes(), "{name}");
    let mut paths = Vec::new();
    for (&from, &to) in nodes.iter().flat_map(|a| nodes.iter().map(move |b| (a, b))) {
        let mut path = Vec::new();
        topology.route(from, to, &mut |channel| path.push(channel.index()));
        paths.push(path);
    }
    let speed = |channel| {
        let channel = ChannelId::at(channel);
        (topology.bandwidth(channel), topology.latency(channel))
    };
    let (ours, theirs) = (
        uses(&paths, speed),
        uses(&answers.routes.concat(), |link| answers.links[link]),
    );
    assert_eq!(ours.len(), theirs.len(), "{name}: number of links");
    // SimGrid writes twelve digits.
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-11 * b;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.0, theirs.0, "{name}: pairs that pass a link");
        let alike = close(ours.1, theirs.1) && close(ours.2, theirs.2);
        assert!(alike, "{name}: {ours:?}, {theirs:?}");
    }
}

#[test]
fn routes_and_speeds_are_those_of_simgrid_for_every_pair_of_hosts() {
    for (name, text, routes) in PLATFORMS {
        let hardware = import(text).build("p.xml").unwrap();
        check(name, &hardware, &answers(routes));
    }
}

#[test]
fn the_machine_file_of_a_platform_has_its_routes_too() {
    let directory = tempfile::tempdir().unwrap();
    for (name, text, routes) in PLATFORMS {
        let path = directory.path().join("machine.toml");
        std::fs::write(&path, import(text).to_string()).unwrap();
        check(
            name,
            &load(path.to_str().unwrap()).unwrap(),
            &answers(routes),
        );
    }
}

#[test]
fn hosts_are_numbered_as_the_file_names_them_and_have_its_cores_and_loopback() {
    let ring = import(platform("torus_of_one_ring"));
    assert_eq!(ring.hosts[0], "node-7.site");
    assert_eq!(ring.hosts[7], "node-16.site");
    let hardware = ring.build("p.xml").unwrap();
    assert_eq!(hardware.slots(None), [4; 8]);
    let torus = import(platform("torus"));
    assert_eq!(torus.timing.memory, Some(20e9));
    let full = import(platform("full")).build("p.xml").unwrap();
    assert_eq!(full.slots(None), [1, 1, 2]);
}

#[test]
fn clusters_become_networks_with_a_structure_where_these_have_their_routes() {
    for (name, network) in [
        ("torus", "torus:2x4x5@10GB/s+100ns/ties=source,order=2,1,0"),
        ("torus_of_one_ring", "torus:8@156.25MB/s+2us/ties=source"),
        ("fat_tree", "xgft:4,2,3:1,2,2@10GB/s+100ns"),
    ] {
        assert_eq!(import(platform(name)).network.as_deref(), Some(network));
    }
    assert!(import(platform("dragonfly")).tables.is_some());
    assert_eq!(import(platform("flat")).switches.len(), 1);
    let rules = parse("torus:4/ties=source").unwrap().rules().ties;
    assert_eq!(rules, Some(Ties::Source));
}

#[test]
fn a_platform_is_recognised_by_its_content() {
    for (name, text, _) in PLATFORMS {
        assert!((SIMGRID.recognises)(&source(text)), "{name}");
    }
}

/// A platform of one zone with these contents, the first of which are on line 3.
fn zone(routing: &str, contents: &str) -> String {
    format!(
        "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"{routing}\">\n{contents}\n</zone>\n</platform>"
    )
}

fn cluster(attributes: &str) -> String {
    format!(
        "<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1f\" {attributes}/>\n</platform>"
    )
}

const TWO_HOSTS: &str = "<host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/>";

#[test]
fn mistakes_name_file_and_line() {
    let link = "<link id=\"l\" bandwidth=\"1MBps\"/>\n";
    let route =
        |ends: &str, parts: &str| format!("{TWO_HOSTS}\n{link}<route {ends}>{parts}</route>");
    let ctn = "<link_ctn id=\"l\"/>";
    for (text, problem) in [
        ("<platform".into(), "p.xml:1: this is not XML"),
        (
            "<platform version=\"3\"/>".into(),
            "p.xml:1: version 3: version 4 is supported",
        ),
        (
            "<platform version=\"4.1\"/>".into(),
            "p.xml:1: the platform has no host",
        ),
        (
            zone("Ful", ""),
            "p.xml:2: routing=\"ful\" is not supported, did you mean full?",
        ),
        (
            zone("Vivaldi", ""),
            "p.xml:2: routing=\"vivaldi\" is not supported",
        ),
        (zone("Full", TWO_HOSTS), "p.xml:2: no route from a to b"),
        (zone("Floyd", TWO_HOSTS), "p.xml:2: no route from a to b"),
        (zone("Dijkstra", TWO_HOSTS), "p.xml:2: no route from a to b"),
        (
            zone("Cluster", TWO_HOSTS),
            "p.xml:2: the route from a to b has no link",
        ),
        (
            zone("Full", "\n<host id=\"a\"/>\n<host id=\"a\"/>"),
            "p.xml:5: there are two hosts, routers or zones named a",
        ),
        (
            zone("Full", &format!("{link}{link}")),
            "p.xml:4: there are two links named l",
        ),
        (
            zone("Full", "<link id=\"l\" bandwidth=\"0Bps\"/>"),
            "p.xml:3: bandwidth: bandwidth 0Bps is not positive",
        ),
        (
            zone("Full", "<link id=\"l\" bandwidth=\"1GB/s\"/>"),
            "p.xml:3: bandwidth: \"1GB/s\" has no unit of SimGrid",
        ),
        (
            zone("Full", "<link id=\"l\"/>"),
            "p.xml:3: <link> has no bandwidth",
        ),
        (
            zone("Full", "<link id=\"l\" bandwidth=\"1Bps\" latency=\"1x\"/>"),
            "p.xml:3: latency: \"1x\" has no unit",
        ),
        (
            zone(
                "Full",
                "<link id=\"l\" bandwidth=\"1Bps\" sharing_policy=\"WIFI\"/>",
            ),
            "p.xml:3: sharing_policy=\"WIFI\": supported are SHARED",
        ),
        (
            zone("Full", &route("src=\"a\" dst=\"x\"", ctn)),
            "p.xml:5: dst: there is no host, router or zone named x",
        ),
        (
            zone(
                "Full",
                &route("src=\"a\" dst=\"b\"", "<link_ctn id=\"m\"/>"),
            ),
            "p.xml:5: there is no link named m up to here",
        ),
        (
            zone(
                "Full",
                &route(
                    "src=\"a\" dst=\"b\"",
                    "<link_ctn id=\"l\" direction=\"UP\"/>",
                ),
            ),
            "p.xml:5: link l has no direction UP",
        ),
        (
            zone("Full", &route("src=\"a\" dst=\"b\"", "")),
            "p.xml:5: the route has no link",
        ),
        (
            zone(
                "Full",
                &format!(
                    "{}\n<route src=\"b\" dst=\"a\">{ctn}</route>",
                    route("src=\"a\" dst=\"b\"", ctn)
                ),
            ),
            "p.xml:6: there are two routes from b to a",
        ),
        (
            zone(
                "Full",
                &format!("{TWO_HOSTS}\n<bypassRoute src=\"a\" dst=\"b\"/>"),
            ),
            "p.xml:4: <bypassRoute> is not supported",
        ),
        (
            zone(
                "Full",
                "<zone id=\"y\" routing=\"Full\">\n<peer id=\"p\"/></zone>",
            ),
            "p.xml:4: <peer> is not supported",
        ),
        (cluster("bw=\"1Bps\""), "p.xml:1: "),
        (
            cluster("bw=\"0Bps\" lat=\"1s\""),
            "p.xml:2: bw: bandwidth 0Bps is not positive",
        ),
        (
            cluster("bw=\"1Bps\" lat=\"-1s\""),
            "p.xml:2: lat: time -1s is negative",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"RING\""),
            "p.xml:2: topology=\"RING\": supported are FLAT, TORUS, FAT_TREE, DRAGONFLY",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"TORUS\" topo_parameters=\"3,2\""),
            "p.xml:2: the topology has 6 hosts, radical only 4",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"TORUS\" topo_parameters=\"0\""),
            "p.xml:2: topo_parameters=\"0\" is not a list of sizes",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1;1,1\""),
            "p.xml:2: topo_parameters: each of the three lists",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"DRAGONFLY\" topo_parameters=\"3,1;1,1;2,1;1\""),
            "p.xml:2: topo_parameters: 3 groups for 2 routers",
        ),
        (
            cluster("bw=\"1Bps\" topology=\"TORUS\" topo_parameters=\"99999,99999,99999\""),
            "p.xml:2: topo_parameters: the sizes multiply",
        ),
        (
            cluster("bw=\"1Bps\" bb_lat=\"1s\""),
            "p.xml:2: bb_lat is given without bb_bw",
        ),
    ] {
        let error = SIMGRID.import(vec![source(&text)]).map(|_| ());
        let error = error.map_err(|e| e.to_string());
        if problem == "p.xml:1: " {
            assert_eq!(error, Ok(()), "a latency may be left out: {text}");
            continue;
        }
        let error = error.unwrap_err();
        assert!(error.starts_with(problem), "{text}:\n{error}\n{problem}");
    }
}

#[test]
fn gateways_that_lead_in_a_circle_or_elsewhere_are_refused() {
    let hosts = |zone: &str| {
        format!(
            "<zone id=\"{zone}\" routing=\"Full\"><host id=\"{zone}0\" speed=\"1f\"/><router id=\"{zone}r\"/></zone>\n"
        )
    };
    let hosts = ["x", "y"].map(hosts).concat();
    let zones = format!("{hosts}<link id=\"l\" bandwidth=\"1Bps\"/>\n");
    let joined = |first: &str| {
        let gateways = format!("gw_src=\"{first}\" gw_dst=\"yr\"");
        let route =
            format!("<zoneRoute src=\"x\" dst=\"y\" {gateways}><link_ctn id=\"l\"/></zoneRoute>");
        let text = zone("Full", &format!("{zones}{route}"));
        SIMGRID.import(vec![source(&text)]).unwrap_err().to_string()
    };
    let problem = "p.xml:6: gw_src: y0 is no host or router in zone x";
    assert_eq!(joined("y0"), problem);
    // Nothing joins the host with the gateway.
    assert_eq!(
        joined("xr"),
        "p.xml:3: no route from x0 to xr: this zone has none from x0 to xr"
    );
}
