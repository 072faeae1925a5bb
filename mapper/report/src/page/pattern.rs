//! The section on the communication pattern.

use super::chart::Chart;
use super::elements::{MANY, pan, section, zoomable};
use super::scale::ByteScale;
use super::words;
use crate::data::{GridPattern, Pattern, Report};
use maud::{Markup, html};

/// Width and height of a histogram, in units of the SVG.
const WIDE: f64 = 520.0;
const HIGH: f64 = 120.0;
/// Height of the name of the vertical axis above a histogram.
const OVER: f64 = 18.0;
/// Room for the ends of numbers beside a histogram.
const BESIDE: f64 = 16.0;

pub(super) fn html(report: &Report) -> Markup {
    let after = Story::of(&report.pattern, report.traffic.pairs);
    let (Some(differences), [first, second]) = (&report.differences, &report.sides[..]) else {
        return section(
            "pattern",
            "Pattern",
            &after.finding,
            &after.how,
            &after.body,
        );
    };
    let before = Story::of(&differences.pattern_before, first.pairs);
    let finding = if before.finding == after.finding {
        format!("{} and {}: {}", first.name, second.name, after.finding)
    } else {
        format!(
            "{}: {}. {}: {}",
            first.name, before.finding, second.name, after.finding
        )
    };
    let body = html! { @for (side, story) in [(first, &before), (second, &after)] {
        p class="sub" { (side.name) }
        p class="how" { (story.how) }
        (story.body)
    } };
    section("pattern", "Pattern", &finding, "", &body)
}

/// What is told of the pattern of one run.
struct Story {
    finding: String,
    /// How to read the pictures.
    how: String,
    body: Markup,
}

impl Story {
    /// `pairs` is the number of pairs of ranks that exchange bytes.
    fn of(pattern: &Pattern, pairs: usize) -> Self {
        let overlays = html! { @if !pattern.overlays.is_empty() { ul { @for overlay in &pattern.overlays { li { (overlay) } } } } };
        let Some(grid) = &pattern.grid else {
            return Self {
                finding: match (pairs, &pattern.groups) {
                    (0, _) => "No rank sends another anything".to_owned(),
                    (_, Some(groups)) => words::capital(groups),
                    _ => format!(
                        "No grid: the best one explains {} of the bytes, so the ranks count as irregular",
                        words::percent(pattern.explained)
                    ),
                },
                how: "Without a grid the mapper works on the graph itself. What matters then is how many partners a rank has and how the bytes are spread over them.".into(),
                body: html! {
                    div class="pair" {
                        figure { figcaption { b { "Ranks by number of partners" } } (partners(&pattern.partners)) }
                        figure { figcaption { b { "How few partners carry the bytes" } } (heaviest(&pattern.heaviest)) }
                    }
                    (overlays)
                },
            };
        };
        Self {
            finding: pattern
                .groups
                .as_deref()
                .map_or_else(|| finding(grid), words::capital),
            how: how(grid),
            body: html! {
                div class="pair tall" {
                    @if !grid.ranks.is_empty() && grid.dims.len() <= 3 {
                        figure { figcaption { b { "Ranks in the grid" } } (ranks_zoomed(grid)) }
                    }
                    figure { figcaption { b { "Bytes to each neighbour, mean of the ranks that have one" } } (neighbours(grid)) }
                }
                (overlays)
            },
        }
    }
}

fn finding(grid: &GridPattern) -> String {
    let dims: Vec<String> = grid.dims.iter().map(ToString::to_string).collect();
    format!(
        "The ranks form a {} grid, a {}-point stencil; it carries {} of the bytes",
        dims.join("×"),
        grid.points,
        words::percent(grid.carried)
    )
}

fn how(grid: &GridPattern) -> String {
    let closed: Vec<String> = (0..grid.periodic.len())
        .filter(|&dim| grid.periodic[dim])
        .map(|dim| dim.to_string())
        .collect();
    let rim = if closed.is_empty() {
        "Open at every side".to_owned()
    } else {
        format!("Periodic along dimension {}", closed.join(", "))
    };
    format!(
        "{rim}, ranks numbered {}. Left: the place of each rank in the grid. Right: what a rank sends to each of its neighbours.",
        grid.numbering
    )
}

/// The sizes of a grid as numbers of layers, rows and columns.
fn layers(dims: &[usize]) -> (usize, usize, usize) {
    match *dims {
        [columns] => (1, 1, columns),
        [rows, columns] => (1, rows, columns),
        [layers, rows, columns] => (layers, rows, columns),
        _ => (0, 0, 0),
    }
}

