//! The candidates of the search, and how far each is above the lower bound.

use super::chart::Chart;
use super::elements::{behind, section, table};
use super::scale::LoadScale;
use super::words;
use crate::data::{Bounds, Candidate, Candidates, Report, Side, still_to_gain};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(super) fn html(report: &Report, scale: &LoadScale, bounds: &Bounds) -> Markup {
    let metrics = metrics(report, scale, bounds);
    let Some(candidates) = &report.candidates else {
        let finding = format!(
            "No placement can save {} of the predicted time",
            most(bounds.time_still_to_gain)
        );
        return section("candidates", "Figures", &finding, "", &metrics);
    };
    let shown = report.sides.first();
    let before = shown.filter(|_| report.sides.len() > 1);
    let winner = candidates.solved.iter().find(|candidate| candidate.won);
    let body = html! {
        (rows(candidates, shown, before, scale))
        p class="sub" { "Every metric" }
        (metrics)
        @if !candidates.skipped.is_empty() { (skipped(candidates)) }
        @if !candidates.notes.is_empty() { (behind("What the search did", &html! { pre { (candidates.notes.join("\n")) } })) }
    };
    let line = match proved(candidates) {
        Some(_) => format!(
            "the proved lower bound of the {}: no placement can lie beyond it",
            candidates.figure
        ),
        None => "0".into(),
    };
    let apart = if candidates.solved.iter().all(|c| c.is_finalist) {
        ""
    } else {
        " Candidates that were not replayed were out before, by a formula whose times do not compare with replayed ones."
    };
    let how = format!(
        "Objective: {}. The line on the left is {line}.{apart}",
        candidates.objective
    );
    section(
        "candidates",
        "Candidates",
        &finding(candidates, winner),
        &how,
        &body,
    )
}

/// The bound that is proved. A bound of 0 says nothing.
fn proved(candidates: &Candidates) -> Option<f64> {
    candidates.bound.filter(|&bound| bound > 0.0)
}

fn finding(candidates: &Candidates, winner: Option<&Candidate>) -> String {
    let Some(winner) = winner else {
        return "No candidate won".into();
    };
    let name = winner.name.split('+').next().unwrap_or("");
    let level = candidates
        .solved
        .iter()
        .filter(|c| !c.won && c.value == winner.value)
        .count();
    let level = match level {
        0 => String::new(),
        more => format!(", level with {}", words::plural(more, "other")),
    };
    let won = format!(
        "{name} won among {}{level}",
        words::plural(candidates.solved.len(), "candidate")
    );
    match proved(candidates) {
        Some(bound) => format!(
            "{won}; no placement can save {} of its {}",
            most(still_to_gain(winner.value, bound)),
            candidates.figure
        ),
        None => won,
    }
}

/// The share that can be saved at most, in words that do not say `more than 0.0 %`.
fn most(share: f64) -> String {
    if share < 0.0005 {
        "as much as 0.1 %".to_owned()
    } else {
        format!("more than {}", words::percent(share))
    }
}

/// One row of the table of candidates.
struct Line {
    name: String,
    family: String,
    /// The value of the objective; `None` where it does not compare with the winner's.
    value: Option<f64>,
    /// The predicted time; `None` where another predictor gave it than the winner's.
    time: Option<f64>,
    hop_bytes: f64,
    per_byte: f64,
    congestion: f64,
    hybrid: f64,
    search: String,
    outcome: String,
    class: &'static str,
}

