//! A call that is counted under several keys, or under none.

use crate::{epoch, thread};
use rankfold_profile::journal::Key;
use rankfold_profile::{SizeKind, size_bits};

/// The key of messages of about as many bytes: each that goes from a rank to a rank is counted
/// under it as well.
pub(crate) fn size_of(kind: SizeKind, bytes: u64) -> Key {
    Key::Size(kind, size_bits(bytes))
}

/// What one call adds to the counters: each key, and the bytes that are counted under it.
pub(crate) trait Increments {
    /// Tells every increment of a call that MPI has accepted.
    fn each(&self, tell: &mut dyn FnMut(Key, u64));

    /// Counts the call now.
    fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        self.each(&mut |key, bytes| thread.count(key, bytes));
    }

    /// The increments, to be counted whenever a persistent request starts.
    fn all(&self) -> Vec<(Key, u64)> {
        let mut all = Vec::new();
        self.each(&mut |key, bytes| all.push((key, bytes)));
        all
    }
}
