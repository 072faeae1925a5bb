//! Model `mvapich2`: the algorithms that MVAPICH2 selects, in stages where members share hosts.
//!
//! MVAPICH2 has a table for each processor and adapter that its authors measured. A profile names
//! neither, and the model follows the general [tables], which hold for all others. These go by the
//! members on each host, the members of the communicator, and the size.
//!
//! Source: `src/mpi/coll/*_osu.c` and `src/mpi/coll/ch3_shmem_coll.c` of MVAPICH2 2.3.7-1, for
//! blocking calls with built-in operators. The model `mpich` stands in for other calls and for the
//! operations that MVAPICH2 leaves to MPICH. The model was not compared with a run: MVAPICH2 was
//! not at hand. What it leaves out:
//!
//! * Members of a host exchange data in shared memory, which is no message. The model puts these
//!   bytes on the pairs of each member and the first member of its host.
//! * A communicator other than `MPI_COMM_WORLD` has no stages in its first 16 calls.
//! * Multicast, SHARP, GPUs and the environment variables of a run that select algorithms.

mod bcast;
mod blocks;
mod layout;
mod reductions;
mod table;
mod tables;
#[cfg(test)]
mod tests;

use super::LibraryModel;
use super::mpich;
use crate::{Call, Model, Sink};
use layout::Layout;
use rankfold_wire::{Form, Operation};

/// The model `mvapich2`.
pub(crate) struct Mvapich2;

impl LibraryModel for Mvapich2 {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("MVAPICH2")
    }
}

impl Model for Mvapich2 {
    fn name(&self) -> &'static str {
        "mvapich2"
    }

    fn summary(&self) -> &'static str {
        "as the general tables of MVAPICH2 select algorithms, in stages where members share hosts"
    }

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if call.form != Form::default() {
            mpich::Mpich.expand(call, sink);
        } else if call.members > 1 {
            on_hosts(call, |call| expand(call, sink));
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        match call.op {
            _ if call.form != Form::default() => mpich::Mpich.is_dense(call),
            Operation::Alltoall if call.members > 1 => {
                on_hosts(call, |call| blocks::is_straight(&Layout::of(call)))
            }
            // Only up to 8 members all send to each other.
            Operation::ReduceScatter => false,
            _ => mpich::Mpich.is_dense(call),
        }
    }
}

/// Hands on a call with the hosts of its members. Members whose hosts are unknown count as members
/// on a host of their own each.
fn on_hosts<T>(call: &Call<'_>, use_it: impl FnOnce(&Call<'_>) -> T) -> T {
    if !call.hosts.is_empty() {
        return use_it(call);
    }
    let hosts: Vec<u32> = (0..).take(call.members).collect();
    use_it(&Call {
        hosts: &hosts,
        ..*call
    })
}

/// Expands a call that knows the hosts of its members.
fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let layout = Layout::of(call);
    match call.op {
        Operation::Bcast => bcast::expand(&layout, sink),
        Operation::Reduce => reductions::reduce(&layout, sink),
        Operation::Allreduce => reductions::allreduce(&layout, sink),
        Operation::ReduceScatter => reductions::reduce_scatter(&layout, expand, sink),
        Operation::Allgather => blocks::allgather(&layout, sink),
        Operation::Allgatherv => blocks::allgatherv(&layout, sink),
        Operation::Alltoall => blocks::alltoall(&layout, expand, sink),
        Operation::Gather => blocks::gather(&layout, sink),
        Operation::Scatter => blocks::scatter(&layout, sink),
        _ => mpich::by_table(call, sink),
    }
}