fn rows(
    candidates: &Candidates,
    shown: Option<&Side>,
    before: Option<&Side>,
    scale: &LoadScale,
) -> Markup {
    let winner = candidates.solved.iter().find(|c| c.won);
    let predictor = winner.map(|c| c.predicted_by);
    let winner = winner.map_or(0.0, |c| c.value);
    let bound = candidates.bound.unwrap_or(0.0);
    let value = |c: &Candidate| c.is_finalist.then_some(c.value);
    let values = candidates.solved.iter().filter_map(value);
    let most = values
        .chain(before.map(|_| candidates.before))
        .fold(bound, f64::max);
    let unit = shown.map_or("", |side| &side.figures.time_unit);
    let per = |hop_bytes: f64, side: &Side| {
        if side.figures.hop_bytes() > 0.0 {
            side.figures.score.hops_per_byte * hop_bytes / side.figures.hop_bytes()
        } else {
            0.0
        }
    };
    let against = |value: f64| match value / winner - 1.0 {
        _ if winner == 0.0 => String::new(),
        0.0 => "level".into(),
        more => format!(
            "{}{:.1} %",
            if more < 0.0 { "−" } else { "+" },
            100.0 * more.abs()
        ),
    };
    let first = before.map(|side| Line {
        name: side.name.clone(),
        family: String::new(),
        value: Some(candidates.before),
        time: Some(side.figures.predicted_time),
        hop_bytes: side.figures.hop_bytes(),
        per_byte: side.figures.score.hops_per_byte,
        congestion: side.figures.score.max_congestion,
        hybrid: side.figures.score.hybrid,
        search: String::new(),
        outcome: against(candidates.before),
        class: "was",
    });
    let others = candidates.solved.iter().map(|c| Line {
        name: c.name.split('+').collect::<Vec<_>>().join(" + "),
        family: c.family.clone(),
        value: value(c),
        time: (Some(c.predicted_by) == predictor).then_some(c.time),
        hop_bytes: c.hop_bytes,
        per_byte: shown.map_or(0.0, |side| per(c.hop_bytes, side)),
        congestion: c.congestion,
        hybrid: c.hybrid,
        search: words::seconds(c.seconds),
        outcome: match value(c) {
            Some(_) if c.won => "won".into(),
            Some(value) => against(value),
            None => "not replayed".into(),
        },
        class: if c.won { "won" } else { "" },
    });
    let time = |line: &Line| {
        let time = line.time.map(|time| words::predicted_time(time, unit));
        time.unwrap_or_default()
    };
    let lines: Vec<Line> = first.into_iter().chain(others).collect();
    html! { div class="scroll" { table class="cand" {
        thead { tr {
            th scope="col" { "Candidate" } th scope="col" { "Family" } th scope="col" { "Above the lower bound" }
            @for head in ["Time", "Hop-bytes", "Links a byte", "Congestion", "Hybrid", "Search", "To the winner"] { th scope="col" class="n" { (head) } }
        } }
        tbody { @for line in &lines { tr class=[(!line.class.is_empty()).then_some(line.class)] {
            td { (by_parts(&line.name)) }
            td class="w" { (line.family) }
            td { @if let Some(value) = line.value { (dot(line, [bound, value, most], &time(line))) } }
            td class="n" { (time(line)) }
            td class="n" { (words::bytes(line.hop_bytes)) }
            td class="n" { (format!("{:.2}", line.per_byte)) }
            td class="n" { (scale.in_words(line.congestion)) }
            td class="n" { (words::digits(line.hybrid)) }
            td class="n" { (line.search) }
            td class="n" { (line.outcome) }
        } } }
    } } }
}

/// The name of a candidate, which is broken between its parts only.
fn by_parts(name: &str) -> Markup {
    html! { @for (at, part) in name.split(" + ").enumerate() {
        @if at > 0 { " + " }
        span class="nb" { (part) }
    } }
}

/// Draws the value of a candidate as a dot between the lower bound, which is the line on the left,
/// and the most of all.
fn dot(line: &Line, [bound, value, most]: [f64; 3], time: &str) -> Markup {
    let x = 6.0 + 188.0 * (value - bound) / (most - bound).max(f64::MIN_POSITIVE);
    let (colour, radius) = match line.class {
        "won" => ("mark", 4.5),
        "was" => ("was", 3.0),
        _ => ("ink2", 3.0),
    };
    let mut chart = Chart::default();
    chart.path("axd", "M6 -8V22");
    chart.path("ax", format!("M6 7H{x:.1}"));
    chart.dot(colour, (x, 7.0), radius);
    let label = format!("{}: {time}", words::escaped(&line.name));
    let attributes = format!("class=dot width=204 height=14 role=img aria-label=\"{label}\"");
    chart.with(&attributes, (0.0, 0.0, 204.0, 14.0))
}

