use super::*;
use crate::{Topology, parse};
use rankfold_base::{ChannelId, NodeId};

#[test]
fn speeds_are_read_with_their_units() {
    for (text, bandwidth, latency) in [
        ("5GB/s+500ns", 5e9, 5e-7),
        ("100Gbit/s", 12.5e9, 0.0),
        ("1.5e+3MB/s+1e-3ms", 1.5e9, 1e-6),
        ("8bit/s+0s", 1.0, 0.0),
        ("2.5TB/s+2us", 2.5e12, 2e-6),
        ("5 GB/s + 600 ns", 5e9, 6e-7),
    ] {
        let read = speed(text).unwrap();
        assert_eq!(
            read,
            (Speed { bandwidth, latency }, Unit::Seconds),
            "{text}"
        );
    }
    let bare = (Speed::relative(2e3), Unit::BytesOverOneLink);
    assert_eq!(speed("2e+3").unwrap(), bare);
}

#[test]
fn mistakes_are_told() {
    for (text, problem) in [
        ("0GB/s", "bandwidth 0GB/s is not positive"),
        ("-2", "bandwidth -2 is not positive"),
        ("nan", "is not positive"),
        ("inf", "is not positive"),
        ("1e300TB/s", "is not positive"),
        ("GB/s", "bandwidth \"GB/s\" is not a number"),
        ("", "is not a number"),
        ("5parsecs", "no unit such as GB/s"),
        ("5GB/s+500", "no unit such as us"),
        ("5GB/s+-5ns", "negative"),
        ("5+500ns", "needs a bandwidth with a unit"),
    ] {
        let error = speed(text).unwrap_err();
        assert!(error.contains(problem), "{text:?}: {error}");
    }
    let mixed = Speeds::parse("5GB/s,2").unwrap_err();
    assert!(mixed.contains("some have none"), "{mixed}");
}

#[test]
fn what_is_written_reads_back_the_same() {
    for (text, canonical) in [
        ("5GB/s+500ns", "5GB/s+500ns"),
        ("100Gbit/s+1.3us,100Gbit/s+1.3us", "12.5GB/s+1.3us"),
        (
            "100Gbit/s+1.3\u{b5}s,100Gbit/s+1.3\u{3bc}s",
            "12.5GB/s+1.3us",
        ),
        ("0.5GB/s,1GB/s+1500ns", "500MB/s,1GB/s+1.5us"),
        ("2,2", "2,2"),
        ("0.1B/s", "0.1B/s"),
    ] {
        let speeds = Speeds::parse(text).unwrap();
        assert_eq!(speeds.to_string(), canonical);
    }
    for bandwidth in [1.0 / 3.0, 1e9 / 7.0, 123_456_789_123.456_78, 5e300] {
        for latency in [0.0, 1e-9 / 3.0, 0.123_456_789_012_345_67, 7.7e-7] {
            let message = Speed { bandwidth, latency }.in_words(Unit::Seconds);
            let read = speed(&message).unwrap().0;
            assert_eq!(read, Speed { bandwidth, latency }, "{message}");
        }
    }
}

#[test]
fn every_family_takes_speeds_and_its_spec_reads_back() {
    for (spec, kinds) in [
        ("torus:4x3", 2),
        ("mesh:4x3", 2),
        ("hypercube:3", 3),
        ("tree:3x2x2", 3),
        ("xgft:2,2,3:1,2,2", 3),
        ("fattree:4", 3),
        ("ibcore:hosts=14,leaf=3,up=2,line=2,spines=2", 3),
        ("dragonfly:2,3,1,4", 3),
        ("percs:2", 3),
        ("tianhe3:2x2,4", 3),
    ] {
        let one = parse(&format!("{spec}@100Gbit/s+500ns")).unwrap();
        let each: Vec<String> = (1..=kinds).map(|k| format!("{k}GB/s+{k}us")).collect();
        let each = parse(&format!("{spec}@{}", each.join(","))).unwrap();
        for topology in [&one, &each] {
            assert_eq!(topology.unit(), Unit::Seconds);
            let again = parse(&topology.spec()).unwrap();
            assert_eq!(again.spec(), topology.spec());
            assert_eq!(speeds_of(&*again), speeds_of(&**topology), "{spec}");
        }
        assert!(speeds_of(&*one).iter().all(|&s| s == (12.5e9, 5e-7)));
        let fastest = speeds_of(&*each)
            .into_iter()
            .map(|s| s.0)
            .fold(0.0, f64::max);
        assert_eq!(fastest, kinds as f64 * 1e9, "{spec}");
        assert_paths_add_up(&*each);
        let bare = parse(&format!("{spec}@2")).unwrap_err().to_string();
        assert!(bare.contains("1 bandwidth for"), "{bare}");
        let too_many = format!("{spec}@{}", ["1"; 9].join(","));
        let error = parse(&too_many).unwrap_err().to_string();
        assert!(error.contains("9 bandwidths for"), "{error}");
    }
}

fn speeds_of(topology: &dyn Topology) -> Vec<(f64, f64)> {
    let channels = (0..topology.channels()).map(ChannelId::at);
    channels
        .map(|c| (topology.bandwidth(c), topology.latency(c)))
        .collect()
}

fn assert_paths_add_up(topology: &dyn Topology) {
    let nodes = || (0..topology.nodes()).map(NodeId::at);
    for (from, to) in nodes().flat_map(|a| nodes().map(move |b| (a, b))) {
        let mut sum = 0.0;
        topology.route(from, to, &mut |c| sum += topology.latency(c));
        let text = topology.path_latency(from, to);
        assert!((text - sum).abs() <= 1e-15, "{from} to {to}: {text}, {sum}");
    }
}

#[test]
fn links_of_hosts_on_a_dragonfly_are_as_fast_as_local_ones_unless_told() {
    let host = |spec| {
        let dragonfly = parse(spec).unwrap();
        let mut first = None;
        dragonfly.route(NodeId(0), NodeId(1), &mut |c| first = first.or(Some(c)));
        dragonfly.bandwidth(first.unwrap())
    };
    assert_eq!(host("dragonfly:2,2,1,3@5,7"), 1.0);
    assert_eq!(host("dragonfly:2,2,1,3@5GB/s,7GB/s"), 5e9);
    assert_eq!(host("dragonfly:2,2,1,3@9GB/s,5GB/s,7GB/s"), 9e9);
}
