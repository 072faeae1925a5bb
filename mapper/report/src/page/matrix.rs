//! The matrix of who sends how much to whom. Its axes are ordered by place in the machine, so that
//! two placements of the same traffic look different.

use super::axes::{LEFT, SIDE, TOP, bands, ticks};
use super::colours::{Ramp, STEPS};
use super::elements::{behind, pair, section, table};
use super::finding::{self, Better, Fact};
use super::raster::Raster;
use super::scale::ByteScale;
use super::words;
use crate::data::{Blocks, Pair, Report, Side};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

pub(super) fn html(report: &Report) -> Markup {
    let traffic = &report.traffic;
    let alone = [alone(report)];
    let sides = if report.sides.is_empty() {
        &alone[..]
    } else {
        &report.sides[..]
    };
    let blocks = sides.iter().filter_map(|side| side.blocks.as_ref());
    let cells = blocks.flat_map(|blocks| blocks.cells.iter().map(|cell| cell.2));
    let listed = traffic.listed.iter().flatten().map(|pair| pair.bytes);
    let scale = match sides[0].blocks {
        Some(_) => ByteScale::of(cells.map(|bytes| bytes as f64)),
        None => ByteScale::of(listed.map(|bytes| bytes as f64)),
    };
    let parts = match sides[0].blocks {
        Some(_) => Vec::new(),
        None => drawn_parts(report),
    };
    let axis = match &report.machine {
        Some(machine) => (false, machine.places),
        None => (true, report.traffic.ranks),
    };
    let picture = |side: usize| match &sides[side].blocks {
        Some(blocks) => raster((side, &sides[side]), blocks, &scale, axis),
        None => svg(report, side, &sides[side], &scale, &parts),
    };
    let word = report
        .machine
        .as_ref()
        .and_then(|machine| machine.bands.as_ref())
        .map(|bands| bands.word.clone());
    let remark = |side: usize| match (&word, sides[side].within_band) {
        (Some(word), Some(within)) => format!("{} within a {word}", words::share(within)),
        _ => String::new(),
    };
    let what = match &sides[0].blocks {
        Some(blocks) if blocks.places_each > 1 => "Bytes of a block",
        _ => "Bytes of a pair",
    };
    let mut how = match sides[0].blocks {
        Some(_) => "Rows send, columns receive.".to_owned(),
        None => "Rows send, columns receive; the numbers are ranks.".to_owned(),
    };
    if report.machine.is_some() {
        let both = if sides.len() > 1 {
            " Both pictures show the same traffic, ordered by"
        } else {
            " Ranks are ordered by"
        };
        let _ = write!(
            how,
            "{both} place in the machine, so bytes near the diagonal stay near."
        );
    }
    if let (Some(word), None) = (&word, &sides[0].blocks) {
        let _ = write!(how, " Lines part the {}.", words::many(word));
    }
    if let Some(blocks) = &sides[0].blocks
        && blocks.places_each > 1
    {
        let _ = write!(
            how,
            " One point is a block of {0}×{0} places.",
            blocks.places_each
        );
    }
    let body = html! {
        (scale.legend(what))
        @if parts.len() > 1 { (switch(&parts)) }
        div class="phased" { (pair(sides, remark, picture)) }
        (heaviest(report))
    };
    section(
        "matrix",
        "Communication",
        &finding(report, word.as_deref()),
        &how,
        &body,
    )
}

/// The matrix of a run without a machine: its axes are ordered by rank.
fn alone(report: &Report) -> Side {
    Side {
        name: "by rank".into(),
        place: (0..report.traffic.ranks as u32).collect(),
        blocks: report.traffic.blocks.clone(),
        ..Side::default()
    }
}

