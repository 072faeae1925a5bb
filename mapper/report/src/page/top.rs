//! The top of the page: facts about the run, the verdict, what the verdict rests on, and three
//! numbers.

use super::bars::{bars, divided, strip};
use super::elements::names;
use super::scale::LoadScale;
use super::{advice, measured, words};
use crate::data::{Bounds, Measured, Report, Side};
use maud::{Markup, html};

/// The result of the report in one sentence.
pub(super) fn verdict(report: &Report) -> String {
    if let (None, [before, after]) = (&report.machine, &report.sides[..]) {
        return traffic_compared(before, after);
    }
    match &report.sides[..] {
        [before, after] if before.loads.most > 0.0 => {
            match times(report.measured.as_ref(), before, after) {
                Some(times) => in_time(&times, before, after),
                None => in_distance(before, after),
            }
        }
        [_, after] if after.loads.most > 0.0 => {
            "Before, all bytes stayed inside nodes; now some cross the network".into()
        }
        [only] if only.loads.most > 0.0 => format!(
            "Bytes travel {} links on average",
            words::digits(only.figures.score.hops_per_byte)
        ),
        [_, ..] => "No bytes cross the network: no placement can change anything".into(),
        [] => match report.traffic.pairs {
            0 => format!(
                "{}, and none sends another anything",
                words::plural(report.traffic.ranks, "rank")
            ),
            pairs => format!(
                "{} exchange {} over {}",
                words::plural(report.traffic.ranks, "rank"),
                words::bytes(report.traffic.bytes as f64),
                words::plural(pairs, "pair")
            ),
        },
    }
}

/// The communication of two runs in one sentence.
pub(super) fn traffic_compared(before: &Side, after: &Side) -> String {
    let pairs = |side: &Side| words::plural(side.pairs, "pair");
    format!(
        "{} sends {} over {}, {} {} over {}",
        before.name,
        words::bytes(before.bytes as f64),
        pairs(before),
        after.name,
        words::bytes(after.bytes as f64),
        pairs(after)
    )
}

/// Two values within this ratio of each other count as equal. Chosen by hand.
const SAME: f64 = 0.97;

/// What is said where no figure is better than as launched.
const KEEP: &str = "Keep the order you have: no placement shown is more than 3 % better";

/// The times of communication in seconds, as launched and as placed.
struct Times {
    before: f64,
    after: f64,
    /// Where the times come from: "measured" or "predicted".
    source: &'static str,
}

/// The measured times of both sides, or else the predicted times. `None` where no bandwidth is
/// known, so that no figure is a time.
fn times(measured: Option<&Measured>, before: &Side, after: &Side) -> Option<Times> {
    let both = measured.and_then(|measured| Some((measured.before?, measured.after?)));
    let (both, source) = match both {
        Some(both) => (both, "measured"),
        None if before.figures.time_unit == "seconds" => (
            (before.figures.predicted_time, after.figures.predicted_time),
            "predicted",
        ),
        None => return None,
    };
    (both.0 > 0.0 && both.1 > 0.0).then_some(Times {
        before: both.0,
        after: both.1,
        source,
    })
}

/// The verdict on times, and the price of a gain.
fn in_time(times: &Times, before: &Side, after: &Side) -> String {
    let ratio = times.before / times.after;
    if (SAME..=1.0 / SAME).contains(&ratio) {
        return KEEP.into();
    }
    let [from, to] = [times.before, times.after].map(words::seconds);
    if ratio < 1.0 {
        return format!(
            "Communication takes {to} instead of {from}: × {}, {}. Keep the order you have",
            words::digits(1.0 / ratio),
            times.source
        );
    }
    format!(
        "Communication takes {to} instead of {from}: ÷ {}, {}{}",
        words::digits(ratio),
        times.source,
        price(before, after)
    )
}

/// The figures that got worse, as a further sentence; empty where none did.
fn price(before: &Side, after: &Side) -> String {
    let [from, to] = [before, after].map(|side| side.figures.score.hops_per_byte);
    let busiest = after.loads.most / before.loads.most;
    if busiest > 1.0 / SAME {
        let ratio = words::digits(busiest);
        format!(". The price: the busiest link carries {ratio} times what it did")
    } else if to > from / SAME {
        format!(". The price: bytes travel {to:.2} instead of {from:.2} links on average")
    } else {
        String::new()
    }
}

/// The verdict where no times are known.
fn in_distance(before: &Side, after: &Side) -> String {
    let (from, to) = (
        before.figures.score.hops_per_byte,
        after.figures.score.hops_per_byte,
    );
    let ratio = after.loads.most / before.loads.most;
    if to > SAME * from && ratio > SAME && to < from / SAME && ratio < 1.0 / SAME {
        return KEEP.into();
    }
    let short = format!("{to:.1}") == format!("{from:.1}");
    let travel = if short {
        format!("Bytes travel {to:.2} instead of {from:.2} links on average")
    } else {
        format!("Bytes travel {to:.1} instead of {from:.1} links on average")
    };
    match ratio {
        0.0 => "All bytes stay inside nodes; before, they crossed the network".into(),
        r if r <= 0.85 => format!(
            "{travel}; the busiest link carries {} the load it had",
            fraction(r)
        ),
        r if r <= 1.02 => format!("{travel}; the busiest link carries about what it did"),
        r => format!(
            "{travel}, but the busiest link carries {} times what it did",
            words::digits(r)
        ),
    }
}

