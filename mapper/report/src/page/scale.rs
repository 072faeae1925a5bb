//! Scales: from values to steps of a colour ramp. Both sides share a scale; the page shows its
//! legend.

use super::chart::Chart;
use super::colours::STEPS;
use super::words;
use crate::data::LoadUnit;
use maud::{Markup, PreEscaped, html};

/// The scale of link loads: linear from 0, since transfer time is proportional to the load.
#[derive(Clone, Copy)]
pub(super) struct LoadScale {
    pub(super) top: f64,
    pub(super) unit: LoadUnit,
}

impl LoadScale {
    /// The step of a load; `None` for an idle link.
    pub(super) fn step(&self, load: f64) -> Option<usize> {
        (load > 0.0).then(|| ((load / self.top * STEPS as f64) as usize).min(STEPS - 1))
    }

    /// A load in words.
    pub(super) fn in_words(&self, load: f64) -> String {
        words::load(load, self.unit)
    }

    pub(super) fn legend(&self) -> Markup {
        const WIDE: f64 = 30.0;
        let mut marks = Chart::default();
        for step in 0..STEPS {
            let width = width(step, 6.0, 1.2);
            let (x, long) = (step as f64 * WIDE, WIDE - 1.0);
            marks.push(format_args!(
                "<path class=\"ln L{step}\" stroke-width=\"{width:.1}\" d=\"M{x} 7h{long}\"/>"
            ));
        }
        let end = STEPS as f64 * WIDE;
        let (half, top) = (self.in_words(self.top / 2.0), self.in_words(self.top));
        marks.text("t9", (0.0, 23.0), 0);
        marks.text("mid t9", (end / 2.0, 23.0), half);
        marks.text("end t9", (end, 23.0), &top);
        let label = format!("scale of link load, linear, from 0 to {top}");
        let what = match self.unit {
            LoadUnit::Bytes => "Load of a link",
            LoadUnit::BytesOverBandwidth => "Bytes on a link over its bandwidth",
            LoadUnit::Seconds => "Time a link is busy",
        };
        html! { div class="legend" {
            span { (what) }
            (marks.legend(&label, (-6.0, 0.0, end + 12.0, 27.0)))
            span { (PreEscaped("<svg width=34 height=8 viewBox=\"0 0 34 8\" class=inline aria-hidden=true><path class=\"ln z\" stroke-width=1 d=\"M0 4h34\"/></svg>")) " idle" }
        } }
    }
}

/// The width of a stroke for a step, between `least` and `most`.
pub(super) fn width(step: usize, most: f64, least: f64) -> f64 {
    least + (most - least) * (step as f64 + 0.5) / STEPS as f64
}

/// Values within this ratio of each other get one colour. Chosen by hand.
const EQUAL: f64 = 1.05;
/// The place of values that get one colour.
const MIDDLE: f64 = 0.55;

/// The scale of bytes: logarithmic.
#[derive(Clone, Copy)]
pub(super) struct ByteScale {
    low: f64,
    high: f64,
}

impl ByteScale {
    /// The scale from the lowest to the highest of some values above 0.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, 1.0f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let low = if low.is_finite() { low.max(1.0) } else { 1.0 };
        Self {
            low,
            high: high.max(low),
        }
    }

    /// Whether all values are so close that colours would tell apart what is equal.
    fn is_one_value(&self) -> bool {
        self.high / self.low < EQUAL
    }

    /// The position of a value between the lowest and the highest, from 0 to 1. Values that are
    /// equal for all purposes are in the middle.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.is_one_value() {
            return MIDDLE;
        }
        ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    pub(super) fn step(&self, value: f64) -> usize {
        ((self.place(value) * STEPS as f64) as usize).min(STEPS - 1)
    }

    /// The value at which a step begins.
    fn edge(&self, step: usize) -> f64 {
        self.low * (self.high / self.low).powf(step as f64 / STEPS as f64)
    }

    /// The lowest and the highest value.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub(super) fn legend(&self, what: &str) -> Markup {
        const WIDE: f64 = 26.0;
        if self.is_one_value() {
            let value = words::bytes(self.high.round());
            let class = format!("b{}", self.step(self.high));
            return html! { div class="legend" {
                span { (what) }
                svg class="inline" width=(WIDE) height="11" viewBox={ "0 0 " (WIDE) " 11" } aria-hidden="true" { rect class=(class) width=(WIDE) height="11" {} }
                span { "about " (value) " each" }
            } };
        }
        let edge = |step: usize| words::bytes(self.edge(step).round());
        let mut marks = Chart::default();
        marks.ramp('b', WIDE);
        for step in (0..=STEPS).step_by(3) {
            marks.text("mid t9", (step as f64 * WIDE, 22.0), edge(step));
        }
        let label = format!(
            "colour scale, logarithmic, from {} to {}",
            edge(0),
            edge(STEPS)
        );
        let factor = words::digits(self.edge(1) / self.edge(0));
        html! { div class="legend" {
            span { (what) }
            (marks.legend(&label, (-30.0, 0.0, STEPS as f64 * WIDE + 60.0, 26.0)))
            span { "one step = ×" (factor) }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_get_one_strong_colour_and_no_scale() {
        let scale = ByteScale::of([393e3, 397e3].into_iter());
        assert_eq!(scale.step(393e3), scale.step(397e3));
        let legend = scale.legend("Bytes of a pair").into_string();
        assert!(legend.contains("about 397 kB each"), "{legend}");
        assert!(!legend.contains("one step"), "{legend}");
        let scale = ByteScale::of([1e3, 397e3].into_iter());
        assert!(scale.step(1e3) < scale.step(397e3));
    }
}
