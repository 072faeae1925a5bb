//! The machine section: a drawing with the load of every link.

use super::chart::Chart;
use super::colours::{Ramp, STEPS};
use super::elements::{MANY, behind, names, pair, pan, section, table, zoomable};
use super::finding::{self, Better, Fact};
use super::network::{Drawn, drawn};
use super::raster::Raster;
use super::scale::LoadScale;
use super::words;
use crate::data::{BusyLink, Folded, LevelRow, LoadUnit, Machine, Report, Side};
use maud::{Markup, html};
use std::fmt::Write;

/// Number of links in the list beside the drawing. Chosen by hand, like the number below.
const WORST: usize = 5;
/// Number of links in the table that readers can unfold.
const TABLE: usize = 120;

/// The drawings by side, then by number of the drawing.
pub(super) type Drawings = Vec<Vec<Drawn>>;

/// Draws all sides.
pub(super) fn drawings(report: &Report, scale: &LoadScale) -> Drawings {
    let Some(machine) = &report.machine else {
        return Vec::new();
    };
    let sides = report.sides.iter();
    sides.map(|side| drawn(machine, side, scale.top)).collect()
}

pub(super) fn html(
    report: &Report,
    machine: &Machine,
    scale: &LoadScale,
    drawings: &Drawings,
) -> Markup {
    let sides = &report.sides;
    let hot: Vec<Vec<usize>> = sides
        .iter()
        .map(|side| {
            let ranked = side.loads.busiest.iter().filter(|_| is_ranked(side));
            ranked.take(WORST).filter_map(|busy| busy.link).collect()
        })
        .collect();
    let mut shown = html! {};
    let enlarged = machine.nodes > MANY;
    let wrapped = |side: &Side, picture: Markup| {
        if enlarged {
            let label = format!("drawing of {}; arrow keys scroll it", side.name);
            pan(&label, &picture)
        } else {
            picture
        }
    };
    let first = drawings.first().map_or(&[][..], |drawn| &drawn[..]);
    for (number, drawn) in first.iter().enumerate() {
        let picture = |side: usize| {
            let picture = &drawings[side][number].picture;
            let loads = &sides[side].loads.links;
            wrapped(
                &sides[side],
                picture.html(drawn.id, side, loads, scale, &hot[side]),
            )
        };
        let remark = |side: usize| match number {
            0 => format!(
                "{} hop-bytes",
                words::bytes(sides[side].figures.hop_bytes())
            ),
            _ => String::new(),
        };
        shown = html! {
            (shown)
            @if !drawn.title.is_empty() { p class="sub" { (drawn.title) } p class="how" { (drawn.how) } }
            (pair(sides, remark, picture))
        };
    }
    if sides.iter().any(|side| side.loads.folded.is_some()) {
        shown = html! { (shown) (pair(sides, |side| format!("{} hop-bytes", words::bytes(sides[side].figures.hop_bytes())), |side| wrapped(&sides[side], folded(&sides[side], scale)))) };
    }
    if enlarged {
        shown = zoomable("machine", &shown);
    }
    let how = format!(
        "A cable is two links, one each way.{} {}",
        match machine.unit {
            LoadUnit::Bytes => "",
            LoadUnit::BytesOverBandwidth =>
                " Links differ, so a load is bytes divided by the bandwidth relative to a link of 1.",
            LoadUnit::Seconds => " Links differ, so a load is the time their bytes take.",
        },
        first
            .first()
            .map_or_else(|| how_to_read_folded(sides), |drawn| drawn.how.clone())
    );
    let unused = machine.nodes - machine.used;
    let how = match unused {
        0 => how,
        nodes => format!(
            "{how} {} of {} hold no rank.",
            words::plural(nodes, "node"),
            words::count(machine.nodes)
        ),
    };
    let body = html! {
        (scale.legend())
        (shown)
        div class={ "pair lists" @if sides.len() < 2 { " one" } } {
            @for (number, side) in sides.iter().enumerate() { (worst(number, side, scale)) }
        }
        (kinds(machine, sides, scale))
        @if let Some(table) = all_links(machine, sides, scale) { (table) }
    };
    section(
        "machine",
        "The machine",
        &finding(machine, sides, scale),
        &how,
        &body,
    )
}

