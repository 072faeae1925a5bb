//! The section on how far bytes travel, and how many links carry how much.

use super::colours::STEPS;
use super::elements::{behind, names, section, table};
use super::finding::{self, Better, Fact};
use super::scale::LoadScale;
use super::words;
use crate::data::{Machine, NetworkShape, Report, Side};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// Width of a drawing, in units of the SVG, as all lengths here.
const WIDE: f64 = 520.0;
/// Height of a row of bars, and of its highest bar.
const ROW: f64 = 134.0;
const BAR: f64 = 74.0;
/// Height of the name of a side and of the labels above its highest bar.
const OVER: f64 = 38.0;
/// Left end of the bars.
const LEFT: f64 = 84.0;

pub(super) fn html(report: &Report, machine: &Machine, scale: &LoadScale) -> Markup {
    let sides = &report.sides;
    let how = format!(
        "Left: how far the bytes travel, as shares of all {}; the triangle is the mean. Right: how many links carry how much; heights are square roots, so that single links are visible.",
        words::bytes(report.traffic.bytes as f64)
    );
    let body = html! {
        div class="pair" {
            figure { figcaption { b { "Links travelled by the bytes" } } (PreEscaped(hops(sides, matches!(machine.shape, NetworkShape::Grid { .. })))) }
            figure { figcaption { b { "Load of the links" } } (PreEscaped(loads(sides, scale))) }
        }
        (behind("Bytes by links travelled", &hops_table(sides)))
    };
    section(
        "spread",
        "Distance and load",
        &finding(machine, sides),
        &how,
        &body,
    )
}

fn finding(machine: &Machine, sides: &[Side]) -> String {
    let several = machine.places > machine.used;
    let (most, word) = match machine.shape {
        NetworkShape::Grid { .. } if several => (0, "never leave their node"),
        NetworkShape::Grid { .. } => (1, "cross one link only"),
        _ if several => (0, "never leave their node"),
        _ => (2, "stay under one switch"),
    };
    let near = |side: &Side| {
        let all: u64 = side.hops.iter().sum();
        let near: u64 = side.hops.iter().take(most + 1).sum();
        let value = near as f64 / (all as f64).max(1.0);
        Fact {
            value,
            words: words::share(value),
        }
    };
    finding::finding(sides, near, Better::Higher, |share| {
        format!("{share} of the bytes {word}")
    })
}

