//! The verdict on a placement: what it gains, and what any other placement could still gain.

use rankfold_machine::Machine;
use rankfold_metric::time::still_to_gain;
use rankfold_search::objective::Objective;

/// A value is at its bound if it differs by less than this share of the value: room for rounding,
/// no measured number.
const ROUNDING: f64 = 1e-9;

/// The placement that another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Where the ranks ran when they were profiled.
    AsLaunched,
    /// One rank after the other onto the nodes.
    BlockOrder,
}

/// A figure of a placement and of what the placement is compared with.
#[derive(Debug)]
pub struct Figure {
    /// The objective's own name of the figure.
    pub name: &'static str,
    /// The figure of the placement.
    pub value: f64,
    /// The figure of what the placement is compared with.
    pub before: f64,
    /// What the placement is compared with.
    pub compared_with: Before,
    /// No placement has a lower figure than this; `None` where no bound is known.
    pub bound: Option<f64>,
    /// Whether the bound is the lowest figure of all placements, not an estimate from below.
    pub is_proved: bool,
    /// Whether the placement is the one that it is compared with.
    pub is_unchanged: bool,
    /// Both figures as people read them, the one before first.
    pub printed: [String; 2],
    /// The bound as people read it; empty where no bound is known.
    pub printed_bound: String,
}

impl Figure {
    /// The figure of an objective, where block order is worth `block` by it and no placement less
    /// than `bound`. The placement is compared with block order.
    #[must_use]
    pub fn new(
        objective: &dyn Objective,
        machine: &Machine,
        [block, value]: [f64; 2],
        bound: Option<f64>,
    ) -> Self {
        let printed_bound = bound.map(|bound| objective.printed(bound, machine));
        Self {
            name: objective.figure(),
            value,
            before: block,
            compared_with: Before::BlockOrder,
            bound,
            printed_bound: printed_bound.unwrap_or_default(),
            is_proved: false,
            is_unchanged: false,
            printed: [block, value].map(|value| objective.printed(value, machine)),
        }
    }
}

impl Figure {
    /// The same, compared with the placement of the profiled run, which is worth `before`.
    #[must_use]
    pub fn compared_with_launch(
        self,
        objective: &dyn Objective,
        machine: &Machine,
        before: f64,
    ) -> Self {
        let [_, after] = self.printed;
        Self {
            before,
            compared_with: Before::AsLaunched,
            printed: [objective.printed(before, machine), after],
            ..self
        }
    }
}

/// The figure before and after: `9.333kB as launched, 5kB placed: 46 % less`.
pub(super) fn before_and_after(figure: &Figure) -> String {
    let [before, placed] = &figure.printed;
    let how = match figure.compared_with {
        Before::AsLaunched => "as launched",
        Before::BlockOrder => "in block order",
    };
    if figure.is_unchanged {
        return format!("{before} {how}, which stays");
    }
    let saved = 1.0 - figure.value / figure.before;
    let comparison = if figure.value == figure.before || saved.abs() <= ROUNDING {
        "the same".to_owned()
    } else if saved > 0.0 {
        format!("{} less", at_most(saved))
    } else if figure.before > 0.0 {
        format!("{} more", at_least(-saved))
    } else {
        "more".to_owned()
    };
    format!("{before} {how}, {placed} placed: {comparison}")
}

/// How far below the figure another placement could be; `None` where no bytes cross the network or
/// the bound is 0 or unknown, which says nothing.
pub(super) fn still_to_gain_in_words(figure: &Figure) -> Option<String> {
    let value = figure.value;
    let bound = figure.bound.filter(|&bound| bound > 0.0 && value > 0.0)?;
    let name = figure.name;
    let how = if figure.is_proved {
        "proved"
    } else {
        "certified"
    };
    Some(match still_to_gain(value, bound) {
        share if share <= ROUNDING => {
            format!("nothing: no placement has a lower {name} ({how})")
        }
        share => format!(
            "at most {}: no placement has a {name} below {} ({how})",
            at_least(share),
            figure.printed_bound
        ),
    })
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

    fn of(value: f64, bound: Option<f64>, is_unchanged: bool) -> Figure {
        Figure {
            name: "predicted time",
            value,
            before: 200.0,
            compared_with: Before::BlockOrder,
            bound,
            is_proved: false,
            is_unchanged,
            printed: ["200us".into(), format!("{value}us")],
            printed_bound: bound.map(|bound| format!("{bound}us")).unwrap_or_default(),
        }
    }

    #[test]
    fn a_figure_is_told_before_and_after() {
        let told = |value, is_unchanged| before_and_after(&of(value, None, is_unchanged));
        assert_eq!(
            told(103.0, false),
            "200us in block order, 103us placed: 48 % less"
        );
        assert_eq!(
            told(220.0, false),
            "200us in block order, 220us placed: 10 % more"
        );
        assert_eq!(
            told(200.0, false),
            "200us in block order, 200us placed: the same"
        );
        assert_eq!(told(200.0, true), "200us in block order, which stays");
        let launched = Figure {
            compared_with: Before::AsLaunched,
            ..of(100.0, None, false)
        };
        assert_eq!(
            before_and_after(&launched),
            "200us as launched, 100us placed: 50 % less"
        );
    }

    #[test]
    fn what_is_still_to_gain_is_certified() {
        let told = |value, bound| still_to_gain_in_words(&of(value, bound, false));
        assert_eq!(
            told(100.0, Some(100.0)).unwrap(),
            "nothing: no placement has a lower predicted time (certified)"
        );
        assert_eq!(
            told(103.0, Some(100.0)).unwrap(),
            "at most 3 %: no placement has a predicted time below 100us (certified)"
        );
        assert_eq!(
            told(220.0, Some(215.0)).unwrap(),
            "at most 2.3 %: no placement has a predicted time below 215us (certified)"
        );
        assert_eq!(told(0.0, Some(0.0)), None, "nothing crosses the network");
        assert_eq!(told(5.0, Some(0.0)), None, "a bound of 0 says nothing");
        assert_eq!(told(150.0, None), None, "no bound is known");
    }
}
