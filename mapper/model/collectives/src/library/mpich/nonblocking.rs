//! Nonblocking and persistent operations of MPICH, and blocking ones that MPICH carries out as
//! nonblocking ones, since a control variable such as `MPIR_CVAR_BCAST_INTRA_ALGORITHM=nb` says so.
//!
//! Source: `src/mpi/coll/coll_algorithms.txt` and the conditions of non-blocking operations in
//! `maint/tuning/coll/mpir/generic.json` of MPICH 4.0.2 and 5.0.1. The names of non-blocking
//! algorithms are those of blocking ones with `sched_` or `tsp_` before them.

use super::{BCAST_LONG, BCAST_MEMBERS, BCAST_SHORT};
use crate::Call;
use rankfold_wire::Operation;

// Thresholds in bytes and members, from the table cited above. Those of broadcasts are the same as
// in the table of blocking operations.
const ALLREDUCE_SHORT: u64 = 2 << 10;
const ALLTOALL_SHORT: u64 = 2 << 10;
const ALLTOALL_MEMBERS: usize = 8;

/// The algorithm of the table, named as that of a blocking operation. `None` where the table is
/// that of blocking operations.
pub(super) fn algorithm(call: &Call<'_>) -> Option<&'static str> {
    let size = call.size();
    match call.op {
        Operation::Bcast if call.members < BCAST_MEMBERS || size < BCAST_SHORT => Some("binomial"),
        Operation::Bcast if call.members.is_power_of_two() && size < BCAST_LONG => {
            Some("scatter_recursive_doubling_allgather")
        }
        Operation::Bcast => Some("scatter_ring_allgather"),
        Operation::Allreduce if size <= ALLREDUCE_SHORT => Some("recursive_doubling"),
        Operation::Alltoall if call.form.in_place => Some("pairwise"),
        Operation::Alltoall if call.members >= ALLTOALL_MEMBERS && size <= ALLTOALL_SHORT => {
            Some("brucks")
        }
        Operation::Alltoall => Some("pairwise"),
        _ => None,
    }
}
