//! A figure before and after, as a pair of bars and as a ratio.

use super::chart::Chart;
use super::words::escaped;
use maud::Markup;

/// The ratio of before to after, such as "÷ 2.5. "; empty where it is not known, and where both
/// are equal.
pub(super) fn divided(before: Option<f64>, after: f64) -> String {
    match before {
        Some(before) if after > 0.0 && before > 0.0 && before != after => {
            format!("÷ {:.1}. ", before / after)
        }
        _ => String::new(),
    }
}

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
