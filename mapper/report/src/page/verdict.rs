//! The verdict of the page: the result of the report in one sentence.

use super::words::SAME;
use super::{measured, words};
use crate::data::{Measured, Report, Side};

/// The result of the report in one sentence.
pub(super) fn verdict(report: &Report) -> String {
    if let (None, [before, after]) = (&report.machine, &report.sides[..]) {
        return traffic_compared(before, after);
    }
    match &report.sides[..] {
        [before, after] if before.loads.most > 0.0 => {
            if let Some(measured) = report.measured.as_ref().filter(|measured| measured.too_few) {
                return promised(measured, report, [before, after]);
            }
            compared(report.measured.as_ref(), report, [before, after])
        }
        [_, after] if after.loads.most > 0.0 => {
            "Before, all bytes stayed inside nodes; now some cross the network".into()
        }
        [only] if only.loads.most > 0.0 => format!(
            "{STAYS}: bytes travel {} links on average",
            words::digits(only.figures.score.hops_per_byte)
        ),
        [_, ..] => "No bytes cross the network: no placement can change anything".into(),
        [] => match report.traffic.pairs {
            0 => format!(
                "{}, and none sends another anything",
                words::plural(report.traffic.ranks, "rank")
            ),
            pairs => format!(
                "{} exchange {} over {}",
                words::plural(report.traffic.ranks, "rank"),
                words::bytes(report.traffic.bytes as f64),
                words::plural(pairs, "pair")
            ),
        },
    }
}

/// The communication of two runs in one sentence.
pub(super) fn traffic_compared(before: &Side, after: &Side) -> String {
    let pairs = |side: &Side| words::plural(side.pairs, "pair");
    format!(
        "{} sends {} over {}, {} {} over {}",
        before.name,
        words::bytes(before.bytes as f64),
        pairs(before),
        after.name,
        words::bytes(after.bytes as f64),
        pairs(after)
    )
}

/// What is said where no figure is better than as launched.
const KEEP: &str = "Keep the order you have: no placement shown is more than 3 % better";

/// What is said where only the order of the launch is shown, since the search has found no better.
const STAYS: &str = "No order of the ranks helps";

/// The verdict where the runs measured are too few for one: what was promised.
fn promised(measured: &Measured, report: &Report, both: [&Side; 2]) -> String {
    let promise = match measured.predicted_gain {
        Some(gain) if gain > 1.0 / SAME => format!(
            "Communication is promised to be {} x faster",
            measured::promise(measured).unwrap_or_default()
        ),
        Some(_) => KEEP.into(),
        None => compared(None, report, both),
    };
    match (measured.before, measured.after) {
        (Some(_), Some(_)) => format!("{promise}; measured{}", measured::few(measured)),
        _ => format!("{promise}; not yet measured in both orders"),
    }
}

/// The verdict on both sides by what was measured, or else predicted.
fn compared(measured: Option<&Measured>, report: &Report, both: [&Side; 2]) -> String {
    let (promised, [before, after]) = (report.promised_saving, both);
    match times(measured, before, after) {
        Some(times) => in_time(&times, promised, both),
        None => in_distance(before, after, promised),
    }
}

/// The times of communication in seconds, as launched and as placed.
struct Times {
    before: f64,
    after: f64,
    /// Where the times come from: "measured" or [`PREDICTED`].
    source: &'static str,
}

const PREDICTED: &str = "predicted";

/// The measured times of both sides, or else the predicted times. `None` where no bandwidth is
/// known, so that no figure is a time.
fn times(measured: Option<&Measured>, before: &Side, after: &Side) -> Option<Times> {
    let both = measured.and_then(|measured| Some((measured.before?, measured.after?)));
    let (both, source) = match both {
        Some(both) => (both, "measured"),
        None if before.figures.time_unit == "seconds" => (
            (before.figures.predicted_time, after.figures.predicted_time),
            PREDICTED,
        ),
        None => return None,
    };
    (both.0 > 0.0 && both.1 > 0.0).then_some(Times {
        before: both.0,
        after: both.1,
        source,
    })
}

