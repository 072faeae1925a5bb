//! A figure before and after, as a pair of bars and as a ratio.

use maud::{Markup, PreEscaped};

/// The ratio of before to after, such as "÷ 2.5. "; empty where it is not known.
pub(super) fn divided(before: Option<f64>, after: f64) -> String {
    match before {
        Some(before) if after > 0.0 && before > 0.0 => format!("÷ {:.1}. ", before / after),
        _ => String::new(),
    }
}

/// Draws the value before as a grey bar, the value after as a bar in the colour of text, and the
/// bound as a blue tick.
pub(super) fn bars(before: Option<f64>, after: f64, bound: f64) -> Markup {
    let most = before.unwrap_or(0.0).max(after).max(f64::MIN_POSITIVE);
    let mut svg = String::from(
        "<svg class=bars preserveAspectRatio=none viewBox=\"0 0 100 15\" aria-hidden=true>",
    );
    if let Some(before) = before {
        svg.push_str(&format!(
            "<rect fill=\"var(--was)\" width={:.1} height=5 />",
            100.0 * before / most
        ));
    }
    svg.push_str(&format!(
        "<rect fill=\"var(--ink)\" y=8 width={:.1} height=7 />",
        100.0 * after / most
    ));
    if bound > 0.0 {
        svg.push_str(&format!(
            "<rect fill=\"var(--mark)\" x={:.1} y=-1 width=.5 height=17 />",
            100.0 * bound / most - 0.2
        ));
    }
    svg.push_str("</svg>");
    PreEscaped(svg)
}
