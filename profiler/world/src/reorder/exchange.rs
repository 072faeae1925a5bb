//! Sends bytes between the processes of a communicator of the program, with MPI's own collectives.
//! All processes are in a collective call on that communicator.

use libc::c_int;
use rankfold_abi::mpi::{self, MpiError, Result};
use rankfold_abi::{Abi, ERR_COUNT, Handle};

/// Number of bytes by which buffers are longer than needed, because the address of an empty buffer
/// may be a constant of MPI.
const SPARE: usize = 1;

/// A communicator, and what is needed to call its collectives.
pub(super) struct Members {
    comm: Handle,
    byte: Handle,
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl Members {
    /// Access to a communicator, which must be alive.
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

    /// Gathers the bytes of all processes on rank 0. There must be at least one byte from each.
    /// Collective.
    pub(super) fn gather(&self, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        let length = own.len() as u64;
        let mut lengths = vec![0_u64; self.size];
        let (from, into) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
        // SAFETY: the communicator is alive, and there is room for a number from every rank.
        unsafe { mpi::gather(from, 8, self.byte, into, 8, self.byte, 0, self.comm) }?;
        let (counts, offsets, total) = self.counts(&lengths)?;
        let mut bytes = vec![0_u8; total + SPARE];
        let into = bytes.as_mut_ptr().cast();
        // SAFETY: the communicator is alive, and rank 0 has room for the number of bytes that every
        // rank has announced.
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

    /// Counts and offsets for data of these lengths, and their sum, if all fit into an `int`. Rank
    /// 0 tells all ranks whether they do. Ranks that pass no lengths get none. Collective.
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

    /// Sends the bytes of rank 0 to all ranks, and returns them. Collective.
    pub(super) fn spread(&self, own: Vec<u8>) -> Result<Vec<u8>> {
        let mut length = own.len() as u64;
        // SAFETY: the communicator is alive, and the length is a variable on this stack.
        unsafe { mpi::bcast((&raw mut length).cast(), 8, self.byte, 0, self.comm) }?;
        let mut bytes = own;
        bytes.resize(length as usize + SPARE, 0);
        // SAFETY: the communicator is alive, and there is room for as many bytes as rank 0 sends.
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

    /// Sends to every rank the bytes that rank 0 has for it. Collective.
    pub(super) fn deal(&self, all: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>> {
        let all = all.unwrap_or_default();
        let mut lengths: Vec<u64> = all.iter().map(|bytes| bytes.len() as u64).collect();
        lengths.resize(self.size, 0);
        let mut length = 0_u64;
        let (from, into) = (lengths.as_ptr().cast(), (&raw mut length).cast());
        // SAFETY: the communicator is alive, rank 0 has a number for every rank, and every rank has
        // room for one.
        unsafe { mpi::scatter(from, 8, self.byte, into, 8, self.byte, 0, self.comm) }?;
        let (counts, offsets, _) = self.counts(&lengths)?;
        let (mut from, mut own) = (all.concat(), vec![0; length as usize + SPARE]);
        from.resize(from.len() + SPARE, 0);
        // SAFETY: the communicator is alive, rank 0 has as many bytes as the counts say, and every
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

    /// A communicator in which rank r is the process `order[r]` of this one, with the same error
    /// handler. Collective.
    pub(super) fn permuted(&self, order: &[u32]) -> Result<Handle> {
        rankfold_preload::comm::permuted(self.comm, order)
    }
}
