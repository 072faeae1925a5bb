//! The verdict on a map after a run with it: the measured gain is printed, and a map that loses is
//! dropped.

use super::context::RunContext;
use super::corrected;
use crate::cache::{Cache, Entry, Measured, Predicted};
use crate::launch::quoted;
use rankfold_mapper::cli::terminal;

/// A map loses if communication takes this many times as long as in the launcher's own order.
/// Chosen by hand, as slack for differences between runs; not measured.
const LOST: f64 = 1.05;

/// The number of runs with the map before it may be dropped, since other jobs may have kept the
/// network busy during one run. Chosen by hand; not measured.
const ENOUGH: usize = 2;

/// Stores what a run with the map has measured, prints the gain, and drops a map that loses.
pub(super) fn judge(
    context: &RunContext,
    cache: &Cache,
    entry: &Entry,
    predicted: &Predicted,
    took: Measured,
) {
    // With other arguments the program may send more or less than it did when it was profiled.
    if entry.launch == quoted(&context.launch.words()) && !predicted.part {
        corrected::learn(
            cache,
            &context.cluster,
            &predicted.unit,
            took.seconds / predicted.mapped,
        );
    }
    let like = took.clone();
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
    let Some(gain) = print_gain(&stored, predicted, &like) else {
        return;
    };
    if gain * LOST >= 1.0 {
        return;
    }
    if stored.runs(&like, true) < ENOUGH {
        terminal::note("one run says little: the next one decides whether the map stays");
        return;
    }
    let reason = format!(
        "the map took {:.2} times as long in communication",
        1.0 / gain
    );
    drop_map(cache, entry, reason);
}

/// Prints the gain of the runs that compare with `like`, and returns it; `None` where such runs
/// were not measured in the launcher's own order.
fn print_gain(entry: &Entry, predicted: &Predicted, like: &Measured) -> Option<f64> {
    let expected = predicted.gain();
    let Some(gain) = entry.gain(like) else {
        terminal::note(format_args!(
            "communication took {:.3} s a rank; predicted {expected:.1} times as fast as in the launcher's own order, which was not measured with these arguments on these hosts (--once does)",
            like.seconds
        ));
        return None;
    };
    let before = entry.seconds(like, false).unwrap_or_default();
    let after = entry.seconds(like, true).unwrap_or_default();
    terminal::note(format_args!(
        "communication {gain:.1} times as fast, predicted {expected:.1}: {after:.3} s a rank inside MPI, {before:.3} s in the launcher's own order"
    ));
    Some(gain)
}

/// Marks the map of an entry as dropped, and prints why.
pub(super) fn drop_map(cache: &Cache, entry: &Entry, reason: String) {
    terminal::warning(format_args!("the map is dropped: {reason}"));
    // A cache that cannot be written keeps the map. The next run with it is judged as this one.
    let _ = cache.change(&entry.name, |entry| entry.drop_map(reason));
}
