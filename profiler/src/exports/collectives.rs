//! Collectives: blocking, nonblocking and persistent. [`rankfold_wire::Collective`] defines
//! which bytes each of them counts.

use crate::counted::block::Block;
use crate::counted::collectives::Call;
use crate::counted::increments::Increments;
use crate::counted::persistent;
use libc::c_int;
use rankfold_abi::arguments::count_arrays::CountArrays;
use rankfold_abi::arguments::{Receives, Sends};
use rankfold_abi::{Address, Handle};
use rankfold_wire::{CallClass, Operation};

const CLASS: Option<CallClass> = Some(CallClass::Collective);

plain! {
    Barrier: (comm: Handle) after Call::new(Operation::Barrier, comm).count();
    Ibarrier: (comm: Handle, request: Address) after Call::new(Operation::Barrier, comm).nonblocking().count();
    Barrier_init: (comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, Call::new(Operation::Barrier, comm).nonblocking().all());
}

extension! {
    Barrier_init: (comm: Handle, info: Handle, request: Address)
        after persistent::remember(request, Call::new(Operation::Barrier, comm).nonblocking().all());
}

collective! {
    Bcast Ibcast Bcast_init:
        (buffer: Address, number: Count, datatype: Handle, root: c_int, comm: Handle) sized (CountArrays::none())
        Call::new(Operation::Bcast, comm).root(root).send(Block::equal(number, datatype));
    Reduce Ireduce Reduce_init:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, root: c_int,
         comm: Handle) sized (CountArrays::none())
        Call::new(Operation::Reduce, comm).operator(operation).root(root).send(Block::equal(number, datatype));
    Allreduce Iallreduce Allreduce_init:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::Allreduce, comm).operator(operation).from(buffer).send(Block::equal(number, datatype));
    Scan Iscan Scan_init:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::Scan, comm).operator(operation).send(Block::equal(number, datatype));
    Exscan Iexscan Exscan_init:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::Exscan, comm).operator(operation).send(Block::equal(number, datatype));
    Reduce_scatter_block Ireduce_scatter_block Reduce_scatter_block_init:
        (buffer: Address, into: Address, number: Count, datatype: Handle, operation: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::ReduceScatterBlock, comm).operator(operation).send(Block::equal(number, datatype));
    Reduce_scatter Ireduce_scatter Reduce_scatter_init:
        (buffer: Address, into: Address, numbers: Receives<Count>, datatype: Handle, operation: Handle, comm: Handle)
        sized (CountArrays::of_own(comm))
        Call::new(Operation::ReduceScatter, comm).operator(operation).send(Block::varying(numbers, datatype));
    Gather Igather Gather_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, root: c_int,
         comm: Handle) sized (CountArrays::none())
        Call::new(Operation::Gather, comm).root(root)
            .send(Block::equal(number, datatype)).receive(Block::equal(room, into_type));
    Scatter Iscatter Scatter_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, root: c_int,
         comm: Handle) sized (CountArrays::none())
        Call::new(Operation::Scatter, comm).root(root)
            .send(Block::equal(number, datatype)).receive(Block::equal(room, into_type));
    Allgather Iallgather Allgather_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::Allgather, comm)
            .send(Block::equal(number, datatype)).receive(Block::equal(room, into_type));
    Alltoall Ialltoall Alltoall_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, room: Count, into_type: Handle, comm: Handle)
        sized (CountArrays::none())
        Call::new(Operation::Alltoall, comm).from(buffer)
            .send(Block::equal(number, datatype)).receive(Block::equal(room, into_type));
    Gatherv Igatherv Gatherv_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, rooms: Receives<Count>,
         offsets: Receives<Displacement>, into_type: Handle, root: c_int, comm: Handle)
        sized (CountArrays::at_root(comm, root))
        Call::new(Operation::Gatherv, comm).root(root)
            .send(Block::equal(number, datatype)).receive(Block::varying(rooms, into_type));
    Scatterv Iscatterv Scatterv_init:
        (buffer: Address, numbers: Sends<Count>, from: Sends<Displacement>, datatype: Handle, into: Address,
         room: Count, into_type: Handle, root: c_int, comm: Handle)
        sized (CountArrays::at_root(comm, root))
        Call::new(Operation::Scatterv, comm).root(root).send(Block::varying(numbers, datatype));
    Allgatherv Iallgatherv Allgatherv_init:
        (buffer: Address, number: Count, datatype: Handle, into: Address, rooms: Receives<Count>,
         offsets: Receives<Displacement>, into_type: Handle, comm: Handle)
        sized (CountArrays::of_others(comm, buffer))
        Call::new(Operation::Allgatherv, comm).receive(Block::varying(rooms, into_type));
    Alltoallv Ialltoallv Alltoallv_init:
        (buffer: Address, numbers: Sends<Count>, from: Sends<Displacement>, datatype: Handle, into: Address,
         rooms: Receives<Count>, offsets: Receives<Displacement>, into_type: Handle, comm: Handle)
        sized (CountArrays::of_others(comm, buffer))
        Call::new(Operation::Alltoallv, comm).from(buffer)
            .send(Block::varying(numbers, datatype)).receive(Block::varying(rooms, into_type));
    Alltoallw Ialltoallw Alltoallw_init:
        (buffer: Address, numbers: Sends<Count>, from: Sends<Displacement>, types: Address, into: Address,
         rooms: Receives<Count>, offsets: Receives<Displacement>, into_types: Address, comm: Handle)
        sized (CountArrays::of_others(comm, buffer))
        Call::new(Operation::Alltoallw, comm).from(buffer)
            .send(Block::typed(numbers, types)).receive(Block::typed(rooms, into_types));
}
