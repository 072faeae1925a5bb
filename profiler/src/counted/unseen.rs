//! Ways to move data without calls of MPI.

use crate::{epoch, thread};
use rankfold_wire::Unseen;
use rankfold_wire::journal::Key;

/// Notes that the program can move data in this way from now on.
pub(crate) fn note(way: Unseen) {
    if epoch::counting() {
        thread::this().catch_up();
        count(way);
    }
}

/// As [`note`], even while messages are not counted. There must be a journal.
pub(crate) fn count(way: Unseen) {
    thread::this().count(Key::Unseen(way), 0);
}
