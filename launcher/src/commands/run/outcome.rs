//! The report on the terminal after a measured run of a mapped program: the gain, a table of times,
//! and a heat map of the communication.

use super::corrected::CorrectedPrediction;
use crate::cache::{BothOrders, Predicted};
use crate::statistics::{Ratio, median};
use rankfold_base::words::counted;
use rankfold_base::{Placement, SlotId};
use rankfold_formats::{Collectives, rfp};
use rankfold_mapper::cli::heat;
use rankfold_wire::Profile;
use std::collections::HashMap;

/// The certainty of the intervals that are told, if there are runs enough.
pub(super) const CERTAINTY: f64 = 0.95;

/// An interval with less certainty than this is not told. Chosen by hand.
pub(super) const LEAST_CERTAINTY: f64 = 0.9;

/// Shows the heat map of the communication twice: with the ranks in order, and with the ranks of
/// each host side by side.
pub(super) fn show(profile: &Profile, hosts: &[String]) {
    if let Ok((graph, _)) = rfp::graph(profile, Collectives::IfTheyCanMatter)
        && graph.ranks() == hosts.len()
    {
        heat::show_placed(&graph, &by_host(hosts), "host by host");
    }
}

/// An order of the ranks in which the ranks of each host are consecutive. The hosts follow each
/// other in the order of their lowest ranks.
fn by_host(hosts: &[String]) -> Placement {
    let mut number = HashMap::new();
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(hosts.len());
    for (rank, host) in hosts.iter().enumerate() {
        let next = number.len();
        order.push((*number.entry(host).or_insert(next), rank));
    }
    order.sort_unstable();
    let mut slots = vec![SlotId(0); hosts.len()];
    for (slot, (_, rank)) in (0..).zip(order) {
        slots[rank] = SlotId(slot);
    }
    Placement::new(slots)
}

/// The measured gain in words, with its spread. `seconds` is what the last run took, for programs
/// that were not measured in both orders.
pub(super) fn gain(
    both: &BothOrders,
    corrected: Option<&CorrectedPrediction>,
    predicted: &Predicted,
    seconds: f64,
) -> String {
    let expected = match corrected {
        Some(corrected) => format!("predicted {}", corrected.gain_words()),
        None => format!("predicted at most {:.2}, on links alone", predicted.gain()),
    };
    let Some(ratio) = Ratio::new(&both.own, &both.mapped, CERTAINTY) else {
        return format!(
            "communication took {seconds:.3} s a rank in this run; the gain is {expected}; the launcher's own order was not measured with these arguments on these hosts (--compare 5 does)"
        );
    };
    let certainty = if ratio.certainty >= LEAST_CERTAINTY {
        format!(
            "{:.2} to {:.2} times with {:.0} % certainty",
            ratio.low,
            ratio.high,
            100.0 * ratio.certainty
        )
    } else {
        "too few runs to be certain".into()
    };
    format!(
        "communication {:.2} times as fast, {expected}: {} with the map, {} in the launcher's own order; {certainty}",
        ratio.value,
        spread(&both.mapped),
        spread(&both.own)
    )
}

/// The median of seconds inside MPI, their range and their number, in words.
pub(super) fn spread(seconds: &[f64]) -> String {
    let middle = median(seconds).unwrap_or_default();
    let low = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let high = seconds.iter().copied().fold(0.0, f64::max);
    match seconds.len() {
        0 => "not measured".into(),
        1 => format!("{middle:.3} s a rank inside MPI (1 run)"),
        runs => format!(
            "{middle:.3} s a rank inside MPI (median of {runs} runs, {low:.3} to {high:.3})"
        ),
    }
}

