//! Comparison of run times in two orders, without an assumption about how they are distributed.
//!
//! The times of one order are taken for those of the other times a constant ratio. The interval of
//! that ratio inverts the rank-sum test of Mann and Whitney: it reaches from the k-th smallest to
//! the k-th largest of all ratios of one time to another, and the exact distribution of the test's
//! statistic tells how certain it is. Sources: H. B. Mann, D. R. Whitney, Annals of Mathematical
//! Statistics 18 (1947), for the test; L. E. Moses in M. Hollander, D. A. Wolfe, E. Chicken,
//! Nonparametric Statistical Methods, 3rd edition, section 4.3, for the interval.

use schemars::JsonSchema;

/// How many times as long one order takes as another.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, JsonSchema)]
pub struct Ratio {
    /// The ratio of the medians.
    pub value: f64,
    /// The lower end of the interval of the ratio.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability that such an interval holds the ratio, from 0 to 1. Few runs do not allow
    /// every probability that one may ask for.
    pub certainty: f64,
    /// The probability of a difference at least as clear if both orders took the same time: the
    /// two-sided p-value of the rank-sum test.
    pub p_value: f64,
}

impl Ratio {
    /// The ratio of `above` to `below`, with the narrowest interval that has at least the
    /// probability `certainty`; with few runs, the widest interval there is. `None` where a sample
    /// is empty or holds a time that is not above 0.
    pub fn new(above: &[f64], below: &[f64], certainty: f64) -> Option<Self> {
        let is_time = |seconds: &f64| seconds.is_finite() && *seconds > 0.0;
        if !above.iter().chain(below).all(is_time) {
            return None;
        }
        let value = median(above)? / median(below)?;
        let pairs = above.iter().flat_map(|a| below.iter().map(move |b| a / b));
        let mut ratios: Vec<f64> = pairs.collect();
        ratios.sort_by(f64::total_cmp);
        let tail = rank_sum_tail(above.len(), below.len());
        // The interval leaves out this number of ratios at either end.
        let out = tail.iter().position(|&p| 2.0 * p > 1.0 - certainty);
        let out = out.unwrap_or(tail.len());
        let missed = if out == 0 { tail[0] } else { tail[out - 1] };
        let (first, last) = (out.saturating_sub(1), ratios.len() - out.max(1));
        Some(Self {
            value,
            // With many equal times the ratio of the medians may lie outside; a wider interval is
            // as certain.
            low: ratios[first.min(last)].min(value),
            high: ratios[last.max(first)].max(value),
            certainty: (1.0 - 2.0 * missed).max(0.0),
            p_value: p_value(&ratios, &tail),
        })
    }

    /// Whether the interval lies on one side of 1.
    pub fn is_clear(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// The two-sided p-value of the rank-sum test, from all ratios of one time to another. A tie counts
/// half, and the statistic is rounded to the side of no difference.
fn p_value(ratios: &[f64], tail: &[f64]) -> f64 {
    let above = ratios.iter().filter(|&&ratio| ratio > 1.0).count() as f64;
    let ties = ratios.iter().filter(|&&ratio| ratio == 1.0).count() as f64;
    let statistic = above + 0.5 * ties;
    let nearest = statistic.min(ratios.len() as f64 - statistic).ceil();
    tail.get(nearest as usize)
        .map_or(1.0, |p| (2.0 * p).min(1.0))
}

/// The median; the mean of the two in the middle where the number of values is even.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(0.5 * (sorted[middle - 1] + sorted[middle])),
    }
}

