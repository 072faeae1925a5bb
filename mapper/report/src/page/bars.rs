//! A figure before and after, as a pair of bars and as a ratio.

use super::chart::Chart;
use super::words::escaped;
use maud::Markup;

/// The ratio of two values with the word for its direction, such as "2.5 x faster. "; empty where
/// it is not known, and where both are equal. `words` are those for less and for more.
pub(super) fn ratio(before: Option<f64>, after: f64, [less, more]: [&str; 2]) -> String {
    match before {
        Some(before) if after > 0.0 && before > 0.0 && before != after => {
            let (times, word) = if after < before {
                (before / after, less)
            } else {
                (after / before, more)
            };
            format!("{times:.1} x {word}. ")
        }
        _ => String::new(),
    }
}

/// The words for the ratio of two times.
pub(super) const TIMES: [&str; 2] = ["faster", "slower"];
/// The words for the ratio of two loads.
pub(super) const LOADS: [&str; 2] = ["less", "more"];

/// Draws the value before as a grey bar, the value after as a bar in the colour of text, and the
/// bound as a blue tick. The label tells the values in words.
pub(super) fn bars(
    figure: &str,
    in_words: &dyn Fn(f64) -> String,
    before: Option<f64>,
    after: f64,
    bound: f64,
) -> Markup {
    let most = before.unwrap_or(0.0).max(after).max(f64::MIN_POSITIVE);
    let place = |value: f64| 100.0 * value / most;
    let mut label = format!("{figure} as bars: {}", in_words(after));
    let mut bars = Vec::new();
    if let Some(before) = before {
        label.push_str(&format!(", before {}", in_words(before)));
        bars.push(("was", (0.0, 0.0, place(before), 5.0)));
    }
    bars.push(("ink", (0.0, 8.0, place(after), 7.0)));
    if bound > 0.0 {
        label.push_str(&format!(", lower bound {}", in_words(bound)));
        bars.push(("mark", (place(bound) - 0.2, -1.0, 0.5, 17.0)));
    }
    strip(&label, &bars)
}

/// Left edge, top, width and height of a bar.
type Extent = (f64, f64, f64, f64);

/// Bars in a drawing as wide as its column and one line high.
pub(super) fn strip(label: &str, bars: &[(&str, Extent)]) -> Markup {
    let mut chart = Chart::default();
    for &(colour, frame) in bars {
        chart.rect(&format!("fill=\"var(--{colour})\""), frame);
    }
    let label = escaped(label);
    let attributes = format!("class=bars preserveAspectRatio=none role=img aria-label=\"{label}\"");
    chart.with(&attributes, (0.0, 0.0, 100.0, 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_a_direction() {
        assert_eq!(ratio(Some(2.32), 1.0, TIMES), "2.3 x faster. ");
        assert_eq!(ratio(Some(1.0), 1.25, LOADS), "1.2 x more. ");
        assert_eq!(ratio(None, 1.0, TIMES), "");
        assert_eq!(ratio(Some(1.0), 1.0, TIMES), "");
    }

    /// The width of the bar in the colour `ink`.
    fn width(drawing: &Markup, ink: &str) -> f64 {
        let drawn = drawing.clone().into_string();
        let bar = drawn.split("<rect").find(|bar| bar.contains(ink)).unwrap();
        let width = bar.split("width=").nth(1).unwrap();
        let number: String = width
            .trim_start_matches('"')
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        number.parse().unwrap()
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let drawn = bars("time", &|time| time.to_string(), Some(4.0), 1.0, 0.0);
        assert!((width(&drawn, "--was") - 100.0).abs() < 0.01);
        assert!((width(&drawn, "--ink") - 25.0).abs() < 0.01);
    }
}
