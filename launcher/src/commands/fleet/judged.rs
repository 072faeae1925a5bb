//! What a map would make of a run, by its profile and the machine it ran on.

use super::usage::{Basis, promised};
use crate::commands::run::{CorrectedPrediction, LEAST_GAIN, fullest, of_profile, predicted};
use rankfold_assess::Case;
use rankfold_cache::{Circumstances, Measured};
use rankfold_formats::rfp;
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::cli::{launched, named};
use rankfold_mapper::error::Error;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::team::Alone;
use rankfold_search::select::{Request, select_together};
use rankfold_wire::Profile;
use std::collections::BTreeSet;

/// The share of the run that a map saves on its own hosts of the machine `spec`.
///
/// # Errors
/// The machine has not these hosts, or the profile is not usable.
pub(super) fn judged(profile: &Profile, spec: &str) -> anyhow::Result<(Option<f64>, Basis)> {
    let seats = &profile.manifest.hosts;
    anyhow::ensure!(!seats.is_empty(), "the profile names no hosts");
    let hosts: BTreeSet<&str> = seats.iter().map(String::as_str).collect();
    let nodes = NodeArgs {
        cores: Some(fullest(seats)),
        hosts: Some(hosts.into_iter().collect::<Vec<_>>().join(",")),
        ..NodeArgs::default()
    };
    let (graph, _) = rfp::graph(profile, collectives(None)).map_err(Error::from)?;
    let machine = nodes.build(spec)?;
    machine.check_fits(graph.ranks()).map_err(Error::from)?;
    let case = Case::new(&graph, &machine).launched(launched::placement(seats, &machine));
    let request = Request {
        objective: named::objective("time")?,
        effort: Effort::Fast,
        ..Request::default()
    };
    let selection = select_together(case, &request, &Alone, &|_| ()).map_err(Error::from)?;
    let saving = selection.saving(&graph, &machine);
    let predicted = predicted(false, &selection, saving.as_ref());
    let took = of_profile(profile, None, Circumstances::default(), false);
    let took = took.map(|took| Measured {
        model: predicted.model_time(false),
        ..took
    });
    let corrected = CorrectedPrediction::new(took.as_slice(), &predicted);
    Ok(match corrected {
        _ if predicted.gain() < LEAST_GAIN => (Some(0.0), Basis::Promised),
        None => (None, Basis::Unknown),
        Some(corrected) => promised(&corrected.promise()),
    })
}
