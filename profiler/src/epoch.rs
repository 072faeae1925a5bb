//! The epoch: a number that changes whenever what threads have cached may have become wrong. That
//! is when a handle is [freed](crate::freed), when counting starts, pauses or ends, and when
//! another phase begins.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The current epoch; [`IDLE`] while nothing is counted.
static EPOCH: AtomicU64 = AtomicU64::new(IDLE);

static OPEN: AtomicBool = AtomicBool::new(false);

/// What threads store in place of an epoch while nothing is counted.
pub(crate) const NOT_COUNTING: u64 = 1;

/// The epoch while nothing is counted. No thread stores it, and it is not the 0 with which the
/// state of a thread begins, so no thread takes the short path through a send.
const IDLE: u64 = 2;

/// A bit of [`EPOCH`] that is set while calls are timed. No thread stores an epoch with this bit,
/// so no thread takes the short path through a send, which does not read the clock. While calls are
/// not timed, the short path thus needs no check for timing.
const TIMED: u64 = 1 << 63;

/// The same for [`look_closer`].
const CLOSER: u64 = 1 << 61;

/// The same while [`crate::turns`] are recorded.
const WATCHED: u64 = 1 << 60;

/// Every epoch is above this number, and so above every address. A thread's state can therefore be
/// either an epoch or an address.
const FIRST: u64 = 1 << 62;

/// What the epoch is made of. The lock lets one thread change it at a time.
static STATE: Mutex<State> = Mutex::new(State {
    last: FIRST,
    open: false,
    broken: false,
    paused: false,
    timed: false,
    closer: false,
    watched: false,
});

struct State {
    /// The last epoch.
    last: u64,
    /// Whether there is a journal.
    open: bool,
    /// Whether this process can count nothing any more.
    broken: bool,
    /// Whether the program has paused counting.
    paused: bool,
    timed: bool,
    closer: bool,
    watched: bool,
}

fn change(change: impl FnOnce(&mut State)) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut state);
    state.last += 1;
    let timed = if state.timed { TIMED } else { 0 };
    let closer = if state.closer { CLOSER } else { 0 };
    let watched = if state.watched { WATCHED } else { 0 };
    OPEN.store(state.open && !state.broken, Ordering::Release);
    let counting = state.open && !state.paused && !state.broken;
    let epoch = if counting {
        state.last | timed | closer | watched
    } else {
        IDLE
    };
    EPOCH.store(epoch, Ordering::Release);
}

/// Starts counting, and with `timed` the timing of calls.
pub(crate) fn first(timed: bool) {
    change(|state| {
        state.open = true;
        state.timed = timed;
    });
}

/// Keeps threads from taking the short path through a send from now on, so that each call is
/// checked for a tool that makes it.
pub(crate) fn look_closer() {
    change(|state| state.closer = true);
}

/// Keeps threads from taking the short path through a send as long as turns are recorded.
pub(crate) fn watch(watched: bool) {
    change(|state| state.watched = watched);
}

/// Makes every thread bring what it has cached up to date. While nothing is counted, that is not
/// necessary: counting begins with a new epoch.
pub(crate) fn next() {
    if counting() {
        change(|_| ());
    }
}

/// Stops counting until [`resume`].
pub(crate) fn pause() {
    change(|state| state.paused = true);
}

pub(crate) fn resume() {
    change(|state| state.paused = false);
}

/// Stops counting for good.
pub(crate) fn give_up() {
    change(|state| state.broken = true);
}

/// Whether messages are counted now, or will be once the program resumes counting.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::Acquire)
}

/// Stops counting, and returns whether it had started.
pub(crate) fn stop() -> bool {
    let mut was = false;
    change(|state| was = std::mem::take(&mut state.open));
    was
}

/// Whether messages are counted now.
#[inline(always)]
pub(crate) fn counting() -> bool {
    now() != IDLE
}

/// Whether calls are timed now.
#[inline(always)]
pub(crate) fn timing() -> bool {
    now() >= TIMED
}

/// Whether turns are recorded now.
pub(crate) fn watching() -> bool {
    let now = now();
    now != IDLE && now & WATCHED != 0
}

/// The current epoch, with the bits [`TIMED`], [`CLOSER`] and [`WATCHED`].
#[inline(always)]
pub(crate) fn now() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

/// The epoch as threads store it, without the bits [`TIMED`], [`CLOSER`] and [`WATCHED`];
/// [`NOT_COUNTING`] while nothing is counted.
pub(crate) fn of_threads() -> u64 {
    match now() {
        IDLE => NOT_COUNTING,
        epoch => epoch & !(TIMED | CLOSER | WATCHED),
    }
}