/// Entry u is the probability that the rank-sum statistic of two samples of these sizes is at most
/// u if both are of one distribution, for u below the middle of its range.
///
/// The numbers of arrangements with each value are the coefficients of a Gaussian binomial. The
/// upper half mirrors the lower half and is not computed. Time: the sum of the sizes times their
/// product.
fn rank_sum_tail(one: usize, other: usize) -> Vec<f64> {
    let half = one * other / 2;
    let mut arrangements = vec![0.0; half + 1];
    arrangements[0] = 1.0;
    let mut all = 1.0;
    for i in 1..=one {
        for u in (other + i..=half).rev() {
            arrangements[u] -= arrangements[u - other - i];
        }
        for u in i..=half {
            arrangements[u] += arrangements[u - i];
        }
        all *= (other + i) as f64 / i as f64;
    }
    let mut below = 0.0;
    let sum = |count: f64| {
        below += count / all;
        below
    };
    let mut tail: Vec<f64> = arrangements.into_iter().map(sum).collect();
    tail.truncate((one * other).div_ceil(2).max(1));
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    /// All arrangements of two small samples, counted one by one.
    #[test]
    fn the_distribution_of_the_rank_sum_is_that_of_all_arrangements() {
        for (one, other) in [(1, 1), (1, 4), (2, 3), (3, 3), (5, 3), (4, 5)] {
            let tail = rank_sum_tail(one, other);
            let mut counts = vec![0_u32; one * other + 1];
            for chosen in 0_u32..1 << (one + other) {
                if chosen.count_ones() as usize != one {
                    continue;
                }
                let statistic: u32 = (0..one + other)
                    .filter(|at| chosen >> at & 1 == 1)
                    .map(|at| (!chosen & ((1 << at) - 1)).count_ones())
                    .sum();
                counts[statistic as usize] += 1;
            }
            let all: u32 = counts.iter().sum();
            let mut below = 0;
            for (u, p) in tail.iter().enumerate() {
                below += counts[u];
                let wanted = f64::from(below) / f64::from(all);
                assert!((p - wanted).abs() < 1e-12, "{one} {other} {u}: {p}");
            }
        }
    }

    #[test]
    fn five_runs_that_are_all_slower_are_no_accident() {
        let (fast, slow) = ([1.0, 1.1, 1.05, 1.02, 1.03], [2.0, 2.2, 2.1, 2.04, 2.06]);
        let ratio = Ratio::new(&slow, &fast, 0.95).unwrap();
        assert_eq!(ratio.value, 2.06 / 1.03);
        assert!(ratio.is_clear() && ratio.low > 1.8 && ratio.high < 2.2);
        // Tables of the test: of 252 arrangements, 4 have a statistic of at most 2.
        assert!((ratio.certainty - (1.0 - 8.0 / 252.0)).abs() < 1e-12);
        assert!((ratio.p_value - 2.0 / 252.0).abs() < 1e-12);
        let back = Ratio::new(&fast, &slow, 0.95).unwrap();
        assert!((back.low * ratio.high - 1.0).abs() < 1e-12, "{back:?}");
    }

    #[test]
    fn few_runs_say_how_little_they_say() {
        let one = Ratio::new(&[1.0], &[2.0], 0.95).unwrap();
        assert_eq!((one.value, one.certainty, one.p_value), (0.5, 0.0, 1.0));
        let two = Ratio::new(&[1.0, 1.1], &[2.0, 2.2], 0.95).unwrap();
        assert!((two.certainty - 2.0 / 3.0).abs() < 1e-12, "{two:?}");
        assert_eq!((two.low, two.high), (1.0 / 2.2, 1.1 / 2.0));
        assert_eq!(Ratio::new(&[], &[1.0], 0.95), None);
        assert_eq!(Ratio::new(&[0.0], &[1.0], 0.95), None);
    }

    #[test]
    fn equal_times_show_no_difference() {
        let same = Ratio::new(&[1.0; 6], &[1.0; 6], 0.95).unwrap();
        assert_eq!((same.value, same.low, same.high), (1.0, 1.0, 1.0));
        assert!(!same.is_clear() && same.p_value == 1.0);
    }

    /// Samples of one distribution: the interval holds the ratio 1 as often as it says.
    #[test]
    fn the_interval_is_as_certain_as_it_says() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        let mut draw = |_: usize| -> f64 { 1.0 + random.random::<f64>().powi(3) };
        let (mut held, trials) = (0, 4000);
        let mut certainty = 0.0;
        for _ in 0..trials {
            let samples = [0, 1].map(|_| (0..7).map(&mut draw).collect::<Vec<f64>>());
            let ratio = Ratio::new(&samples[0], &samples[1], 0.9).unwrap();
            held += usize::from(!ratio.is_clear());
            certainty = ratio.certainty;
        }
        let held = held as f64 / f64::from(trials);
        assert!(
            certainty >= 0.9 && (held - certainty).abs() < 0.02,
            "{held}"
        );
    }

    #[test]
    fn many_runs_are_compared_as_well() {
        let below: Vec<f64> = (0..100).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
        let above: Vec<f64> = below.iter().map(|time| 1.02 * time).collect();
        let ratio = Ratio::new(&above, &below, 0.95).unwrap();
        assert!((ratio.certainty - 0.95).abs() < 1e-3, "{ratio:?}");
        assert!(ratio.is_clear() && ratio.low > 1.01 && ratio.high < 1.03);
    }
}
