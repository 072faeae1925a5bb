//! A figure before and after, as a pair of bars and as a ratio.

use super::words::escaped;
use maud::{Markup, PreEscaped};
use std::fmt::Write;

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
    let mut label = format!("{figure} as bars: {}", in_words(after));
    let mut svg = String::new();
    if let Some(before) = before {
        let _ = write!(label, ", before {}", in_words(before));
        let _ = write!(
            svg,
            "<rect fill=\"var(--was)\" width={:.1} height=5 />",
            100.0 * before / most
        );
    }
    let _ = write!(
        svg,
        "<rect fill=\"var(--ink)\" y=8 width={:.1} height=7 />",
        100.0 * after / most
    );
    if bound > 0.0 {
        let _ = write!(label, ", lower bound {}", in_words(bound));
        let _ = write!(
            svg,
            "<rect fill=\"var(--mark)\" x={:.1} y=-1 width=.5 height=17 />",
            100.0 * bound / most - 0.2
        );
    }
    strip(&label, &svg)
}

/// A drawing as wide as its column and one line high.
pub(super) fn strip(label: &str, svg: &str) -> Markup {
    PreEscaped(format!(
        "<svg class=bars preserveAspectRatio=none viewBox=\"0 0 100 15\" role=img aria-label=\"{}\">{svg}</svg>",
        escaped(label)
    ))
}