/// The verdict on times, and the price of a gain.
fn in_time(times: &Times, promised: Option<f64>, [before, after]: [&Side; 2]) -> String {
    let ratio = times.before / times.after;
    if (SAME..=1.0 / SAME).contains(&ratio) {
        return KEEP.into();
    }
    let [from, to] = [times.before, times.after].map(words::seconds);
    if ratio < 1.0 {
        return format!(
            "Communication takes {to} instead of {from}: {} x slower, {}. Keep the order you have",
            words::digits(1.0 / ratio),
            times.source
        );
    }
    format!(
        "Communication takes {to} instead of {from}: {}, {}{}",
        words::faster(ratio, promised.filter(|_| times.source == PREDICTED)),
        times.source,
        price(before, after)
    )
}

/// The figures that got worse, as a further sentence; empty where none did.
fn price(before: &Side, after: &Side) -> String {
    let [from, to] = [before, after].map(|side| side.figures.score.hops_per_byte);
    let busiest = after.loads.most / before.loads.most;
    if busiest > 1.0 / SAME {
        let ratio = words::digits(busiest);
        format!(". The price: the busiest link carries {ratio} times what it did")
    } else if to > from / SAME {
        format!(". The price: bytes travel {to:.2} instead of {from:.2} links on average")
    } else {
        String::new()
    }
}

/// The verdict where no times are known.
fn in_distance(before: &Side, after: &Side, promised: Option<f64>) -> String {
    let (from, to) = (
        before.figures.score.hops_per_byte,
        after.figures.score.hops_per_byte,
    );
    let ratio = after.loads.most / before.loads.most;
    if to > SAME * from && ratio > SAME && to < from / SAME && ratio < 1.0 / SAME {
        return KEEP.into();
    }
    // As many decimals as tell the two apart.
    let written = |places: usize| [to, from].map(|way| format!("{way:.places$}"));
    let apart = (1..4).find(|&places| written(places)[0] != written(places)[1]);
    let [to, from] = written(apart.unwrap_or(4));
    let travel = format!("Bytes travel {to} instead of {from} links on average");
    let faster = before.figures.predicted_time / after.figures.predicted_time;
    match ratio {
        0.0 => "All bytes stay inside nodes; before, they crossed the network".into(),
        r if r <= 1.02 && faster > 1.0 / SAME && (r > 0.85 || promised.is_some()) => format!(
            "Communication takes as long as {} over one link, not {}: {}, predicted",
            words::bytes(after.figures.predicted_time),
            words::bytes(before.figures.predicted_time),
            words::faster(faster, promised)
        ),
        r if r <= 0.85 => format!(
            "{travel}; the busiest link carries {} the load it had",
            fraction(r)
        ),
        r if r <= 1.02 => format!("{travel}; the busiest link carries about what it did"),
        r => format!(
            "{travel}, but the busiest link carries {} times what it did",
            words::digits(r)
        ),
    }
}

