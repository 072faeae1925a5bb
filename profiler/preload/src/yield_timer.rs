//! A timer that makes a thread give up its core early while it waits inside of MPI, for hosts whose
//! ranks outnumber the cores.
//!
//! Some collectives exist in blocking form only. An MPI library that waits by polling, as MPICH 4.0
//! does, uses up the whole time slice of every process of the host for each step of such a
//! collective. With dozens of ranks a core one collective takes seconds. The timer interrupts the
//! polling thread after a fraction of the time slice, and the handler of its signal sleeps for a
//! moment.

use crate::signal_mask::{self, only};
use libc::{c_int, c_void, itimerspec, sigaction, sigevent, timer_t, timespec};
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Time in nanoseconds that a thread runs before it yields. It is longer than a step of a
/// collective takes if no rank is late.
/// Evidence: `tests/programs/startup_clock.c` under MPICH 4.0.2 with 64 ranks on two cores. Start
/// and end of the profiled ranks take 4.7 s without the timer and 0.34 to 0.44 s with it.
const TURN: libc::c_long = 50_000;

/// Time in nanoseconds that the handler sleeps. A thread that calls `sched_yield` instead stays
/// ready to run, so each turn of it can cost the ranks that are waited for a time slice.
/// Evidence: `tests/programs/startup_clock.c` with 16 ranks on two cores that other programs keep
/// busy, three rounds. With `sched_yield`, 100 us, 400 us and 1 ms, start and end of the profiled
/// ranks take 1.46, 0.16, 0.25 and 0.29 s under MPICH 4.0.2, and 2.00, 0.85, 0.83 and 0.84 s under
/// Open MPI 4.1.4 (medians).
const SLEEP: libc::c_long = 100_000;

/// The timer of the thread that yields; null if there is none. One is added to its address, because
/// the first timer of a process may be 0.
static TIMER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// While this value lives, the thread that made it yields its core early. The same thread must drop
/// it.
pub struct YieldTimer {
    signal: c_int,
    /// The action of the program for the signal.
    action: sigaction,
}

impl YieldTimer {
    /// Starts the timer. Returns `None`, and changes nothing, where the system has no timer or no
    /// free signal, or another thread has a timer already.
    #[must_use]
    pub fn begin() -> Option<Self> {
        free_signal().and_then(start)
    }
}

impl Drop for YieldTimer {
    fn drop(&mut self) {
        let ours = only(self.signal);
        let before = signal_mask::change(libc::SIG_BLOCK, Some(&ours));
        let timer = TIMER.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: `start` has made the timer, and no function uses it any more.
        unsafe { libc::timer_delete(timer.wrapping_byte_sub(1)) };
        let now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the addresses are those of a set and a time, and a null pointer asks for no
        // information on the signal. Pending signals are removed so that none reaches the action of
        // the program.
        while unsafe { libc::sigtimedwait(&raw const ours, ptr::null_mut(), &raw const now) } > 0 {}
        // SAFETY: the action was in force before `start`.
        unsafe { libc::sigaction(self.signal, &raw const self.action, ptr::null_mut()) };
        signal_mask::change(libc::SIG_SETMASK, Some(&before));
    }
}

/// The last of the real-time signals that the program neither handles nor ignores nor blocks.
/// Programs use these signals from the first one on.
fn free_signal() -> Option<c_int> {
    let blocked = signal_mask::change(libc::SIG_BLOCK, None);
    let is_free = |&signal: &c_int| {
        let mut action = MaybeUninit::uninit();
        // SAFETY: a null pointer sets no action, and `action` has room for the one that is in
        // force.
        let result = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
        // SAFETY: the call above has filled the action if it returned 0.
        let is_default =
            result == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_DFL;
        // SAFETY: `signal_mask::change` returns an initialised set.
        is_default && unsafe { libc::sigismember(&raw const blocked, signal) } == 0
    };
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(is_free)
}

/// Makes a timer that sends `signal` to this thread.
fn start(signal: c_int) -> Option<YieldTimer> {
    // SAFETY: all fields are numbers or pointers that may be null, so zeros are a valid event.
    let mut event: sigevent = unsafe { mem::zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    // SAFETY: `gettid` has no preconditions.
    event.sigev_notify_thread_id = unsafe { libc::gettid() };
    let mut timer: timer_t = ptr::null_mut();
    // SAFETY: both addresses are of variables on this stack.
    if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
        return None;
    }
    let kept = timer.wrapping_byte_add(1);
    let before = TIMER.compare_exchange(ptr::null_mut(), kept, Ordering::AcqRel, Ordering::Relaxed);
    // SAFETY: all fields are numbers, so zeros are a valid action.
    let (mut ours, mut action): (sigaction, sigaction) = unsafe { mem::zeroed() };
    ours.sa_sigaction = give_way as *const () as libc::sighandler_t;
    ours.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler calls only functions that a signal handler may call, and lives as long as
    // the process.
    if before.is_err() || unsafe { libc::sigaction(signal, &raw const ours, &raw mut action) } != 0
    {
        if before.is_ok() {
            TIMER.store(ptr::null_mut(), Ordering::Release);
        }
        // SAFETY: the timer was made above and was never armed.
        unsafe { libc::timer_delete(timer) };
        return None;
    }
    arm(timer);
    Some(YieldTimer { signal, action })
}

/// Signal handler: leaves the core to others for a moment, and arms the timer again.
extern "C" fn give_way(_: c_int) {
    // SAFETY: `__errno_location` has no preconditions.
    let error = unsafe { libc::__errno_location() };
    // SAFETY: the address is that of this thread's `errno`.
    let before = unsafe { *error };
    let sleep = timespec {
        tv_sec: 0,
        tv_nsec: SLEEP,
    };
    // SAFETY: a signal handler may call this function. The address is that of a time, and a null
    // pointer asks for no remaining time.
    unsafe { libc::nanosleep(&raw const sleep, ptr::null_mut()) };
    let timer = TIMER.load(Ordering::Acquire);
    if !timer.is_null() {
        arm(timer.wrapping_byte_sub(1));
    }
    // SAFETY: the address is that of this thread's `errno`.
    unsafe { *error = before };
}

/// Makes the timer fire once.
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
    // SAFETY: the timer is alive: it is deleted only after the signal was blocked.
    unsafe { libc::timer_settime(timer, 0, &raw const turn, ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Whether a signal interrupts a sleep of this many milliseconds.
    fn is_interrupted(milliseconds: libc::c_long) -> bool {
        let time = timespec {
            tv_sec: 0,
            tv_nsec: milliseconds * 1_000_000,
        };
        // SAFETY: the address is that of a time, and a null pointer asks for no remaining time.
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
        let turns = YieldTimer::begin();
        assert!(turns.is_some(), "no timer");
        for _ in 0..3 {
            assert!(is_interrupted(900), "the turn did not end");
        }
        drop(turns);
        assert!(!is_interrupted(20), "there is a timer still");
        assert_eq!(free_signal(), Some(signal));
        let again = YieldTimer::begin();
        assert!(YieldTimer::begin().is_none(), "two timers");
        drop(again);
    }
}
