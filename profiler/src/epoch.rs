//! When what a thread remembers may have become false: a handle was freed and may come back as another's, or counting
//! has started or ended.

use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering};

/// 0 while nothing is counted.
static EPOCH: AtomicU64 = AtomicU64::new(0);

/// Starts counting.
pub(crate) fn first() {
    EPOCH.store(1, Ordering::Release);
}

/// Makes every thread ask again.
pub(crate) fn next() {
    // Not while nothing is counted: 0 stays.
    let _ = EPOCH.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |now| {
        (now != 0).then(|| now + 1)
    });
}

/// Stops counting; whether it had started.
pub(crate) fn stop() -> bool {
    EPOCH.swap(0, Ordering::AcqRel) != 0
}

/// Whether messages are counted now.
pub(crate) fn counting() -> bool {
    now() != 0
}

#[inline(always)]
pub(crate) fn now() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

impl Thread {
    /// Forgets what may have become false.
    pub(crate) fn catch_up(&self) {
        let now = now();
        if self.epoch.replace(now) != now {
            self.comm.set((0, None));
            self.comms.clear();
            self.windows.clear();
            self.types.clear();
        }
    }
}
