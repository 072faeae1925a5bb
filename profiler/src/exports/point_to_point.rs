//! Point-to-point messages. The sender counts a message, so receives count none.

use crate::counted::message::{Message, Start};
use crate::counted::persistent;
use crate::counted::receive::Receive;
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Send);

with_large_counts! {
    Send Rsend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle)
        counts Message::new(comm, dest, number, datatype).by(Start::Blocking);
    Ssend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle)
        counts Message::new(comm, dest, number, datatype).by(Start::Completing);
    Bsend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle)
        counts Message::new(comm, dest, number, datatype).by(Start::Alone);
    Isend Ibsend Issend Irsend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::Request).request(request);
    Sendrecv:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         into: Address, room: Count, into_type: Handle, source: c_int, into_tag: c_int, comm: Handle, status: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::Completing).and_receives(source);
    Isendrecv:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         into: Address, room: Count, into_type: Handle, source: c_int, into_tag: c_int, comm: Handle, request: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::ReceiveToo).and_receives(source).request(request);
    Sendrecv_replace:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         source: c_int, into_tag: c_int, comm: Handle, status: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::Completing).and_receives(source);
    Isendrecv_replace:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int,
         source: c_int, into_tag: c_int, comm: Handle, request: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::ReceiveToo).and_receives(source).request(request);
    Send_init Bsend_init Ssend_init Rsend_init:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: Address)
        after persistent::remember(request, Message::new(comm, dest, number, datatype).increments());
}

with_large_counts! {
    Recv_init:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle, request: Address)
        after persistent::remember_receive(request, Receive::new(comm, source));
}

plain! {
    // Every start of the request sends all partitions to one receiver.
    Psend_init:
        (buffer: Address, partitions: c_int, number: i64, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
         info: Handle, request: Address)
        after persistent::remember(
            request,
            Message::new(comm, dest, number.saturating_mul(i64::from(partitions)), datatype).increments(),
        );
    Start: (request: Address) after persistent::start(request, 1);
    Startall: (number: c_int, requests: Address) after persistent::start(requests, number);
    Request_free: (request: Address) before persistent::forget(request);
}