/// The grid of ranks, which can be enlarged where it has many.
fn ranks_zoomed(grid: &GridPattern) -> Markup {
    if grid.ranks.len() > MANY {
        let drawing = pan("grid of ranks; arrow keys scroll it", &ranks(grid));
        zoomable("pattern", &drawing)
    } else {
        ranks(grid)
    }
}

fn ranks(grid: &GridPattern) -> Markup {
    const CELL: f64 = 27.0;
    let (layers, rows, columns) = layers(&grid.dims);
    // A one-dimensional grid is wrapped into several rows.
    let (drawn_rows, across) = match rows {
        1 => (columns.div_ceil(columns.clamp(1, 20)), columns.min(20)),
        _ => (rows, columns),
    };
    let wide = across as f64 * CELL + 16.0;
    let high = drawn_rows as f64 * CELL + 22.0;
    let abreast = ((560.0 / wide) as usize)
        .clamp(1, layers.max(1))
        .max((layers as f64).sqrt().ceil() as usize);
    let mut chart = Chart::default();
    for layer in 0..layers {
        let left = (layer % abreast) as f64 * wide;
        let top = (layer / abreast) as f64 * high;
        if layers > 1 {
            chart.text("t9", (left, top + 11.0), format!("layer {layer}"));
        }
        for cell in 0..rows * columns {
            let x = left + (cell % across) as f64 * CELL;
            let y = top + 16.0 + (cell / across) as f64 * CELL;
            let rank = grid.ranks[layer * rows * columns + cell];
            let class = if rank.is_some() { "" } else { " free" };
            chart.push(format_args!("<g class=\"nd{class}\">"));
            chart.rect("rx=2", (x, y, CELL - 2.0, CELL - 2.0));
            if let Some(rank) = rank {
                let class = if rank > 999 { "mid t7" } else { "mid" };
                chart.text(class, (x + CELL / 2.0 - 1.0, y + CELL / 2.0 + 3.0), rank);
            }
            chart.push("</g>");
        }
    }
    let wide = abreast as f64 * wide - 16.0;
    let high = layers.div_ceil(abreast) as f64 * high;
    chart.at_most(
        (wide * 1.4).min(560.0),
        "grid of ranks",
        (0.0, 0.0, wide, high),
    )
}

/// Draws the bytes to each neighbour of a rank: nine cells for each layer, or a list of bars where
/// the grid has more than three dimensions or a neighbour is more than one step away.
fn neighbours(grid: &GridPattern) -> Markup {
    const CELL: f64 = 46.0;
    const ACROSS: f64 = 58.0;
    const LAYER: f64 = 3.0 * ACROSS + 22.0;
    const AROUND: [i32; 3] = [-1, 0, 1];
    let sent = || grid.neighbours.iter().filter(|(_, bytes)| *bytes > 0.0);
    let mut steps = grid.neighbours.iter().flat_map(|(steps, _)| steps);
    if grid.dims.len() > 3 || steps.any(|step| step.abs() > 1) {
        return far(sent().collect());
    }
    let scale = ByteScale::of(sent().map(|(_, bytes)| *bytes));
    let in_cube = |steps: &[i32]| -> [i32; 3] {
        let mut at = [0; 3];
        at[3 - steps.len()..].copy_from_slice(steps);
        at
    };
    let reached = |dims: usize| {
        if grid.dims.len() >= dims {
            &AROUND[..]
        } else {
            &AROUND[1..2]
        }
    };
    let (layers, rows) = (reached(3), reached(2));
    let mut chart = Chart::default();
    for (place, &layer) in layers.iter().enumerate() {
        let left = place as f64 * LAYER;
        if layers.len() > 1 {
            let name = ["layer above", "same layer", "layer below"][place];
            chart.text("t9", (left, 10.0), name);
        }
        for (row, &down) in rows.iter().enumerate() {
            for (column, &across) in AROUND.iter().enumerate() {
                let (x, y) = (left + column as f64 * ACROSS, 16.0 + row as f64 * CELL);
                let frame = (x, y, ACROSS - 2.0, CELL - 2.0);
                let middle = (x + ACROSS / 2.0 - 1.0, y + CELL / 2.0 + 3.0);
                let found = sent().find(|(steps, _)| in_cube(steps) == [layer, down, across]);
                let Some((_, bytes)) = found else {
                    chart.rect("class=frame rx=2", frame);
                    if (layer, down, across) == (0, 0, 0) {
                        chart.text("mid t9", middle, "itself");
                    }
                    continue;
                };
                let (step, in_words) = (scale.step(*bytes), words::bytes(*bytes));
                let tip = format!(
                    "to the neighbour at ({layer:+}, {down:+}, {across:+})|{in_words} a rank"
                );
                chart.cell(&format!("b{step} rx=2"), &tip, frame);
                chart.text(&format!("mid t9 o{step}"), middle, in_words);
            }
        }
    }
    let wide = layers.len() as f64 * LAYER - 22.0;
    let high = 18.0 + rows.len() as f64 * CELL;
    chart.at_most(
        wide * 1.15,
        "bytes to each neighbour",
        (0.0, 0.0, wide, high),
    )
}

