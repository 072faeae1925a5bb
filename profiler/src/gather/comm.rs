//! What the ranks of a communicator tell rank 0, and rank 0 tells them: few bytes, by collectives.

use super::wait::complete;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Handle};
use std::num::NonZeroU64;
use std::{iter, ptr};

/// Most bytes of one broadcast: its count is an `int`.
const PART: usize = 1 << 30;

/// Bytes that are broadcast along with their number.
const FIRST: usize = 1 << 10;

/// A communicator of this process, and what is asked of MPI again and again to use it.
#[derive(Clone, Copy)]
pub(crate) struct Comm {
    pub(crate) handle: Handle,
    /// `MPI_BYTE`.
    pub(crate) byte: Handle,
    pub(crate) rank: u32,
    pub(crate) ranks: u32,
}

impl Comm {
    /// # Safety
    /// `handle` is an intracommunicator that is alive as long as this is used.
    pub(crate) unsafe fn new(handle: Handle, abi: &Abi) -> Result<Self> {
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_rank(handle, &raw mut rank) }?;
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_size(handle, &raw mut ranks) }?;
        Ok(Self {
            handle,
            byte: abi.byte,
            rank: rank.unsigned_abs(),
            ranks: ranks.unsigned_abs(),
        })
    }

    pub(crate) fn is_root(&self) -> bool {
        self.rank == 0
    }

    /// Rank 0's value, on every rank. Collective.
    pub(crate) fn broadcast_value(&self, value: u64) -> Result<u64> {
        let mut bytes = value.to_le_bytes();
        self.broadcast(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Rank 0's bytes, on every rank; what the others pass is not looked at. The first are sent along with their number, as
    /// the others do not know how many they are. Collective.
    pub(crate) fn broadcast_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut number = (bytes.len() as u64).to_le_bytes();
        let first = bytes.iter().chain(iter::repeat(&0)).take(FIRST);
        let mut head: Vec<u8> = number.iter().chain(first).copied().collect();
        self.broadcast(&mut head)?;
        let mut told = head.split_off(number.len());
        number.copy_from_slice(&head);
        told.resize(u64::from_le_bytes(number) as usize, 0);
        if let Some(rest) = told.get_mut(FIRST..) {
            if self.is_root() {
                rest.copy_from_slice(&bytes[FIRST..]);
            }
            let mut parts = rest.chunks_mut(PART);
            parts.try_for_each(|part| self.broadcast(part))?;
        }
        Ok(told)
    }

    /// Rank 0's bytes into the same number of bytes on every rank.
    fn broadcast(&self, bytes: &mut [u8]) -> Result {
        let (number, bytes) = (bytes.len() as c_int, bytes.as_mut_ptr().cast());
        // SAFETY: the communicator is alive, and the bytes are borrowed until `complete` returns, when the request is complete.
        complete(|request| unsafe {
            mpi::ibcast(bytes, number, self.byte, 0, self.handle, request)
        })
    }

    /// The values of all ranks, in rank order, on rank 0; nothing elsewhere. Collective.
    pub(crate) fn gather_values(&self, value: u64) -> Result<Vec<u64>> {
        let bytes = value.to_le_bytes();
        let each = bytes.len() as c_int;
        let mut all = vec![
            [0_u8; 8];
            if self.is_root() {
                self.ranks as usize
            } else {
                0
            }
        ];
        let into = if all.is_empty() {
            ptr::null_mut()
        } else {
            all.as_mut_ptr().cast()
        };
        // SAFETY: the communicator is alive, every rank sends `each` bytes, and `into` has room for those of all ranks on rank
        // 0, where alone MPI uses it; both live until `complete` returns, when the request is complete.
        complete(|request| unsafe {
            mpi::igather(
                bytes.as_ptr(),
                each,
                self.byte,
                into,
                each,
                self.byte,
                0,
                self.handle,
                request,
            )
        })?;
        Ok(all.into_iter().map(u64::from_le_bytes).collect())
    }

    /// A number that rank 0 makes, on every rank, if `fine` is true on every rank. Collective.
    pub(crate) fn agree(
        &self,
        fine: bool,
        make: impl FnOnce() -> NonZeroU64,
    ) -> Result<Option<NonZeroU64>> {
        let answers = self.gather_values(u64::from(fine))?;
        let made = (self.is_root() && answers.iter().all(|&answer| answer == 1)).then(make);
        let told = self.broadcast_value(made.map_or(0, NonZeroU64::get))?;
        Ok(NonZeroU64::new(told))
    }
}
