//! Collectives, phases, message sizes and time in MPI.

use super::chart::Chart;
use super::colours::KINDS;
use super::elements::{section, swatch, table};
use super::words;
use crate::data::{Report, SizeClass, Sizes, Times, Traffic};
use maud::{Markup, html};
use std::fmt::Write;

pub(super) fn html(report: &Report) -> Markup {
    let traffic = &report.traffic;
    let body = html! {
        @if let Some(times) = &traffic.times { (time(times)) }
        @if !traffic.functions.is_empty() { (sent_by_function(traffic)) }
        div class="pair lists" {
            @if let Some(sizes) = &traffic.sizes { div { (size_classes(sizes)) } }
            @if !traffic.phases.is_empty() { div { (phases(traffic)) } }
            @if !traffic.collectives.is_empty() { div { (collectives(traffic)) } }
        }
        @for missing in &report.missing {
            p class="none" { (missing.what) @if let Some(command) = &missing.command { " To see it here: " code { (command) } } }
        }
    };
    let how = match (&traffic.times, report.run.hosts) {
        (Some(_), Some(hosts)) => format!(
            "Counted by the profiler in the run itself, on {}: on another machine the shares will differ. Collectives are kept apart and are not in the matrix; --collectives adds them as pairs.",
            words::plural(hosts, "host")
        ),
        _ if !traffic.collectives.is_empty() => "Collectives are kept apart and are not in the matrix; --collectives adds them as pairs.".into(),
        _ => String::new(),
    };
    section("calls", "Calls and time", &finding(report), &how, &body)
}