/// Draws the bytes to each neighbour as bars, the longest first.
fn far(mut list: Vec<&(Vec<i32>, f64)>) -> Markup {
    const MOST: usize = 20;
    const HIGH: f64 = 16.0;
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    let more = list.len().saturating_sub(MOST);
    list.truncate(MOST);
    let top = list.first().map_or(1.0, |first| first.1);
    let mut chart = Chart::default();
    for (place, (steps, bytes)) in list.iter().enumerate() {
        let steps: Vec<String> = steps.iter().map(|step| format!("{step:+}")).collect();
        let (y, long) = (place as f64 * HIGH, 300.0 * bytes / top);
        chart.text("end", (112.0, y + 11.0), format!("({})", steps.join(", ")));
        chart.rect("fill=\"var(--ink2)\"", (120.0, y + 2.0, long, 10.0));
        chart.text("", (126.0 + long, y + 11.0), words::bytes(*bytes));
    }
    if more > 0 {
        let y = list.len() as f64 * HIGH + 11.0;
        chart.text("t9", (120.0, y), format!("and {more} more"));
    }
    let high = (list.len() + 1) as f64 * HIGH;
    chart.html("bytes to each neighbour", (0.0, 0.0, WIDE, high))
}

fn partners(ranks: &[usize]) -> Markup {
    let top = ranks.iter().copied().max().unwrap_or(1).max(1) as f64;
    let each = WIDE / ranks.len().max(1) as f64;
    let mut chart = Chart::default();
    for (partners, &count) in ranks.iter().enumerate().filter(|(_, count)| **count > 0) {
        let tall = (HIGH - 14.0) * count as f64 / top;
        let [ranks, partners_told] = [(count, "rank"), (partners, "partner")]
            .map(|(number, noun)| words::plural(number, noun));
        let text = format!("{ranks} with {partners_told}");
        let x = partners as f64 * each + 0.5;
        chart.bar("ink2", &text, (x, HIGH - tall, each - 1.0, tall));
    }
    chart.numbers(ranks.len(), HIGH + 14.0, |number| {
        (number as f64 + 0.5) * each
    });
    let up = format!("ranks, up to {top}");
    histogram(
        chart,
        "ranks by number of partners",
        &up,
        "partners a rank sends to",
    )
}

/// A drawing with the names of its vertical and its horizontal axis.
fn histogram(mut chart: Chart, label: &str, up: &str, across: &str) -> Markup {
    chart.ground((0.0, WIDE), HIGH);
    chart.text("t9", (0.0, -6.0), up);
    chart.text("end t9", (WIDE, HIGH + 34.0), across);
    chart.html(
        label,
        (-BESIDE, -OVER, WIDE + 2.0 * BESIDE, HIGH + 39.0 + OVER),
    )
}

fn heaviest(shares: &[f64]) -> Markup {
    const MOST: f64 = 0.9;
    let last = shares.len().saturating_sub(1).max(1);
    let x = |number: usize| number as f64 * WIDE / last as f64;
    let y = |share: f64| HIGH - (HIGH - 14.0) * share;
    let points = shares.iter().enumerate();
    let points: Vec<String> = points
        .map(|(number, &share)| format!("{:.1},{:.1}", x(number), y(share)))
        .collect();
    let mut chart = Chart::default();
    chart.push(format_args!(
        "<polyline points=\"{}\" fill=none stroke=\"var(--ink)\" stroke-width=2 />",
        points.join(" ")
    ));
    if let Some(number) = shares.iter().position(|&share| share >= MOST) {
        let (share, y) = (words::share(shares[number]), y(shares[number]));
        chart.dot("mark", (x(number), y), 4.0);
        let text = format!("{share} of the bytes go to the {number} heaviest partners of a rank");
        chart.text("ink end", (WIDE, y + 22.0), text);
    }
    chart.numbers(shares.len(), HIGH + 14.0, x);
    let up = "share of the bytes, up to 100 %";
    histogram(
        chart,
        "bytes by number of heaviest partners",
        up,
        "partners counted, heaviest first",
    )
}
