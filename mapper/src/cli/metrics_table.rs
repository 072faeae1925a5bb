//! The table of all figures: what `--metrics` prints. Beside the placement stand block order and,
//! of a profiled run whose hosts the machine has, the launch as it was.

use super::columns::in_columns;
use super::report::{Figures, Report};
use super::verdict::still;
use rankfold_machine::Unit;
use rankfold_problem::objective::{printed_number, printed_squared_time, printed_time};

/// A line of the table: the label, then the figures of all placements, then words.
type Row = Vec<String>;

/// What stands in the columns of the table, the placement last.
struct Columns<'a> {
    report: &'a Report<'a>,
    sides: Vec<&'a Figures<'a>>,
}

impl<'a> Columns<'a> {
    fn of(report: &'a Report<'a>) -> Self {
        let others = report.launched.iter().chain([&report.block]);
        Self {
            report,
            sides: others.chain([&report.figures]).collect(),
        }
    }

    fn heading(&self) -> Row {
        let launched = self.report.launched.is_some().then(|| "as launched".into());
        let names = ["block order".into(), self.report.maker_in_words()];
        let empty = [String::new()].into_iter();
        empty.chain(launched).chain(names).collect()
    }

    /// A figure of every placement.
    fn row(&self, label: impl Into<String>, figure: impl Fn(&Figures<'_>) -> String) -> Row {
        let figures = self.sides.iter().map(|side| figure(side));
        [label.into()].into_iter().chain(figures).collect()
    }

    /// A figure that stands under the placement alone, with words behind it.
    fn last(&self, label: &str, figure: String, words: String) -> Row {
        let mut row = vec![String::new(); self.sides.len()];
        row[0] = label.into();
        row.extend([figure, words]);
        row
    }

    fn unit(&self) -> Unit {
        self.report.figures.predicted_time.unit
    }
}

/// The table as text. Its columns are as wide as what they hold.
#[must_use]
pub fn table(report: &Report<'_>) -> String {
    let columns = Columns::of(report);
    let mut rows = vec![columns.heading()];
    rows.extend(times(&columns));
    rows.extend(distances(&columns));
    rows.extend(loads(&columns));
    rows.extend(bounds(&columns));
    let words = columns.sides.len() + 1;
    in_columns(&rows, &[0, words])
}

fn times(columns: &Columns<'_>) -> Vec<Row> {
    let parts = |side: &Figures<'_>| side.predicted_time.rows();
    let own = parts(&columns.report.figures);
    let rows = own.iter().enumerate().map(|(at, (label, _))| {
        let is_zero = columns.sides.iter().all(|side| parts(side)[at].1 <= 0.0);
        let printed = |side: &Figures<'_>| printed_time(parts(side)[at].1, columns.unit());
        (!is_zero).then(|| columns.row(label, printed))
    });
    rows.flatten().collect()
}

fn distances(columns: &Columns<'_>) -> Vec<Row> {
    let mut rows = vec![
        columns.row("hop-bytes", |side| side.score.hop_bytes.to_string()),
        columns.row("hops per byte", |side| {
            printed_number(side.score.hops_per_byte)
        }),
        columns.row("average dilation", |side| {
            printed_number(side.score.avg_dilation)
        }),
        columns.row("maximum dilation", |side| {
            side.score.max_dilation.to_string()
        }),
    ];
    if columns.sides.iter().any(|side| side.score.inner_levels > 0) {
        rows.push(columns.row("levels inside nodes", |side| {
            side.score.inner_levels.to_string()
        }));
    }
    rows
}

fn loads(columns: &Columns<'_>) -> Vec<Row> {
    let unit = columns.unit();
    let load = |value| printed_time(value, unit);
    let routing = columns.report.routing;
    let mut rows = vec![columns.row(format!("max congestion ({routing})"), |side| {
        load(side.score.max_congestion)
    })];
    let all_minimal_paths = |side: &Figures<'_>| side.score.max_congestion_amp;
    if columns
        .sides
        .iter()
        .any(|side| all_minimal_paths(side).is_some())
    {
        rows.push(columns.row("max congestion (amp)", |side| {
            all_minimal_paths(side).map(load).unwrap_or_default()
        }));
    }
    if let Some(estimate) = columns.report.max_congestion_estimate {
        rows.push(columns.last("max congestion (estimate)", load(estimate), String::new()));
    }
    rows.push(columns.row("non-zero average", |side| load(side.score.nz_avg)));
    rows.push(columns.row("non-zero variance", |side| {
        printed_squared_time(side.score.nz_var, unit)
    }));
    rows.push(columns.row("hybrid", |side| printed_number(side.score.hybrid)));
    rows
}

fn bounds(columns: &Columns<'_>) -> Vec<Row> {
    let report = columns.report;
    let (score, time) = (report.figures.score, &report.figures.predicted_time);
    let printed = |value| printed_time(value, time.unit);
    let proof = if report.lower_bound_is_optimum {
        " (the optimum, by branch and bound)"
    } else {
        ""
    };
    let of_hops = still(score.hop_bytes as f64, report.lower_bound as f64);
    let of_links = still(score.max_congestion, report.congestion_lower_bound);
    vec![
        columns.last(
            "lower bound of time",
            printed(time.lower_bound),
            still(time.total, time.lower_bound),
        ),
        columns.last(
            "lower bound of hop-bytes",
            report.lower_bound.to_string(),
            format!("{of_hops}{proof}"),
        ),
        columns.last(
            "lower bound of max congestion",
            printed(report.congestion_lower_bound),
            format!("{of_links} (by {})", report.congestion_bound_by),
        ),
    ]
}
