//! What one call adds to the counters. A call may add to several counters, or to none.

use rankfold_wire::journal::Key;
use rankfold_wire::{SizeKind, size_bits};

/// The key for messages of about this many bytes. Every message from one rank to another is also
/// counted under this key.
pub(crate) fn size_of(kind: SizeKind, bytes: u64) -> Key {
    Key::Size(kind, size_bits(bytes))
}

/// The keys under which a call is counted, with the bytes that are added to each.
pub(crate) trait Increments {
    /// Passes every key of a call that MPI has accepted to `tell`, with its bytes.
    fn each(&self, tell: &mut dyn FnMut(Key, u64));

    /// The same call in its nonblocking or persistent form. Most calls are counted alike in all
    /// forms.
    fn nonblocking(self) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Counts the call now.
    fn count(&self);

    /// The keys and bytes, for a persistent request that adds them whenever it is started.
    fn all(&self) -> Vec<(Key, u64)> {
        let mut all = Vec::new();
        self.each(&mut |key, bytes| all.push((key, bytes)));
        all
    }
}
