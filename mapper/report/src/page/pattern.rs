//! The section on the communication pattern.

use super::elements::section;
use super::scale::ByteScale;
use super::words;
use crate::data::{GridPattern, Pattern, Report};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

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
                finding: match pairs {
                    0 => "No rank sends another anything".to_owned(),
                    _ => format!(
                        "No grid: the best one explains {} of the bytes, so the ranks count as irregular",
                        words::percent(pattern.explained)
                    ),
                },
                how: "Without a grid the mapper works on the graph itself. What matters then is how many partners a rank has and how the bytes are spread over them.".into(),
                body: html! {
                    div class="pair" {
                        figure { figcaption { b { "Ranks by number of partners" } } (PreEscaped(partners(&pattern.partners))) }
                        figure { figcaption { b { "How few partners carry the bytes" } } (PreEscaped(heaviest(&pattern.heaviest))) }
                    }
                    (overlays)
                },
            };
        };
        Self {
            finding: finding(grid),
            how: how(grid),
            body: html! {
                div class="pair tall" {
                    @if !grid.ranks.is_empty() && grid.dims.len() <= 3 {
                        figure { figcaption { b { "Ranks in the grid" } } (PreEscaped(ranks(grid))) }
                    }
                    figure { figcaption { b { "Bytes to each neighbour, mean of the ranks that have one" } } (PreEscaped(neighbours(grid))) }
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

fn ranks(grid: &GridPattern) -> String {
    const CELL: f64 = 27.0;
    let (layers, rows, columns) = layers(&grid.dims);
    // A one-dimensional grid is wrapped into several rows.
    let wrapped = if rows == 1 { columns.min(20) } else { columns };
    let rows_drawn = if rows == 1 {
        columns.div_ceil(wrapped.max(1))
    } else {
        rows
    };
    let (wide, high) = (
        wrapped as f64 * CELL + 16.0,
        rows_drawn as f64 * CELL + 22.0,
    );
    let abreast = ((560.0 / wide) as usize)
        .clamp(1, layers.max(1))
        .max((layers as f64).sqrt().ceil() as usize);
    let mut svg = String::new();
    for layer in 0..layers {
        let (x0, y0) = (
            (layer % abreast) as f64 * wide,
            (layer / abreast) as f64 * high,
        );
        if layers > 1 {
            let _ = write!(
                svg,
                "<text class=t9 x={x0} y={:.0}>layer {layer}</text>",
                y0 + 11.0
            );
        }
        for cell in 0..rows * columns {
            let (x, y) = (
                x0 + (cell % wrapped) as f64 * CELL,
                y0 + 16.0 + (cell / wrapped) as f64 * CELL,
            );
            let rank = grid.ranks[layer * rows * columns + cell];
            let class = if rank.is_some() { "" } else { " free" };
            let _ = write!(
                svg,
                "<g class=\"nd{class}\"><rect x={x} y={y} width={0} height={0} rx=2 />",
                CELL - 2.0
            );
            if let Some(rank) = rank {
                let small = if rank > 999 { " t7" } else { "" };
                let _ = write!(
                    svg,
                    "<text class=\"mid{small}\" x={} y={}>{rank}</text>",
                    x + CELL / 2.0 - 1.0,
                    y + CELL / 2.0 + 3.0
                );
            }
            svg.push_str("</g>");
        }
    }
    let (across, down) = (
        abreast as f64 * wide - 16.0,
        layers.div_ceil(abreast) as f64 * high,
    );
    format!(
        "<svg role=img aria-label=\"grid of ranks\" viewBox=\"0 0 {across} {down}\" style=\"max-width:{}px\">{svg}</svg>",
        (across * 1.4).min(560.0)
    )
}

/// Draws the bytes to each neighbour of a rank: nine cells for each layer, or a list of bars where
/// the grid has more than three dimensions or a neighbour is more than one step away.
fn neighbours(grid: &GridPattern) -> String {
    const CELL: f64 = 46.0;
    const ACROSS: f64 = 58.0;
    let scale = ByteScale::of(
        grid.neighbours
            .iter()
            .map(|(_, bytes)| *bytes)
            .filter(|&bytes| bytes > 0.0),
    );
    let near = grid
        .neighbours
        .iter()
        .all(|(steps, _)| steps.iter().all(|step| step.abs() <= 1));
    if !near || grid.dims.len() > 3 {
        return far(grid);
    }
    let cube = |steps: &[i32]| -> [i32; 3] {
        let mut at = [0; 3];
        at[3 - steps.len()..].copy_from_slice(steps);
        at
    };
    let layers: &[i32] = if grid.dims.len() == 3 {
        &[-1, 0, 1]
    } else {
        &[0]
    };
    let rows: &[i32] = if grid.dims.len() > 1 {
        &[-1, 0, 1]
    } else {
        &[0]
    };
    let mut svg = String::new();
    for (place, &layer) in layers.iter().enumerate() {
        let x0 = place as f64 * (3.0 * ACROSS + 22.0);
        if layers.len() > 1 {
            let name = ["layer above", "same layer", "layer below"][place];
            let _ = write!(svg, "<text class=t9 x={x0} y=10>{name}</text>");
        }
        for (row, &down) in rows.iter().enumerate() {
            for (column, across) in (-1..=1).enumerate() {
                let (x, y) = (x0 + column as f64 * ACROSS, 16.0 + row as f64 * CELL);
                let found = grid
                    .neighbours
                    .iter()
                    .find(|(steps, bytes)| cube(steps) == [layer, down, across] && *bytes > 0.0);
                let (width, height) = (ACROSS - 2.0, CELL - 2.0);
                let (middle, base) = (x + ACROSS / 2.0 - 1.0, y + CELL / 2.0 + 3.0);
                let _ = match found {
                    Some((_, bytes)) => {
                        let (step, in_words) = (scale.step(*bytes), words::bytes(*bytes));
                        write!(
                            svg,
                            "<rect class=b{step} data-t=\"to the neighbour at ({layer:+}, {down:+}, {across:+})|{in_words} a rank\" x={x} y={y} width={width} height={height} rx=2 /><text class=\"mid t9 o{step}\" x={middle} y={base}>{in_words}</text>"
                        )
                    }
                    None if (layer, down, across) == (0, 0, 0) => write!(
                        svg,
                        "<rect class=frame x={x} y={y} width={width} height={height} rx=2 /><text class=\"mid t9\" x={middle} y={base}>itself</text>"
                    ),
                    None => write!(
                        svg,
                        "<rect class=frame x={x} y={y} width={width} height={height} rx=2 />"
                    ),
                };
            }
        }
    }
    let (wide, high) = (
        layers.len() as f64 * (3.0 * ACROSS + 22.0) - 22.0,
        18.0 + rows.len() as f64 * CELL,
    );
    format!(
        "<svg role=img aria-label=\"bytes to each neighbour\" viewBox=\"0 0 {wide} {high}\" style=\"max-width:{}px\">{svg}</svg>",
        wide * 1.15
    )
}

fn far(grid: &GridPattern) -> String {
    const MOST: usize = 20;
    let mut list: Vec<&(Vec<i32>, f64)> = grid
        .neighbours
        .iter()
        .filter(|(_, bytes)| *bytes > 0.0)
        .collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    let more = list.len().saturating_sub(MOST);
    list.truncate(MOST);
    let top = list.first().map_or(1.0, |first| first.1);
    let mut svg = String::new();
    for (place, (steps, bytes)) in list.iter().enumerate() {
        let steps: Vec<String> = steps.iter().map(|step| format!("{step:+}")).collect();
        let y = place as f64 * 16.0;
        let _ = write!(
            svg,
            "<text class=end x=112 y={:.0}>({})</text><rect fill=\"var(--ink2)\" x=120 y={:.0} width={:.1} height=10 /><text x={:.1} y={:.0}>{}</text>",
            y + 11.0,
            steps.join(", "),
            y + 2.0,
            300.0 * bytes / top,
            126.0 + 300.0 * bytes / top,
            y + 11.0,
            words::bytes(*bytes)
        );
    }
    if more > 0 {
        let _ = write!(
            svg,
            "<text class=t9 x=120 y={:.0}>and {more} more</text>",
            list.len() as f64 * 16.0 + 11.0
        );
    }
    format!(
        "<svg role=img aria-label=\"bytes to each neighbour\" viewBox=\"0 0 {WIDE} {}\">{svg}</svg>",
        (list.len() + 1) * 16
    )
}

fn partners(ranks: &[usize]) -> String {
    let top = ranks.iter().copied().max().unwrap_or(1).max(1) as f64;
    let each = WIDE / ranks.len().max(1) as f64;
    let mut svg = format!("<path class=ax d=\"M0 {HIGH}.5H{WIDE}\"/>");
    for (partners, &count) in ranks.iter().enumerate().filter(|(_, count)| **count > 0) {
        let tall = (HIGH - 14.0) * count as f64 / top;
        let _ = write!(
            svg,
            "<rect fill=\"var(--ink2)\" data-t=\"{} with {}\" x={:.1} y={:.1} width={:.1} height={tall:.1} />",
            words::plural(count, "rank"),
            words::plural(partners, "partner"),
            partners as f64 * each + 0.5,
            HIGH - tall,
            each - 1.0
        );
    }
    axis(&mut svg, ranks.len(), |number| (number as f64 + 0.5) * each);
    let names = [
        format!("ranks, up to {top}"),
        "partners a rank sends to".into(),
    ];
    histogram("ranks by number of partners", &names, &svg)
}

/// A drawing with the names of its vertical and its horizontal axis.
fn histogram(label: &str, [up, across]: &[String; 2], svg: &str) -> String {
    format!(
        "<svg role=img aria-label=\"{label}\" viewBox=\"-{BESIDE} -{OVER} {} {}\"><text class=t9 x=0 y=-6>{up}</text>{svg}\
         <text class=\"end t9\" x={WIDE} y={:.0}>{across}</text></svg>",
        WIDE + 2.0 * BESIDE,
        HIGH + 39.0 + OVER,
        HIGH + 34.0
    )
}

fn heaviest(shares: &[f64]) -> String {
    const MOST: f64 = 0.9;
    let last = shares.len().saturating_sub(1).max(1);
    let x = |number: usize| number as f64 * WIDE / last as f64;
    let y = |share: f64| HIGH - (HIGH - 14.0) * share;
    let points: Vec<String> = shares
        .iter()
        .enumerate()
        .map(|(number, &share)| format!("{:.1},{:.1}", x(number), y(share)))
        .collect();
    let mut svg = format!(
        "<path class=ax d=\"M0 {HIGH}.5H{WIDE}\"/><polyline points=\"{}\" fill=none stroke=\"var(--ink)\" stroke-width=2 />",
        points.join(" ")
    );
    if let Some(number) = shares.iter().position(|&share| share >= MOST) {
        let (cx, cy) = (x(number), y(shares[number]));
        let _ = write!(
            svg,
            "<circle cx={cx:.1} cy={cy:.1} r=4 fill=\"var(--mark)\"/><text class=\"ink end\" x={WIDE} y={:.1}>{} of the bytes go to the {} heaviest partners of a rank</text>",
            cy + 22.0,
            words::share(shares[number]),
            number
        );
    }
    axis(&mut svg, shares.len(), x);
    let names = [
        "share of the bytes, up to 100 %".into(),
        "partners counted, heaviest first".into(),
    ];
    histogram("bytes by number of heaviest partners", &names, &svg)
}

fn axis(svg: &mut String, numbers: usize, x: impl Fn(usize) -> f64) {
    let each = numbers.div_ceil(13).max(1);
    for number in (0..numbers).step_by(each) {
        let class = if number == 0 { "" } else { "mid" };
        let _ = write!(
            svg,
            "<text class=\"{class}\" x={:.1} y={:.0}>{number}</text>",
            x(number),
            HIGH + 14.0
        );
    }
}
