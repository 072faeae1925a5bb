//! The matrix of differences between two runs.

use super::chart::Chart;
use super::colours::{Ramp, STEPS};
use super::elements::{behind, section, table};
use super::raster::Raster;
use super::words;
use crate::data::{Differences, PairDifference};
use maud::{Markup, html};
use std::fmt::Write;

/// The value of a pixel that stands for no difference, and the largest distance of others from it.
const MIDDLE: f64 = 128.0;
const MOST: f64 = 127.0;
/// The distance of the smallest difference from the middle, so that it can be told from none.
const LEAST: f64 = 40.0;

/// The section. `before` and `after` are the names of the runs.
pub(super) fn html(
    differences: &Differences,
    (before, after): (&str, &str),
    ranks: usize,
) -> Markup {
    let scale = Scale::of(differences);
    let blocks = &differences.blocks;
    let finding = match differences.pairs {
        0 => format!("{before} and {after} send the same, pair by pair"),
        pairs => format!(
            "{} sent other bytes: {after} sends {} more and {} less than {before}",
            words::plural(pairs, "pair"),
            words::bytes(differences.more as f64),
            words::bytes(differences.less as f64)
        ),
    };
    let mut how = format!(
        "Bytes of {after} minus bytes of {before}, from each rank (rows) to each rank (columns). Where nothing differs, nothing is drawn."
    );
    if blocks.ranks_each > 1 {
        let _ = write!(
            how,
            " One point is a block of {0}×{0} ranks.",
            blocks.ranks_each
        );
    }
    let body = html! {
        @if differences.pairs > 0 {
            (scale.legend(before, after))
            div class="pair one" { figure {
                figcaption { b { (after) " minus " (before) } }
                (picture(differences, &scale, ranks))
            } }
            (behind(&format!("The {} largest differences", differences.largest.len()), &largest(differences, before, after)))
        }
    };
    section("differences", "Differences", &finding, &how, &body)
}

fn picture(differences: &Differences, scale: &Scale, ranks: usize) -> Markup {
    let blocks = &differences.blocks;
    let mut values = vec![0; blocks.size * blocks.size];
    for &(row, column, bytes) in &blocks.cells {
        values[row as usize * blocks.size + column as usize] = scale.pixel(bytes);
    }
    Raster {
        width: blocks.size,
        values,
        ramp: Ramp::Changes,
        label: "matrix of differences",
        axis: Some(("rank", ranks.saturating_sub(1))),
        data: format!(
            "data-change={LEAST} data-low={} data-high={} data-each={} data-last={}",
            scale.low,
            scale.high,
            blocks.ranks_each,
            ranks.saturating_sub(1)
        ),
    }
    .html()
}

fn largest(differences: &Differences, before: &str, after: &str) -> Markup {
    let (before, after) = (format!(">{before}"), format!(">{after}"));
    let row = |pair: &PairDifference| {
        let sign = if pair.after > pair.before { "+" } else { "−" };
        vec![
            format!("{} → {}", pair.from, pair.to),
            words::number(pair.before),
            words::number(pair.after),
            format!("{sign}{}", words::number(pair.after.abs_diff(pair.before))),
        ]
    };
    let rows: Vec<Vec<String>> = differences.largest.iter().map(row).collect();
    table(&["Pair", &before, &after, ">Difference"], &rows)
}

/// The scale of differences: logarithmic on either side of none.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(differences: &Differences) -> Self {
        let cells = differences.blocks.cells.iter();
        let sizes = cells.map(|cell| cell.2.unsigned_abs() as f64);
        let (low, high) = sizes.fold((f64::INFINITY, 1.0f64), |(low, high), size| {
            (low.min(size), high.max(size))
        });
        Self {
            low: low.min(high),
            high,
        }
    }

    /// The value of a pixel: above the middle for more bytes, below it for fewer.
    fn pixel(&self, difference: i64) -> u8 {
        let size = difference.unsigned_abs() as f64;
        let place = if self.high > self.low {
            (size / self.low).ln() / (self.high / self.low).ln()
        } else {
            1.0
        };
        let off = LEAST + (MOST - LEAST) * place.clamp(0.0, 1.0);
        (MIDDLE + off.copysign(difference as f64)).round() as u8
    }

    fn legend(&self, before: &str, after: &str) -> Markup {
        const WIDE: f64 = 30.0;
        let end = STEPS as f64 * WIDE;
        let (low, high) = (words::bytes(self.low), words::bytes(self.high));
        let mut marks = Chart::default();
        marks.ramp('d', WIDE);
        marks.text("mid t9", (0.0, 22.0), format!("−{high}"));
        marks.text("mid t9", (end / 2.0, 22.0), 0);
        marks.text("mid t9", (end, 22.0), format!("+{high}"));
        let label = format!(
            "colour scale of differences, logarithmic from {low} to {high} on either side of 0"
        );
        html! { div class="legend" {
            span { (before) " sends more" }
            (marks.legend(&label, (-35.0, 0.0, end + 70.0, 26.0)))
            span { (after) " sends more" }
            @if self.high > self.low { span { "palest: " (low) } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_less_are_on_opposite_sides_and_small_is_seen() {
        let scale = Scale {
            low: 10.0,
            high: 1e6,
        };
        assert_eq!(scale.pixel(1_000_000), 255);
        assert_eq!(scale.pixel(-1_000_000), 1);
        assert_eq!(scale.pixel(10), 168);
        assert_eq!(scale.pixel(-10), 88);
    }
}
