//! The verdict on a map after the measured runs of a command: the gain is printed once, and a map
//! that loses is dropped.

use super::advice;
use super::context::RunContext;
use super::corrected::CorrectedPrediction;
use super::launched_order;
use super::measure::measured;
use super::outcome;
use super::trial::{PAIRS, Trial};
use rankfold_cache::statistics::median;
use rankfold_cache::{BothOrders, Cache, Entry, Measured, Predicted, now};
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

/// What is known of a map once a run is stored. It is told after the last run of a command.
pub(super) struct Judged<'a> {
    context: &'a RunContext<'a>,
    cache: &'a Cache,
    predicted: &'a Predicted,
    stored: Entry,
    last: Measured,
    /// The prediction from before that run.
    foretold: Option<CorrectedPrediction>,
}

/// Runs the launch without the map. Returns the exit status, and what is known of the map then.
pub(super) fn run_as_launched<'a>(
    context: &'a RunContext,
    entry: &Entry,
    predicted: &'a Predicted,
) -> anyhow::Result<(u8, Option<Judged<'a>>)> {
    let run = launched_order::measured_run(context.launch)?;
    let profile = run.profile.filter(|_| run.status == 0);
    let took = profile.and_then(|profile| judged_run(context, entry, predicted, &profile, false));
    let judged = took.and_then(|took| judge(context, entry, predicted, took));
    Ok((run.status, judged))
}

/// Stores what a run has measured; `None` where it cannot be stored.
pub(super) fn judge<'a>(
    context: &'a RunContext,
    entry: &Entry,
    predicted: &'a Predicted,
    took: Measured,
) -> Option<Judged<'a>> {
    let cache = context.cache.as_ref()?;
    let last = took.clone();
    match cache.change(&entry.name, |entry| entry.add(took)) {
        Ok(stored) => Some(Judged {
            context,
            cache,
            predicted,
            stored: stored?,
            last,
            foretold: prediction(context, entry, predicted),
        }),
        Err(error) => {
            terminal::warning(format_args!(
                "what this run took is not remembered: {error}"
            ));
            None
        }
    }
}

impl Judged<'_> {
    /// The seconds of the runs that compare with the last one.
    pub(super) fn both_orders(&self) -> BothOrders {
        self.stored.both_orders(&self.last.circumstances)
    }

    /// The entry with the last run.
    pub(super) fn entry(&self) -> &Entry {
        &self.stored
    }

    /// Prints the gain and the next command, and drops a map that loses.
    pub(super) fn close(&self) {
        let Self {
            context,
            cache,
            predicted,
            stored,
            last,
            foretold,
        } = self;
        let both = self.both_orders();
        let lines = outcome::table(predicted, foretold.as_ref(), &both);
        lines.iter().for_each(terminal::note);
        // One run with the map may differ by noise alone from what its bytes account for.
        let mut later = stored.clone();
        later
            .measured
            .retain(|run| !run.mapped || outcome::is_enough(&both));
        let known = prediction(context, &later, predicted);
        if let Some(shares) = known.and_then(|known| known.shares) {
            terminal::result(shares.words("as launched"));
        }
        let comparable = || stored.comparable(&last.circumstances);
        let whole = whole_runs(comparable());
        let promise = predicted.promise();
        terminal::result(outcome::gain(&both, &promise, last.seconds, whole));
        if !context.args.search.constraints.is_empty() {
            return;
        }
        let trial = Trial::new(comparable(), now());
        if let Some(reason) = trial.loss() {
            drop_map(cache, stored, reason);
        } else if trial.is_open() {
            terminal::result(format_args!(
                "the map seems to be slower: both orders in turn until it is known ({} of at most {PAIRS} pairs)",
                trial.pairs()
            ));
        } else if outcome::is_enough(&both) {
            terminal::result(format_args!(
                "all figures: rankfold cache show {}",
                stored.name
            ));
        } else {
            terminal::result(advice::command(
                "to be sure: rankfold run --compare 4",
                context.launch,
            ));
        }
    }
}

/// Prints what the runs of a command have shown, after the last of them. Returns the exit status
/// of the last run.
pub(super) fn closed(status: u8, judged: Option<&Judged>) -> u8 {
    judged.inspect(|judged| judged.close());
    status
}

/// The medians of the seconds from `MPI_Init` to `MPI_Finalize`, in the order as launched and
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
