use super::*;
use crate::network::speed::Speed;

fn channel(name: &str, bandwidth: f64, latency: f64) -> PathChannel {
    PathChannel {
        name: name.into(),
        speed: Speed { bandwidth, latency },
    }
}

/// Three nodes on a bus; node 2 is reached through a delay that nothing queues for.
fn bus() -> ListedPaths {
    let channels = vec![
        channel("bus", 10.0, 1.0),
        channel("far", f64::INFINITY, 5.0),
    ];
    let mut table = PathTable::new(channels, 3);
    for path in [&[][..], &[0], &[0, 1], &[0], &[], &[0, 1], &[0], &[0], &[]] {
        table.push(path).unwrap();
    }
    ListedPaths::new("bus".into(), table).unwrap()
}

#[test]
fn hops_are_those_of_the_shorter_way_and_the_oracle_agrees() {
    let bus = bus();
    let distances = bus.distances();
    for (from, to) in (0..9).map(|pair| (NodeId(pair / 3), NodeId(pair % 3))) {
        let hops = u32::from(from != to);
        assert_eq!((bus.hops(from, to), distances.hops(from, to)), (hops, hops));
    }
    assert_eq!(
        (bus.diameter(), bus.distance_profile().pairs),
        (1, vec![0, 6])
    );
    assert_eq!(bus.nearest(NodeId(1)), [NodeId(0), NodeId(2)]);
}

#[test]
fn latencies_follow_the_way_of_the_message() {
    let bus = bus();
    assert_eq!(bus.path_latency(NodeId(0), NodeId(2)), 6.0);
    assert_eq!(bus.path_latency(NodeId(2), NodeId(0)), 1.0);
}

#[test]
fn all_nodes_together_send_no_faster_than_the_channels_they_share() {
    assert_eq!(bus().leaving()[..3], [10.0; 3]);
    assert_eq!(bus().wiring().vertices(), 4);
}

#[test]
fn rules_for_other_paths_are_refused() {
    let mut rules = RoutingRules::default();
    rules.set("routes", "spread").unwrap();
    let problem = bus().set_rules(rules).unwrap_err();
    assert!(problem.contains("lists one path"), "{problem}");
}

#[test]
fn a_pair_without_a_path_is_refused() {
    let mut table = PathTable::new(vec![channel("a", 1.0, 0.0)], 2);
    for path in [&[][..], &[0], &[], &[]] {
        table.push(path).unwrap();
    }
    let problem = ListedPaths::new("x".into(), table).unwrap_err();
    assert_eq!(problem, "no path leads from host 1 to host 0");
}

#[test]
fn a_table_without_hosts_is_refused() {
    let problem = ListedPaths::new("x".into(), PathTable::new(Vec::new(), 0)).unwrap_err();
    assert_eq!(problem, "no host is given");
}
