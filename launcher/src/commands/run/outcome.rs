//! The report on the terminal after a measured run of a mapped program: the gain, a table of times,
//! and a heat map of the communication.

use super::corrected::CorrectedPrediction;
use rankfold_base::words::counted;
use rankfold_base::{Placement, SlotId};
use rankfold_cache::statistics::Ratio;
use rankfold_cache::{BothOrders, Predicted, Promise, in_seconds};
use rankfold_console::terminal;
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
    if terminal::shows_notes()
        && let Ok((graph, _)) = rfp::graph(profile, Collectives::IfTheyCanMatter)
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

/// What the map gains, in one line. Too few runs are no verdict: what was promised stands then.
/// `seconds` is what the last run took inside MPI, for programs that
/// were not measured in both orders. `whole` are the seconds of whole runs in both orders.
pub(super) fn gain(
    both: &BothOrders,
    promise: &Promise,
    seconds: f64,
    whole: [Option<f64>; 2],
) -> String {
    let promised = promise.words();
    let Some(ratio) = Ratio::new(&both.launched, &both.mapped, CERTAINTY) else {
        return format!(
            "promised {promised} times as fast; {seconds:.3} s in MPI, the other order was not measured"
        );
    };
    if ratio.certainty < LEAST_CERTAINTY {
        let few = too_few(both.launched.len(), both.mapped.len());
        return format!("promised: {}; {few}", promise.line());
    }
    let whole = match whole {
        [Some(launched), Some(mapped)] => {
            format!("; {}, was {}", in_seconds(mapped), in_seconds(launched))
        }
        _ => String::new(),
    };
    format!(
        "communication {:.2} times as fast ({:.2} to {:.2}, {:.0} % sure), promised {promised}{whole}",
        ratio.value,
        ratio.low,
        ratio.high,
        100.0 * ratio.certainty
    )
}

/// Says that so many runs in both orders are no verdict.
pub(in crate::commands) fn too_few(launched: usize, mapped: usize) -> String {
    if (launched, mapped) == (1, 1) {
        "measured once each: too few".into()
    } else {
        format!("measured {launched} and {mapped} times: too few")
    }
}

/// Whether runs in both orders are enough for a verdict.
pub(in crate::commands) fn is_enough(both: &BothOrders) -> bool {
    let ratio = Ratio::new(&both.launched, &both.mapped, CERTAINTY);
    ratio.is_some_and(|ratio| ratio.certainty >= LEAST_CERTAINTY)
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
        let label = if corrected.knows_the_map {
            "corrected by runs, seconds in MPI a rank"
        } else {
            "predicted, seconds in MPI a rank"
        };
        [row(label, seconds), format!("  {}", corrected.source())]
    };
    let figures = row("measured, seconds in MPI a rank", both.medians());
    let runs = |seconds: &[f64]| match seconds.len() {
        many if many > 1 => format!("median of {many} runs"),
        few => counted(few, "run"),
    };
    let mut lines = vec![head, row(&of_links, links)];
    lines.extend(corrected.into_iter().flat_map(of_correction));
    let (launched, mapped) = (runs(&both.launched), runs(&both.mapped));
    lines.extend([figures, format!("  {launched} and {mapped}")]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_cache::samples;

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
            ..Predicted::default()
        }
    }

    fn both(launched: &[f64], mapped: &[f64]) -> BothOrders {
        BothOrders {
            launched: launched.into(),
            mapped: mapped.into(),
        }
    }

    /// The prediction after one run of 6 s in the order as launched.
    fn corrected() -> CorrectedPrediction {
        let run = rankfold_cache::Measured {
            model: predicted().model_time(false),
            ..samples::measured(false, "x", 6.0)
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
            lines[2].ends_with("               -         0.500000        -"),
            "{lines:?}"
        );
        let alone = outcome_in_words(&both(&[], &[0.5, 0.7]), &[2.0, 1.5]);
        assert_eq!(
            alone,
            "promised 2.00 times as fast; 0.700 s in MPI, the other order was not measured"
        );
    }

    /// The line where 2.00 is promised, and the last run took 0.7 s inside MPI.
    fn outcome_in_words(both: &BothOrders, whole: &[f64; 2]) -> String {
        let promise = Promise {
            gain: 2.0,
            run: Some([8.0, 5.0]),
            ..Promise::default()
        };
        gain(both, &promise, 0.7, whole.map(Some))
    }

    #[test]
    fn few_runs_are_no_verdict() {
        let once = outcome_in_words(&both(&[6.0], &[7.5]), &[8.0, 9.5]);
        assert_eq!(
            once,
            "promised: 2.00 x in communication, 5.00 s for 8.00 s; measured once each: too few"
        );
        let (some, enough) = (both(&[6.0; 2], &[3.0; 3]), both(&[6.0; 3], &[3.0; 3]));
        assert!(outcome_in_words(&some, &[8.0, 5.0]).contains("measured 2 and 3 times: too few"));
        assert!(!is_enough(&some) && is_enough(&enough));
    }

    #[test]
    fn the_table_has_the_medians() {
        let (corrected, both) = (corrected(), both(&[6.0], &[3.9, 3.5, 3.6]));
        let lines = table(&predicted(), Some(&corrected), &both);
        assert!(
            lines[2].ends_with("6.000000         3.500000     1.71"),
            "{lines:?}"
        );
        let source = "  from 1 run: in the order as launched 5.000 s on links, 1.000 s that no order changes";
        assert_eq!(lines[3], source);
        assert!(
            lines[4].ends_with("6.000000         3.600000     1.67"),
            "{lines:?}"
        );
        assert_eq!(lines[5], "  1 run and median of 3 runs");
        assert!(lines.iter().all(|line| line.len() <= 90), "{lines:?}");
    }

    #[test]
    fn a_gain_of_enough_runs_has_its_interval() {
        let both = both(&[2.0, 2.1, 2.2, 2.3], &[1.0, 1.1, 1.05, 1.02]);
        assert_eq!(
            outcome_in_words(&both, &[4.0, 3.2]),
            "communication 2.08 times as fast (1.82 to 2.30, 97 % sure), promised 2.00; 3.20 s, was 4.00 s"
        );
    }
}
