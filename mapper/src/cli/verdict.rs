//! The verdict on a placement in one sentence: what it gains, and what any other placement could
//! still gain.

use rankfold_model::machine::Machine;
use rankfold_model::metric::time::still_to_gain;
use rankfold_search::objective::Objective;

/// A value is at its bound if it differs by less than this share of the value: room for rounding,
/// no measured number.
const ROUNDING: f64 = 1e-9;

/// The figure that was minimised, of a placement and of what the placement is compared with.
#[derive(Debug)]
pub struct Figure {
    /// The objective's own name of the figure.
    pub name: &'static str,
    /// The figure of the placement.
    pub value: f64,
    /// The figure of block order.
    pub block: f64,
    /// No placement has a lower figure than this; `None` where no bound is known.
    pub bound: Option<f64>,
    /// Whether the bound is the lowest figure of all placements, not an estimate from below.
    pub is_proved: bool,
    /// Whether the placement is block order.
    pub is_block_order: bool,
    /// The figures of block order and of the placement as people read them.
    pub printed: [String; 2],
}

impl Figure {
    /// The figure of an objective, where block order is worth `block` by it.
    #[must_use]
    pub fn new(objective: &dyn Objective, machine: &Machine, value: f64, block: f64) -> Self {
        Self {
            name: objective.figure(),
            value,
            block,
            bound: None,
            is_proved: false,
            is_block_order: false,
            printed: [block, value].map(|value| objective.printed(value, machine)),
        }
    }
}

/// The verdict as a sentence; `None` where no bytes cross the network or the bound is 0. Without a
/// bound, the sentence only compares the placement with block order.
pub(super) fn verdict(figure: &Figure) -> Option<String> {
    let Figure {
        name,
        value,
        block,
        is_block_order,
        is_proved,
        ..
    } = *figure;
    if value <= 0.0 {
        return None;
    }
    let Some(bound) = figure.bound else {
        return Some(gained(figure));
    };
    if bound <= 0.0 {
        return None;
    }
    let how = if is_proved { "proved" } else { "certified" };
    if still_to_gain(value, bound) <= ROUNDING {
        let which = if is_block_order || value >= block {
            "block order is already optimal"
        } else {
            "optimal"
        };
        return Some(format!("{which} ({how}): no placement has a lower {name}"));
    }
    Some(format!(
        "{}; {} ({how})",
        gained(figure),
        still(value, bound)
    ))
}

/// The figure compared with block order's, in words.
fn gained(figure: &Figure) -> String {
    let name = figure.name;
    let saved = 1.0 - figure.value / figure.block;
    if figure.is_block_order {
        format!("{name} of block order")
    } else if saved.abs() <= ROUNDING {
        format!("{name} as in block order")
    } else if saved > 0.0 {
        format!("{name} {} below block order", at_most(saved))
    } else {
        format!("{name} {} above block order", at_least(-saved))
    }
}

/// What any other placement could still gain, in words.
pub(super) fn still(value: f64, bound: f64) -> String {
    match still_to_gain(value, bound) {
        share if share <= ROUNDING => "nothing still to gain".into(),
        share => format!("still to gain: at most {}", at_least(share)),
    }
}

/// A possible gain in percent, rounded up.
fn at_least(share: f64) -> String {
    percent(share, |value| (value - ROUNDING).ceil())
}

/// An achieved gain in percent, rounded down.
fn at_most(share: f64) -> String {
    percent(share, |value| (value + ROUNDING).floor())
}

/// A share in percent, rounded by `whole`; shares below 10 % with one decimal.
fn percent(share: f64, whole: fn(f64) -> f64) -> String {
    let tenths = whole(1000.0 * share) / 10.0;
    if tenths < 10.0 && tenths.fract() > 0.0 {
        format!("{tenths:.1} %")
    } else {
        format!("{:.0} %", whole(100.0 * share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, bound: impl Into<Option<f64>>, is_block_order: bool) -> String {
        let figure = Figure {
            name: "predicted time",
            value,
            block: 200.0,
            bound: bound.into(),
            is_proved: false,
            is_block_order,
            printed: Default::default(),
        };
        verdict(&figure).unwrap_or_default()
    }

    #[test]
    fn what_is_certified_is_said_plainly() {
        let best =
            "block order is already optimal (certified): no placement has a lower predicted time";
        assert_eq!(of(200.0, 200.0, true), best);
        assert_eq!(
            of(100.0, 100.0, false),
            "optimal (certified): no placement has a lower predicted time"
        );
        assert_eq!(
            of(103.0, 100.0, false),
            "predicted time 48 % below block order; still to gain: at most 3 % (certified)"
        );
        assert_eq!(
            of(150.0, 100.0, false),
            "predicted time 25 % below block order; still to gain: at most 34 % (certified)"
        );
        assert_eq!(
            of(200.0, 100.0, true),
            "predicted time of block order; still to gain: at most 50 % (certified)"
        );
        assert_eq!(
            of(220.0, 215.0, false),
            "predicted time 10 % above block order; still to gain: at most 2.3 % (certified)"
        );
        assert_eq!(of(0.0, 0.0, true), "", "nothing crosses the network");
        assert_eq!(of(5.0, 0.0, false), "", "a bound of 0 says nothing");
        assert_eq!(
            of(150.0, None, false),
            "predicted time 25 % below block order"
        );
    }
}
