//! Receives and probes. The sender has counted the message, but a receive that completes ends a
//! burst of messages.

use crate::counted::completion::Completion;
use crate::counted::receive::Receive;
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Receive);

with_large_counts! {
    Recv:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle, status: Address)
        counts Completion::Received(Some(Receive::new(comm, source)));
    Irecv:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle, request: Address)
        counts Completion::Posted(Some(Receive::new(comm, source)), request);
    Mrecv:
        (buffer: Address, room: Count, datatype: Handle, message: Address, status: Address)
        counts Completion::Received(None);
    Imrecv:
        (buffer: Address, room: Count, datatype: Handle, message: Address, request: Address)
        counts Completion::Posted(None, request);
}

plain! {
    Probe: (source: c_int, tag: c_int, comm: Handle, status: Address) timed ();
    Iprobe Mprobe: (source: c_int, tag: c_int, comm: Handle, found: Address, status: Address) timed ();
    Improbe: (source: c_int, tag: c_int, comm: Handle, found: Address, message: Address, status: Address) timed ();
}
