//! The section on how far bytes travel, and how many links carry how much.

use super::chart::Chart;
use super::colours::STEPS;
use super::elements::{behind, names, section, table};
use super::finding::{self, Better, Fact};
use super::scale::LoadScale;
use super::words;
use crate::data::{Machine, NetworkShape, Report, Side};
use maud::{Markup, html};

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
            figure { figcaption { b { "Links travelled by the bytes" } } (hops(sides, matches!(machine.shape, NetworkShape::Grid { .. }))) }
            figure { figcaption { b { "Load of the links" } } (loads(sides, scale)) }
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

/// Begins the row of a side with its name and the line that its bars stand on. Returns the height
/// of the line.
fn row(chart: &mut Chart, sides: &[Side], number: usize) -> f64 {
    let y = number as f64 * ROW + BAR + OVER;
    let is_last = number + 1 == sides.len();
    let class = if is_last { "t12 bold ink" } else { "t12" };
    chart.text(class, (0.0, y - BAR - OVER + 12.0), &sides[number].name);
    chart.ground((LEFT, WIDE), y);
    y
}

/// The drawing with the rows of all sides and the name of its horizontal axis.
fn rows(mut chart: Chart, sides: &[Side], axis: &str, label: &str) -> Markup {
    let high = bottom(sides);
    chart.text("t9", (0.0, high - 11.0), axis);
    chart.html(label, (0.0, 0.0, WIDE, high))
}

fn bottom(sides: &[Side]) -> f64 {
    sides.len() as f64 * ROW + 12.0
}

/// The share of the bytes of a side that cross so many links.
fn share(side: &Side, hops: usize) -> f64 {
    let all: u64 = side.hops.iter().sum();
    side.hops.get(hops).copied().unwrap_or(0) as f64 / (all as f64).max(1.0)
}

/// Draws one row of bars for each side: the share of the bytes by number of links crossed.
fn hops(sides: &[Side], every: bool) -> Markup {
    let longest = sides.iter().map(|side| side.hops.len()).max().unwrap_or(0);
    let seen = |&hops: &usize| sides.iter().any(|side| share(side, hops) > 0.0);
    let first = (0..longest).find(seen).unwrap_or(0);
    // Switched networks lack some distances.
    let shown: Vec<usize> = (first..longest)
        .filter(|hops| every || seen(hops))
        .collect();
    let each = ((WIDE - LEFT) / shown.len().max(1) as f64).min(74.0);
    let space = if each > 20.0 { 8.0 } else { each * 0.2 };
    let shares = sides
        .iter()
        .flat_map(|side| shown.iter().map(move |&hops| share(side, hops)));
    let top = shares.fold(0.01, f64::max);
    let labelled = (shown.len() as f64 / 14.0).ceil().max(1.0) as usize;
    let mut chart = Chart::default();
    for (number, side) in sides.iter().enumerate() {
        let y = row(&mut chart, sides, number);
        let is_last = number + 1 == sides.len();
        let colour = if is_last { "ink" } else { "was" };
        for (place, &hops) in shown.iter().enumerate() {
            let share = share(side, hops);
            let (x, tall) = (LEFT + place as f64 * each, BAR * share / top);
            let (how, label) = match hops {
                0 => ("stay inside a node".into(), "inside".to_owned()),
                _ => (
                    format!("cross {}", words::plural(hops, "link")),
                    hops.to_string(),
                ),
            };
            let tip = format!(
                "{}: {} of the bytes|{how}",
                side.name,
                words::percent(share)
            );
            chart.bar(colour, &tip, (x, y - tall, each - space, tall));
            let middle = x + (each - space) / 2.0;
            if share > 0.0 && each > 26.0 {
                let percent = match 100.0 * share {
                    less if less < 1.0 => "<1 %".to_owned(),
                    percent => format!("{percent:.0} %"),
                };
                chart.text("mid t9", (middle, y - tall - 3.0), percent);
            }
            if is_last && place % labelled == 0 {
                chart.text("mid", (middle, y + 27.0), label);
            }
        }
        mean(
            &mut chart,
            side.figures.score.hops_per_byte,
            &shown,
            (each, space),
            y,
        );
    }
    rows(
        chart,
        sides,
        "links",
        "share of the bytes by links travelled",
    )
}

