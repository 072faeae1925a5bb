//! What a process writes down once, besides its counters: communicators and topologies.

use crate::journal;
use rankfold_profile::ledger::Laid;
use rankfold_profile::{Communicator, Note};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Everything written, in order, and the numbers of the communicators.
#[derive(Default)]
struct Notebook {
    notes: Vec<Note>,
    communicators: HashMap<Communicator, u32>,
    laid: HashSet<Laid>,
}

fn notebook() -> MutexGuard<'static, Notebook> {
    static NOTEBOOK: OnceLock<Mutex<Notebook>> = OnceLock::new();
    let notebook = NOTEBOOK.get_or_init(Mutex::default);
    notebook.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of a communicator; the same for all of the same members, so that a program may make millions.
pub(crate) fn communicator(communicator: &Communicator) -> u32 {
    let mut book = notebook();
    if let Some(&number) = book.communicators.get(communicator) {
        return number;
    }
    let number = book.communicators.len() as u32;
    book.communicators.insert(communicator.clone(), number);
    book.write(Note::Communicator(communicator.clone()));
    number
}

/// A topology as this process sees it; one it has seen already is not written again.
pub(crate) fn topology(laid: Laid) {
    let mut book = notebook();
    if book.laid.insert(laid.clone()) {
        book.write(Note::Topology(laid));
    }
}

/// Everything written.
pub(crate) fn notes() -> Vec<Note> {
    notebook().notes.clone()
}

impl Notebook {
    fn write(&mut self, note: Note) {
        journal::append(&note.encode());
        self.notes.push(note);
    }
}
