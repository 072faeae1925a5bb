//! What a remote memory access counts: the two ranks and the bytes.

use super::increments::size_of;
use super::lookup;
use super::message::Message;
use crate::{epoch, monitoring, thread};
use libc::c_int;
use rankfold_abi::{self as abi, Handle};
use rankfold_wire::SizeKind;
use rankfold_wire::journal::Key;

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

    /// Counts the bytes as sent to the target.
    pub(crate) fn put(&self) {
        self.count(Key::Sent);
    }

    /// Counts the bytes as sent by the target.
    pub(crate) fn get(&self) {
        self.count(Key::Fetched);
    }

    fn count(&self, key: fn(u32) -> Key) {
        if !epoch::counting() {
            return;
        }
        if let Some((place, bytes)) = self.0.resolve(lookup::window) {
            let (thread, key) = (thread::this(), place.key(key));
            thread.count(key, bytes);
            if key != Key::Foreign {
                thread.count(size_of(SizeKind::OneSided, bytes), bytes);
            }
            if let (Key::Sent(rank), true) = (key, monitoring::is_wanted()) {
                thread.count(Key::Unreported(rank), bytes);
            }
        }
    }
}

/// Counts an access that sends to the target and fetches from it. With `MPI_NO_OP` the access only
/// fetches.
pub(crate) fn exchange(operation: Handle, sent: Access, fetched: Access) {
    if abi::get().is_some_and(|abi| operation & abi.mask != abi.no_op) {
        sent.put();
    }
    fetched.get();
}
