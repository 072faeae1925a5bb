//! The first run of a program reads its pages and fills its caches. Where the run with the map then
//! takes another time than promised, the program runs once more as launched, so that the cold start
//! counts neither for the map nor against it.

use super::context::RunContext;
use super::judge::{Judged, run_as_launched};
use rankfold_cache::{BothOrders, Predicted, Promise};
use rankfold_console::terminal;

/// Two single runs of one order differ by no more than this usually. Chosen by hand; not measured.
const NOISE: f64 = 1.2;

/// Times inside MPI below this are start-up and noise, in seconds. Chosen by hand; not measured.
const LEAST_SECONDS: f64 = 0.1;

/// Runs the launch once more in the order as launched, where the first two runs disagree with
/// the promise beyond noise, and tells what is known then. Returns the exit status.
pub(super) fn rule_out(
    context: &RunContext,
    judged: Judged,
    predicted: &Predicted,
) -> anyhow::Result<u8> {
    let mut status = 0;
    let mut last = None;
    if disagrees(&judged.both_orders(), &predicted.promise()) {
        terminal::result(
            "not as promised: it runs once more as launched, since its first start was cold",
        );
        (status, last) = run_as_launched(context, judged.entry(), predicted)?;
    }
    last.unwrap_or(judged).close();
    Ok(status)
}

/// Whether one run in each order contradicts the promise beyond noise.
fn disagrees(both: &BothOrders, promise: &Promise) -> bool {
    let ([launched], [mapped]) = (&both.launched[..], &both.mapped[..]) else {
        return false;
    };
    if launched.max(*mapped) < LEAST_SECONDS || *mapped <= 0.0 {
        return false;
    }
    let gain = launched / mapped;
    // A bound is kept by any gain below it, but for a loss.
    let least = if promise.at_most { 1.0 } else { promise.gain };
    let is_more = gain > NOISE * promise.gain && !promise.at_least;
    is_more || gain < least / NOISE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disagree(launched: &[f64], mapped: &[f64], gain: f64, at_most: bool) -> bool {
        let both = BothOrders {
            launched: launched.into(),
            mapped: mapped.into(),
        };
        let promise = Promise {
            gain,
            at_most,
            ..Promise::default()
        };
        disagrees(&both, &promise)
    }

    #[test]
    fn only_one_run_in_each_order_can_disagree_with_the_promise() {
        assert!(disagree(&[8.0], &[10.0], 1.33, false), "a loss");
        assert!(disagree(&[8.0], &[2.0], 1.33, false), "a cold start");
        assert!(!disagree(&[8.0], &[5.5], 1.33, false), "about as promised");
        assert!(!disagree(&[8.0], &[7.9], 2.0, true), "below the bound");
        assert!(disagree(&[8.0], &[10.0], 2.0, true), "a loss under a bound");
        assert!(!disagree(&[8.0, 8.1], &[10.0], 1.33, false));
        assert!(!disagree(&[0.02], &[0.09], 1.33, false), "start-up only");
        let both = BothOrders {
            launched: vec![8.0],
            mapped: vec![2.0],
        };
        let promise = Promise {
            gain: 1.33,
            at_least: true,
            ..Promise::default()
        };
        assert!(!disagrees(&both, &promise), "the least was promised");
    }
}
