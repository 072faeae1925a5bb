//! Processes that search together: all of them run the same search on the same input, and where it
//! has units of work that do not depend on each other these are dealt out and the results
//! exchanged.
//!
//! Every process goes on with the results of all units, in their order, whoever did them: so the
//! placement found is the same for any number of processes. Units are dealt out by their number, as
//! nobody knows beforehand what they cost.

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// The processes of a search, and how they exchange results. All calls are collective: every
/// process makes the same ones in the same order, from one thread at a time.
pub trait Team: fmt::Debug + Sync {
    /// How many processes there are.
    fn size(&self) -> usize;

    /// Which of them this one is, counted from 0.
    fn me(&self) -> usize;

    /// What every process has to say, by process.
    fn all_gather(&self, mine: &[u8]) -> Vec<Vec<u8>>;

    /// The lowest of everybody's values and who it belongs to; of equal values the lowest number
    /// (`MPI_MINLOC`).
    fn min_loc(&self, mine: (f64, u64)) -> (f64, u64);

    /// Told how many seconds of processor time this process spent on units that were dealt to it.
    fn spent(&self, _seconds: f64) {}
}

/// A process by itself.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Team for Alone {
    fn size(&self) -> usize {
        1
    }

    fn me(&self) -> usize {
        0
    }

    fn all_gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        vec![mine.to_vec()]
    }

    fn min_loc(&self, mine: (f64, u64)) -> (f64, u64) {
        mine
    }
}

/// Whether the unit of this number is this process's.
pub(crate) fn is_mine(team: &dyn Team, unit: usize) -> bool {
    unit % team.size() == team.me()
}

/// The results of so many units of work, each done by one process; on each process side by side on
/// its threads.
pub(crate) fn dealt<T: Serialize + DeserializeOwned + Send>(
    team: &dyn Team,
    units: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mine: Vec<T> = timed(team, || {
        let mine = (0..units).into_par_iter();
        mine.filter(|&unit| is_mine(team, unit))
            .map(&work)
            .collect()
    });
    if team.size() == 1 {
        return mine;
    }
    let mine = postcard::to_allocvec(&mine).expect("results have a length each");
    let all = team.all_gather(&mine);
    let mut all: Vec<_> = all.iter().map(|theirs| results(theirs)).collect();
    let next = |unit: usize| all[unit % team.size()].next();
    (0..units)
        .map(next)
        .map(|result| result.expect("every process does its units"))
        .collect()
}

/// Does work that was dealt to this process, and tells the team what that took.
pub(crate) fn timed<T>(team: &dyn Team, work: impl FnOnce() -> T) -> T {
    let begun = processor_seconds();
    let done = work();
    team.spent(processor_seconds() - begun);
    done
}

/// Of all threads of this process, since its start.
fn processor_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// What one process found, in the order of its units.
fn results<T: DeserializeOwned>(bytes: &[u8]) -> std::vec::IntoIter<T> {
    let results: Vec<T> = postcard::from_bytes(bytes).expect("all processes run the same program");
    results.into_iter()
}

#[cfg(test)]
pub(crate) mod threads;