fn skipped(candidates: &Candidates) -> Markup {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for [name, why] in &candidates.skipped {
        by_reason.entry(why).or_default().push(name);
    }
    let rows: Vec<Vec<String>> = by_reason
        .iter()
        .map(|(why, names)| vec![names.join(", "), (*why).to_owned()])
        .collect();
    let what = format!(
        "{} that were not run, and why",
        words::plural(candidates.skipped.len(), "heuristic")
    );
    behind(&what, &table(&["Not run", "Why"], &rows))
}

/// A metric: its name, its value on a side, its lower bound, and how its value is printed.
type Metric<'a> = (
    &'a str,
    fn(&Side) -> Option<f64>,
    Option<f64>,
    &'a dyn Fn(f64) -> String,
);

fn metrics(report: &Report, scale: &LoadScale, bounds: &Bounds) -> Markup {
    let bytes = |value: f64| words::bytes(value);
    let plain = |value: f64| words::digits(value);
    let load = |value: f64| scale.in_words(value);
    let unit = report.sides.first();
    let unit = unit.map_or("", |side| &side.figures.time_unit);
    let time = |value: f64| words::predicted_time(value, unit);
    let all = report.traffic.bytes as f64;
    let per_byte = (all > 0.0).then(|| bounds.hop_bytes / all);
    let list: [Metric<'_>; 10] = [
        (
            words::predicted_time_label(unit),
            |side| Some(side.figures.predicted_time),
            Some(bounds.time),
            &time,
        ),
        (
            "Hop-bytes",
            |side| Some(side.figures.hop_bytes()),
            Some(bounds.hop_bytes),
            &bytes,
        ),
        (
            "Links a byte travels, mean",
            |side| Some(side.figures.score.hops_per_byte),
            per_byte,
            &plain,
        ),
        (
            "Links between partners, mean",
            |side| Some(side.figures.score.avg_dilation),
            None,
            &plain,
        ),
        (
            "Links between partners, most",
            |side| Some(side.figures.score.max_dilation.into()),
            None,
            &plain,
        ),
        (
            "Busiest link",
            |side| Some(side.loads.most),
            Some(bounds.congestion),
            &load,
        ),
        (
            "Congestion, all shortest paths",
            |side| side.figures.score.max_congestion_amp,
            None,
            &load,
        ),
        (
            "Loaded links, mean congestion",
            |side| Some(side.figures.score.nz_avg),
            None,
            &load,
        ),
        (
            "Loaded links, standard deviation",
            |side| Some(side.figures.score.nz_var.sqrt()),
            None,
            &load,
        ),
        (
            "Hybrid metric",
            |side| Some(side.figures.score.hybrid),
            None,
            &plain,
        ),
    ];
    let mut head = vec!["Metric".to_owned()];
    head.extend(report.sides.iter().map(|side| format!(">{}", side.name)));
    if report.sides.len() > 1 {
        head.push(">Ratio".into());
    }
    head.extend([">Lower bound".to_owned(), ">Still to gain".into()]);
    let row = |(name, of, bound, in_words): &Metric<'_>| {
        let values: Vec<Option<f64>> = report.sides.iter().map(of).collect();
        values.iter().any(Option::is_some).then(|| {
            let mut row = vec![(*name).to_owned()];
            row.extend(
                values
                    .iter()
                    .map(|value| value.map_or_else(String::new, in_words)),
            );
            if let [before, after] = values[..] {
                row.push(match (before, after) {
                    (Some(before), Some(after)) if before > 0.0 => format!("{:.2}", after / before),
                    _ => String::new(),
                });
            }
            let last = values.last().copied().flatten().unwrap_or(0.0);
            row.push(bound.map_or_else(String::new, in_words));
            row.push(bound.map_or_else(String::new, |bound| {
                words::percent(still_to_gain(last, bound))
            }));
            row
        })
    };
    let rows: Vec<Vec<String>> = list.iter().filter_map(row).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_broken_between_its_parts_only() {
        let name = by_parts("block + anneal-time").into_string();
        let parts =
            ["block", "anneal-time"].map(|part| format!("<span class=\"nb\">{part}</span>"));
        assert_eq!(name, parts.join(" + "));
    }
}
