//! Turns of processor time given up, where the ranks of a host outnumber its cores and wait for
//! each other inside of MPI.
//!
//! Some collectives of MPI have no form that can be waited for outside of it. An MPI library that
//! waits by polling, as MPICH 4.0 does, then needs for each of their steps a turn of every process
//! of the host, each as long as a slice of the system's: seconds for the collective of dozens of
//! ranks a core. A timer cuts the turns short.

use libc::{c_int, c_void, itimerspec, sigaction, sigevent, sigset_t, timer_t, timespec};
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Nanoseconds of a turn: a step of a collective takes less where nobody is missing.
const TURN: libc::c_long = 50_000;

/// The timer of the thread that gives up its turns; null without one.
static TIMER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// While it lives, the thread that has made it gives up its turns early. It must be dropped by that
/// thread.
pub struct ShortTurns {
    signal: c_int,
    /// What the program does on the signal.
    action: sigaction,
}

impl ShortTurns {
    /// `None`, and nothing changes, where the system has no timer or no signal that is free, or
    /// another thread has begun already.
    #[must_use]
    pub fn begin() -> Option<Self> {
        free_signal().and_then(start)
    }
}

impl Drop for ShortTurns {
    fn drop(&mut self) {
        let ours = only(self.signal);
        let before = mask(libc::SIG_BLOCK, Some(&ours));
        let timer = TIMER.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: `start` has made the timer, and nothing uses it any more.
        unsafe { libc::timer_delete(timer.wrapping_byte_sub(1)) };
        let now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // A signal that waits to be delivered must not meet the action of the program.
        // SAFETY: the addresses are those of a set and a time, and no information on the signal is
        // asked for.
        while unsafe { libc::sigtimedwait(&raw const ours, ptr::null_mut(), &raw const now) } > 0 {}
        // SAFETY: the action was in force before.
        unsafe { libc::sigaction(self.signal, &raw const self.action, ptr::null_mut()) };
        mask(libc::SIG_SETMASK, Some(&before));
    }
}

/// The last of the real-time signals that nobody handles, ignores or blocks: programs use them from
/// the first one on.
fn free_signal() -> Option<c_int> {
    let blocked = mask(libc::SIG_BLOCK, None);
    let is_free = |&signal: &c_int| {
        let mut action = MaybeUninit::uninit();
        // SAFETY: no action is set, and the address has room for the one that is in force.
        let told = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
        // SAFETY: the call has filled it where it succeeded.
        let is_default = told == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_DFL;
        // SAFETY: the set is one that the system has told.
        is_default && unsafe { libc::sigismember(&raw const blocked, signal) } == 0
    };
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(is_free)
}

/// Makes the timer of this thread, which sends it `signal`.
fn start(signal: c_int) -> Option<ShortTurns> {
    // SAFETY: all fields are numbers or may be null, so zeros are an event.
    let mut event: sigevent = unsafe { mem::zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    // SAFETY: the call has no conditions.
    event.sigev_notify_thread_id = unsafe { libc::gettid() };
    let mut timer: timer_t = ptr::null_mut();
    // SAFETY: both addresses are of variables on this stack. The timer is not armed yet.
    if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
        return None;
    }
    // The first timer of a process has the number 0: one is added.
    let kept = timer.wrapping_byte_add(1);
    let before = TIMER.compare_exchange(ptr::null_mut(), kept, Ordering::AcqRel, Ordering::Relaxed);
    // SAFETY: all fields are numbers, so zeros are an action.
    let (mut ours, mut action): (sigaction, sigaction) = unsafe { mem::zeroed() };
    ours.sa_sigaction = give_way as *const () as libc::sighandler_t;
    ours.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler calls nothing that a handler may not, and lives as long as the process.
    if before.is_err() || unsafe { libc::sigaction(signal, &raw const ours, &raw mut action) } != 0
    {
        if before.is_ok() {
            TIMER.store(ptr::null_mut(), Ordering::Release);
        }
        // SAFETY: the timer was made above and never armed.
        unsafe { libc::timer_delete(timer) };
        return None;
    }
    arm(timer);
    Some(ShortTurns { signal, action })
}

/// The turn has ended; another one begins when the others have had theirs.
extern "C" fn give_way(_: c_int) {
    // SAFETY: the address is that of the thread's own error number.
    let error = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *error };
    // SAFETY: the call has no conditions.
    unsafe { libc::sched_yield() };
    let timer = TIMER.load(Ordering::Acquire);
    if !timer.is_null() {
        arm(timer.wrapping_byte_sub(1));
    }
    // SAFETY: as above.
    unsafe { *error = before };
}

/// The timer fires once, when a turn is over.
fn arm(timer: timer_t) {
    let turn = itimerspec {
        it_interval: timespec {
            tv_sec: 0,
            tv_nsec: 0,
        },
        it_value: timespec {
            tv_sec: 0,
            tv_nsec: TURN,
        },
    };
    // SAFETY: the timer is alive until the turns are dropped, which blocks the signal first.
    unsafe { libc::timer_settime(timer, 0, &raw const turn, ptr::null_mut()) };
}

/// The set of one signal.
fn only(signal: c_int) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the address has room for a set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: `sigemptyset` has initialised the set.
    unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    // SAFETY: as above.
    unsafe { set.assume_init() }
}

/// Changes which signals this thread blocks; those of before.
fn mask(how: c_int, set: Option<&sigset_t>) -> sigset_t {
    let mut before = MaybeUninit::uninit();
    let set = set.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the set is null or alive, and `before` has room for one.
    unsafe { libc::pthread_sigmask(how, set, before.as_mut_ptr()) };
    // SAFETY: the call above has filled the set: it fails only when its first argument is unknown.
    unsafe { before.assume_init() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Whether a signal ends a sleep of so many milliseconds.
    fn is_interrupted(milliseconds: libc::c_long) -> bool {
        let time = timespec {
            tv_sec: 0,
            tv_nsec: milliseconds * 1_000_000,
        };
        // SAFETY: the address is that of a time, and what is left of it is not asked for.
        let slept = unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
        let error = io::Error::last_os_error();
        assert!(
            slept == 0 || error.kind() == io::ErrorKind::Interrupted,
            "{error}"
        );
        slept != 0
    }

    #[test]
    fn a_thread_gives_way_again_and_again_and_is_as_before_afterwards() {
        let signal = free_signal().expect("a signal");
        let turns = ShortTurns::begin();
        assert!(turns.is_some(), "no timer");
        for _ in 0..3 {
            assert!(is_interrupted(900), "the turn did not end");
        }
        drop(turns);
        assert!(!is_interrupted(20), "there is a timer still");
        assert_eq!(free_signal(), Some(signal));
        let again = ShortTurns::begin();
        assert!(ShortTurns::begin().is_none(), "two timers");
        drop(again);
    }
}
