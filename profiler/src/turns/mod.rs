//! Turns: which messages of an exchange a process has under way together, and which of them it
//! waits for before it goes on.
//!
//! The messages and waits of one thread are recorded in their order for a short time: at the
//! beginning of the run, and again whenever the number of bursts has doubled. Nothing takes the
//! short path through a send meanwhile. At all other times a send does nothing for this. What was
//! recorded is searched for a [cycle](cycle) of turns that is repeated.

mod cycle;
mod log;
mod recorder;

use crate::journal::notes;
use crate::{epoch, phase};
use libc::c_int;
pub(crate) use log::{ANYONE, Log};
use rankfold_abi::{self as abi, Address, Handle};
use recorder::Recorder;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most phases whose turns are recorded: the logs of all of them stay small. Chosen by hand;
/// not measured.
const MOST_PHASES: usize = 16;

/// The turns of all phases.
struct Phases {
    /// The number of each phase, and its turns.
    all: Vec<(u32, Recorder)>,
    /// The phase that the process is in.
    current: u32,
}

static PHASES: Mutex<Phases> = Mutex::new(Phases {
    all: Vec::new(),
    current: 0,
});

fn phases() -> MutexGuard<'static, Phases> {
    PHASES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Phases {
    /// The recorder of the current phase; `None` if that is one phase too many.
    fn current(&mut self) -> Option<&mut Recorder> {
        let current = self.current;
        let place = self.all.iter().position(|&(phase, _)| phase == current);
        let place = match place {
            Some(place) => place,
            None if self.all.len() < MOST_PHASES => {
                self.all.push((current, Recorder::begin()));
                self.all.len() - 1
            }
            None => return None,
        };
        self.all.get_mut(place).map(|(_, recorder)| recorder)
    }
}

/// Begins to record.
pub(crate) fn begin() {
    enter(phase::now());
}

/// The process is in this phase from now on.
pub(crate) fn enter(phase: u32) {
    let mut phases = phases();
    if let Some(before) = phases.current() {
        before.end_turn();
    }
    phases.current = phase;
    let is_looking = phases
        .current()
        .is_some_and(|recorder| recorder.is_looking());
    if is_looking != epoch::watching() {
        epoch::watch(is_looking);
    }
}

/// Records for a while if `bursts`, the number of bursts of one size so far, has doubled.
pub(crate) fn look_again(bursts: u64) {
    /// The first number after which turns are recorded again.
    const FEWEST: u64 = 1024;
    if bursts >= FEWEST
        && bursts.is_power_of_two()
        && let Some(recorder) = phases().current()
    {
        recorder.look_again(bursts);
        if recorder.is_looking() {
            epoch::watch(true);
        }
    }
}

thread_local! {
    /// Its address tells the calling thread from others.
    static HERE: u8 = const { 0 };
}

/// Records what the calling thread does.
pub(crate) fn record(what: impl FnOnce(&mut Log)) {
    let thread = HERE.with(|here| ptr::from_ref(here).addr());
    let mut phases = phases();
    let current = phases.current;
    if let Some(recorder) = phases.current()
        && recorder.record(thread, what)
    {
        epoch::watch(false);
        notes::turns(phase::name(current), recorder.turns());
    }
}

/// The calling thread is about to wait for all of these requests.
pub(crate) fn wait_for(requests: Address, number: c_int) {
    let number = usize::try_from(number).unwrap_or(0);
    let handles = (0..number).filter_map(|index| request_at(requests, index));
    record(|log| log.wait_for(handles));
}

/// All ranks have waited for each other.
pub(crate) fn meet() {
    record(Log::meet);
}

/// Notes the turns of all phases at the end of the run.
pub(crate) fn finish() {
    for (phase, recorder) in &mut phases().all {
        recorder.close(true);
        notes::turns(phase::name(*phase), recorder.turns());
    }
}

/// The handle of a request of the program; `None` at a null address.
pub(crate) fn request_at(requests: Address, index: usize) -> Option<Handle> {
    let abi = abi::get().filter(|_| !requests.is_null())?;
    // SAFETY: the program has passed the address of at least `index + 1` requests, or MPI has
    // stored one there.
    Some(unsafe { abi.handle_at(requests, index) })
}
