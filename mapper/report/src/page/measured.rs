//! Measured times of the program. Either side may lack its time.

use super::bars::{bars, divided};
use super::words;
use crate::data::Measured;
use maud::{Markup, html};

/// A sentence on what was measured and what was not. `placed` says whether there is a placement to
/// measure.
pub(super) fn sentence(measured: &Measured, placed: bool) -> String {
    let predicted = |words: &str| {
        measured.predicted_gain.map_or(String::new(), |gain| {
            format!("{words}{} times as fast", words::digits(gain))
        })
    };
    match (measured.before, measured.after) {
        (Some(before), Some(after)) => format!(
            "Measured: {}, before {}{}.",
            words::seconds(after),
            words::seconds(before),
            predicted("; predicted to be ")
        ),
        (Some(before), None) if placed => format!(
            "Measured as launched: {}. The placement is not yet measured{}.",
            words::seconds(before),
            predicted("; it is predicted to be ")
        ),
        (Some(before), None) => format!("Measured: {}.", words::seconds(before)),
        (None, Some(after)) => format!(
            "Measured with the placement: {}; not measured as launched{}.",
            words::seconds(after),
            predicted(", predicted to be ")
        ),
        (None, None) => "Predicted, not yet measured.".into(),
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
            (divided(was, time))
            @if let Some(gain) = measured.predicted_gain { "Predicted: ÷ " (format!("{gain:.1}")) }
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
            };
            sentence(&measured, placed)
        };
        assert_eq!(
            text(Some(0.3), None, true),
            "Measured as launched: 300 ms. The placement is not yet measured; it is predicted to be 2.50 times as fast."
        );
        assert_eq!(text(Some(0.3), None, false), "Measured: 300 ms.");
        assert_eq!(
            text(Some(0.3), Some(0.1), true),
            "Measured: 100 ms, before 300 ms; predicted to be 2.50 times as fast."
        );
        assert!(text(None, Some(0.1), true).contains("100 ms; not measured as launched"));
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
