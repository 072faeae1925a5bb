//! Receives and probes move nothing that the sender has not counted; their time is their own.

use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_profile::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Receive);

with_large_counts! {
    Recv Irecv:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle,
         status_or_request: Address) timed ();
    Mrecv Imrecv:
        (buffer: Address, room: Count, datatype: Handle, message: Address, status_or_request: Address) timed ();
}

plain! {
    Probe: (source: c_int, tag: c_int, comm: Handle, status: Address) timed ();
    Iprobe Mprobe: (source: c_int, tag: c_int, comm: Handle, found: Address, status: Address) timed ();
    Improbe: (source: c_int, tag: c_int, comm: Handle, found: Address, message: Address, status: Address) timed ();
}