fn finding(report: &Report, word: Option<&str>) -> String {
    let sides = &report.sides;
    if let Some(word) = word
        && !sides.is_empty()
        && sides.iter().all(|side| side.within_band.is_some())
    {
        let share = |side: &Side| {
            let value = side.within_band.unwrap_or(0.0);
            Fact {
                value,
                words: words::share(value),
            }
        };
        return finding::finding(sides, share, Better::Higher, |share| {
            format!("{share} of the bytes stay within one {word} of the machine")
        });
    }
    if let (Some(_), [before, after]) = (&report.differences, &sides[..]) {
        return super::verdict::traffic_compared(before, after);
    }
    let traffic = &report.traffic;
    format!(
        "{} of {} exchange {}",
        words::plural(traffic.pairs, "pair"),
        words::plural(traffic.ranks, "rank"),
        words::bytes(traffic.bytes as f64)
    )
}

/// A part of the traffic that readers can switch to.
struct DrawnPart<'a> {
    /// Number of the part on the page; 0 for the part that is shown first, which is what the rest
    /// of the page is about.
    number: usize,
    name: &'a str,
    pairs: &'a [Pair],
}

/// The parts of the traffic that readers can switch to: by origin, or the whole run, and then the
/// phases. There are at most seven, with a limited number of pairs besides those of the first (both
/// chosen by hand, for the size of the page).
fn drawn_parts(report: &Report) -> Vec<DrawnPart<'_>> {
    const MOST_PARTS: usize = 7;
    const MOST_PAIRS: usize = 12_000;
    let traffic = &report.traffic;
    let whole = traffic.listed.as_deref().unwrap_or(&[]);
    let origins = traffic.origins.iter();
    let mut all: Vec<(&str, &[Pair])> = origins
        .map(|origin| (origin.name.as_str(), origin.listed.as_slice()))
        .collect();
    if !all.iter().any(|(_, pairs)| *pairs == whole) {
        all = vec![("whole run", whole)];
    }
    let phases = traffic.phases.iter();
    let phases = phases.filter_map(|phase| Some((phase.name.as_str(), phase.listed.as_deref()?)));
    all.extend(phases.filter(|(_, pairs)| !pairs.is_empty()));
    let (mut parts, mut drawn, mut first) = (Vec::new(), 0, true);
    for (name, pairs) in all.into_iter().take(MOST_PARTS) {
        let is_whole = first && pairs == whole;
        if is_whole {
            first = false;
        } else {
            drawn += pairs.len();
        }
        if drawn > MOST_PAIRS {
            break;
        }
        let number = if is_whole {
            0
        } else {
            parts.len() + usize::from(first)
        };
        parts.push(DrawnPart {
            number,
            name,
            pairs,
        });
    }
    parts
}

