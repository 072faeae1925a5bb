//! The notes of a process: communicators and topologies, which its counters refer to, each written
//! once; and where it runs.

use rankfold_profile::ledger::MemberTopology;
use rankfold_profile::{Communicator, Cores, Note, Numbers, Surroundings};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[derive(Default)]
struct Notes {
    /// All of them, in the order in which they were written.
    written: Vec<Note>,
    /// Their numbers: how many communicators were noted before.
    communicators: HashMap<Communicator, u32>,
    topologies: HashSet<MemberTopology>,
}

fn notes() -> MutexGuard<'static, Notes> {
    static NOTES: OnceLock<Mutex<Notes>> = OnceLock::new();
    let notes = NOTES.get_or_init(Mutex::default);
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of a communicator; the same for all of the same members, so that a program may make
/// millions.
pub(crate) fn communicator(communicator: &Communicator) -> u32 {
    let mut notes = notes();
    if let Some(&number) = notes.communicators.get(communicator) {
        return number;
    }
    let number = notes.communicators.len() as u32;
    notes.communicators.insert(communicator.clone(), number);
    notes.write(Note::Communicator(communicator.clone()));
    number
}

/// A topology as this process sees it; one it has seen already is not written again.
pub(crate) fn topology(laid: MemberTopology) {
    let mut notes = notes();
    if notes.topologies.insert(laid.clone()) {
        notes.write(Note::Topology(laid));
    }
}

/// The cores that this process may run on.
pub(crate) fn cores(cores: Cores) {
    notes().write(Note::Cores(cores));
}

/// What the launcher and the MPI library make of this process.
pub(crate) fn numbers(numbers: Numbers) {
    notes().write(Note::Numbers(numbers));
}

/// What this process sees of its host.
pub(crate) fn surroundings(seen: Surroundings) {
    notes().write(Note::Surroundings(seen));
}

/// All of them, in the order in which they were written.
pub(crate) fn all() -> Vec<Note> {
    notes().written.clone()
}

impl Notes {
    fn write(&mut self, note: Note) {
        super::append(&note.encode());
        self.written.push(note);
    }
}
