//! From the arguments of a send to a receiver in the world and bytes.

use crate::abi::{self, Abi};
use crate::entry::Handle;
use crate::{comm, counters, datatype, session};
use libc::c_int;

/// A send, as the program described it.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    comm: Handle,
    dest: c_int,
    number: i64,
    datatype: Handle,
}

/// Counts one message.
#[inline]
pub(crate) fn count(message: Message) {
    if session::counting()
        && let Some(abi) = abi::get()
        && let Some((rank, bytes)) = message.resolve(abi)
    {
        counters::add(rank, bytes);
    }
}

impl Message {
    #[inline]
    pub(crate) fn new(comm: Handle, dest: c_int, number: impl Into<i64>, datatype: Handle) -> Self {
        let number = number.into();
        Self {
            comm,
            dest,
            number,
            datatype,
        }
    }

    /// Receiver in the world and payload; `None` for `MPI_PROC_NULL`, receivers outside this world, and arguments
    /// that MPI itself will refuse.
    #[inline]
    pub(crate) fn resolve(&self, abi: &Abi) -> Option<(u32, u64)> {
        if self.dest == abi.proc_null {
            return None;
        }
        let rank = comm::world_rank(self.comm & abi.mask, self.dest, abi)?;
        let size = datatype::size(self.datatype & abi.mask)?;
        let number = u64::try_from(self.number).ok()?;
        Some((rank, number.checked_mul(size)?))
    }
}