fn finding(machine: &Machine, sides: &[Side], scale: &LoadScale) -> String {
    let last = match sides.last() {
        Some(last) if last.loads.most > 0.0 => &last.loads,
        _ => return "No bytes cross the network".into(),
    };
    let verb = match machine.unit {
        LoadUnit::Bytes => "carries",
        LoadUnit::BytesOverBandwidth => "has a load of",
        LoadUnit::Seconds => "is busy for",
    };
    let most = scale.in_words(last.most);
    let first = match sides {
        [first, _] => &first.loads,
        _ => {
            return format!(
                "The busiest of {} {verb} {most}",
                words::plural(machine.links, "link")
            );
        }
    };
    let busiest = |side: &Side| Fact {
        value: side.loads.most,
        words: scale.in_words(side.loads.most),
    };
    if last.most >= first.most || most == scale.in_words(first.most) {
        return finding::finding(sides, busiest, Better::Lower, |load| {
            format!("The busiest link {verb} {load}")
        });
    }
    let others = match first.above {
        0 | 1 => String::new(),
        above => format!(
            "; {} of {} links {} before",
            words::count(above),
            words::count(machine.links),
            match machine.unit {
                LoadUnit::Bytes => "carried more than that",
                LoadUnit::BytesOverBandwidth => "had a higher one",
                LoadUnit::Seconds => "were busy for longer",
            }
        ),
    };
    format!(
        "The busiest link {verb} {most}, not {}{others}",
        scale.in_words(first.most)
    )
}

/// Whether the busiest links have an order. Numbers mean nothing where more links than the list has
/// are as busy.
fn is_ranked(side: &Side) -> bool {
    side.loads.level <= WORST
}

/// Lists the busiest links of a side with their heaviest pairs. The numbers are those in the
/// drawing.
fn worst(number: usize, side: &Side, scale: &LoadScale) -> Markup {
    let top = scale.top.max(f64::MIN_POSITIVE);
    html! { div class="scroll" { table {
        thead { tr {
            th scope="col" {}
            th scope="col" class="nb" { "Busiest, " (side.name) }
            th scope="col" class="n" { "Load" }
            th scope="col" { "Rank pairs on it, heaviest first" }
        } }
        tbody { @for (place, busy) in side.loads.busiest.iter().take(WORST).enumerate() {
            tr tabindex="0" data-w=(number) data-l=[busy.link] {
                td { @if is_ranked(side) { (place + 1) } }
                td class={ "nm" @if busy.name.chars().count() < 26 { " nb" } } { (busy.name) (bar(busy.load / top, scale.step(busy.load).unwrap_or(0))) }
                td class="n" { (scale.in_words(busy.load)) }
                td class="w" { (pairs(busy)) }
            }
        } }
    }
    @if !is_ranked(side) { p class="meta" { (words::plural(side.loads.level, "link")) " are as busy as these within 1 %, so they have no numbers in the drawing." } }
    } }
}

fn bar(share: f64, step: usize) -> Markup {
    html! { span class="bar" style={ "width:" (format!("{:.0}", 100.0 * share)) "%;background:var(--l" (step) ")" } {} }
}

fn pairs(busy: &BusyLink) -> Markup {
    const NAMED: usize = 3;
    html! {
        @for pair in busy.top.iter().take(NAMED) {
            span class="nb gap" { span class="ink" { (pair.from) "→" (pair.to) } " " (words::bytes(pair.bytes as f64)) } " "
        }
        @if busy.pairs > NAMED { span class="nb" { (words::count(busy.pairs - NAMED)) " more" } }
    }
}

fn kinds(machine: &Machine, sides: &[Side], scale: &LoadScale) -> Markup {
    let mut head = vec!["Kind of link".to_owned(), ">Links".into()];
    let differ = machine.unit != LoadUnit::Bytes;
    if differ {
        head.push(">Bandwidth".into());
    }
    for side in sides {
        head.extend([format!(">Sum, {}", side.name), ">Busiest".into()]);
    }
    let row = |(number, kind): (usize, &crate::data::LinkKind)| {
        let mut row = vec![kind.name.clone(), words::count(kind.links)];
        if differ {
            row.push(kind.bandwidth.clone());
        }
        for side in sides {
            let (sum, most) = side.loads.kinds[number];
            row.extend([scale.in_words(sum), scale.in_words(most)]);
        }
        row
    };
    let rows: Vec<Vec<String>> = machine.kinds.iter().enumerate().map(row).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    html! { div class="above" { (table(&head, &rows)) } }
}

fn all_links(machine: &Machine, sides: &[Side], scale: &LoadScale) -> Option<Markup> {
    let network = machine.network.as_ref()?;
    let load = |side: &Side, link: usize| side.loads.links[link];
    let most = |link: usize| {
        sides
            .iter()
            .map(|side| load(side, link))
            .fold(0.0, f64::max)
    };
    let mut order: Vec<usize> = (0..network.links.len()).collect();
    order.sort_by(|&a, &b| most(b).total_cmp(&most(a)).then(a.cmp(&b)));
    order.truncate(TABLE);
    let name = |vertex: u32| &network.vertices[vertex as usize];
    let row = |&link: &usize| {
        let ends = network.links[link];
        let mut row = vec![format!("{} → {}", name(ends.from), name(ends.to))];
        row.extend(sides.iter().map(|side| scale.in_words(load(side, link))));
        row
    };
    let rows: Vec<Vec<String>> = order.iter().map(row).collect();
    let (before, after) = names(sides);
    let (before, after) = (format!(">{before}"), format!(">{after}"));
    let mut head = vec!["Link", &before];
    if sides.len() > 1 {
        head.push(&after);
    }
    let all = words::count(network.links.len());
    let what = match network.links.len() {
        links if links == rows.len() => format!("All {all} links, the busiest first"),
        _ => format!("The {} busiest of {all} links", rows.len()),
    };
    Some(behind(&what, &table(&head, &rows)))
}