/// A share in words: "a quarter of".
fn fraction(share: f64) -> String {
    const NAMED: [(f64, &str); 13] = [
        (0.1, "a tenth of"),
        (0.125, "an eighth of"),
        (1.0 / 7.0, "a seventh of"),
        (1.0 / 6.0, "a sixth of"),
        (0.2, "a fifth of"),
        (0.25, "a quarter of"),
        (1.0 / 3.0, "a third of"),
        (0.4, "two fifths of"),
        (0.5, "half"),
        (0.6, "three fifths of"),
        (2.0 / 3.0, "two thirds of"),
        (0.75, "three quarters of"),
        (0.8, "four fifths of"),
    ];
    if share < 0.095 {
        return format!("one {:.0}th of", 1.0 / share);
    }
    let off = |named: &f64| (named - share).abs();
    let nearest = NAMED.iter().min_by(|a, b| off(&a.0).total_cmp(&off(&b.0)));
    nearest.map_or_else(String::new, |named| named.1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(hops: f64, most: f64) -> Side {
        let mut side = Side::default();
        side.figures.score.hops_per_byte = hops;
        side.loads.most = most;
        side
    }

    fn timed(seconds: f64, hops: f64, most: f64) -> Side {
        let mut side = side(hops, most);
        side.figures.predicted_time = seconds;
        side.figures.time_unit = "seconds".into();
        side
    }

    fn report(measured: Option<(f64, f64)>, sides: [Side; 2]) -> Report {
        Report {
            machine: Some(crate::data::Machine::default()),
            sides: sides.into(),
            measured: measured.map(|(before, after)| Measured {
                before: Some(before),
                after: Some(after),
                ..Measured::default()
            }),
            ..Report::default()
        }
    }

    #[test]
    fn time_comes_first_and_what_got_worse_is_its_price() {
        let placed = [timed(211e-6, 3.4, 4.0), timed(87.9e-6, 3.5, 1.0)];
        assert_eq!(
            verdict(&report(None, placed.clone())),
            "Communication takes 87.9 µs instead of 211 µs: 2.40 x faster, predicted"
        );
        let mut further = placed.clone();
        further[1].figures.score.hops_per_byte = 3.9;
        assert!(
            verdict(&report(None, further)).ends_with(
                "predicted. The price: bytes travel 3.90 instead of 3.40 links on average"
            )
        );
        assert_eq!(
            verdict(&report(Some((0.3, 0.1)), placed)),
            "Communication takes 100 ms instead of 300 ms: 3.00 x faster, measured"
        );
    }

    #[test]
    fn no_more_is_promised_than_is_saved_with_any_capacities() {
        let placed = [timed(200e-6, 3.4, 4.0), timed(100e-6, 3.4, 1.0)];
        let told = |promised_saving, measured| {
            verdict(&Report {
                promised_saving,
                ..report(measured, placed.clone())
            })
        };
        let times = "Communication takes 100 µs instead of 200 µs: ";
        assert_eq!(
            told(Some(0.2), None),
            format!("{times}at least 1.25 x faster, predicted")
        );
        assert_eq!(
            told(Some(0.0), None),
            format!("{times}perhaps faster, predicted")
        );
        assert_eq!(
            told(Some(0.5), None),
            format!("{times}2.00 x faster, predicted")
        );
        assert!(told(Some(0.2), Some((0.3, 0.1))).ends_with("3.00 x faster, measured"));
    }

    #[test]
    fn one_run_in_each_order_is_no_verdict() {
        let placed = [timed(211e-6, 3.4, 4.0), timed(87.9e-6, 3.5, 1.0)];
        let mut once = report(Some((0.8, 1.0)), placed);
        if let Some(measured) = &mut once.measured {
            (measured.predicted_gain, measured.too_few) = (Some(1.33), true);
        }
        assert_eq!(
            verdict(&once),
            "Communication is promised to be 1.33 x faster; measured once each, too few"
        );
    }

    #[test]
    fn where_no_order_helps_that_comes_first() {
        let mut only = report(None, [side(3.16, 4.0), side(3.16, 4.0)]);
        only.sides.pop();
        assert_eq!(
            verdict(&only),
            "No order of the ranks helps: bytes travel 3.16 links on average"
        );
    }

    #[test]
    fn a_placement_that_loses_time_is_not_advertised() {
        let sentence = |before, after| {
            verdict(&report(
                None,
                [timed(before, 2.0, 2.0), timed(after, 1.0, 1.0)],
            ))
        };
        assert_eq!(sentence(1.0, 0.98), KEEP);
        assert_eq!(
            sentence(1.0, 2.0),
            "Communication takes 2.00 s instead of 1.00 s: 2.00 x slower, predicted. Keep the order you have"
        );
    }

    #[test]
    fn the_verdict_names_both_figures_and_does_not_hide_a_loss() {
        let verdict_of =
            |a: (f64, f64), b: (f64, f64)| in_distance(&side(a.0, a.1), &side(b.0, b.1), None);
        assert_eq!(
            verdict_of((2.8, 4.0), (1.1, 1.0)),
            "Bytes travel 1.1 instead of 2.8 links on average; the busiest link carries a quarter of the load it had"
        );
        assert!(
            verdict_of((2.0, 1.0), (1.9, 2.0))
                .ends_with("but the busiest link carries 2.00 times what it did")
        );
        assert!(verdict_of((2.0, 1.0), (1.98, 0.99)).starts_with("Keep the order you have"));
        assert!(verdict_of((2.0, 1.0), (1.96, 0.95)).contains("1.96 instead of 2.00"));
        assert!(verdict_of((1.0, 100.0), (0.5, 2.0)).contains("one 50th of"));
        assert!(verdict_of((0.084, 1.0), (0.0757, 1.0)).contains("0.076 instead of 0.084"));
    }

    #[test]
    fn bytes_over_one_link_speak_where_distance_and_load_stay() {
        let [mut before, mut after] = [side(0.084, 1.0), side(0.0755, 1.0)];
        before.figures.predicted_time = 79.4e9;
        after.figures.predicted_time = 60.1e9;
        assert_eq!(
            in_distance(&before, &after, None),
            "Communication takes as long as 60.1 GB over one link, not 79.4 GB: 1.32 x faster, predicted"
        );
    }
}
