//! The bytes of every rank to rank 0, over a communicator of this library's own.

use super::comm::Comm;
use super::tree::{self, Link};
use super::wait::complete;
use libc::c_int;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};

/// Most bytes of a message: its count is an `int`.
const PART: usize = 1 << 30;

/// A duplicate of a communicator: no receive of the program, from any source and with any tag, can match our messages.
pub(crate) struct PrivateComm {
    original: Comm,
    duplicate: Handle,
}

/// Any tag would do: all messages on the communicator are ours, and arrive in order.
const TAG: c_int = 0;

impl PrivateComm {
    /// Duplicates a communicator, when `MPI_Init` ends: the program has set no attributes yet whose callbacks a duplicate
    /// would run. `MPI_Comm_idup` is the only way to make a communicator that can be waited for outside of MPI. Collective.
    pub(crate) fn open(original: Comm) -> Result<Self> {
        let mut duplicate = 0;
        let new = &raw mut duplicate;
        // SAFETY: the original is alive, and so is the variable for the new one until `complete` returns, when it is made.
        complete(|request| unsafe { mpi::comm_idup(original.handle, new, request) })?;
        Ok(Self {
            original,
            duplicate,
        })
    }

    /// Hands the bytes of all ranks, in rank order, to `visit` on rank 0 as they come; nothing elsewhere. Collective.
    pub(crate) fn gather(&self, bytes: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result {
        tree::gather(self, self.original.rank, self.original.ranks, bytes, visit)
    }

    /// Frees the duplicate; nothing may be sent any more. Collective.
    pub(crate) fn close(&self) -> Result {
        let mut duplicate = self.duplicate;
        // SAFETY: `open` has made the communicator; every rank frees it here, when all it sent has been received.
        unsafe { mpi::comm_free(&raw mut duplicate) }
    }

    fn put(&self, to: u32, part: &[u8]) -> Result {
        let (number, to) = (part.len() as c_int, to as c_int);
        let byte = self.original.byte;
        // SAFETY: the communicator is alive until `close`, and the bytes are borrowed until `complete` returns, when they are
        // sent.
        complete(|request| unsafe {
            mpi::isend(
                part.as_ptr(),
                number,
                byte,
                to,
                TAG,
                self.duplicate,
                request,
            )
        })
    }

    fn take(&self, from: u32, part: &mut [u8]) -> Result {
        let (number, from) = (part.len() as c_int, from as c_int);
        let (into, byte) = (part.as_mut_ptr().cast(), self.original.byte);
        // SAFETY: the communicator is alive until `close`, and the bytes are borrowed until `complete` returns, when they have
        // come; the sender sends as many.
        complete(|request| unsafe {
            mpi::irecv(into, number, byte, from, TAG, self.duplicate, request)
        })
    }
}

/// The length first, then the bytes in parts that a count can hold.
impl Link for PrivateComm {
    fn send(&self, to: u32, bytes: &[u8]) -> Result {
        self.put(to, &(bytes.len() as u64).to_le_bytes())?;
        bytes.chunks(PART).try_for_each(|part| self.put(to, part))
    }

    fn receive(&self, from: u32) -> Result<Vec<u8>> {
        let mut length = [0; 8];
        self.take(from, &mut length)?;
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        let mut parts = bytes.chunks_mut(PART);
        parts.try_for_each(|part| self.take(from, part))?;
        Ok(bytes)
    }
}
