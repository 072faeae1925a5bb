//! Tests of the description of machines.

use super::*;
use rankfold_machine::{Sharing, Timing, parse};
use serde_json::{Value, json};

#[test]
fn links_are_counted_as_cables_by_bandwidth() {
    let links = |spec| link_classes(&*parse(spec).unwrap());
    let class = |count, bandwidth| LinkClass {
        bandwidth,
        latency: 0.0,
        count,
    };
    // A ring of size 2 has one cable, and a mesh has no cable around its ends.
    assert_eq!(links("torus:4x2@2,1"), [class(4, 1.0), class(8, 2.0)]);
    assert_eq!(links("mesh:3x2"), [class(7, 1.0)]);
    assert_eq!(links("ibcore:hosts=60"), [class(60 + 12 + 2 * 18, 1.0)]);
}

#[test]
fn a_description_tells_what_the_distances_are() {
    let machine = Machine::uniform(parse("torus:4").unwrap(), 2);
    let described = describe(&machine);
    assert_eq!((described.slots, described.diameter), (8, 2));
    assert_eq!(described.pairs, [0, 8, 4]);
    assert!((described.mean_hops - 4.0 / 3.0).abs() < 1e-15);
    let mut text = Vec::new();
    print(&described, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("1 hops   66.7 %  ###"), "{text}");
    assert!(text.contains("bisection  2 each way"), "{text}");
}

#[test]
fn links_are_shown_with_their_units() {
    let timing = Timing {
        overhead: 3e-7,
        memory: Some(4e10),
        ..Timing::default()
    };
    let machine = Machine::uniform(parse("torus:4x3@5GB/s+500ns,10GB/s").unwrap(), 1);
    let machine = machine.with_timing(timing);
    let mut text = Vec::new();
    print(&describe(&machine), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for line in [
        "links      12 of bandwidth 5GB/s, latency 500ns\n",
        "links      12 of bandwidth 10GB/s, latency 0s\n",
        "overhead   300ns a message",
        "memory     40GB/s inside a node",
        "GB/s each way",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn measured_speeds_are_shown_to_four_digits() {
    let machine = Machine::uniform(parse("torus:4@3.0387118055GB/s+1.23456us").unwrap(), 1);
    let mut text = Vec::new();
    print(&describe(&machine), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let line = "links      4 of bandwidth 3.039GB/s, latency 1.235us\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_long_way_is_shown_in_ranges() {
    let rows = shares(&[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    let labels = [&rows[0].0, &rows[9].0];
    assert_eq!((rows.len(), labels), (10, [&"1-2".into(), &"19".into()]));
}

/// What is printed of a machine, and the same as JSON.
fn shown(spec: &str, timing: Timing) -> (String, Value) {
    let machine = Machine::uniform(parse(spec).unwrap(), 1).with_timing(timing);
    let described = describe(&machine);
    let mut text = Vec::new();
    print(&described, &mut text).unwrap();
    (
        String::from_utf8(text).unwrap(),
        serde_json::to_value(&described).unwrap(),
    )
}

#[test]
fn the_rules_of_messages_are_shown_as_text_and_as_json() {
    let timing = Timing {
        sharing: Some(Sharing::Equal),
        eager_limit: 12288,
        ..Timing::default()
    };
    let (text, json) = shown("torus:4x3@5GB/s/ties=source,order=1,0", timing);
    for line in [
        "\npaths      one for each pair of nodes (static)\n",
        "\ndimensions in the order 1, 0\n",
        "\nties       half way round a ring: by the source, as on SimGrid's tori (source)\n",
        "\nsharing    on a link, all messages get the same (equal)\n",
        "\neager      messages of up to 12288 bytes do not wait for their receivers\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let keys = [
        "routing",
        "dimension_order",
        "ties",
        "routes",
        "sharing",
        "eager_limit",
    ];
    let values = json!(["dor", [1, 0], "source", "static", "equal", 12288]);
    assert_eq!(Value::from_iter(keys.map(|key| json[key].clone())), values);
}

#[test]
fn only_tori_with_half_way_ties_have_a_rule_for_them() {
    let of = |spec| {
        let (text, json) = shown(spec, Timing::default());
        assert_eq!(text.contains("\nties "), json["ties"].is_string(), "{text}");
        (json["ties"].clone(), json["dimension_order"].clone())
    };
    assert_eq!(of("torus:4x4"), (json!("any"), json!([0, 1])));
    assert_eq!(
        of("torus:4x4/routes=spread"),
        (json!("split"), json!([0, 1]))
    );
    assert_eq!(of("torus:5x2"), (Value::Null, json!([0, 1])));
    assert_eq!(of("mesh:4x4"), (Value::Null, json!([0, 1])));
    assert_eq!(of("tree:4x4"), (Value::Null, Value::Null));
}
