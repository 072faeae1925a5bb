//! What one call is counted as, when that is more than one message.

use crate::thread;
use rankfold_profile::journal::Key;

/// A call that is counted under several keys.
pub(crate) trait Shares {
    /// Tells each key and its bytes; nothing while nothing is counted.
    fn each(&self, count: &mut dyn FnMut(Key, u64));

    /// Counts the call.
    fn count(&self) {
        let counters = &thread::this().counters;
        self.each(&mut |key, bytes| counters.add(key, bytes));
    }

    /// To be counted later.
    fn all(&self) -> Vec<(Key, u64)> {
        let mut all = Vec::new();
        self.each(&mut |key, bytes| all.push((key, bytes)));
        all
    }
}