fn how_to_read_folded(sides: &[Side]) -> String {
    match sides.iter().find_map(|side| side.loads.folded.as_ref()) {
        Some(Folded::Carpets { tiles, carpets, .. }) => {
            let each = carpets.first().map_or(1, |carpet| carpet.nodes_each);
            format!(
                "One carpet for each direction of a link: a pixel is the link that leaves {}, and slices of the machine lie as tiles, {tiles} a row.",
                match each { 1 => "a node".into(), _ => format!("a block of {each}×{each} nodes, the busiest of them") }
            )
        }
        Some(Folded::Rows { .. }) => "The tree lies level by level, the top first, from the first node to the last; every bar shows the busiest of the links it stands for, in colour and height. Upward (↑) and downward (↓) links are apart.".into(),
        Some(Folded::Groups { loads: groups }) => format!("Rows send, columns receive: the busiest link between any two {}; the diagonal holds links within one.", groups.word),
        None => String::new(),
    }
}

fn folded(side: &Side, scale: &LoadScale) -> Markup {
    let value = |&load: &f64| {
        if load > 0.0 {
            1 + (254.0 * load / scale.top).round().min(254.0) as u8
        } else {
            0
        }
    };
    let raster = |label: &str,
                  axis: Option<(&str, usize)>,
                  (width, loads): (usize, &[f64]),
                  data: String| {
        Raster {
            width,
            values: loads.iter().map(value).collect(),
            ramp: Ramp::Loads,
            label,
            axis,
            data,
        }
        .html()
    };
    match &side.loads.folded {
        Some(Folded::Carpets {
            carpets,
            slice,
            tiles,
        }) => html! { div class="carpets" {
            @for carpet in carpets { figure {
                figcaption { (carpet.name) }
                (raster(&format!("loads along {}", carpet.name), None, (carpet.width, &carpet.loads),
                    format!("data-top={} data-slice={},{},{tiles}", scale.top, slice.0, slice.1)))
            } }
        } },
        Some(Folded::Groups { loads: groups }) => {
            let one = match groups.word.strip_prefix("groups") {
                Some(_) => "group",
                None => "node or switch",
            };
            raster(
                &format!("loads between {}", groups.word),
                Some((one, groups.groups.saturating_sub(1))),
                (groups.groups, &groups.loads),
                format!("data-top={} data-groups=1", scale.top),
            )
        }
        Some(Folded::Rows { rows }) => level_rows(rows, scale),
        None => html! {},
    }
}

/// Draws the links of a tree level by level, the top first: each bar shows the busiest of the links
/// it stands for.
fn level_rows(rows: &[LevelRow], scale: &LoadScale) -> Markup {
    const WIDE: f64 = 560.0;
    const HIGH: f64 = 44.0;
    let mut chart = Chart::default();
    let mut y = 0.0;
    let top_first: Vec<&LevelRow> = rows.iter().rev().collect();
    for row in top_first.chunks(2).flat_map(|level| level.iter().rev()) {
        let each = WIDE / row.loads.len().max(1) as f64;
        chart.rect("class=plot", (0.0, y, WIDE, HIGH));
        chart.text("end ink", (-5.0, y + 26.0), if row.up { "↑" } else { "↓" });
        let mut steps = vec![String::new(); STEPS];
        for (column, &load) in row.loads.iter().enumerate() {
            if let Some(step) = scale.step(load) {
                let tall = (HIGH * load / scale.top).max(1.0);
                let top = if row.up { y + HIGH - tall } else { y };
                let _ = write!(
                    steps[step],
                    "M{:.1} {top:.1}h{each:.2}v{tall:.1}h-{each:.2}z",
                    column as f64 * each
                );
            }
        }
        let drawn = steps.iter().enumerate();
        for (step, path) in drawn.filter(|(_, path)| !path.is_empty()) {
            chart.path(&format!("l{step}"), path);
        }
        y += if row.up { HIGH + 2.0 } else { HIGH + 12.0 };
    }
    chart.html("the tree level by level", (-16.0, 0.0, 576.0, y))
}
