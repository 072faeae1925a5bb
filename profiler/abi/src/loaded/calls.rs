//! MPI functions that only a program which opens an MPI library at run time calls.

use crate::call;
use crate::handle::{Address, ERR_ABSENT, Handle};
use crate::mpi::{MpiError, Result, functions};
use crate::symbol::{Symbol, c_name};
use libc::c_int;

functions! {
    init = Init(count: *mut c_int, words: Address);
    finalize = Finalize();
    send = Send(from: *const u8, number: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle);
    recv = Recv(into: Address, number: c_int, datatype: Handle, source: c_int, tag: c_int, comm: Handle, status: Address);
    sendrecv = Sendrecv(from: *const u8, sent: c_int, sent_type: Handle, dest: c_int, sent_tag: c_int, into: Address, number: c_int, datatype: Handle, source: c_int, tag: c_int, comm: Handle, status: Address);
    barrier = Barrier(comm: Handle);
    bcast = Bcast(data: Address, number: c_int, datatype: Handle, root: c_int, comm: Handle);
    gather = Gather(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, number: c_int, datatype: Handle, root: c_int, comm: Handle);
    gatherv = Gatherv(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, numbers: *const c_int, places: *const c_int, datatype: Handle, root: c_int, comm: Handle);
    scatter = Scatter(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, number: c_int, datatype: Handle, root: c_int, comm: Handle);
    scatterv = Scatterv(from: *const i32, numbers: *const c_int, places: *const c_int, sent_type: Handle, into: *mut i32, number: c_int, datatype: Handle, root: c_int, comm: Handle);
    allgather = Allgather(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, number: c_int, datatype: Handle, comm: Handle);
    allgatherv = Allgatherv(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, numbers: *const c_int, places: *const c_int, datatype: Handle, comm: Handle);
    alltoall = Alltoall(from: *const i32, sent: c_int, sent_type: Handle, into: *mut i32, number: c_int, datatype: Handle, comm: Handle);
    alltoallv = Alltoallv(from: *const i32, sent: *const c_int, sent_places: *const c_int, sent_type: Handle, into: *mut i32, numbers: *const c_int, places: *const c_int, datatype: Handle, comm: Handle);
    reduce = Reduce(from: *const i32, into: *mut i32, number: c_int, datatype: Handle, op: Handle, root: c_int, comm: Handle);
    scan = Scan(from: *const i32, into: *mut i32, number: c_int, datatype: Handle, op: Handle, comm: Handle);
}
