//! Every function this library exports. Receives move nothing that the sender has not counted already.

use crate::entry::{Address, Handle, act, call, entry, missing, plain, with_large_counts};
use crate::message::{Message, count};
use crate::{comm, datatype, finish, journal, persistent, session};
use libc::c_int;

with_large_counts! {
    Send Bsend Ssend Rsend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle)
        before count(Message::new(comm, dest, number, datatype));
    Isend Ibsend Issend Irsend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: Address)
        before count(Message::new(comm, dest, number, datatype));
    Sendrecv:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         into: Address, room: Count, into_type: Handle, source: c_int, into_tag: c_int, comm: Handle, status: Address)
        before count(Message::new(comm, dest, number, datatype));
    Isendrecv:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         into: Address, room: Count, into_type: Handle, source: c_int, into_tag: c_int, comm: Handle, request: Address)
        before count(Message::new(comm, dest, number, datatype));
    Sendrecv_replace Isendrecv_replace:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         source: c_int, into_tag: c_int, comm: Handle, status_or_request: Address)
        before count(Message::new(comm, dest, number, datatype));
    Send_init Bsend_init Ssend_init Rsend_init:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: Address)
        after persistent::remember(request, Message::new(comm, dest, number, datatype));
}

plain! {
    Start: (request: Address) before persistent::start(request, 1);
    Startall: (number: c_int, requests: Address) before persistent::start(requests, number);
    Request_free: (request: Address) before persistent::forget(request);
    Type_free: (datatype: Address) before datatype::forget();
    Comm_free Comm_disconnect: (comm: Address) before comm::forget();

    Init: (argc: Address, argv: Address) after session::start();
    Init_thread: (argc: Address, argv: Address, required: c_int, provided: Address) after session::start();
    Finalize: () before finish::finish();
    Abort: (comm: Handle, code: c_int) before journal::abort();
}
