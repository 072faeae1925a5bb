//! The report on the terminal after a run with a map: a table of times, and a heat map of the
//! communication.

use super::corrected::CorrectedPrediction;
use crate::cache::{Cache, Lookup, Measured, Predicted};
use rankfold_mapper::cli::{heat, terminal};
use rankfold_model::comm::{Collectives, rfp};
use rankfold_model::ids::SlotId;
use rankfold_model::placement::Placement;
use rankfold_profile::Profile;
use std::collections::HashMap;

/// Shows the heat map of the communication twice: with the ranks in order, and with the ranks of
/// each host side by side.
pub(super) fn show(profile: &Profile, hosts: &[String]) {
    if let Ok((graph, _)) = rfp::graph(profile, Collectives::ModelledIfDominant)
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

/// Prints the predicted and the measured times in the launcher's order and with the map. The
/// measured times are those of runs with the arguments and hosts of `took`.
pub(super) fn tell(
    cache: &Cache,
    name: &str,
    predicted: &Predicted,
    corrected: Option<&CorrectedPrediction>,
    took: &Measured,
) {
    if let Ok(Lookup::Entry(entry)) = cache.find(name) {
        let measured = [false, true].map(|mapped| entry.seconds(took, mapped));
        let lines = table(predicted, corrected, measured);
        lines.iter().for_each(terminal::note);
    }
}

/// The lines of the table; `-` stands for times that are not known.
fn table(
    predicted: &Predicted,
    corrected: Option<&CorrectedPrediction>,
    measured: [Option<f64>; 2],
) -> Vec<String> {
    let row = |label: &str, values: [Option<f64>; 2]| {
        let texts = values.map(|value| value.map_or("-".into(), |value| format!("{value:.6}")));
        let gain = match values {
            [Some(default), Some(mapped)] if mapped > 0.0 => format!("{:.2}", default / mapped),
            _ => "-".into(),
        };
        format!("{label:<34} {:>16} {:>16} {gain:>8}", texts[0], texts[1])
    };
    let head = format!(
        "{:<34} {:>16} {:>16} {:>8}",
        "communication", "launcher's order", "with the map", "gain"
    );
    let of_prediction = format!("predicted, {}", predicted.unit);
    let both = [Some(predicted.default), Some(predicted.mapped)];
    let of_correction = |corrected: &CorrectedPrediction| {
        let both = [Some(corrected.default), Some(corrected.mapped)];
        let figures = row("corrected, seconds a rank", both);
        format!("{figures}   {}", corrected.source())
    };
    let mut lines = vec![head, row(&of_prediction, both)];
    lines.extend(corrected.map(of_correction));
    lines.push(row("measured, seconds in MPI a rank", measured));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_host_stand_together() {
        let hosts = ["b", "a", "b", "a"].map(str::to_owned);
        let slots: Vec<u32> = by_host(&hosts).slots().iter().map(|slot| slot.0).collect();
        assert_eq!(slots, [0, 2, 1, 3]);
    }

    #[test]
    fn what_was_not_measured_is_left_open() {
        let predicted = Predicted {
            default: 4.0,
            mapped: 2.0,
            unit: "seconds".into(),
            part: false,
        };
        let told = table(&predicted, None, [None, Some(0.5)]);
        assert!(
            told[1].ends_with("4.000000         2.000000     2.00"),
            "{told:?}"
        );
        assert!(
            told[2].ends_with("               -         0.500000        -"),
            "{told:?}"
        );
    }
}
