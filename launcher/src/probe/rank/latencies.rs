//! Passes over all pairs of hosts: the shortest latency of each, in two halves.

use super::crew::Crew;
use crate::probe::plan::{Pair, matching, tournament};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_abi::mpi::Result;
use rankfold_reconstruct::Latencies;

/// Round trips of one visit.
const PINGS: usize = 25;

/// Shortest latencies so far.
pub(super) struct Minima {
    /// Of the odd and of the even passes: a structure found in one half is judged by the other.
    pub(super) halves: [Latencies; 2],
    pub(super) passes: usize,
}

impl Minima {
    pub(super) fn new(hosts: usize) -> Self {
        let none = Latencies::from_element(hosts, hosts, f64::INFINITY);
        Self {
            halves: [none.clone(), none],
            passes: 0,
        }
    }

    /// Measures every pair once more; `together` says whether pairs may be measured at once.
    pub(super) fn pass(
        &mut self,
        crew: &Crew,
        together: bool,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result {
        let half = &mut self.halves[self.passes % 2];
        for round in tournament(crew.size(), random) {
            let at_once = if together { round.len() } else { 1 };
            for pairs in round.chunks(at_once.max(1)) {
                for (&(a, b), seen) in pairs.iter().zip(crew.ping(pairs, 1, PINGS)?) {
                    let shortest = half[(a, b)].min(seen);
                    (half[(a, b)], half[(b, a)]) = (shortest, shortest);
                }
            }
        }
        self.passes += 1;
        Ok(())
    }

    /// Over both halves.
    pub(super) fn all(&self) -> Latencies {
        self.halves[0].zip_map(&self.halves[1], f64::min)
    }

    /// Median over the pairs of how far both halves are apart, relative to the shorter.
    pub(super) fn spread(&self) -> f64 {
        let (n, all) = (self.halves[0].nrows(), self.all());
        let mut apart: Vec<f64> = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .map(|pair| (self.halves[0][pair] - self.halves[1][pair]).abs() / all[pair])
            .collect();
        apart.sort_by(f64::total_cmp);
        apart.get(apart.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Opens every connection; MPI libraries do so with the first message.
pub(super) fn open_connections(crew: &Crew, random: &mut Xoshiro256PlusPlus) -> Result {
    for round in tournament(crew.size(), random) {
        crew.ping(&round, 1, 1)?;
    }
    Ok(())
}

/// Whether pairs that are measured at once leave each other alone: hosts that share cores do not.
pub(super) fn company_is_harmless(crew: &Crew, random: &mut Xoshiro256PlusPlus) -> Result<bool> {
    const SAMPLES: usize = 8;
    const VISITS: usize = 5;
    /// So much longer a latency may be in company.
    const HARMLESS: f64 = 1.05;
    let all = matching(crew.size(), random);
    let sample: Vec<Pair> = all.iter().copied().take(SAMPLES).collect();
    let mut alone = vec![f64::INFINITY; sample.len()];
    let mut company = alone.clone();
    for _ in 0..VISITS {
        for (pair, shortest) in sample.iter().zip(&mut alone) {
            let seen = crew.ping(std::slice::from_ref(pair), 1, PINGS)?[0];
            *shortest = shortest.min(seen);
        }
        for (shortest, seen) in company.iter_mut().zip(crew.ping(&all, 1, PINGS)?) {
            *shortest = shortest.min(seen);
        }
    }
    let longer = alone
        .iter()
        .zip(&company)
        .map(|(alone, company)| company / alone);
    let mut longer: Vec<f64> = longer.collect();
    longer.sort_by(f64::total_cmp);
    Ok(all.len() < 2 || longer[longer.len() / 2] <= HARMLESS)
}
