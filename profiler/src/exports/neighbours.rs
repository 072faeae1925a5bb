//! Neighbourhood collectives. The topology of the communicator says exactly which pairs of ranks
//! communicate.

use crate::counted::block::Block;
use crate::counted::increments::Increments;
use crate::counted::neighbours::Call;
use crate::counted::persistent;
use rankfold_abi::arguments::count_arrays::CountArrays;
use rankfold_abi::arguments::{Receives, Sends};
use rankfold_abi::{Address, Handle};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Neighbour);

collective! {
    Neighbor_allgather Ineighbor_allgather Neighbor_allgather_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(comm, Block::equal(number, datatype));
    Neighbor_alltoall Ineighbor_alltoall Neighbor_alltoall_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(comm, Block::equal(number, datatype));
    Neighbor_allgatherv Ineighbor_allgatherv Neighbor_allgatherv_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, rooms: Receives<Count>,
         offsets: Receives<Displacement>, into_type: Handle, comm: Handle)
        sized (CountArrays::of_neighbours(comm))
        Call::new(comm, Block::equal(number, datatype));
    Neighbor_alltoallv Ineighbor_alltoallv Neighbor_alltoallv_init:
        (buffer: Address, numbers: Sends<Count>, from: Sends<Displacement>, datatype: Handle, into: Address,
         rooms: Receives<Count>, offsets: Receives<Displacement>, into_type: Handle, comm: Handle)
        sized (CountArrays::of_neighbours(comm))
        Call::new(comm, Block::varying(numbers, datatype));
    // The offsets of these functions are of type `MPI_Aint` in both forms.
    Neighbor_alltoallw Ineighbor_alltoallw Neighbor_alltoallw_init:
        (buffer: Address, numbers: Sends<Count>, from: Address, types: Address, into: Address, rooms: Receives<Count>,
         offsets: Address, into_types: Address, comm: Handle)
        sized (CountArrays::of_neighbours(comm))
        Call::new(comm, Block::typed(numbers, types));
}
