//! Neighbourhood collectives: exact pairs, as the topology of the communicator says.

use crate::entry::{
    Address, Handle, act, call, entry, extension, missing, plain, with_large_counts,
};
use crate::neighbours::{self, Parts};
use crate::persistent;
use libc::c_int;

with_large_counts! {
    Neighbor_allgather Neighbor_alltoall:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle)
        before neighbours::count(comm, &Parts::equal(number, datatype));
    Ineighbor_allgather Ineighbor_alltoall:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle,
         request: Address)
        before neighbours::count(comm, &Parts::equal(number, datatype));
    Neighbor_allgather_init Neighbor_alltoall_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle,
         info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::equal(number, datatype)));
}

// The `_c` forms of these take arrays of counts, which the plain ones could only be given in a copy.
plain! {
    Neighbor_allgatherv:
        (buffer: Address, number: c_int, datatype: Handle, into: Address, rooms: Address, offsets: Address,
         into_type: Handle, comm: Handle)
        before neighbours::count(comm, &Parts::equal(number, datatype));
    Ineighbor_allgatherv:
        (buffer: Address, number: c_int, datatype: Handle, into: Address, rooms: Address, offsets: Address,
         into_type: Handle, comm: Handle, request: Address)
        before neighbours::count(comm, &Parts::equal(number, datatype));
    Neighbor_allgatherv_init:
        (buffer: Address, number: c_int, datatype: Handle, into: Address, rooms: Address, offsets: Address,
         into_type: Handle, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::equal(number, datatype)));
    Neighbor_alltoallv:
        (buffer: Address, numbers: *const c_int, from: Address, datatype: Handle, into: Address, rooms: Address,
         offsets: Address, into_type: Handle, comm: Handle)
        before neighbours::count(comm, &Parts::Varying(numbers, datatype));
    Ineighbor_alltoallv:
        (buffer: Address, numbers: *const c_int, from: Address, datatype: Handle, into: Address, rooms: Address,
         offsets: Address, into_type: Handle, comm: Handle, request: Address)
        before neighbours::count(comm, &Parts::Varying(numbers, datatype));
    Neighbor_alltoallv_init:
        (buffer: Address, numbers: *const c_int, from: Address, datatype: Handle, into: Address, rooms: Address,
         offsets: Address, into_type: Handle, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::Varying(numbers, datatype)));
    Neighbor_alltoallw:
        (buffer: Address, numbers: *const c_int, from: Address, types: Address, into: Address, rooms: Address,
         offsets: Address, into_types: Address, comm: Handle)
        before neighbours::count(comm, &Parts::Typed(numbers, types));
    Ineighbor_alltoallw:
        (buffer: Address, numbers: *const c_int, from: Address, types: Address, into: Address, rooms: Address,
         offsets: Address, into_types: Address, comm: Handle, request: Address)
        before neighbours::count(comm, &Parts::Typed(numbers, types));
    Neighbor_alltoallw_init:
        (buffer: Address, numbers: *const c_int, from: Address, types: Address, into: Address, rooms: Address,
         offsets: Address, into_types: Address, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::Typed(numbers, types)));
}

// Open MPI 4 has the persistent forms as extensions.
extension! {
    Neighbor_allgather_init Neighbor_alltoall_init:
        (buffer: Address, number: c_int, datatype: Handle, into: Address, room: c_int, into_type: Handle, comm: Handle,
         info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::equal(number, datatype)));
    Neighbor_allgatherv_init:
        (buffer: Address, number: c_int, datatype: Handle, into: Address, rooms: Address, offsets: Address,
         into_type: Handle, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::equal(number, datatype)));
    Neighbor_alltoallv_init:
        (buffer: Address, numbers: *const c_int, from: Address, datatype: Handle, into: Address, rooms: Address,
         offsets: Address, into_type: Handle, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::Varying(numbers, datatype)));
    Neighbor_alltoallw_init:
        (buffer: Address, numbers: *const c_int, from: Address, types: Address, into: Address, rooms: Address,
         offsets: Address, into_types: Address, comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, neighbours::pairs(comm, &Parts::Typed(numbers, types)));
}
