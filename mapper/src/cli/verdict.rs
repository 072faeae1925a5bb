//! The verdict on a placement in one sentence: what it gains, and what any other placement could
//! still gain.

use rankfold_model::metric::time::still_to_gain;

/// A value is at its bound if it differs by less than this share of the value: room for rounding,
/// no measured number.
const ROUNDING: f64 = 1e-9;

/// One figure of a placement, and what it is compared with.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) value: f64,
    /// The figure of block order.
    pub(super) block: f64,
    /// No placement has a lower figure than this.
    pub(super) bound: f64,
}

/// The verdict as a sentence; `None` where no bytes cross the network or no bound is known.
pub(super) fn verdict(figure: &Figure, is_block_order: bool) -> Option<String> {
    let Figure {
        name,
        value,
        block,
        bound,
    } = *figure;
    if value <= 0.0 || bound <= 0.0 {
        return None;
    }
    if still_to_gain(value, bound) <= ROUNDING {
        let which = if is_block_order || value >= block {
            "block order is already optimal (certified)"
        } else {
            "optimal (certified)"
        };
        return Some(format!("{which}: no placement has a lower {name}"));
    }
    let saved = 1.0 - value / block;
    let gained = if is_block_order {
        format!("{name} of block order")
    } else if saved.abs() <= ROUNDING {
        format!("{name} as in block order")
    } else if saved > 0.0 {
        format!("{name} {} below block order", at_most(saved))
    } else {
        format!("{name} {} above block order", at_least(-saved))
    };
    Some(format!("{gained}; {} (certified)", still(value, bound)))
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

    fn of(value: f64, bound: f64, is_block_order: bool) -> String {
        let figure = Figure {
            name: "predicted time",
            value,
            block: 200.0,
            bound,
        };
        verdict(&figure, is_block_order).unwrap_or_default()
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
        assert_eq!(of(5.0, 0.0, false), "", "no bound says nothing");
    }
}