/// The lines of the table of times; `-` stands for times that are not known. The measured times are
/// those of `both`.
pub(super) fn table(
    predicted: &Predicted,
    corrected: Option<&CorrectedPrediction>,
    both: &BothOrders,
) -> Vec<String> {
    let row = |label: &str, values: [Option<f64>; 2]| {
        let texts = values.map(|value| value.map_or("-".into(), |value| format!("{value:.6}")));
        let gain = match values {
            [Some(default), Some(mapped)] if mapped > 0.0 => format!("{:.2}", default / mapped),
            _ => "-".into(),
        };
        format!("{label:<46} {:>16} {:>16} {gain:>8}", texts[0], texts[1])
    };
    let head = format!(
        "{:<46} {:>16} {:>16} {:>8}",
        "communication", "launcher's order", "with the map", "gain"
    );
    let of_links = format!("links alone by the model, {}", predicted.unit);
    let links = [Some(predicted.launched), Some(predicted.mapped)];
    let of_correction = |corrected: &CorrectedPrediction| {
        let seconds = [Some(corrected.launched), Some(corrected.mapped)];
        let figures = row("predicted, seconds in MPI a rank", seconds);
        format!("{figures}   {}", corrected.source())
    };
    let figures = row("measured, seconds in MPI a rank", both.medians());
    let runs = |seconds: &[f64]| match seconds.len() {
        many if many > 1 => format!("median of {many} runs"),
        few => counted(few, "run"),
    };
    let mut lines = vec![head, row(&of_links, links)];
    lines.extend(corrected.map(of_correction));
    lines.push(format!(
        "{figures}   {} and {}",
        runs(&both.own),
        runs(&both.mapped)
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::measured_for_tests;

    #[test]
    fn ranks_of_a_host_stand_together() {
        let hosts = ["b", "a", "b", "a"].map(str::to_owned);
        let slots: Vec<u32> = by_host(&hosts).slots().iter().map(|slot| slot.0).collect();
        assert_eq!(slots, [0, 2, 1, 3]);
    }

    fn predicted() -> Predicted {
        Predicted {
            launched: 4.0,
            mapped: 2.0,
            unit: "seconds".into(),
            predictor: None,
            part: false,
        }
    }

    fn both(own: &[f64], mapped: &[f64]) -> BothOrders {
        BothOrders {
            own: own.into(),
            mapped: mapped.into(),
        }
    }

    /// The prediction after one run of 6 s in the launcher's own order.
    fn corrected() -> CorrectedPrediction {
        let run = crate::cache::Measured {
            model: predicted().model_time(false),
            ..measured_for_tests(false, "x", 6.0)
        };
        CorrectedPrediction::new(&[run], &predicted()).unwrap()
    }

    #[test]
    fn what_was_not_measured_is_left_open() {
        let lines = table(&predicted(), None, &both(&[], &[0.5]));
        assert!(
            lines[1].ends_with("4.000000         2.000000     2.00"),
            "{lines:?}"
        );
        assert!(
            lines[2].ends_with("               -         0.500000        -   0 runs and 1 run"),
            "{lines:?}"
        );
        let alone = gain(&both(&[], &[0.5, 0.7]), None, &predicted(), 0.7);
        assert!(
            alone.starts_with("communication took 0.700 s a rank in this run;")
                && alone.contains("own order was not measured"),
            "{alone}"
        );
    }

    #[test]
    fn the_sentence_and_the_table_have_the_same_figures() {
        let (corrected, both) = (corrected(), both(&[6.0], &[3.9, 3.5, 3.6]));
        assert_eq!(
            gain(&both, Some(&corrected), &predicted(), 3.9),
            "communication 1.67 times as fast, predicted 1.71: 3.600 s a rank inside MPI (median of 3 runs, 3.500 to 3.900) with the map, 6.000 s a rank inside MPI (1 run) in the launcher's own order; too few runs to be certain"
        );
        let lines = table(&predicted(), Some(&corrected), &both);
        assert!(
            lines[2].contains("6.000000         3.500000     1.71   from 1 run: in the launcher's own order 5.000 s on links, 1.000 s that no order changes"),
            "{lines:?}"
        );
        assert!(
            lines[3].ends_with("6.000000         3.600000     1.67   1 run and median of 3 runs"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_gain_of_enough_runs_has_its_interval() {
        let both = both(&[2.0, 2.1, 2.2, 2.3], &[1.0, 1.1, 1.05, 1.02]);
        let told = gain(&both, None, &predicted(), 1.02);
        assert!(
            told.starts_with(
                "communication 2.08 times as fast, predicted at most 2.00, on links alone: "
            ) && told.ends_with("own order; 1.82 to 2.30 times with 97 % certainty"),
            "{told}"
        );
    }
}
