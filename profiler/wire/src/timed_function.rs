//! Functions of MPI that are told apart in sums of times and of messages.

use std::fmt;

/// A function of MPI whose time and messages are summed, by its place in [`TimedFunction::NAMES`].
/// The form of a function with large counts, such as `MPI_Send_c`, is the same function, and so is
/// an `MPIX_` form of a function of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimedFunction(u16);

impl TimedFunction {
    /// The functions of all classes, in the order of their numbers in a journal. A journal is read
    /// by the version that wrote it or a later one, so new names go to the end.
    pub const NAMES: [&str; 183] = [
        "MPIX_Allreduce_enqueue",
        "MPIX_Get_notify",
        "MPIX_Isend_enqueue",
        "MPIX_Put_notify",
        "MPIX_Send_enqueue",
        "MPIX_Stream_irecv",
        "MPIX_Stream_isend",
        "MPIX_Stream_recv",
        "MPIX_Stream_send",
        "MPI_Accumulate",
        "MPI_Allgather",
        "MPI_Allgather_init",
        "MPI_Allgatherv",
        "MPI_Allgatherv_init",
        "MPI_Allreduce",
        "MPI_Allreduce_init",
        "MPI_Alltoall",
        "MPI_Alltoall_init",
        "MPI_Alltoallv",
        "MPI_Alltoallv_init",
        "MPI_Alltoallw",
        "MPI_Alltoallw_init",
        "MPI_Barrier",
        "MPI_Barrier_init",
        "MPI_Bcast",
        "MPI_Bcast_init",
        "MPI_Bsend",
        "MPI_Bsend_init",
        "MPI_Compare_and_swap",
        "MPI_Exscan",
        "MPI_Exscan_init",
        "MPI_Fetch_and_op",
        "MPI_File_close",
        "MPI_File_delete",
        "MPI_File_get_position_shared",
        "MPI_File_iread",
        "MPI_File_iread_all",
        "MPI_File_iread_at",
        "MPI_File_iread_at_all",
        "MPI_File_iread_shared",
        "MPI_File_iwrite",
        "MPI_File_iwrite_all",
        "MPI_File_iwrite_at",
        "MPI_File_iwrite_at_all",
        "MPI_File_iwrite_shared",
        "MPI_File_open",
        "MPI_File_preallocate",
        "MPI_File_read",
        "MPI_File_read_all",
        "MPI_File_read_all_begin",
        "MPI_File_read_all_end",
        "MPI_File_read_at",
        "MPI_File_read_at_all",
        "MPI_File_read_at_all_begin",
        "MPI_File_read_at_all_end",
        "MPI_File_read_ordered",
        "MPI_File_read_ordered_begin",
        "MPI_File_read_ordered_end",
        "MPI_File_read_shared",
        "MPI_File_seek_shared",
        "MPI_File_set_atomicity",
        "MPI_File_set_info",
        "MPI_File_set_size",
        "MPI_File_set_view",
        "MPI_File_sync",
        "MPI_File_write",
        "MPI_File_write_all",
        "MPI_File_write_all_begin",
        "MPI_File_write_all_end",
        "MPI_File_write_at",
        "MPI_File_write_at_all",
        "MPI_File_write_at_all_begin",
        "MPI_File_write_at_all_end",
        "MPI_File_write_ordered",
        "MPI_File_write_ordered_begin",
        "MPI_File_write_ordered_end",
        "MPI_File_write_shared",
        "MPI_Gather",
        "MPI_Gather_init",
        "MPI_Gatherv",
        "MPI_Gatherv_init",
        "MPI_Get",
        "MPI_Get_accumulate",
        "MPI_Iallgather",
        "MPI_Iallgatherv",
        "MPI_Iallreduce",
        "MPI_Ialltoall",
        "MPI_Ialltoallv",
        "MPI_Ialltoallw",
        "MPI_Ibarrier",
        "MPI_Ibcast",
        "MPI_Ibsend",
        "MPI_Iexscan",
        "MPI_Igather",
        "MPI_Igatherv",
        "MPI_Improbe",
        "MPI_Imrecv",
        "MPI_Ineighbor_allgather",
        "MPI_Ineighbor_allgatherv",
        "MPI_Ineighbor_alltoall",
        "MPI_Ineighbor_alltoallv",
        "MPI_Ineighbor_alltoallw",
        "MPI_Iprobe",
        "MPI_Irecv",
        "MPI_Ireduce",
        "MPI_Ireduce_scatter",
        "MPI_Ireduce_scatter_block",
        "MPI_Irsend",
        "MPI_Iscan",
        "MPI_Iscatter",
        "MPI_Iscatterv",
        "MPI_Isend",
        "MPI_Isendrecv",
        "MPI_Isendrecv_replace",
        "MPI_Issend",
        "MPI_Mprobe",
        "MPI_Mrecv",
        "MPI_Neighbor_allgather",
        "MPI_Neighbor_allgather_init",
        "MPI_Neighbor_allgatherv",
        "MPI_Neighbor_allgatherv_init",
        "MPI_Neighbor_alltoall",
        "MPI_Neighbor_alltoall_init",
        "MPI_Neighbor_alltoallv",
        "MPI_Neighbor_alltoallv_init",
        "MPI_Neighbor_alltoallw",
        "MPI_Neighbor_alltoallw_init",
        "MPI_Probe",
        "MPI_Psend_init",
        "MPI_Put",
        "MPI_Raccumulate",
        "MPI_Recv",
        "MPI_Reduce",
        "MPI_Reduce_init",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
        "MPI_Reduce_scatter_block_init",
        "MPI_Reduce_scatter_init",
        "MPI_Request_free",
        "MPI_Rget",
        "MPI_Rget_accumulate",
        "MPI_Rput",
        "MPI_Rsend",
        "MPI_Rsend_init",
        "MPI_Scan",
        "MPI_Scan_init",
        "MPI_Scatter",
        "MPI_Scatter_init",
        "MPI_Scatterv",
        "MPI_Scatterv_init",
        "MPI_Send",
        "MPI_Send_init",
        "MPI_Sendrecv",
        "MPI_Sendrecv_replace",
        "MPI_Ssend",
        "MPI_Ssend_init",
        "MPI_Start",
        "MPI_Startall",
        "MPI_Test",
        "MPI_Testall",
        "MPI_Testany",
        "MPI_Testsome",
        "MPI_Wait",
        "MPI_Waitall",
        "MPI_Waitany",
        "MPI_Waitsome",
        "MPI_Win_allocate_shared",
        "MPI_Win_complete",
        "MPI_Win_fence",
        "MPI_Win_flush",
        "MPI_Win_flush_all",
        "MPI_Win_flush_local",
        "MPI_Win_flush_local_all",
        "MPI_Win_free",
        "MPI_Win_lock",
        "MPI_Win_lock_all",
        "MPI_Win_post",
        "MPI_Win_start",
        "MPI_Win_sync",
        "MPI_Win_test",
        "MPI_Win_unlock",
        "MPI_Win_unlock_all",
        "MPI_Win_wait",
    ];

