//! Many trials, several at a time, and what comes of them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// What became of the trials; displayed as their number, how many hit, and the CPU seconds of the
/// slowest.
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

/// Tries the numbers below `count`: whether each hits, and its CPU seconds.
///
/// Every trial has one thread to itself. In a pool that they share, one that waits for a part of
/// its work would be charged with a part of another trial that its thread takes up meanwhile.
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

/// What `work` returns, and the CPU seconds of this thread that it takes, whatever else the machine
/// does.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = cpu_seconds();
    let result = work();
    (result, cpu_seconds() - start)
}

/// Of this thread so far: Linux counts nanoseconds first.
fn cpu_seconds() -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux kernel");
    let nanoseconds = counted
        .split(' ')
        .next()
        .and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("a number") * 1e-9
}
