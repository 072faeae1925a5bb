//! Messages on streams and in the queues of devices: extensions of MPICH since version 4.1, which
//! other libraries lack. A message is counted when it is put into a queue.

use crate::counted::block::Block;
use crate::counted::collectives::Call;
use crate::counted::completion::Completion;
use crate::counted::increments::Increments;
use crate::counted::message::{Message, Start};
use crate::counted::receive::Receive;
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_wire::{CallClass, Operation};

const CLASS: Option<CallClass> = Some(CallClass::Send);

extension_with_large_counts! {
    Stream_send:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
         from_stream: c_int, to_stream: c_int)
        counts Message::new(comm, dest, number, datatype).by(Start::Blocking);
    Stream_isend:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
         from_stream: c_int, to_stream: c_int, request: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::Request).request(request);
    Stream_recv:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle,
         from_stream: c_int, to_stream: c_int, status: Address)
        counts Completion::Received(Some(Receive::new(comm, source)));
    Stream_irecv:
        (buffer: Address, room: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle,
         from_stream: c_int, to_stream: c_int, request: Address)
        counts Completion::Posted(Some(Receive::new(comm, source)), request);
    // The host does not wait for a message in a queue.
    Send_enqueue:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle)
        counts Message::new(comm, dest, number, datatype).by(Start::Alone);
    Isend_enqueue:
        (buffer: Address, number: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: Address)
        counts Message::new(comm, dest, number, datatype).by(Start::Alone);
    Allreduce_enqueue:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, comm: Handle)
        after Call::new(Operation::Allreduce, comm).send(Block::equal(number, datatype)).count();
}