    /// The function of this number in a journal; `None` if a later version wrote the journal.
    #[must_use]
    pub fn numbered(number: u64) -> Option<Self> {
        let place = u16::try_from(number).ok()?;
        (usize::from(place) < Self::NAMES.len()).then_some(Self(place))
    }

    /// The number of the function in a journal.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0 as u64
    }

    /// The function that a library exports as `symbol`, such as `PMPI_Send_c`.
    ///
    /// # Panics
    ///
    /// If [`Self::NAMES`] lacks the function. Evaluated in a constant, this is an error of the
    /// compiler.
    #[must_use]
    pub const fn of_symbol(symbol: &str) -> Self {
        let wanted = without_affixes(symbol.as_bytes());
        let mut place = 0;
        while place < Self::NAMES.len() {
            if are_equal(without_affixes(Self::NAMES[place].as_bytes()), wanted) {
                return Self(place as u16);
            }
            place += 1;
        }
        panic!("TimedFunction::NAMES lacks this function");
    }

    /// The name in C, such as `MPI_Send`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[usize::from(self.0)]
    }
}

impl fmt::Display for TimedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name without `PMPI_`, `MPI_`, `PMPIX_` or `MPIX_` before it and `_c` behind it.
const fn without_affixes(name: &[u8]) -> &[u8] {
    let mut rest = name;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'_' {
            break;
        }
    }
    match rest {
        [before @ .., b'_', b'c'] => before,
        _ => rest,
    }
}

const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_function_have_one_name() {
        let name = |symbol| TimedFunction::of_symbol(symbol).name();
        for symbol in ["MPI_Bcast", "PMPI_Bcast", "MPI_Bcast_c", "PMPI_Bcast_c"] {
            assert_eq!(name(symbol), "MPI_Bcast");
        }
        assert_eq!(name("PMPIX_Bcast_init"), "MPI_Bcast_init");
        assert_eq!(name("MPIX_Stream_send_c"), "MPIX_Stream_send");
    }

    #[test]
    fn a_number_is_read_back() {
        for name in TimedFunction::NAMES {
            let function = TimedFunction::of_symbol(name);
            assert_eq!(TimedFunction::numbered(function.number()), Some(function));
            assert_eq!(function.name(), name);
        }
        let next = TimedFunction::NAMES.len() as u64;
        assert_eq!(TimedFunction::numbered(next), None);
    }
}
