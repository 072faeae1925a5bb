//! The data of the page's script, as one JSON object.

use super::colours::{self, Ramp};
use super::machine::Drawings;
use crate::data::{BusyLink, Pair, Report, Side};
use serde_json::{Map, Value, json};

/// The JSON text, safe inside a script element.
pub(super) fn text(report: &Report, drawings: &Drawings) -> String {
    let mut data = Map::new();
    data.insert("n".into(), json!(report.traffic.ranks));
    let names: Vec<&str> = report.sides.iter().map(|side| side.name.as_str()).collect();
    data.insert("names".into(), json!(names));
    let hex = |ramp| {
        colours::palette(ramp)
            .iter()
            .map(|[r, g, b]| format!("{r:02x}{g:02x}{b:02x}"))
            .collect::<String>()
    };
    let mut palettes = json!({"b": hex(Ramp::Bytes), "l": hex(Ramp::Loads)});
    if report.differences.is_some() {
        palettes["d"] = json!(hex(Ramp::Changes));
    }
    data.insert("pal".into(), palettes);
    match &report.machine {
        Some(machine) => {
            data.insert("places".into(), json!(machine.places));
            data.insert("node".into(), differences(&machine.place_node));
            data.insert("unit".into(), json!(machine.unit));
            let place: Vec<&Vec<u32>> = report.sides.iter().map(|side| &side.place).collect();
            data.insert("place".into(), json!(place));
        }
        None => {
            data.insert("places".into(), json!(report.traffic.ranks));
        }
    }
    if let Some(pairs) = &report.traffic.listed {
        data.extend(rows(pairs, report.traffic.ranks));
    }
    if let Some(network) = report
        .machine
        .as_ref()
        .and_then(|machine| machine.network.as_ref())
    {
        let ends: Vec<u32> = network
            .links
            .iter()
            .flat_map(|link| [link.from, link.to])
            .collect();
        let loads = |side: &Side| -> Vec<Value> {
            side.loads.links.iter().map(|&load| short(load)).collect()
        };
        data.insert("ends".into(), json!(ends));
        data.insert("vertices".into(), json!(network.vertices));
        data.insert(
            "load".into(),
            json!(report.sides.iter().map(loads).collect::<Vec<_>>()),
        );
        let busy = |side: &Side| -> Map<String, Value> {
            side.loads.busiest.iter().filter_map(busy).collect()
        };
        data.insert(
            "busy".into(),
            json!(report.sides.iter().map(busy).collect::<Vec<_>>()),
        );
        data.insert("at".into(), places(drawings));
    }
    // A `<` in a name must not end the script element.
    Value::Object(data).to_string().replace('<', "\\u003c")
}

/// A load as the shortest number with the same value: an integer where possible.
fn short(load: f64) -> Value {
    if load.fract() == 0.0 && load < 9e15 {
        json!(load as u64)
    } else {
        json!((load * 1e12).round() / 1e12)
    }
}

/// Ascending numbers, each as its difference to the number before.
fn differences(numbers: &[u32]) -> Value {
    let mut last = 0;
    let steps = numbers.iter().map(|&number| {
        let step = number - last;
        last = number;
        step
    });
    json!(steps.collect::<Vec<_>>())
}

/// The pairs as three lists: receivers of each sender as differences, and bytes and messages in the
/// same order.
fn rows(pairs: &[Pair], ranks: usize) -> Map<String, Value> {
    let mut rows: Vec<Vec<i64>> = vec![Vec::new(); ranks];
    let mut last = vec![-1i64; ranks];
    for pair in pairs {
        let from = pair.from as usize;
        rows[from].push(i64::from(pair.to) - last[from]);
        last[from] = i64::from(pair.to);
    }
    let bytes: Vec<u64> = pairs.iter().map(|pair| pair.bytes).collect();
    let messages: Vec<u64> = pairs.iter().map(|pair| pair.messages).collect();
    let mut map = Map::new();
    map.insert("rows".into(), json!(rows));
    map.insert("bytes".into(), json!(bytes));
    if messages.iter().any(|&messages| messages > 0) {
        map.insert("msgs".into(), json!(messages));
    }
    map
}

fn busy(busy: &BusyLink) -> Option<(String, Value)> {
    let pair = |pair: &Pair| json!([pair.from, pair.to, pair.bytes]);
    let top: Vec<Value> = busy.top.iter().map(pair).collect();
    Some((busy.link?.to_string(), json!([busy.pairs, top])))
}

/// The positions of links in each drawing. The positions of the second side are left out if they
/// equal those of the first.
fn places(drawings: &Drawings) -> Value {
    let mut all = Map::new();
    let first = drawings.first().map_or(&[][..], |drawn| &drawn[..]);
    for (number, drawn) in first.iter().enumerate() {
        let mut sides: Vec<Vec<Vec<i32>>> = Vec::new();
        for side in drawings {
            let places = side[number].picture.places();
            if sides.first() != Some(&places) {
                sides.push(places);
            }
        }
        all.insert(drawn.id.into(), json!(sides));
    }
    Value::Object(all)
}
