//! The notes of a process: the communicators and topologies to which its counters refer, each
//! written once, and the place where the process runs.

use crate::memory;
use rankfold_wire::MemberTopology;
use rankfold_wire::{Communicator, Cores, Note, Numbers, Parameter, Surroundings, Turns};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[derive(Default)]
struct Notes {
    /// All notes, in the order in which they were written.
    written: Vec<Note>,
    /// Numbers of the communicators: the n-th that was noted has number n.
    communicators: HashMap<Communicator, u32>,
    topologies: HashSet<MemberTopology>,
}

fn notes() -> MutexGuard<'static, Notes> {
    static NOTES: OnceLock<Mutex<Notes>> = OnceLock::new();
    let notes = NOTES.get_or_init(Mutex::default);
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of a communicator. All communicators with the same members have the same number,
/// because a program may make millions of them. `None` beyond the bound of memory.
pub(crate) fn communicator(communicator: &Communicator) -> Option<u32> {
    let mut notes = notes();
    if let Some(&number) = notes.communicators.get(communicator) {
        return Some(number);
    }
    let number = notes.communicators.len() as u32;
    notes.write(Note::Communicator(communicator.clone()))?;
    notes.communicators.insert(communicator.clone(), number);
    Some(number)
}

/// Notes a topology as this process sees it. A topology that was noted already is not written
/// again, and none beyond the bound of memory.
pub(crate) fn topology(laid: MemberTopology) {
    let mut notes = notes();
    if !notes.topologies.contains(&laid) && notes.write(Note::Topology(laid.clone())).is_some() {
        notes.topologies.insert(laid);
    }
}

/// Notes the cores on which this process may run.
pub(crate) fn cores(cores: Cores) {
    notes().write(Note::Cores(cores));
}

/// Notes the numbers that the launcher and the MPI library give this process.
pub(crate) fn numbers(numbers: Numbers) {
    notes().write(Note::Numbers(numbers));
}

/// Notes the structure of the host as this process sees it.
pub(crate) fn surroundings(seen: Surroundings) {
    notes().write(Note::Surroundings(seen));
}

/// Notes the parameters of the MPI library, if any were set.
pub(crate) fn parameters(parameters: Vec<Parameter>) {
    if !parameters.is_empty() {
        notes().write(Note::Parameters(parameters));
    }
}

/// Notes that the MPI library reports its messages.
pub(crate) fn monitored() {
    notes().write(Note::Monitored);
}

/// Notes the turns in the phase of this name, in place of those that were noted before.
pub(crate) fn turns(phase: &str, turns: Turns) {
    notes().write(Note::Turns(phase.to_owned(), turns));
}

/// All notes, in the order in which they were written.
pub(crate) fn all() -> Vec<Note> {
    notes().written.clone()
}

impl Notes {
    /// Writes a note; `None` beyond the bound of memory. A note that many others may follow is also
    /// kept to be looked up, so each counts with thrice its length.
    fn write(&mut self, note: Note) -> Option<()> {
        let bytes = note.encode();
        if !memory::take(3 * bytes.len()) {
            return None;
        }
        super::append(&bytes);
        self.written.push(note);
        Some(())
    }
}
