//! Findings that compare two sides. A heading says what improved; what got worse is named as its
//! price, in a sentence of its own.

use crate::data::Side;

/// A figure of one side: its value, and the value in words.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// The value, which decides what is better.
    pub(super) value: f64,
    /// The value as readers see it: "74 %".
    pub(super) words: String,
}

/// Which values of a figure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    /// Higher values.
    Higher,
    /// Lower values.
    Lower,
}

/// The finding on a figure of all sides. `statement` puts the figure of the last side into a
/// sentence without its full stop: "74 % of the bytes stay within one plane".
pub(super) fn finding(
    sides: &[Side],
    figure: impl Fn(&Side) -> Fact,
    better: Better,
    statement: impl Fn(&str) -> String,
) -> String {
    let Some(last) = sides.last() else {
        return String::new();
    };
    let after = figure(last);
    let text = statement(&after.words);
    let [first, _] = sides else {
        return text;
    };
    let before = figure(first);
    let gain = match better {
        Better::Higher => after.value - before.value,
        Better::Lower => before.value - after.value,
    };
    if after.words == before.words {
        format!("{text}, as before")
    } else if gain > 0.0 {
        format!("{text}; before, {}", before.words)
    } else if last.figures.predicted_time < first.figures.predicted_time {
        format!(
            "{text}. That is a price of the shorter time: before, {}",
            before.words
        )
    } else {
        format!("{text}. That is worse than before: {}", before.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(times: [f64; 2], values: [f64; 2]) -> Vec<Side> {
        let side = |number: usize| {
            let mut side = Side::default();
            side.figures.predicted_time = times[number];
            side.within_band = Some(values[number]);
            side
        };
        vec![side(0), side(1)]
    }

    fn heading(sides: &[Side]) -> String {
        let figure = |side: &Side| {
            let value = side.within_band.unwrap_or(0.0);
            Fact {
                value,
                words: format!("{:.0} %", 100.0 * value),
            }
        };
        finding(sides, figure, Better::Higher, |share| {
            format!("{share} of the bytes stay within one plane")
        })
    }

    #[test]
    fn an_improvement_is_the_heading() {
        assert_eq!(
            heading(&sides([2.0, 1.0], [0.34, 0.74])),
            "74 % of the bytes stay within one plane; before, 34 %"
        );
    }

    #[test]
    fn what_got_worse_is_a_price_in_a_sentence_of_its_own() {
        assert_eq!(
            heading(&sides([2.0, 1.0], [0.92, 0.48])),
            "48 % of the bytes stay within one plane. That is a price of the shorter time: before, 92 %"
        );
        assert_eq!(
            heading(&sides([1.0, 1.0], [0.92, 0.48])),
            "48 % of the bytes stay within one plane. That is worse than before: 92 %"
        );
    }

    #[test]
    fn one_side_and_equal_sides_are_not_compared() {
        let both = sides([1.0, 1.0], [0.5, 0.5]);
        assert_eq!(
            heading(&both[1..]),
            "50 % of the bytes stay within one plane"
        );
        assert_eq!(
            heading(&both),
            "50 % of the bytes stay within one plane, as before"
        );
    }
}