/// Draws one row of bars for each side: the share of the bytes by number of links crossed.
fn hops(sides: &[Side], every: bool) -> String {
    let longest = sides.iter().map(|side| side.hops.len()).max().unwrap_or(0);
    let seen = |hops: usize| {
        sides
            .iter()
            .any(|side| side.hops.get(hops).is_some_and(|&bytes| bytes > 0))
    };
    let first = (0..longest).find(|&hops| seen(hops)).unwrap_or(0);
    // Switched networks lack some distances.
    let shown: Vec<usize> = (first..longest)
        .filter(|&hops| every || seen(hops))
        .collect();
    let each = ((WIDE - LEFT) / shown.len().max(1) as f64).min(74.0);
    let space = if each > 20.0 { 8.0 } else { each * 0.2 };
    let share = |side: &Side, hops: usize| {
        let all: u64 = side.hops.iter().sum();
        side.hops.get(hops).copied().unwrap_or(0) as f64 / (all as f64).max(1.0)
    };
    let shares = sides
        .iter()
        .flat_map(|side| shown.iter().map(move |&hops| share(side, hops)));
    let top = shares.fold(0.01, f64::max);
    let labelled = (shown.len() as f64 / 14.0).ceil().max(1.0) as usize;
    let mut svg = String::new();
    for (number, side) in sides.iter().enumerate() {
        let y = number as f64 * ROW + BAR + OVER;
        let (class, colour) = row_style(number, sides.len());
        let name = words::escaped(&side.name);
        let _ = write!(
            svg,
            "<text class=\"t12{class}\" x=0 y={:.0}>{name}</text><path class=ax d=\"M{LEFT} {y}.5H{WIDE}\"/>",
            y - BAR - OVER + 12.0
        );
        for (place, &hops) in shown.iter().enumerate() {
            let share = share(side, hops);
            let (x, tall) = (LEFT + place as f64 * each, BAR * share / top);
            let how = if hops == 0 {
                "stay inside a node".into()
            } else {
                format!("cross {}", words::plural(hops, "link"))
            };
            let _ = write!(
                svg,
                "<rect fill=\"var(--{colour})\" data-t=\"{name}: {} of the bytes|{how}\" x={x:.1} y={:.1} width={:.1} height={tall:.1} />",
                words::percent(share),
                y - tall,
                each - space
            );
            let middle = x + (each - space) / 2.0;
            if share > 0.0 && each > 26.0 {
                let label = if share < 0.01 {
                    "&lt;1 %".into()
                } else {
                    format!("{:.0} %", 100.0 * share)
                };
                let _ = write!(
                    svg,
                    "<text class=\"mid t9\" x={middle:.1} y={:.1}>{label}</text>",
                    y - tall - 3.0
                );
            }
            if number + 1 == sides.len() && place % labelled == 0 {
                let label = if hops == 0 {
                    "inside".into()
                } else {
                    hops.to_string()
                };
                let _ = write!(
                    svg,
                    "<text class=mid x={middle:.1} y={:.0}>{label}</text>",
                    y + 27.0
                );
            }
        }
        mean(
            &mut svg,
            side.figures.score.hops_per_byte,
            &shown,
            (each, space),
            y,
        );
    }
    let high = sides.len() as f64 * ROW + 12.0;
    let _ = write!(
        svg,
        "<text class=\"end t9\" x=78 y={:.0}>links crossed</text>",
        high - 11.0
    );
    format!(
        "<svg role=img aria-label=\"share of the bytes by links travelled\" viewBox=\"0 0 {WIDE} {high}\">{svg}</svg>"
    )
}

/// Draws the mean as a triangle at its position between the bars.
fn mean(svg: &mut String, mean: f64, shown: &[usize], (each, space): (f64, f64), y: f64) {
    let Some(below) = shown.iter().rposition(|&hops| hops as f64 <= mean) else {
        return;
    };
    let low = shown[below] as f64;
    let next = shown.get(below + 1).map_or(low + 1.0, |&hops| hops as f64);
    let x = LEFT + (below as f64 + (mean - low) / (next - low) + 0.5) * each - space / 2.0;
    let late = x > WIDE - 80.0;
    let (class, text) = if late {
        (" end", x - 7.0)
    } else {
        ("", x + 7.0)
    };
    let _ = write!(
        svg,
        "<path class=mk d=\"M{x:.1} {:.1}l-4 7h8z\"/><text class=\"t9{class}\" x={text:.1} y={:.0}>mean {mean:.2}</text>",
        y + 1.0,
        y + 10.0
    );
}

fn row_style(number: usize, sides: usize) -> (&'static str, &'static str) {
    if number + 1 == sides {
        (" bold ink", "ink")
    } else {
        ("", "was")
    }
}