fn finding(report: &Report) -> String {
    let traffic = &report.traffic;
    let calls: u64 = traffic.collectives.iter().map(|row| row.calls).sum();
    if let Some(times) = &traffic.times {
        let run = mean(&times.run);
        let inside: f64 = times.classes.iter().map(|class| class.mean).sum();
        let mut longest: Vec<_> = times.classes.iter().collect();
        longest.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let of_run = |seconds: f64| words::share(if run > 0.0 { seconds / run } else { 0.0 });
        let named: Vec<String> = longest
            .iter()
            .take(2)
            .map(|class| format!("{} in {}", of_run(class.mean), class.name))
            .collect();
        return format!(
            "{} of the run is spent inside MPI: {}",
            of_run(inside),
            named.join(", ")
        );
    }
    match (traffic.messages, calls) {
        (Some(messages), 0) if messages > 0.0 => {
            let mean = words::bytes((traffic.bytes as f64 / messages).round());
            {
                let messages = words::count(messages as usize);
                let text = format!("{messages} messages of {mean} on average");
                match report.run.format.as_str() {
                    "profile" => format!("{text}, and no collectives"),
                    _ => text,
                }
            }
        }
        (Some(messages), calls) => format!(
            "{} messages and {} calls of collectives",
            words::count(messages as usize),
            words::number(calls)
        ),
        (None, _) => "The input holds bytes by pair and nothing else".into(),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The colour of a class of calls.
fn kind_colour(class: usize) -> String {
    format!("k{}", class % KINDS)
}

/// Draws one stacked column for each rank, or block of ranks. The height of the drawing is the time
/// of the whole run.
fn time(times: &Times) -> Markup {
    let run = mean(&times.run).max(f64::MIN_POSITIVE);
    let classes = times.classes.iter();
    let rows =
        classes.map(|of| time_row(&of.name, (of.mean, run), (of.most, of.most_rank), of.calls));
    html! {
        figure {
            figcaption { b { "Time in MPI, by rank" } }
            div class="legend" {
                @for (kind, class) in times.classes.iter().enumerate() { span { (swatch(&kind_colour(kind))) " " (class.name) } }
                span { "above: the program itself" }
            }
            div class="wide" { (columns(times)) }
        }
        (time_table("Class", rows))
        @if !times.functions.is_empty() { (functions(times, run)) }
    }
}

fn columns(times: &Times) -> Markup {
    const WIDE: f64 = 1120.0;
    const HIGH: f64 = 130.0;
    let top = times.run.iter().copied();
    let top = top.fold(f64::MIN_POSITIVE, f64::max);
    let each = WIDE / times.run.len().max(1) as f64;
    let space = if each > 4.0 { 1.0 } else { 0.0 };
    let mut chart = Chart::default();
    chart.ground((0.0, WIDE), HIGH);
    chart.ground((0.0, WIDE), 0.0);
    chart.text("t9", (0.0, -5.0), "time");
    let whole = words::seconds(mean(&times.run));
    chart.text("t9 end", (WIDE, -5.0), format!("whole run {whole}"));
    let labelled = times.run.len().div_ceil(24).max(1);
    for column in 0..times.run.len() {
        let (x, rank) = (column as f64 * each, column * times.ranks_each);
        let mut y = HIGH;
        let mut tip = match times.ranks_each {
            1 => format!("rank {rank}"),
            more => format!("ranks {rank} to {}", rank + more - 1),
        };
        for (kind, class) in times.classes.iter().enumerate() {
            let seconds = class.seconds[column];
            let tall = HIGH * seconds / top;
            y -= tall;
            if tall > 0.05 {
                let frame = (x + space / 2.0, y, each - space, tall);
                chart.rect(&format!("fill=\"var(--{})\"", kind_colour(kind)), frame);
            }
            let _ = write!(tip, "|{} {}", class.name, words::seconds(seconds));
        }
        let clear = format!("fill=transparent data-t=\"{}\"", words::escaped(&tip));
        chart.rect(&clear, (x, 0.0, each, HIGH));
        if column % labelled == 0 {
            chart.text("mid", (x + each / 2.0, HIGH + 15.0), rank);
        }
    }
    chart.text("end t9", (WIDE, HIGH + 30.0), "rank");
    chart.html(
        "time in MPI by rank",
        (-6.0, -18.0, WIDE + 12.0, HIGH + 52.0),
    )
}

/// The functions of MPI with the longest time. `run` is the mean time of the whole run.
fn functions(times: &Times, run: f64) -> Markup {
    let functions = times.functions.iter();
    let rows = functions.map(|of| {
        time_row(
            &of.function,
            (of.mean, run),
            (of.most, of.most_rank),
            of.calls,
        )
    });
    html! {
        p class="sub" { "Time by function" }
        (time_table("Function", rows))
    }
}

/// A row of [`time_table`]: the mean time of the ranks in some calls and in the whole run, the time
/// of the rank that spent most in these calls, and the number of calls.
fn time_row(
    name: &str,
    (mean, run): (f64, f64),
    (most, rank): (f64, usize),
    calls: u64,
) -> Vec<String> {
    vec![
        name.to_owned(),
        words::seconds(mean),
        words::percent(mean / run),
        words::seconds(most),
        rank.to_string(),
        words::number(calls),
    ]
}

fn time_table(first: &str, rows: impl Iterator<Item = Vec<String>>) -> Markup {
    let head = [
        first,
        ">Mean of the ranks",
        ">Share of the run",
        ">Most",
        ">by rank",
        ">Calls",
    ];
    table(&head, &rows.collect::<Vec<_>>())
}

/// What the functions of MPI send.
fn sent_by_function(traffic: &Traffic) -> Markup {
    let all: u64 = traffic.functions.iter().map(|of| of.bytes).sum();
    let rows = traffic.functions.iter().map(|of| {
        vec![
            of.function.clone(),
            words::bytes(of.bytes as f64),
            words::percent(of.bytes as f64 / all.max(1) as f64),
            words::number(of.messages),
        ]
    });
    html! {
        p class="sub" { "Bytes by function" }
        (table(&["Function", ">Bytes", ">Share", ">Messages"], &rows.collect::<Vec<_>>()))
    }
}

fn size_classes(sizes: &Sizes) -> Markup {
    html! {
        p class="sub first" { "Message sizes" }
        div class="legend" {
            span { (swatch("was")) " messages" } span { (swatch("ink")) " bytes" }
            @if !sizes.counted { span { "by the mean size of each pair" } }
        }
        @for class in sizes.classes.iter().filter(|class| class.buckets.iter().any(|bucket| bucket.0 > 0)) {
            @if sizes.classes.len() > 1 { p class="meta" { (class.name) } }
            (histogram(class))
        }
    }
}

fn histogram(class: &SizeClass) -> Markup {
    const WIDE: f64 = 520.0;
    const HIGH: f64 = 100.0;
    let used = |bucket: &(u64, u64)| bucket.0 > 0;
    let first = class.buckets.iter().position(used).unwrap_or(0);
    let last = class.buckets.iter().rposition(used).unwrap_or(0);
    let (messages, bytes): (Vec<u64>, Vec<u64>) = class.buckets.iter().copied().unzip();
    let [messages, bytes] = [messages, bytes].map(|of| of.iter().sum::<u64>().max(1) as f64);
    let share = |bucket: &(u64, u64)| [bucket.0 as f64 / messages, bucket.1 as f64 / bytes];
    let top = class.buckets.iter().flat_map(share).fold(0.01, f64::max);
    let each = (WIDE / (last - first + 1) as f64).min(90.0);
    let labelled = (48.0 / each).ceil() as usize;
    let mut chart = Chart::default();
    chart.text(
        "t9",
        (0.0, -3.0),
        format!("share, up to {}", words::percent(top)),
    );
    chart.ground((0.0, WIDE), HIGH);
    for log2 in first..=last {
        let x = (log2 - first) as f64 * each;
        let [messages, bytes] = share(&class.buckets[log2]);
        let (from, to) = (words::size(log2), words::size(log2 + 1));
        for (colour, noun, share, at) in [
            ("was", "messages", messages, 0.08),
            ("ink", "bytes", bytes, 0.5),
        ] {
            let tall = (HIGH - 16.0) * share / top;
            let tip = format!("{from} up to {to}|{} of the {noun}", words::percent(share));
            chart.bar(colour, &tip, (x + each * at, HIGH - tall, each * 0.4, tall));
        }
        if log2 == first {
            chart.text("t9", (x, HIGH + 13.0), from);
        } else if (log2 - first).is_multiple_of(labelled) {
            chart.text("mid t9", (x + each / 2.0, HIGH + 13.0), from);
        }
    }
    chart.text("end t9", (WIDE, HIGH + 29.0), "bytes of a message");
    let frame = (-4.0, -14.0, WIDE + 24.0, HIGH + 48.0);
    chart.html(&format!("{} by size", class.name), frame)
}

fn phases(traffic: &Traffic) -> Markup {
    let all = (traffic.bytes as f64).max(1.0);
    let row = |phase: &crate::data::Phase| {
        vec![
            phase.name.clone(),
            words::bytes(phase.bytes as f64),
            words::percent(phase.bytes as f64 / all),
            words::number(phase.messages),
            words::number(phase.calls),
        ]
    };
    let rows: Vec<Vec<String>> = traffic.phases.iter().map(row).collect();
    html! { p class="sub first" { "Phases" } (table(&["Phase", ">Bytes", ">Share", ">Messages", ">Collectives"], &rows)) }
}

fn collectives(traffic: &Traffic) -> Markup {
    let row = |row: &crate::data::Collective| {
        vec![
            match &*row.form {
                "" => row.name.clone(),
                form => format!("{}, {form}", row.name),
            },
            words::number(row.calls),
            words::bytes((row.bytes as f64 / row.calls.max(1) as f64).round()),
            row.root
                .map_or_else(|| "–".into(), |root| format!("rank {root}")),
            if row.world {
                "world".into()
            } else {
                words::plural(row.members, "rank")
            },
        ]
    };
    let rows: Vec<Vec<String>> = traffic.collectives.iter().map(row).collect();
    html! { p class="sub first" { "Collectives" } (table(&["Collective", ">Calls", ">Bytes a call", "Root", "Communicator"], &rows)) }
}
