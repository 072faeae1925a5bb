//! The page: one HTML file that needs no other file, no network and, except for comfort, no script.

mod advice;
mod alone;
mod axes;
mod bars;
mod calls;
mod candidates;
mod chart;
mod colours;
mod differences;
mod elements;
mod finding;
mod launch;
mod machine;
mod matrix;
mod measured;
mod network;
mod nodes;
mod pattern;
mod picture;
mod raster;
mod scale;
mod script_data;
mod spread;
mod top;
mod unchanged;
mod verdict;
mod words;
mod xml;

pub use alone::{Folding, svg as machine_alone};

use crate::data::{LoadUnit, Report};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use scale::LoadScale;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Content security policy: the browser loads nothing, whatever a name in the data contains.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The result of a report in one sentence, or in two.
#[must_use]
pub fn verdict(report: &Report) -> String {
    format!("{}.", verdict::verdict(report))
}

/// The page of a report as HTML.
#[must_use]
pub fn html(report: &Report) -> String {
    let verdict = verdict(report);
    match unchanged::drawn_once(report) {
        Some(once) => page(&once, &verdict),
        None => page(report, &verdict),
    }
}

/// The page of a report, under a verdict.
fn page(report: &Report, verdict: &str) -> String {
    let most = report.sides.iter().map(|side| side.loads.most);
    let scale = LoadScale {
        top: most.fold(0.0, f64::max).max(f64::MIN_POSITIVE),
        unit: report
            .machine
            .as_ref()
            .map_or(LoadUnit::Bytes, |machine| machine.unit),
    };
    let drawings = machine::drawings(report, &scale);
    let sections = sections(report, &scale, &drawings);
    let contents: Vec<(&str, &str)> = sections.iter().map(|(id, name, _)| (*id, *name)).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (report.title) ": " (verdict) }
                link rel="icon" href="data:,";
                style { (PreEscaped(colours::css())) (PreEscaped(STYLE)) }
            }
            body {
                (top::html(report, verdict, &scale, &contents))
                main { @for (_, _, section) in &sections { (section) } }
                footer { "Written by rankfold " (report.version) ". One file; nothing is loaded from elsewhere." }
                div id="tip" aria-hidden="true" {}
                div id="say" class="vh" aria-live="polite" {}
                script type="application/json" id="data" { (PreEscaped(script_data::text(report, &drawings))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    printable(&page.into_string())
}

/// The page with a sign in place of every control character but the end of a line: names of hosts
/// and programs come from outside, and a page is also read in terminals.
fn printable(page: &str) -> String {
    let sign = |letter: char| match letter {
        '\n' | '\t' => letter,
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    page.chars().map(sign).collect()
}

/// The sections of the page that have something to show. Each has an anchor, a name in the
/// contents, and its HTML.
fn sections(
    report: &Report,
    scale: &LoadScale,
    drawings: &machine::Drawings,
) -> Vec<(&'static str, &'static str, Markup)> {
    let mut sections = vec![("matrix", "Communication", matrix::html(report))];
    if let (Some(found), [before, after]) = (&report.differences, &report.sides[..]) {
        let names = (before.name.as_str(), after.name.as_str());
        let section = differences::html(found, names, report.traffic.ranks);
        sections.push(("differences", "Differences", section));
    }
    if let (Some(machine), [_, ..]) = (&report.machine, &report.sides[..]) {
        sections.push((
            "machine",
            "Machine",
            machine::html(report, machine, scale, drawings),
        ));
        sections.push((
            "spread",
            "Distance and load",
            spread::html(report, machine, scale),
        ));
        sections.push(("nodes", "Node to node", nodes::html(report, machine)));
        if let Some(bounds) = &report.bounds {
            let name = if report.candidates.is_some() {
                "Candidates"
            } else {
                "Figures"
            };
            sections.push(("candidates", name, candidates::html(report, scale, bounds)));
        }
    }
    if let Some(mapfile) = &report.mapfile {
        sections.push(("launch", "Launch", launch::html(mapfile)));
    }
    sections.push(("pattern", "Pattern", pattern::html(report)));
    sections.push(("calls", "Calls and time", calls::html(report)));
    sections.push(("again", "Reproduce", again(report)));
    sections
}

/// The table of hosts and cores. Consecutive ranks with the same host and cores share a row.
fn seats(report: &Report) -> Markup {
    /// Maximum number of rows; chosen by hand. The JSON holds all rows.
    const ROWS: usize = 1024;
    let mut rows = Vec::new();
    let mut first = 0;
    for run in report.run.seats.chunk_by(|a, b| a == b) {
        let ranks = match run.len() {
            1 => first.to_string(),
            more => format!("{first}–{}", first + more - 1),
        };
        rows.push(vec![ranks, run[0].host.clone(), run[0].cores.clone()]);
        first += run.len();
    }
    let left = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    html! {
        (elements::table(&["Ranks", "Host", "Cores it might run on"], &rows))
        @if left > 0 { p class="none" { "and " (words::plural(left, "row")) " more, listed by --json" } }
    }
}

fn again(report: &Report) -> Markup {
    let body = html! {
        @for line in &report.reproduce.commands { (elements::command(line)) }
        dl { @for [name, value] in &report.reproduce.facts { dt { (name) } dd { (value) } } }
        @if !report.run.seats.is_empty() { (elements::behind("Host and cores of every rank", &seats(report))) }
    };
    let finding = "Same input, seed and effort give the same placement, byte for byte";
    elements::section("again", "Reproduce", finding, "", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_command_no_terminal() {
        let report = Report {
            title: "n0\x1b]0;x\x07\u{9b}2J <b>".into(),
            ..Report::default()
        };
        let page = html(&report);
        assert!(!page.contains(['\x1b', '\x07', '\u{9b}']), "{page}");
        assert!(
            page.contains("n0\u{fffd}]0;x\u{fffd}\u{fffd}2J &lt;b&gt;"),
            "{page}"
        );
    }
}
