//! Runs many trials in parallel and counts the results.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The result of the trials. Displays the number of trials, the number of hits, and the CPU seconds
/// of the slowest trial.
pub(crate) struct Tally {
    tried: u64,
    hits: u64,
    slowest: f64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:.3}", self.tried, self.hits, self.slowest)
    }
}

/// Runs `trial` for all numbers below `count`. A trial returns whether it is a hit, and its CPU
/// seconds.
///
/// Every trial runs on a thread pool of its own with one thread. In a shared pool, a thread that
/// waits would start part of another trial, and its time would be added to the wrong trial.
pub(crate) fn tally(count: u64, trial: impl Fn(u64) -> (bool, f64) + Sync) -> Tally {
    let next = AtomicU64::new(0);
    let some = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.expect("a thread").install(|| {
            let (mut hits, mut slowest) = (0, 0.0f64);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return (hits, slowest);
                }
                let (hit, seconds) = trial(number);
                hits += u64::from(hit);
                slowest = slowest.max(seconds);
            }
        })
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<(u64, f64)> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let ended = started.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|part| part.expect("no panic")).collect()
    });
    Tally {
        tried: count,
        hits: parts.iter().map(|part| part.0).sum(),
        slowest: parts.iter().map(|part| part.1).fold(0.0, f64::max),
    }
}

/// Runs `work` and measures the CPU seconds of this thread. Other load on the machine does not
/// count.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = cpu_seconds();
    let result = work();
    (result, cpu_seconds() - start)
}

/// CPU seconds of this thread so far: the first field of Linux' `schedstat`, in nanoseconds.
fn cpu_seconds() -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux kernel");
    let nanoseconds = counted
        .split(' ')
        .next()
        .and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("a number") * 1e-9
}
