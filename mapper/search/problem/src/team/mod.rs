//! Teams: processes that search together.
//!
//! All processes of a team run the same search on the same input. Units of work that do not depend
//! on each other are dealt out, and the results are exchanged. Every process goes on with the
//! results of all units in the order of the units, so the placement is the same for any number of
//! processes. Units are dealt out by their number, since their cost is not known beforehand.
//!
//! ```text
//! units       0   1   2   3   4
//! processes   0   1   2   0   1        unit % size, for a team of 3
//! ```

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// The processes of a search, and the exchange of results among them. All calls are collective:
/// every process makes the same calls in the same order, from one thread at a time.
pub trait Team: fmt::Debug + Sync {
    /// The number of processes.
    fn size(&self) -> usize;

    /// The number of this process, counted from 0.
    fn me(&self) -> usize;

    /// Sends `mine` to all processes, and returns what every process sent, by process.
    fn all_gather(&self, mine: &[u8]) -> Vec<Vec<u8>>;

    /// The lowest value of all processes, with the number beside it; of equal values, the one with
    /// the lowest number (`MPI_MINLOC`).
    fn min_loc(&self, mine: (f64, u64)) -> (f64, u64);

    /// Called with the seconds of processor time that this process spent on units dealt to it.
    fn spent(&self, _seconds: f64) {}
}

/// A team of one process.
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

/// Whether this process does the unit of this number.
pub fn is_mine(team: &dyn Team, unit: usize) -> bool {
    unit % team.size() == team.me()
}

/// Does units of work, and returns all their results by unit. Each unit is done by one process; the
/// units of a process are done side by side on its threads.
pub fn dealt<T: Serialize + DeserializeOwned + Send>(
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

/// Does work that was dealt to this process, and reports its processor time to the team.
pub fn timed<T>(team: &dyn Team, work: impl FnOnce() -> T) -> T {
    let begun = processor_seconds();
    let done = work();
    team.spent(processor_seconds() - begun);
    done
}

/// Processor time of all threads of this process since its start, in seconds.
fn processor_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// The results that one process sent, in the order of its units.
fn results<T: DeserializeOwned>(bytes: &[u8]) -> std::vec::IntoIter<T> {
    let results: Vec<T> = postcard::from_bytes(bytes).expect("all processes run the same program");
    results.into_iter()
}

pub mod threads;