/// Draws the mean as a triangle at its position between the bars.
fn mean(chart: &mut Chart, mean: f64, shown: &[usize], (each, space): (f64, f64), y: f64) {
    let Some(below) = shown.iter().rposition(|&hops| hops as f64 <= mean) else {
        return;
    };
    let low = shown[below] as f64;
    let next = shown.get(below + 1).map_or(low + 1.0, |&hops| hops as f64);
    let x = LEFT + (below as f64 + (mean - low) / (next - low) + 0.5) * each - space / 2.0;
    let (class, text) = if x > WIDE - 80.0 {
        ("t9 end", x - 7.0)
    } else {
        ("t9", x + 7.0)
    };
    chart.path("mk", format!("M{x:.1} {:.1}l-4 7h8z", y + 1.0));
    chart.text(class, (text, y + 10.0), format!("mean {mean:.2}"));
}

/// Draws one row of bars for each side: the number of links by load.
fn loads(sides: &[Side], scale: &LoadScale) -> Markup {
    let highest = sides.iter().flat_map(|side| side.loads.bins.iter()).max();
    let top = highest.copied().unwrap_or(0).max(1) as f64;
    let tall = |links: usize| (BAR * (links as f64 / top).sqrt()).max(1.5);
    let mut chart = Chart::default();
    for (number, side) in sides.iter().enumerate() {
        let y = row(&mut chart, sides, number);
        let loads = &side.loads;
        let idle = match loads.idle {
            0 => "none idle".into(),
            idle => format!("{} idle", words::count(idle)),
        };
        chart.text("t9", (0.0, y + 10.0), idle);
        let bins = loads.bins.len().max(1);
        let each = (WIDE - LEFT) / bins as f64;
        let edge = |bin: usize| scale.in_words(scale.top * bin as f64 / bins as f64);
        let filled = loads.bins.iter().enumerate();
        for (bin, &links) in filled.filter(|(_, links)| **links > 0) {
            let class = format!("l{}", (bin * STEPS / bins).min(STEPS - 1));
            let links_told = words::plural(links, "link");
            let tip = format!(
                "{}: {links_told}|with {} to {}",
                side.name,
                edge(bin),
                edge(bin + 1)
            );
            let (x, tall) = (LEFT + bin as f64 * each, tall(links));
            chart.cell(&class, &tip, (x, y - tall, each - 1.0, tall));
        }
        if loads.most > 0.0 {
            let x = (LEFT + loads.most / scale.top * (WIDE - LEFT)).min(WIDE - 0.5);
            let last = loads.bins.iter().rposition(|&links| links > 0).unwrap_or(0);
            let near = &loads.bins[last.saturating_sub(6)..=last];
            let over = near.iter().map(|&links| tall(links)).fold(0.0, f64::max);
            let (up, class, text) = if x > WIDE - 120.0 {
                (over + 8.0, "end t9 ink", (x - 1.0, y - over - 12.0))
            } else {
                // Beside the last bar, which stands around the line.
                let beside = LEFT + (last + 1) as f64 * each + 2.0;
                (22.0, "t9 ink", ((x + 5.0).max(beside), y - 15.0))
            };
            chart.path("axi", format!("M{x:.1} {y}V{:.1}", y - up));
            let most = scale.in_words(loads.most);
            chart.text(class, text, format!("busiest {most}"));
        }
    }
    for (part, class) in ["", "mid", "mid", "mid", "end"].into_iter().enumerate() {
        let at = part as f64 / 4.0;
        let label = match part {
            0 => "0".into(),
            _ => scale.in_words(at * scale.top),
        };
        chart.text(
            class,
            (LEFT + at * (WIDE - LEFT), bottom(sides) - 11.0),
            label,
        );
    }
    rows(chart, sides, "load", "number of links by load")
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
            let bytes = side.hops.get(hops).copied().unwrap_or(0);
            row.extend([words::number(bytes), words::percent(share(side, hops))]);
        }
        row
    };
    let rows: Vec<Vec<String>> = (0..longest).map(row).collect();
    table(&head, &rows)
}
