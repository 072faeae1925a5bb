use super::*;
use crate::machine::{BySize, SizeRow, Timing};
use crate::metric::hop_bytes;
use crate::samples::{graph, machine, message, star_stencil};

#[test]
fn without_times_it_is_the_busiest_link_and_hop_bytes_over_ranks() {
    let (ranks, torus) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
    let placement = Placement::new((0..16).map(|r| crate::SlotId(r * 7 % 16)).collect());
    let nodes = placement.nodes(torus.slots());
    let time = time(&ranks, &torus, &placement, 0.5);
    let loads = routed_loads(torus.topology(), &flows(&ranks, &nodes));
    assert_eq!(time.busiest_link, Congestion::of(&loads).max);
    let hop_bytes = hop_bytes(&ranks, torus.topology(), &nodes) as f64;
    assert_eq!(time.mean_transfer, hop_bytes / 16.0);
    assert_eq!((time.latency, time.overhead), (0.0, 0.0));
    assert_eq!(time.unit, Unit::BytesOverOneLink);
    assert_eq!(time.total(), time.busiest_link + 0.5 * time.mean_transfer);
}

#[test]
fn memory_inside_a_node_is_a_link() {
    let ranks = graph(
        4,
        vec![
            message(0, 1, 600),
            message(1, 0, 400),
            message(2, 3, 100),
            message(1, 2, 50),
        ],
    );
    let timing = Timing {
        memory: Some(4.0),
        ..Timing::default()
    };
    let time = |machine: &Machine| time(&ranks, machine, &Placement::block(4), 1.0);
    let pairs = time(&machine("torus:2", 2).with_timing(timing));
    assert_eq!(pairs.busiest_link, 1000.0 / 4.0);
    assert_eq!(pairs.mean_transfer, (1100.0 / 4.0 + 50.0) / 4.0);
    assert_eq!(time(&machine("torus:2", 2)).busiest_link, 50.0);
}

#[test]
fn bytes_count_by_the_share_that_messages_of_their_size_get() {
    let row = |bytes, bandwidth| SizeRow {
        bytes,
        bandwidth,
        latency: 1.0,
    };
    let timing = Timing {
        by_size: BySize::new(vec![row(0, 0.25), row(1000, 0.8)]).unwrap(),
        ..Timing::default()
    };
    let torus = machine("torus:3", 1).with_timing(timing);
    let ranks = graph(3, vec![message(0, 1, 10), message(1, 2, 1000)]);
    let model = TimeModel::new(&ranks, &torus, 0.0);
    let felt: Vec<u64> = model.graph().messages().map(|m| m.bytes).collect();
    assert_eq!(felt, [40, 1250]);
    assert_eq!(model.time(&Placement::block(3)).busiest_link, 1250.0);
}

#[test]
fn all_bytes_of_a_full_graph_still_fit_63_bits() {
    let timing = Timing {
        by_size: BySize::new(vec![SizeRow {
            bytes: 0,
            bandwidth: 1e-6,
            latency: 1.0,
        }])
        .unwrap(),
        ..Timing::default()
    };
    let torus = machine("torus:3", 1).with_timing(timing);
    let ranks = graph(3, vec![message(0, 1, 1 << 61), message(1, 2, 1 << 60)]);
    let felt = TimeModel::new(&ranks, &torus, 0.0);
    assert!(felt.graph().total_bytes() <= i64::MAX as u128);
}

#[test]
fn one_rank_and_no_traffic_take_no_time() {
    for (ranks, spec) in [(1, "torus:1"), (4, "tree:2x2")] {
        let silent = graph(ranks, Vec::new());
        let time = time(&silent, &machine(spec, 1), &Placement::block(ranks), 1.0);
        assert_eq!((time.total(), time.mean_transfer), (0.0, 0.0), "{spec}");
    }
    let together = graph(2, vec![message(0, 1, 9)]);
    let time = time(&together, &machine("torus:2", 2), &Placement::block(2), 1.0);
    assert_eq!(time.total(), 0.0);
}
