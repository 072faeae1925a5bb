//! From the arguments of a remote memory access to the two ranks and bytes.

use crate::message::Message;
use crate::{attached, thread};
use libc::c_int;
use rankfold_abi as abi;
use rankfold_abi::Handle;
use rankfold_profile::journal::Key;

/// One direction of an access, as the program described it.
#[derive(Clone, Copy)]
pub(crate) struct Access(Message);

impl Access {
    pub(crate) fn new(
        window: Handle,
        target: c_int,
        number: impl Into<i64>,
        datatype: Handle,
    ) -> Self {
        Self(Message::new(window, target, number, datatype))
    }

    /// Counts it as sent to the target.
    pub(crate) fn put(&self) {
        self.count(Key::Sent);
    }

    /// Counts it as sent by the target.
    pub(crate) fn get(&self) {
        self.count(Key::Fetched);
    }

    fn count(&self, key: fn(u32) -> Key) {
        if let Some((place, bytes)) = self.0.resolve(attached::window) {
            thread::this().counters.add(place.key(key), bytes);
        }
    }
}

/// Counts an access in both directions; `MPI_NO_OP` only fetches.
pub(crate) fn exchange(operation: Handle, there: Access, back: Access) {
    if abi::get().is_some_and(|abi| operation & abi.mask != abi.no_op) {
        there.put();
    }
    back.get();
}