/// Draws one row of bars for each side: the number of links by load.
fn loads(sides: &[Side], scale: &LoadScale) -> String {
    let highest = sides.iter().flat_map(|side| side.loads.bins.iter()).max();
    let top = highest.copied().unwrap_or(0).max(1) as f64;
    let mut svg = String::new();
    for (number, side) in sides.iter().enumerate() {
        let y = number as f64 * ROW + BAR + OVER;
        let bins = side.loads.bins.len().max(1);
        let each = (WIDE - LEFT) / bins as f64;
        let (class, _) = row_style(number, sides.len());
        let name = words::escaped(&side.name);
        let idle = match side.loads.idle {
            0 => "none idle".into(),
            idle => format!("{} idle", words::count(idle)),
        };
        let _ = write!(
            svg,
            "<text class=\"t12{class}\" x=0 y={:.0}>{name}</text><text class=t9 x=0 y={:.0}>{idle}</text><path class=ax d=\"M{LEFT} {y}.5H{WIDE}\"/>",
            y - BAR - OVER + 12.0,
            y + 10.0
        );
        let tall = |links: usize| (BAR * (links as f64 / top).sqrt()).max(1.5);
        for (bin, &links) in side
            .loads
            .bins
            .iter()
            .enumerate()
            .filter(|(_, links)| **links > 0)
        {
            let (from, to) = (
                scale.top * bin as f64 / bins as f64,
                scale.top * (bin + 1) as f64 / bins as f64,
            );
            let _ = write!(
                svg,
                "<rect class=l{} data-t=\"{name}: {}|with {} to {}\" x={:.1} y={:.1} width={:.1} height={:.1} />",
                (bin * STEPS / bins).min(STEPS - 1),
                words::plural(links, "link"),
                scale.in_words(from),
                scale.in_words(to),
                LEFT + bin as f64 * each,
                y - tall(links),
                each - 1.0,
                tall(links)
            );
        }
        if side.loads.most > 0.0 {
            let x = (LEFT + side.loads.most / scale.top * (WIDE - LEFT)).min(WIDE - 0.5);
            let late = x > WIDE - 120.0;
            let last = side
                .loads
                .bins
                .iter()
                .rposition(|&links| links > 0)
                .unwrap_or(0);
            let near = &side.loads.bins[last.saturating_sub(6)..=last];
            let over = near.iter().map(|&links| tall(links)).fold(0.0, f64::max);
            let up = if late { over + 8.0 } else { 22.0 };
            let (class, text) = if late {
                ("end ", x - 1.0)
            } else {
                // Beside the last bar, which stands around the line.
                ("", (x + 5.0).max(LEFT + (last + 1) as f64 * each + 2.0))
            };
            let _ = write!(
                svg,
                "<path class=axi d=\"M{x:.1} {y}V{:.1}\"/><text class=\"{class}t9 ink\" x={text:.1} y={:.1}>busiest {}</text>",
                y - up,
                if late { y - up - 4.0 } else { y - up + 7.0 },
                scale.in_words(side.loads.most)
            );
        }
    }
    let high = sides.len() as f64 * ROW + 12.0;
    for part in 0..=4 {
        let at = f64::from(part) / 4.0;
        let class = ["", "mid", "mid", "mid", "end"][part as usize];
        let label = if part == 0 {
            "0".into()
        } else {
            scale.in_words(at * scale.top)
        };
        let _ = write!(
            svg,
            "<text class=\"{class}\" x={:.0} y={:.0}>{label}</text>",
            LEFT + at * (WIDE - LEFT),
            high - 11.0
        );
    }
    format!(
        "<svg role=img aria-label=\"number of links by load\" viewBox=\"0 0 {WIDE} {high}\">{svg}<text class=\"end t9\" x=78 y={:.0}>load of a link</text></svg>",
        high - 11.0
    )
}

fn hops_table(sides: &[Side]) -> Markup {
    let longest = sides.iter().map(|side| side.hops.len()).max().unwrap_or(0);
    let (before, after) = names(sides);
    let (before, after) = (format!(">Bytes, {before}"), format!(">Bytes, {after}"));
    let mut head = vec!["Links", &before, ">Share"];
    if sides.len() > 1 {
        head.extend([after.as_str(), ">Share"]);
    }
    let row = |hops: usize| {
        let mut row = vec![hops.to_string()];
        for side in sides {
            let all: u64 = side.hops.iter().sum();
            let bytes = side.hops.get(hops).copied().unwrap_or(0);
            row.extend([
                words::number(bytes),
                words::percent(bytes as f64 / (all as f64).max(1.0)),
            ]);
        }
        row
    };
    let rows: Vec<Vec<String>> = (0..longest).map(row).collect();
    table(&head, &rows)
}
