//! The verdict on a placement: what it gains, and what any other placement could still gain.

use rankfold_machine::Machine;
use rankfold_metric::time::still_to_gain;
use rankfold_problem::objective::Objective;

/// A value is at its bound if it differs by less than this share of the value: room for rounding,
/// no measured number.
const ROUNDING: f64 = 1e-9;

/// The placement that another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedWith {
    /// Where the launcher put the ranks.
    Launched,
    /// The ranks filled in order.
    Block,
}

/// A figure of a placement and of what the placement is compared with.
#[derive(Debug)]
pub struct Figure {
    /// The objective's own name of the figure.
    pub name: &'static str,
    /// The figure of the placement.
    pub value: f64,
    /// The figure of what the placement is compared with.
    pub reference: f64,
    /// What the placement is compared with.
    pub compared_with: ComparedWith,
    /// No placement has a lower figure than this; `None` where no bound is known.
    pub bound: Option<f64>,
    /// Whether the bound is the lowest figure of all placements, not an estimate from below.
    pub is_proved: bool,
    /// Whether the figures rest on capacities that nobody told.
    pub is_assumed: bool,
    /// The share that the placement is promised to save, where that rests on capacities that nobody
    /// told.
    pub promised: Option<f64>,
    /// Whether the placement is the one that it is compared with.
    pub is_unchanged: bool,
    /// Both figures as people read them, that of the reference first.
    pub printed: [String; 2],
    /// The bound as people read it; empty where no bound is known.
    pub printed_bound: String,
}

impl Figure {
    /// The figure of an objective by which the reference and the placement are worth this, and no
    /// placement less than `bound`.
    #[must_use]
    pub fn new(
        objective: &dyn Objective,
        machine: &Machine,
        compared_with: ComparedWith,
        [reference, value]: [f64; 2],
        bound: Option<f64>,
    ) -> Self {
        let printed_bound = bound.map(|bound| objective.printed(bound, machine));
        Self {
            name: objective.figure(),
            value,
            reference,
            compared_with,
            bound,
            printed_bound: printed_bound.unwrap_or_default(),
            is_proved: false,
            is_assumed: machine.assumes_capacities(),
            promised: None,
            is_unchanged: false,
            printed: [reference, value].map(|value| objective.printed(value, machine)),
        }
    }

    /// The share of the reference that the placement saves.
    pub(super) fn saved(&self) -> f64 {
        1.0 - self.value / self.reference
    }
}

/// Hop-bytes above the lower bound, relative to the bound; `None` if the bound is 0 and the
/// hop-bytes are not.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
pub(super) fn gap(hop_bytes: u128, lower_bound: u128) -> Option<f64> {
    match (hop_bytes, lower_bound) {
        (0, 0) => Some(0.0),
        (_, 0) => None,
        (found, bound) => Some((found as f64 - bound as f64) / bound as f64),
    }
}

/// Both figures: `9.333kB as launched, 5kB placed: 46 % less`.
pub(super) fn both(figure: &Figure) -> String {
    let [reference, placed] = &figure.printed;
    let how = match figure.compared_with {
        ComparedWith::Launched => "as launched",
        ComparedWith::Block => "in block order",
    };
    if figure.is_unchanged {
        return format!("{reference} {how}, which stays");
    }
    let saved = figure.saved();
    let comparison = if figure.value == figure.reference || saved.abs() <= ROUNDING {
        "the same".to_owned()
    } else if saved > 0.0 {
        less(saved, figure.promised)
    } else if figure.reference > 0.0 {
        format!("{} more", at_least(-saved))
    } else {
        "more".to_owned()
    };
    format!("{reference} {how}, {placed} placed: {comparison}")
}

/// What is saved, and that it is the least where less is promised.
fn less(saved: f64, promised: Option<f64>) -> String {
    match at_most(promised.unwrap_or(saved).clamp(0.0, saved)) {
        least if least == at_most(0.0) => "perhaps less".to_owned(),
        least if least == at_most(saved) => format!("{least} less"),
        least => format!("at least {least} less"),
    }
}

/// How far below the figure another placement could be; `None` where no bytes cross the network or
/// the bound is 0 or unknown, which says nothing.
pub(super) fn still_to_gain_in_words(figure: &Figure) -> Option<String> {
    let value = figure.value;
    let bound = figure.bound.filter(|&bound| bound > 0.0 && value > 0.0)?;
    let name = figure.name;
    let how = match (figure.is_proved, figure.is_assumed) {
        (true, _) => "proved",
        (false, true) => "with capacities as they are taken",
        (false, false) => "certified",
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

    #[test]
    fn the_gap_is_relative_to_the_bound() {
        assert_eq!(gap(150, 100), Some(0.5));
        assert_eq!(gap(0, 0), Some(0.0));
        assert_eq!(gap(7, 0), None);
    }

    fn of(value: f64, bound: Option<f64>, is_unchanged: bool) -> Figure {
        Figure {
            name: "predicted time",
            value,
            reference: 200.0,
            compared_with: ComparedWith::Block,
            bound,
            is_proved: false,
            is_assumed: false,
            promised: None,
            is_unchanged,
            printed: ["200us".into(), format!("{value}us")],
            printed_bound: bound.map(|bound| format!("{bound}us")).unwrap_or_default(),
        }
    }

    #[test]
    fn a_figure_is_told_both() {
        let both_in_words = |value, is_unchanged| both(&of(value, None, is_unchanged));
        assert_eq!(
            both_in_words(103.0, false),
            "200us in block order, 103us placed: 48 % less"
        );
        assert_eq!(
            both_in_words(220.0, false),
            "200us in block order, 220us placed: 10 % more"
        );
        assert_eq!(
            both_in_words(200.0, false),
            "200us in block order, 200us placed: the same"
        );
        assert_eq!(
            both_in_words(200.0, true),
            "200us in block order, which stays"
        );
        let told_at_least = |least| {
            both(&Figure {
                promised: Some(least),
                ..of(100.0, None, false)
            })
        };
        let placed = "200us in block order, 100us placed: ";
        assert_eq!(told_at_least(0.3), format!("{placed}at least 30 % less"));
        assert_eq!(told_at_least(0.5), format!("{placed}50 % less"));
        assert_eq!(told_at_least(-0.1), format!("{placed}perhaps less"));
        let launched = Figure {
            compared_with: ComparedWith::Launched,
            ..of(100.0, None, false)
        };
        assert_eq!(
            both(&launched),
            "200us as launched, 100us placed: 50 % less"
        );
    }

    #[test]
    fn what_is_still_to_gain_is_certified() {
        let in_words = |value, bound| still_to_gain_in_words(&of(value, bound, false));
        assert_eq!(
            in_words(100.0, Some(100.0)).unwrap(),
            "nothing: no placement has a lower predicted time (certified)"
        );
        assert_eq!(
            in_words(103.0, Some(100.0)).unwrap(),
            "at most 3 %: no placement has a predicted time below 100us (certified)"
        );
        assert_eq!(
            in_words(220.0, Some(215.0)).unwrap(),
            "at most 2.3 %: no placement has a predicted time below 215us (certified)"
        );
        assert_eq!(
            in_words(0.0, Some(0.0)),
            None,
            "nothing crosses the network"
        );
        assert_eq!(in_words(5.0, Some(0.0)), None, "a bound of 0 says nothing");
        assert_eq!(in_words(150.0, None), None, "no bound is known");
    }
}
