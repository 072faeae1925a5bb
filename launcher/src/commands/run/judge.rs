//! The verdict on a map after a measured run of its program: the gain is printed, and a map that
//! loses is dropped.

use super::advice;
use super::context::RunContext;
use super::corrected::CorrectedPrediction;
use super::measure::measured;
use super::outcome;
use super::own_order;
use super::trial::{PAIRS, Trial};
use rankfold_cache::statistics::median;
use rankfold_cache::{Cache, Entry, Measured, Predicted, now};
use rankfold_console::terminal;
use rankfold_launch::launch::quoted;
use rankfold_wire::Profile;

/// What a run of a mapped program has measured, with the model's time of its order; `None` where it
/// has measured nothing. The model's time is only known for the arguments that were profiled.
pub(super) fn judged_run(
    context: &RunContext,
    entry: &Entry,
    predicted: &Predicted,
    profile: &Profile,
    mapped: bool,
) -> Option<Measured> {
    let model = predicted.model_time(mapped);
    let model = model.filter(|_| is_as_profiled(context, entry));
    Some(Measured {
        model,
        ..measured(context, profile, mapped)?
    })
}

/// Whether this run has the arguments of the run that was profiled. With others the program may
/// send more or less.
pub(super) fn is_as_profiled(context: &RunContext, entry: &Entry) -> bool {
    entry.launch == quoted(&context.launch.words())
}

/// Runs the launch without the map, and judges the map by what that run measures. Returns the exit
/// status.
pub(super) fn run_as_launched(
    context: &RunContext,
    entry: &Entry,
    predicted: &Predicted,
) -> anyhow::Result<u8> {
    let run = own_order::measured_run(context.launch)?;
    if run.status == 0
        && let (Some(cache), Some(profile)) = (&context.cache, &run.profile)
        && let Some(took) = judged_run(context, entry, predicted, profile, false)
    {
        judge(context, cache, entry, predicted, took);
    }
    Ok(run.status)
}

/// Stores what a run has measured, prints the gain, and drops a map that loses.
pub(super) fn judge(
    context: &RunContext,
    cache: &Cache,
    entry: &Entry,
    predicted: &Predicted,
    took: Measured,
) {
    let like = took.circumstances.clone();
    let seconds = took.seconds;
    // The prediction from before this run.
    let corrected = prediction(context, entry, predicted);
    let stored = match cache.change(&entry.name, |entry| entry.add(took)) {
        Ok(Some(stored)) => stored,
        Ok(None) => return,
        Err(error) => {
            terminal::warning(format_args!(
                "what this run took is not remembered: {error}"
            ));
            return;
        }
    };
    let both = stored.both_orders(&like);
    let lines = outcome::table(predicted, corrected.as_ref(), &both);
    lines.iter().for_each(terminal::note);
    if let Some(shares) = corrected.and_then(|corrected| corrected.shares) {
        terminal::told(shares.words());
    }
    let whole = whole_runs(stored.comparable(&like));
    terminal::told(outcome::gain(&both, &predicted.promise(), seconds, whole));
    if !context.args.search.constraints.is_empty() {
        return;
    }
    let trial = Trial::new(stored.comparable(&like), now());
    if let Some(reason) = trial.loss() {
        drop_map(cache, entry, reason);
    } else if trial.is_open() {
        terminal::told(format_args!(
            "the map seems to be slower: both orders in turn until it is known ({} of at most {PAIRS} pairs)",
            trial.pairs()
        ));
    } else if outcome::is_enough(&both) {
        terminal::told(format_args!(
            "all figures: rankfold cache show {}",
            entry.name
        ));
    } else {
        terminal::told(advice::command(
            "to be sure: rankfold run --compare 4",
            context.launch,
        ));
    }
}

/// The medians of the seconds from `MPI_Init` to `MPI_Finalize`, in the launcher's own order and
/// with the map.
fn whole_runs<'a>(runs: impl Iterator<Item = &'a Measured>) -> [Option<f64>; 2] {
    let runs: Vec<&Measured> = runs.filter(|run| run.run > 0.0).collect();
    [false, true].map(|mapped| {
        let of_order = runs.iter().filter(|run| run.mapped == mapped);
        median(&of_order.map(|run| run.run).collect::<Vec<_>>())
    })
}

/// The prediction for runs as this one, from the runs of the program so far; `None` where no run
/// was measured, or where the program has other arguments than the prediction is for.
pub(super) fn prediction(
    context: &RunContext,
    entry: &Entry,
    predicted: &Predicted,
) -> Option<CorrectedPrediction> {
    is_as_profiled(context, entry)
        .then(|| CorrectedPrediction::new(&entry.measured, predicted))
        .flatten()
}

/// Marks the map of an entry as dropped, and prints why.
pub(super) fn drop_map(cache: &Cache, entry: &Entry, reason: String) {
    terminal::warning(format_args!("the map is dropped: {reason}"));
    // A cache that cannot be written keeps the map. The next run with it is judged as this one.
    let _ = cache.change(&entry.name, |entry| entry.drop_map(reason, now()));
}
