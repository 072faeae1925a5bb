//! When what a thread remembers may have become false: a handle was freed and may come back as
//! another's, counting has started, paused or ended, or another phase has begun.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// 0 while nothing is counted.
static EPOCH: AtomicU64 = AtomicU64::new(0);

static OPEN: AtomicBool = AtomicBool::new(false);

/// What threads record in the place of an epoch while nothing is counted.
pub(crate) const NOT_COUNTING: u64 = 1;

/// This bit of [`EPOCH`] is set while calls are timed. No thread ever records an epoch with it as
/// its own, so none takes the quick way through a send then, which does not look at the clock; and
/// while calls are not timed the quick way need not ask whether they are.
const TIMED: u64 = 1 << 63;

/// The same for [`look_closer`].
const CLOSER: u64 = 1 << 61;

/// Every epoch is above this number, and so above every address: the state of a thread is one or
/// the other.
const FIRST: u64 = 1 << 62;

/// What changes the epoch, one at a time.
static STATE: Mutex<State> = Mutex::new(State {
    last: FIRST,
    open: false,
    broken: false,
    paused: false,
    timed: false,
    closer: false,
});

struct State {
    /// The last epoch there was.
    last: u64,
    /// Whether there is a journal.
    open: bool,
    /// Whether nothing can be counted any more.
    broken: bool,
    /// Whether the program wants nothing counted.
    paused: bool,
    timed: bool,
    closer: bool,
}

fn change(change: impl FnOnce(&mut State)) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut state);
    state.last += 1;
    let timed = if state.timed { TIMED } else { 0 };
    let closer = if state.closer { CLOSER } else { 0 };
    OPEN.store(state.open && !state.broken, Ordering::Release);
    let counting = state.open && !state.paused && !state.broken;
    let epoch = if counting {
        state.last | timed | closer
    } else {
        0
    };
    EPOCH.store(epoch, Ordering::Release);
}

/// Starts counting, and timing if that is wanted too.
pub(crate) fn first(timed: bool) {
    change(|state| {
        state.open = true;
        state.timed = timed;
    });
}

/// No thread takes the quick way through a send from now on: each call has to be looked at.
pub(crate) fn look_closer() {
    change(|state| state.closer = true);
}

/// Makes every thread forget what it remembers. While nothing is counted there is no need: counting
/// begins with a new epoch.
pub(crate) fn next() {
    if counting() {
        change(|_| ());
    }
}

/// Counts nothing until [`resume`].
pub(crate) fn pause() {
    change(|state| state.paused = true);
}

pub(crate) fn resume() {
    change(|state| state.paused = false);
}

/// Counts nothing any more.
pub(crate) fn give_up() {
    change(|state| state.broken = true);
}

/// Whether messages are counted now, or will be when the program wants it again.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::Acquire)
}

/// Stops counting; whether it had started.
pub(crate) fn stop() -> bool {
    let mut was = false;
    change(|state| was = std::mem::take(&mut state.open));
    was
}

/// Whether messages are counted now.
#[inline(always)]
pub(crate) fn counting() -> bool {
    now() != 0
}

/// Whether calls are timed now.
#[inline(always)]
pub(crate) fn timing() -> bool {
    now() >= TIMED
}

/// The epoch, with [`TIMED`] in it while calls are timed, and [`CLOSER`] where they are looked at.
#[inline(always)]
pub(crate) fn now() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

/// The epoch as threads record it, without [`TIMED`] and [`CLOSER`]; [`NOT_COUNTING`] while there
/// is none.
pub(crate) fn of_threads() -> u64 {
    (now() & !(TIMED | CLOSER)).max(NOT_COUNTING)
}