/// A share in words: "a quarter of".
fn fraction(share: f64) -> String {
    const NAMED: [(f64, &str); 13] = [
        (0.1, "a tenth of"),
        (0.125, "an eighth of"),
        (1.0 / 7.0, "a seventh of"),
        (1.0 / 6.0, "a sixth of"),
        (0.2, "a fifth of"),
        (0.25, "a quarter of"),
        (1.0 / 3.0, "a third of"),
        (0.4, "two fifths of"),
        (0.5, "half"),
        (0.6, "three fifths of"),
        (2.0 / 3.0, "two thirds of"),
        (0.75, "three quarters of"),
        (0.8, "four fifths of"),
    ];
    if share < 0.095 {
        return format!("one {:.0}th of", 1.0 / share);
    }
    let off = |named: &f64| (named - share).abs();
    let nearest = NAMED.iter().min_by(|a, b| off(&a.0).total_cmp(&off(&b.0)));
    nearest.map_or_else(String::new, |named| named.1.into())
}

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
        @if let (Some(bounds), [.., after]) = (&report.bounds, &report.sides[..]) { (numbers(report, bounds, after, scale)) }
        nav aria-label="Contents" { @for (id, name) in contents { a href={ "#" (id) } { (name) } } }
    } }
}

/// The job: its program, user, MPI, run time and hosts, as far as the input says.
fn job(report: &Report) -> Vec<String> {
    let run = &report.run;
    let mpi = run.mpi.as_ref().map(|version| {
        // Version strings go on with dates and options of the build.
        let line = version.lines().next().unwrap_or_default();
        line.split(',').next().unwrap_or(line).trim().to_owned()
    });
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
                div class="n" { (divided(before.map(time), time(after))) "Blue: proved lower bound, " (in_words(bounds.time)) }
            }
        }
        div {
            div class="k" { "Busiest link" }
            div class="v" { (scale.in_words(load(after))) @if let Some(before) = before { " " small { "was " (scale.in_words(load(before))) } } }
            (bars("busiest link", &|load| scale.in_words(load), before.map(load), load(after), bounds.congestion))
            div class="n" { (divided(before.map(load), load(after))) "Blue: proved lower bound, " (scale.in_words(bounds.congestion)) }
        }
        div {
            div class="k" { "Still to gain, at most" }
            div class="v" { (words::percent(gain)) " " small { "of the predicted time" } }
            (strip(&format!("share that is still to gain: at most {}", words::percent(gain)), &[
                ("ink", (0.0, 4.0, 100.0 * (1.0 - gain), 7.0)),
                ("mark", (100.0 * (1.0 - gain), 4.0, 100.0 * gain, 7.0)),
            ]))
            div class="n" { @if gain < 0.05 { "Proved (blue). Searching longer cannot help" } @else { "Proved (blue), but loosely: expect less" } }
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(hops: f64, most: f64) -> Side {
        let mut side = Side::default();
        side.figures.score.hops_per_byte = hops;
        side.loads.most = most;
        side
    }

    fn timed(seconds: f64, hops: f64, most: f64) -> Side {
        let mut side = side(hops, most);
        side.figures.predicted_time = seconds;
        side.figures.time_unit = "seconds".into();
        side
    }

    fn report(measured: Option<(f64, f64)>, sides: [Side; 2]) -> Report {
        Report {
            machine: Some(crate::data::Machine::default()),
            sides: sides.into(),
            measured: measured.map(|(before, after)| Measured {
                before: Some(before),
                after: Some(after),
                predicted_gain: None,
            }),
            ..Report::default()
        }
    }

    #[test]
    fn time_comes_first_and_what_got_worse_is_its_price() {
        let placed = [timed(211e-6, 3.4, 4.0), timed(87.9e-6, 3.5, 1.0)];
        assert_eq!(
            verdict(&report(None, placed.clone())),
            "Communication takes 87.9 µs instead of 211 µs: ÷ 2.40, predicted"
        );
        let mut further = placed.clone();
        further[1].figures.score.hops_per_byte = 3.9;
        assert!(
            verdict(&report(None, further)).ends_with(
                "predicted. The price: bytes travel 3.90 instead of 3.40 links on average"
            )
        );
        assert_eq!(
            verdict(&report(Some((0.3, 0.1)), placed)),
            "Communication takes 100 ms instead of 300 ms: ÷ 3.00, measured"
        );
    }

    #[test]
    fn a_placement_that_loses_time_is_not_advertised() {
        let told = |before, after| {
            verdict(&report(
                None,
                [timed(before, 2.0, 2.0), timed(after, 1.0, 1.0)],
            ))
        };
        assert_eq!(told(1.0, 0.98), KEEP);
        assert_eq!(
            told(1.0, 2.0),
            "Communication takes 2.00 s instead of 1.00 s: × 2.00, predicted. Keep the order you have"
        );
    }

    #[test]
    fn the_verdict_names_both_figures_and_does_not_hide_a_loss() {
        let verdict_of =
            |a: (f64, f64), b: (f64, f64)| in_distance(&side(a.0, a.1), &side(b.0, b.1));
        assert_eq!(
            verdict_of((2.8, 4.0), (1.1, 1.0)),
            "Bytes travel 1.1 instead of 2.8 links on average; the busiest link carries a quarter of the load it had"
        );
        assert!(
            verdict_of((2.0, 1.0), (1.9, 2.0))
                .ends_with("but the busiest link carries 2.00 times what it did")
        );
        assert!(verdict_of((2.0, 1.0), (1.98, 0.99)).starts_with("Keep the order you have"));
        assert!(verdict_of((2.0, 1.0), (1.96, 0.95)).contains("1.96 instead of 2.00"));
        assert!(verdict_of((1.0, 100.0), (0.5, 2.0)).contains("one 50th of"));
    }
}
