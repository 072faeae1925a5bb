//! Measures the latencies of all pairs of hosts in passes, and keeps the shortest of each pair.

use super::crew::Crew;
use crate::probe::plan::{Pair, matching, tournament};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_abi::mpi::Result;
use rankfold_reconstruct::Latencies;

/// The number of round trips for one pair in one pass. Chosen by hand; not measured.
const PINGS: usize = 25;

/// The shortest latencies of all passes so far.
pub(super) struct Minima {
    /// The shortest latencies of the odd and of the even passes. A structure that is found in one
    /// half is judged by the other half.
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

    /// The shortest latencies over the two halves.
    pub(super) fn all(&self) -> Latencies {
        self.halves[0].zip_map(&self.halves[1], f64::min)
    }

    /// The median over the pairs of the relative difference between the two halves.
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

/// Opens the connections of all pairs, which MPI libraries do with the first message.
pub(super) fn open_connections(crew: &Crew, random: &mut Xoshiro256PlusPlus) -> Result {
    for round in tournament(crew.size(), random) {
        crew.ping(&round, 1, 1)?;
    }
    Ok(())
}

/// Whether pairs that are measured at once do not disturb each other. Hosts that share cores do.
pub(super) fn company_is_harmless(crew: &Crew, random: &mut Xoshiro256PlusPlus) -> Result<bool> {
    const SAMPLES: usize = 8;
    const VISITS: usize = 5;
    /// Greatest ratio of a latency measured with other pairs to the latency alone. Chosen by hand;
    /// not measured.
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
