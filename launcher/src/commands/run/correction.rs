//! What measured runs of a program say about its predictions:
//!
//! ```text
//! seconds inside MPI = unexplained + stretch x time of the model for the order of the ranks
//! ```
//!
//! The model knows how long messages take on links. It does not know how long ranks wait for slow
//! ranks, in collectives that are not modelled, or for files; that time stays when ranks move. Both
//! coefficients belong to one program on one machine. They come from the runs of that program
//! alone, so that no other program can make its prediction absurd.
//!
//! Once both orders are measured, `stretch` is the median of the slopes between any two runs of
//! different orders, and `unexplained` the median of what remains (H. Theil, 1950; P. K. Sen,
//! Journal of the American Statistical Association 63, 1968). Before that, all measured time that
//! messages can account for is theirs, up to the [usual stretch](usual_stretch). A stretch is never
//! below 0 and never above what a run took, so the prediction for an order that was measured is
//! close to what it took.

use rankfold_cache::statistics::median;
use rankfold_cache::{Measured, Predicted};

/// Unit of predictions on machines with known bandwidths.
const SECONDS: &str = "seconds";

/// The longest that messages usually take, as a multiple of the model's seconds. Measured with Open
/// MPI on shaped links (16 ranks on a torus, six random graphs): headers alone cost 1.05, TCP on
/// many equally busy links at worst 1.24.
const USUAL_STRETCH: f64 = 1.25;

/// The slowest link that joins hosts of a job, in bytes per second: a bound for machines whose
/// bandwidths are not known. Chosen by hand, as 1 Mbit/s; not measured.
const SLOWEST_LINK: f64 = 125e3;

/// The coefficients of one program on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Correction {
    /// Seconds inside MPI that no placement changes, as the mean over ranks.
    pub(super) unexplained: f64,
    /// Seconds inside MPI for one unit of the model's time.
    pub(super) stretch: f64,
    /// The number of runs that the coefficients come from.
    pub(super) runs: usize,
    /// Whether messages take at most `stretch` rather than about as much: bandwidths are not known,
    /// and only one order was measured.
    pub(super) is_bound: bool,
}

/// A measured run, and what the model says of its order.
#[derive(Clone, Copy, Debug)]
struct Point {
    model: f64,
    seconds: f64,
    /// The most seconds that messages can account for.
    movable: f64,
}

impl Correction {
    /// The coefficients for predictions in the unit and by the predictor of `predicted`; `None`
    /// where no run was measured for which there is such a prediction.
    pub(super) fn of<'a>(
        runs: impl IntoIterator<Item = &'a Measured>,
        predicted: &Predicted,
    ) -> Option<Self> {
        let points: Vec<Point> = runs
            .into_iter()
            .filter_map(|run| point(run, predicted))
            .collect();
        let slope = slope(&points);
        let stretch = match slope {
            // Messages took neither less than nothing nor longer than the runs.
            Some(slope) => slope.clamp(0.0, longest(&points)?),
            None => usual_stretch(&predicted.unit).min(movable(&points)?),
        };
        let rest: Vec<f64> = points
            .iter()
            .map(|run| run.seconds - stretch * run.model)
            .collect();
        Some(Self {
            unexplained: median(&rest)?.max(0.0),
            stretch,
            runs: points.len(),
            is_bound: slope.is_none() && predicted.unit != SECONDS,
        })
    }

    /// Seconds inside MPI in an order for which the model says `model`.
    pub(super) fn seconds(&self, model: f64) -> f64 {
        self.unexplained + self.stretch * model
    }
}

/// The run as a point, where the model has a time above 0 for it that compares with `predicted`.
fn point(run: &Measured, predicted: &Predicted) -> Option<Point> {
    let model = run.model.as_ref();
    let model = model.filter(|model| model.compares_with(predicted))?;
    let point = Point {
        model: model.time,
        seconds: run.seconds,
        movable: run.movable.unwrap_or(run.seconds).min(run.seconds),
    };
    let is_usable = point.model > 0.0 && point.model.is_finite() && point.seconds.is_finite();
    is_usable.then_some(point)
}

/// The median ratio of all seconds of a run to the model's time.
fn longest(points: &[Point]) -> Option<f64> {
    let ratios = points.iter().map(|run| run.seconds / run.model);
    median(&ratios.collect::<Vec<f64>>())
}

/// The median ratio of the seconds that messages can account for to the model's time.
fn movable(points: &[Point]) -> Option<f64> {
    let ratios = points.iter().map(|run| run.movable / run.model);
    median(&ratios.collect::<Vec<f64>>())
}

/// The median slope between runs whose orders differ to the model; `None` where all are alike.
fn slope(points: &[Point]) -> Option<f64> {
    /// Orders whose times differ by less than this share say nothing about the slope: the
    /// difference drowns in noise. Chosen by hand; not measured.
    const LEAST_DIFFERENCE: f64 = 0.01;
    let slopes = points.iter().enumerate().flat_map(|(at, one)| {
        points[at + 1..].iter().filter_map(move |other| {
            let apart = one.model - other.model;
            let is_clear = apart.abs() > LEAST_DIFFERENCE * one.model.max(other.model);
            is_clear.then(|| (one.seconds - other.seconds) / apart)
        })
    });
    median(&slopes.collect::<Vec<f64>>())
}

/// Seconds for one unit of the model that messages take at most, where only one order is measured.
fn usual_stretch(unit: &str) -> f64 {
    if unit == SECONDS {
        USUAL_STRETCH
    } else {
        1.0 / SLOWEST_LINK
    }
}

#[cfg(test)]
mod tests;
