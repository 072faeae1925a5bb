//! Bytes between the processes of a communicator of the program's, by MPI's own collectives: the
//! program is in a collective of it.

use libc::c_int;
use rankfold_abi::mpi::{self, MpiError, Result};
use rankfold_abi::{Abi, ERR_COUNT, Handle};

/// Bytes more than are needed: the address of an array of none is that of a constant of MPI's.
const SPARE: usize = 1;

/// The communicator, and what is asked of it again and again.
pub(super) struct Members {
    comm: Handle,
    byte: Handle,
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl Members {
    /// Of a communicator that is alive.
    pub(super) fn of(comm: Handle, abi: &Abi) -> Result<Self> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is alive.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: the communicator is alive.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
        Ok(Self {
            comm,
            byte: abi.byte,
            rank: rank.unsigned_abs() as usize,
            size: size.unsigned_abs() as usize,
        })
    }

    /// The bytes of all, at least one each, on rank 0. Collective.
    pub(super) fn gather(&self, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        let length = own.len() as u64;
        let mut lengths = vec![0_u64; self.size];
        let (from, into) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
        // SAFETY: the communicator is alive, and there is room for a number of every rank.
        unsafe { mpi::gather(from, 8, self.byte, into, 8, self.byte, 0, self.comm) }?;
        let (counts, offsets, total) = self.counts(&lengths)?;
        let mut bytes = vec![0_u8; total + SPARE];
        let into = bytes.as_mut_ptr().cast();
        // SAFETY: the communicator is alive, and rank 0 has room for what all have said they would
        // send.
        unsafe {
            mpi::gatherv(
                own.as_ptr(),
                own.len() as c_int,
                self.byte,
                into,
                counts.as_ptr(),
                offsets.as_ptr(),
                self.byte,
                0,
                self.comm,
            )
        }?;
        let mut rest = bytes.as_slice();
        let mut take = |length: &u64| {
            let (own, behind) = rest.split_at(*length as usize);
            rest = behind;
            own.to_vec()
        };
        Ok((self.rank == 0).then(|| lengths.iter().map(&mut take).collect()))
    }

    /// Counts and offsets of as many bytes, and their sum, where they fit an `int`; nothing where
    /// there is nothing to count. Rank 0 tells all whether they do. Collective.
    fn counts(&self, lengths: &[u64]) -> Result<(Vec<c_int>, Vec<c_int>, usize)> {
        let total: u64 = lengths.iter().sum();
        let fits = vec![u8::from(total < 1 << 31)];
        if self.spread(fits)? != [1] {
            return Err(MpiError("Gatherv", ERR_COUNT));
        }
        let counts: Vec<c_int> = lengths.iter().map(|&length| length as c_int).collect();
        let mut offset = 0;
        let mut before = |count: &c_int| {
            offset += count;
            offset - count
        };
        let offsets = counts.iter().map(&mut before).collect();
        Ok((counts, offsets, total as usize))
    }

    /// Rank 0's bytes, on all. Collective.
    pub(super) fn spread(&self, own: Vec<u8>) -> Result<Vec<u8>> {
        let mut length = own.len() as u64;
        // SAFETY: the communicator is alive, and the length is a variable on this stack.
        unsafe { mpi::bcast((&raw mut length).cast(), 8, self.byte, 0, self.comm) }?;
        let mut bytes = own;
        bytes.resize(length as usize + SPARE, 0);
        // SAFETY: the communicator is alive, and there is room for as many bytes as rank 0 has.
        unsafe {
            mpi::bcast(
                bytes.as_mut_ptr().cast(),
                length as c_int,
                self.byte,
                0,
                self.comm,
            )
        }?;
        bytes.truncate(length as usize);
        Ok(bytes)
    }

    /// To every rank its bytes of those that rank 0 has. Collective.
    pub(super) fn deal(&self, all: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>> {
        let all = all.unwrap_or_default();
        let mut lengths: Vec<u64> = all.iter().map(|bytes| bytes.len() as u64).collect();
        lengths.resize(self.size, 0);
        let mut length = 0_u64;
        let (from, into) = (lengths.as_ptr().cast(), (&raw mut length).cast());
        // SAFETY: the communicator is alive, rank 0 has a number for every rank, and each has room
        // for one.
        unsafe { mpi::scatter(from, 8, self.byte, into, 8, self.byte, 0, self.comm) }?;
        let (counts, offsets, _) = self.counts(&lengths)?;
        let (mut from, mut own) = (all.concat(), vec![0; length as usize + SPARE]);
        from.resize(from.len() + SPARE, 0);
        // SAFETY: the communicator is alive, rank 0 has as many bytes as the counts say, and each
        // rank has room for its own.
        unsafe {
            mpi::scatterv(
                from.as_ptr(),
                counts.as_ptr(),
                offsets.as_ptr(),
                self.byte,
                own.as_mut_ptr().cast(),
                length as c_int,
                self.byte,
                0,
                self.comm,
            )
        }?;
        own.truncate(length as usize);
        Ok(own)
    }

    /// A communicator in which rank r is the process that is `order[r]` here, with the same error
    /// handler. Collective.
    pub(super) fn permuted(&self, order: &[u32]) -> Result<Handle> {
        crate::comm::permuted(self.comm, order)
    }
}
