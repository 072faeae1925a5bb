//! What rules the time of a run, and what to do where placement is not it: one sentence each.

use super::words;
use crate::data::{Report, Times};

/// Below this share of the run inside MPI, a placement has little to save. Chosen by hand.
const LITTLE: f64 = 0.05;
/// Above this share of the time in MPI, a class of calls rules it.
const HALF: f64 = 0.5;
/// Times outside MPI that differ by more than this share of the run are called uneven. Chosen by
/// hand.
const UNEVEN: f64 = 0.2;
/// Messages of fewer bytes on average cost latency more than bandwidth. Chosen by hand, from the
/// product of usual bandwidths and latencies.
const SHORT: f64 = 1024.0;

/// The share of the run inside MPI, then advice where waiting, collectives or latency rule. Empty
/// where no time was measured and nothing is known of the messages.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(times) = &report.traffic.times {
        sentences.extend(of_times(times));
    }
    if let Some(messages) = report.traffic.messages.filter(|&messages| messages > 0.0) {
        let mean = report.traffic.bytes as f64 / messages;
        if mean < SHORT && mean > 0.0 {
            sentences.push(format!(
                "Messages hold {} on average, so their latency counts and not their bytes: fewer, longer messages would help more than any placement.",
                words::bytes(mean.round())
            ));
        }
    }
    sentences
}

fn of_times(times: &Times) -> Vec<String> {
    let run = times.run.iter().sum::<f64>() / times.run.len().max(1) as f64;
    let inside: f64 = times.classes.iter().map(|class| class.mean).sum();
    if run <= 0.0 || inside <= 0.0 {
        return Vec::new();
    }
    let mut sentences = vec![format!(
        "The run spent {} of its time inside MPI.",
        words::share(inside / run)
    )];
    if inside / run < LITTLE {
        sentences.push("No placement can save more than that.".into());
        return sentences;
    }
    let of = |name: &str| {
        let found = times.classes.iter().find(|class| class.name == name);
        found.map_or(0.0, |class| class.mean / inside)
    };
    if of("collectives") > HALF {
        sentences.push(format!(
            "{} of it are collectives: their algorithms, and ranks that come to them late, decide more than the order of ranks; --collectives places ranks for them, too.",
            words::share(of("collectives"))
        ));
    }
    let outside = times.run.iter().enumerate().map(|(at, run)| {
        let inside: f64 = times.classes.iter().map(|class| class.seconds[at]).sum();
        (run - inside).max(0.0)
    });
    let outside: Vec<f64> = outside.collect();
    let most = outside.iter().copied().fold(0.0, f64::max);
    let least = outside.iter().copied().fold(f64::INFINITY, f64::min);
    if most - least > UNEVEN * run {
        sentences.push(format!(
            "Ranks spend between {} and {} outside MPI: their work is uneven, and the others wait for the slowest, which no placement mends.",
            words::seconds(least),
            words::seconds(most)
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TimeClass;

    /// Two ranks that run for ten seconds and spend these seconds in waits and collectives.
    fn report(waits: [f64; 2], collectives: [f64; 2]) -> Report {
        let class = |name: &str, seconds: [f64; 2]| TimeClass {
            name: name.into(),
            mean: (seconds[0] + seconds[1]) / 2.0,
            seconds: seconds.into(),
            ..TimeClass::default()
        };
        let mut report = Report::default();
        report.traffic.times = Some(Times {
            ranks_each: 1,
            run: vec![10.0, 10.0],
            classes: vec![class("waits", waits), class("collectives", collectives)],
            ..Times::default()
        });
        report
    }

    #[test]
    fn what_rules_the_time_is_said_with_what_would_help() {
        let advice = |waits, collectives| sentences(&report(waits, collectives)).join(" ");
        assert_eq!(
            advice([3.0, 3.0], [0.0, 0.0]),
            "The run spent 30 % of its time inside MPI."
        );
        assert!(advice([0.1, 0.1], [0.0, 0.0]).ends_with("No placement can save more than that."));
        assert!(advice([1.0, 1.0], [3.0, 3.0]).contains("75 % of it are collectives"));
        assert!(advice([1.0, 6.0], [0.0, 0.0]).contains("their work is uneven"));
    }

    #[test]
    fn short_messages_cost_latency() {
        let mut report = Report::default();
        (report.traffic.bytes, report.traffic.messages) = (8000, Some(1000.0));
        assert!(sentences(&report)[0].starts_with("Messages hold 8 B on average"));
        report.traffic.bytes = 8_000_000;
        assert!(sentences(&report).is_empty());
    }
}
