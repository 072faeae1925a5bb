//! What the program does that calls of MPI do not tell.

use crate::{epoch, thread};
use rankfold_profile::Unseen;
use rankfold_profile::journal::Key;

/// The program has made a way to move data that no call tells.
pub(crate) fn note(way: Unseen) {
    if epoch::counting() {
        thread::this().catch_up();
        count(way);
    }
}

/// The same, whether messages are counted now or not; there is a journal.
pub(crate) fn count(way: Unseen) {
    thread::this().count(Key::Unseen(way), 0);
}
