//! What PyTorch's c10d does on other transports than NCCL, told by a hook in Python.
//!
//! The hook calls these functions once for each call of c10d. Groups of c10d are counted like
//! communicators of NCCL, in the same journal, because one process may have both. A journal of a
//! process that began with a group of c10d has [`OF_C10D`] in place of a version of NCCL's
//! interface, until NCCL begins a communicator. The end of the process ends its groups.
//!
//! Bytes are counted as NCCL counts elements: those of the block of one member for an all-gather,
//! a reduce-scatter, an all-to-all, a gather and a scatter; those of the vector otherwise.

use crate::counting::{self, NewCommunicator};
use crate::event::{CollectiveCall, Event, MessageCall};
use crate::guard::guarded;
use crate::names::{Element, Function, function};
use rankfold_wire::OF_C10D;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// Begins to count on a group. All members pass the same `id`. Returns the context for the
/// other functions; null if nothing is counted.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rankfold_c10d_begin(id: u64, rank: c_int, size: c_int) -> *mut c_void {
    let mut context = ptr::null_mut();
    guarded(|| {
        let communicator = NewCommunicator { id, rank, size };
        context = counting::begin(OF_C10D, Some(communicator));
    });
    context
}

/// Counts one call of the collective `name`, which is one of NCCL's names or `Barrier`.
///
/// # Safety
/// `name` is null, or a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rankfold_c10d_collective(
    context: *mut c_void,
    name: *const c_char,
    bytes: u64,
    root: c_int,
) {
    guarded(|| {
        // SAFETY: the caller guarantees that a text is at an address other than null.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
        let call = CollectiveCall {
            id: None,
            function: name.and_then(|name| function(name.to_bytes())),
            count: bytes,
            element: Some(Element(1)),
            root,
        };
        count(context, Event::Collective(call));
    });
}

/// Counts one message to the member `peer` of the group.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rankfold_c10d_send(context: *mut c_void, bytes: u64, peer: c_int) {
    guarded(|| {
        let call = MessageCall {
            id: None,
            function: Some(Function::Send),
            count: bytes,
            element: Some(Element(1)),
            peer,
        };
        count(context, Event::Message(call));
    });
}

fn count(context: *mut c_void, event: Event) {
    /// Events of NCCL tell the rank of the process in the communicator. Calls of c10d do not: the
    /// journal holds this rank since the group began, and this value is not read.
    const NOT_READ: c_int = 0;
    counting::event(context, ptr::null_mut(), NOT_READ, event, false);
}
