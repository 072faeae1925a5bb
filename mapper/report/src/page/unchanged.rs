//! Where nothing changed nothing is drawn twice: two equal placements become one side.

use crate::data::{Report, Side};

/// The report with one side in place of two equal ones; `None` where the sides differ.
pub(super) fn drawn_once(report: &Report) -> Option<Report> {
    let [before, after] = &report.sides[..] else {
        return None;
    };
    if report.machine.is_none() || !are_equal(before, after) {
        return None;
    }
    let about = match [&before.about, &after.about] {
        [first, _] if first.is_empty() => "one and the same order".to_owned(),
        [first, second] if second.is_empty() => first.clone(),
        [first, second] => format!("{first}; {second} is the same order"),
    };
    let both = Side {
        name: format!("{} and {}", before.name, after.name),
        about,
        ..after.clone()
    };
    Some(Report {
        sides: vec![both],
        ..report.clone()
    })
}

/// Whether no picture of the page would tell the sides apart.
fn are_equal(before: &Side, after: &Side) -> bool {
    let cells = |side: &Side| side.blocks.as_ref().map(|blocks| blocks.cells.clone());
    before.place == after.place
        && before.bytes == after.bytes
        && before.hops == after.hops
        && before.figures.predicted_time == after.figures.predicted_time
        && before.loads.links == after.loads.links
        && before.loads.kinds == after.loads.kinds
        && before.loads.bins == after.loads.bins
        && cells(before) == cells(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Machine;

    fn report(places: [Vec<u32>; 2]) -> Report {
        let side = |(name, place): (&str, Vec<u32>)| Side {
            name: name.into(),
            place,
            ..Side::default()
        };
        Report {
            machine: Some(Machine::default()),
            sides: ["as launched", "placed"]
                .into_iter()
                .zip(places)
                .map(side)
                .collect(),
            ..Report::default()
        }
    }

    #[test]
    fn equal_placements_are_one_side() {
        let drawn = drawn_once(&report([vec![0, 1], vec![0, 1]])).expect("one side");
        assert_eq!(drawn.sides.len(), 1);
        assert_eq!(drawn.sides[0].name, "as launched and placed");
        assert!(drawn_once(&report([vec![0, 1], vec![1, 0]])).is_none());
    }
}
