//! Measured times of the program. Either side may lack its time.

use super::bars::{TIMES, bars, ratio};
use super::words;
use crate::data::{Limit, Measured};
use maud::{Markup, html};

/// A sentence on what was promised, what was measured and what was not. `placed` says whether there
/// is a placement to measure.
pub(super) fn sentence(measured: &Measured, placed: bool) -> String {
    let times = |gain: Option<String>, words: &str| {
        gain.map_or(String::new(), |gain| format!("{words}{gain} times as fast"))
    };
    let promised = |words: &str| times(promise(measured), words);
    match (measured.before, measured.after) {
        (Some(before), Some(after)) => format!(
            "Measured{}: {}, before {}{}{}.",
            if measured.too_few {
                few(measured)
            } else {
                String::new()
            },
            words::seconds(after),
            words::seconds(before),
            promised("; promised to be "),
            times(
                measured.corrected_gain.map(words::digits),
                ", corrected since to "
            )
        ),
        (Some(before), None) if placed => format!(
            "Measured as launched: {}. The placement is not yet measured{}.",
            words::seconds(before),
            promised("; it is promised to be ")
        ),
        (Some(before), None) => format!("Measured: {}.", words::seconds(before)),
        (None, Some(after)) => format!(
            "Measured with the placement: {}; not measured as launched{}.",
            words::seconds(after),
            promised(", promised to be ")
        ),
        (None, None) => "Predicted, not yet measured.".into(),
    }
}

/// The gain that was promised, in words.
pub(super) fn promise(measured: &Measured) -> Option<String> {
    let limit = match measured.predicted_limit {
        Some(Limit::AtLeast) => "at least ",
        Some(Limit::AtMost) => "at most ",
        None => "",
    };
    let gain = measured.predicted_gain?;
    Some(format!("{limit}{}", words::digits(gain)))
}

/// How few the runs are that were measured.
pub(super) fn few(measured: &Measured) -> String {
    match measured.runs {
        Some([before, after]) if (before, after) != (1, 1) => {
            format!(" {before} and {after} times, too few")
        }
        _ => " once each, too few".into(),
    }
}

/// The measured time or times as the first of the three numbers at the top.
pub(super) fn card(measured: &Measured) -> Markup {
    let (time, was, of) = match (measured.before, measured.after) {
        (before, Some(after)) => (after, before, "with the placement"),
        (before, None) => (before.unwrap_or_default(), None, "as launched"),
    };
    html! { div {
        div class="k" { "Measured time" }
        div class="v" { (words::seconds(time)) " " small { @match was {
            Some(was) => { "was " (words::seconds(was)) },
            None => (of),
        } } }
        (bars("measured time", &words::seconds, was, time, 0.0))
        div class="n" {
            (ratio(was, time, TIMES))
            @if let Some(gain) = promise(measured) { "Promised: " (gain) " x faster" }
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_said() {
        let text = |before, after, placed: bool| {
            let predicted_gain = placed.then_some(2.5);
            let measured = Measured {
                before,
                after,
                predicted_gain,
                ..Measured::default()
            };
            sentence(&measured, placed)
        };
        assert_eq!(
            text(Some(0.3), None, true),
            "Measured as launched: 300 ms. The placement is not yet measured; it is promised to be 2.50 times as fast."
        );
        assert_eq!(text(Some(0.3), None, false), "Measured: 300 ms.");
        assert_eq!(
            text(Some(0.3), Some(0.1), true),
            "Measured: 100 ms, before 300 ms; promised to be 2.50 times as fast."
        );
        assert!(text(None, Some(0.1), true).contains("100 ms; not measured as launched"));
    }

    #[test]
    fn what_was_promised_stays_beside_what_came() {
        let measured = Measured {
            before: Some(0.3),
            after: Some(0.1),
            predicted_gain: Some(2.66),
            corrected_gain: Some(3.0),
            runs: Some([1, 1]),
            too_few: true,
            ..Measured::default()
        };
        assert_eq!(
            sentence(&measured, true),
            "Measured once each, too few: 100 ms, before 300 ms; promised to be 2.66 times as fast, corrected since to 3.00 times as fast."
        );
        let most = Measured {
            predicted_limit: Some(Limit::AtMost),
            ..measured
        };
        assert!(sentence(&most, true).contains("promised to be at most 2.66 times as fast"));
        assert!(
            card(&most)
                .into_string()
                .contains("Promised: at most 2.66 x faster")
        );
    }

    #[test]
    fn the_card_shows_the_only_time_there_is() {
        let measured = Measured {
            before: Some(0.3),
            ..Measured::default()
        };
        let shown = card(&measured).into_string();
        assert!(
            shown.contains("300 ms <small>as launched</small>"),
            "{shown}"
        );
        assert!(!shown.contains("was"), "{shown}");
    }
}
