//! The top of the page: facts about the run, the verdict, what the verdict rests on, and three
//! numbers.

use super::bars::{LOADS, TIMES, bars, ratio, strip};
use super::elements::names;
use super::scale::LoadScale;
use super::{advice, measured, words};
use crate::data::{Bounds, Measured, Report, Side};
use maud::{Markup, html};
use rankfold_base::words::mpi_library;

/// The top of the page. `verdict` is the result in one sentence, or in two.
pub(super) fn html(
    report: &Report,
    verdict: &str,
    scale: &LoadScale,
    contents: &[(&str, &str)],
) -> Markup {
    let run = &report.run;
    html! { header {
        div class="meta" {
            b { "rankfold" }
            span { (report.title) }
            span { (words::plural(report.traffic.ranks, "rank")) }
            @if let Some(machine) = &report.machine { span { (words::plural(machine.nodes, "node")) } span { (machine.spec) } }
            @if let Some(date) = &run.date { span { (date) } }
            button id="theme" type="button" title="light or dark" { "light / dark" }
        }
        @if !job(report).is_empty() { div class="meta" { @for fact in job(report) { span { (fact) } } } }
        h1 { (words::unbroken(verdict)) }
        p class="lede" { (lede(report)) }
        @if !run.remarks.is_empty() { p class="lede" { b { "About the run." } @for remark in &run.remarks { " " (remark) } } }
        @if !report.to_know.is_empty() { ul class="lede" { @for line in &report.to_know { li { (line) } } } }
        @if let (Some(bounds), [.., after]) = (&report.bounds, &report.sides[..]) { (numbers(report, bounds, after, scale)) }
        nav aria-label="Contents" { @for (id, name) in contents { a href={ "#" (id) } { (name) } } }
    } }
}

/// The job: its program, user, MPI, run time and hosts, as far as the input says.
fn job(report: &Report) -> Vec<String> {
    let run = &report.run;
    let mpi = run.mpi.as_deref().map(mpi_library);
    let hosts = run.hosts.map(|hosts| words::plural(hosts, "host"));
    let time = run
        .elapsed
        .map(|elapsed| format!("ran {}", words::seconds(elapsed)));
    let user = run.user.as_ref().map(|user| format!("by {user}"));
    let facts = [run.program.clone(), user, time, hosts, mpi];
    facts
        .into_iter()
        .flatten()
        .filter(|fact| !fact.is_empty())
        .collect()
}

fn lede(report: &Report) -> Markup {
    let about = report.sides.iter().filter(|side| !side.about.is_empty());
    html! {
        @match (&report.measured, report.sides.len()) {
            (Some(measured), sides) if report.differences.is_some() && sides > 1 => { (in_both(measured, &report.sides)) },
            (Some(measured), _) => { b { (measured::sentence(measured, report.sides.len() > 1)) } " The figures below are predicted." }
            (None, 1..) if report.machine.is_some() => b { "Predicted, not yet measured." },
            (None, _) => {},
        }
        @for side in about { " “" (side.name) "” is " (side.about) "." }
        @for sentence in advice::sentences(report) { " " (sentence) }
        @if report.machine.is_none() { @for missing in &report.missing { " " (missing.what) } }
    }
}

/// The measured times of two runs, by name.
fn in_both(measured: &Measured, sides: &[Side]) -> String {
    let (before, after) = names(sides);
    let (Some(first), Some(second)) = (measured.before, measured.after) else {
        return String::new();
    };
    format!(
        "Time inside MPI, as the mean over the ranks: {before} {}, {after} {}.",
        words::seconds(first),
        words::seconds(second)
    )
}

/// A lower bound in words. No bound is proved where it is 0.
fn bound(bound: f64, in_words: &str) -> String {
    if bound > 0.0 {
        format!("Blue: proved lower bound, {in_words}")
    } else {
        "No lower bound is proved".into()
    }
}

/// The ratio of two predicted times in words. A gain is no larger than what is promised.
fn gained(before: Option<f64>, after: f64, promised: Option<f64>) -> String {
    match before {
        Some(before) if promised.is_some() && after > 0.0 && before > after => {
            format!("Promised: {}. ", words::faster(before / after, promised))
        }
        _ => ratio(before, after, TIMES),
    }
}

fn numbers(report: &Report, bounds: &Bounds, after: &Side, scale: &LoadScale) -> Markup {
    let before = report.sides.first().filter(|_| report.sides.len() > 1);
    let (time, load) = (
        |side: &Side| side.figures.predicted_time,
        |side: &Side| side.loads.most,
    );
    let in_words = |time: f64| words::predicted_time(time, &after.figures.time_unit);
    let gain = bounds.time_still_to_gain;
    html! { div class="three" {
        @if let Some(measured) = &report.measured { (measured::card(measured)) } @else {
            div {
                div class="k" { (words::predicted_time_label(&after.figures.time_unit)) }
                div class="v" { (in_words(time(after))) @if let Some(before) = before { " " small { "was " (in_words(time(before))) } } }
                (bars("predicted time", &in_words, before.map(time), time(after), bounds.time))
                div class="n" { (gained(before.map(time), time(after), report.promised_saving)) (bound(bounds.time, &in_words(bounds.time))) }
            }
        }
        div {
            div class="k" { "Busiest link" }
            div class="v" { (scale.in_words(load(after))) @if let Some(before) = before { " " small { "was " (scale.in_words(load(before))) } } }
            (bars("busiest link", &|load| scale.in_words(load), before.map(load), load(after), bounds.congestion))
            div class="n" { (ratio(before.map(load), load(after), LOADS)) (bound(bounds.congestion, &scale.in_words(bounds.congestion))) }
        }
        div {
            @if bounds.time > 0.0 {
            div class="k" { "Still to gain, at most" }
            div class="v" { (words::percent(gain)) " " small { "of the predicted time" } }
            (strip(&format!("share that is still to gain: at most {}", words::percent(gain)), &[
                ("was", (0.0, 10.0, 100.0, 1.0)),
                ("mark", (0.0, 4.0, 100.0 * gain, 7.0)),
            ]))
            div class="n" { @if gain < 0.05 { "Proved (blue). Searching longer cannot help" } @else { "Proved (blue), but loosely: expect less" } }
            } @else {
                div class="k" { "Still to gain" }
                div class="v" { "unknown" }
                div class="n" { "No lower bound of the time is proved" }
            }
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_nothing_is_not_called_proved() {
        let (mut report, mut bounds) = (Report::default(), Bounds::default());
        report.sides = vec![Side::default()];
        let scale = LoadScale {
            top: 1.0,
            unit: crate::data::LoadUnit::Bytes,
        };
        bounds.time_still_to_gain = 1.0;
        let text = numbers(&report, &bounds, &report.sides[0], &scale).into_string();
        assert!(
            text.contains("No lower bound of the time is proved"),
            "{text}"
        );
        assert!(!text.contains("100.0 %"), "{text}");
        bounds.time = 0.5;
        let text = numbers(&report, &bounds, &report.sides[0], &scale).into_string();
        assert!(text.contains("100.0 %"), "{text}");
    }
}