/// The switch between parts of the traffic: radio buttons, which work without the script.
fn switch(parts: &[DrawnPart<'_>]) -> Markup {
    html! {
        input class="vh ph" type="radio" name="phase" id="ph0" checked;
        @for part in parts.iter().filter(|part| part.number > 0) {
            input class="vh ph" type="radio" name="phase" id={ "ph" (part.number) };
        }
        div class="switch noprint" role="group" aria-label="part of the traffic" {
            @for part in parts { label for={ "ph" (part.number) } { (part.name) } }
        }
    }
}

/// Draws every pair as a horizontal stroke that is as long as it is wide. There is one path for
/// each colour, light colours first.
fn cells(pairs: &[Pair], place: &[u32], scale: &ByteScale, dot: f64) -> String {
    let mut steps: Vec<Vec<(u32, u32)>> = vec![Vec::new(); STEPS];
    for pair in pairs {
        let at = (place[pair.from as usize], place[pair.to as usize]);
        steps[scale.step(pair.bytes as f64)].push(at);
    }
    let mut svg = format!(
        "<g transform=\"translate({} .5)\" stroke-width=\"{dot}\" fill=none>",
        (1.0 - dot) / 2.0
    );
    for (step, mut cells) in steps
        .into_iter()
        .enumerate()
        .filter(|(_, cells)| !cells.is_empty())
    {
        cells.sort_unstable();
        let _ = write!(svg, "<path class=B{step} d=\"");
        for (row, column) in cells {
            let _ = write!(svg, "M{column} {row}h{dot}");
        }
        svg.push_str("\"/>");
    }
    svg.push_str("</g>");
    svg
}

fn svg(
    report: &Report,
    number: usize,
    side: &Side,
    scale: &ByteScale,
    parts: &[DrawnPart<'_>],
) -> Markup {
    let places = report
        .machine
        .as_ref()
        .map_or(report.traffic.ranks, |machine| machine.places)
        .max(1);
    let dot = match places {
        0..=128 => 0.94,
        129..=256 => 1.0,
        _ => 1.7,
    };
    let all = report.traffic.listed.as_deref().unwrap_or(&[]);
    let mut inside = format!(
        "<g class=\"cells c0\">{}</g>",
        cells(all, &side.place, scale, dot)
    );
    for part in parts.iter().filter(|part| part.number > 0) {
        let _ = write!(
            inside,
            "<g class=\"cells c{}\">{}</g>",
            part.number,
            cells(part.pairs, &side.place, scale, dot)
        );
    }
    let (lines, mut text) = bands(report, places);
    ticks(&mut text, &side.place, places);
    let (lines, text) = (lines.drawn(), text.drawn());
    let label = format!(
        "communication matrix, {}. Arrow keys move over the pairs, Enter zooms.",
        side.name
    );
    let crisp = if places <= 128 { "crispEdges" } else { "auto" };
    PreEscaped(format!(
        "<svg class=m data-w={number} tabindex=0 role=img aria-label=\"{}\" viewBox=\"0 0 {} {}\"><g class=axl>{text}</g>\
         <text class=\"t9 mid\" transform=\"translate(12 {}) rotate(-90)\">from rank</text><text class=\"t9 mid\" x={} y={}>to rank</text>\
         <rect class=\"plot hit\" x={LEFT} y={TOP} width={SIDE} height={SIDE} />\
         <svg class=in x={LEFT} y={TOP} width={SIDE} height={SIDE} viewBox=\"0 0 {places} {places}\" shape-rendering={crisp}>{lines}<g pointer-events=none>{inside}</g></svg></svg>",
        words::escaped(&label),
        LEFT + SIDE + 10.0,
        TOP + SIDE + 34.0,
        TOP + SIDE / 2.0,
        LEFT + SIDE / 2.0,
        TOP + SIDE + 30.0,
    ))
}

/// Draws blocks of `places` ranks or places.
fn raster(
    (number, side): (usize, &Side),
    blocks: &Blocks,
    scale: &ByteScale,
    (by_rank, places): (bool, usize),
) -> Markup {
    let mut values = vec![0; blocks.size * blocks.size];
    for &(row, column, bytes) in &blocks.cells {
        let value = 1.0 + 254.0 * scale.place(bytes as f64);
        values[row as usize * blocks.size + column as usize] = value.round() as u8;
    }
    let (low, high) = scale.ends();
    Raster {
        width: blocks.size,
        values,
        ramp: Ramp::Bytes,
        label: &format!("communication matrix, {}", side.name),
        axis: Some((
            if by_rank { "rank" } else { "place" },
            places.saturating_sub(1),
        )),
        data: format!(
            "data-w={number} data-low={low} data-high={high} data-each={}",
            blocks.places_each
        ),
    }
    .html()
}

fn heaviest(report: &Report) -> Markup {
    let traffic = &report.traffic;
    let mut head = vec!["Pair", ">Bytes"];
    if traffic.messages.is_some() {
        head.push(">Messages");
    }
    let row = |pair: &Pair| {
        let mut row = vec![
            format!("{} → {}", pair.from, pair.to),
            words::number(pair.bytes),
        ];
        if traffic.messages.is_some() {
            row.push(words::number(pair.messages));
        }
        row
    };
    let rows: Vec<Vec<String>> = traffic.heaviest.iter().map(row).collect();
    let pairs = words::plural(traffic.pairs, "pair");
    let what = match traffic.pairs {
        all if all == rows.len() => format!("All {pairs}, the heaviest first"),
        _ => format!("The {} heaviest of {pairs}", rows.len()),
    };
    behind(&what, &table(&head, &rows))
}
