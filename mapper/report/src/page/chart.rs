//! What charts are made of: texts, bars, cells, dots and axes in one SVG.

use super::colours::STEPS;
use super::words::escaped;
use maud::{Markup, PreEscaped};
use std::fmt::{self, Display, Write};

/// Left, top, width and height, in units of the SVG.
pub(super) type Frame = (f64, f64, f64, f64);

/// A drawing under way.
#[derive(Default)]
pub(super) struct Chart(String);

/// A coordinate as it is written: in hundredths, without zeros at the end.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

impl Chart {
    /// Adds SVG as it is.
    pub(super) fn push(&mut self, svg: impl Display) {
        let _ = write!(self.0, "{svg}");
    }

    /// Writes a text whose base line begins at a point. The classes place and style it: `mid` sets
    /// its middle there and `end` its end, `t9` makes it small, `ink` strong.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), text: impl Display) {
        let (x, y, text) = (Short(x), Short(y), escaped(&text.to_string()));
        let _ = write!(self.0, "<text class=\"{class}\" x={x} y={y}>{text}</text>");
    }

    /// Writes a small text that reads upwards, with its middle at a point.
    pub(super) fn upwards(&mut self, (x, y): (f64, f64), text: impl Display) {
        let (x, y, text) = (Short(x), Short(y), escaped(&text.to_string()));
        let _ = write!(
            self.0,
            "<text class=\"mid t9\" transform=\"translate({x} {y}) rotate(-90)\">{text}</text>"
        );
    }

    /// Draws a rectangle. `look` has its attributes, such as `class=plot`.
    pub(super) fn rect(&mut self, look: &str, (x, y, wide, high): Frame) {
        let (x, y, wide, high) = (Short(x), Short(y), Short(wide), Short(high));
        let _ = write!(
            self.0,
            "<rect {look} x={x} y={y} width={wide} height={high} />"
        );
    }

    /// Draws a bar in a colour of the theme. The pointer shows `tip`, whose lines `|` parts.
    pub(super) fn bar(&mut self, colour: &str, tip: &str, frame: Frame) {
        let tip = escaped(tip);
        self.rect(&format!("fill=\"var(--{colour})\" data-t=\"{tip}\""), frame);
    }

    /// Draws a cell in the colour of a class. The pointer shows `tip`.
    pub(super) fn cell(&mut self, class: &str, tip: &str, frame: Frame) {
        self.rect(&format!("class={class} data-t=\"{}\"", escaped(tip)), frame);
    }

    /// Draws a dot in a colour of the theme.
    pub(super) fn dot(&mut self, colour: &str, (x, y): (f64, f64), radius: f64) {
        let (x, y) = (Short(x), Short(y));
        let _ = write!(
            self.0,
            "<circle cx={x} cy={y} r={radius} fill=\"var(--{colour})\"/>"
        );
    }

    /// Draws a path.
    pub(super) fn path(&mut self, class: &str, path: impl Display) {
        let _ = write!(self.0, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    /// Draws the line that columns stand on, from `left` to `right`.
    pub(super) fn ground(&mut self, (left, right): (f64, f64), y: f64) {
        let (left, y, right) = (Short(left), Short(y + 0.5), Short(right));
        self.path("ax", format_args!("M{left} {y}H{right}"));
    }

    /// Writes numbers from 0 on below an axis, so many that they have room.
    pub(super) fn numbers(&mut self, count: usize, y: f64, x: impl Fn(usize) -> f64) {
        const ROOM: usize = 13;
        for number in (0..count).step_by(count.div_ceil(ROOM).max(1)) {
            let class = if number == 0 { "" } else { "mid" };
            self.text(class, (x(number), y), number);
        }
    }

    /// The SVG, which scales to the width of its column, with its label.
    pub(super) fn html(self, label: &str, frame: Frame) -> Markup {
        self.at_most(f64::INFINITY, label, frame)
    }

    /// The SVG, at most so many pixels wide.
    pub(super) fn at_most(self, pixels: f64, label: &str, frame: Frame) -> Markup {
        let style = if pixels.is_finite() {
            format!(" style=\"max-width:{pixels:.0}px\"")
        } else {
            String::new()
        };
        self.with(
            &format!("role=img aria-label=\"{}\"{style}", escaped(label)),
            frame,
        )
    }

    /// Draws the steps of a colour ramp side by side.
    pub(super) fn ramp(&mut self, letter: char, wide: f64) {
        for step in 0..STEPS {
            let frame = (step as f64 * wide, 0.0, wide, 11.0);
            self.rect(&format!("class={letter}{step}"), frame);
        }
    }

    /// The SVG in a line of text, as large as its frame.
    pub(super) fn legend(self, label: &str, frame: Frame) -> Markup {
        let label = escaped(label);
        let (wide, high) = (frame.2, frame.3);
        let size = format!("width={wide} height={high} role=img aria-label=\"{label}\"");
        self.with(&size, frame)
    }

    /// The SVG with these attributes.
    pub(super) fn with(self, attributes: &str, (left, top, wide, high): Frame) -> Markup {
        let [left, top, wide, high] = [left, top, wide, high].map(Short);
        PreEscaped(format!(
            "<svg {attributes} viewBox=\"{left} {top} {wide} {high}\">{}</svg>",
            self.0
        ))
    }

    /// The SVG without the element around it.
    pub(super) fn drawn(&self) -> &str {
        &self.0
    }
}
