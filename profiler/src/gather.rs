//! Bytes of every rank to rank 0, over the program's own MPI.

use crate::abi::Abi;
use crate::entry::Handle;
use crate::mpi::{self, Result};
use libc::c_int;
use std::ptr;

/// Most bytes rank 0 receives at once: counts and offsets are `int`.
const ROUND: usize = 1 << 30;

/// A communicator as this library uses it.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) comm: Handle,
    pub(crate) byte: Handle,
    pub(crate) rank: u32,
    pub(crate) ranks: u32,
}

impl World {
    pub(crate) fn new(comm: Handle, abi: &Abi) -> Result<Self> {
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: a live communicator.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: as above.
        unsafe { mpi::comm_size(comm, &raw mut ranks) }?;
        Ok(Self {
            comm,
            byte: abi.byte,
            rank: rank.unsigned_abs(),
            ranks: ranks.unsigned_abs(),
        })
    }

    pub(crate) fn root(&self) -> bool {
        self.rank == 0
    }

    /// Rank 0's value to everyone.
    pub(crate) fn share(&self, value: u64) -> Result<u64> {
        let mut bytes = value.to_le_bytes();
        let number = bytes.len() as c_int;
        // SAFETY: eight bytes on every rank.
        unsafe { mpi::bcast(bytes.as_mut_ptr().cast(), number, self.byte, 0, self.comm) }?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Everyone's value, in rank order, on rank 0; nothing elsewhere.
    pub(crate) fn collect(&self, value: u64) -> Result<Vec<u64>> {
        let bytes = value.to_le_bytes();
        let each = bytes.len() as c_int;
        let mut all = vec![[0_u8; 8]; if self.root() { self.ranks as usize } else { 0 }];
        let into = if all.is_empty() {
            ptr::null_mut()
        } else {
            all.as_mut_ptr().cast()
        };
        // SAFETY: eight bytes from every rank, and room for them on rank 0.
        unsafe {
            mpi::gather(
                bytes.as_ptr(),
                each,
                self.byte,
                into,
                each,
                self.byte,
                0,
                self.comm,
            )
        }?;
        Ok(all.into_iter().map(u64::from_le_bytes).collect())
    }

    /// Whether `fine` holds on every rank.
    pub(crate) fn agree(&self, fine: bool) -> Result<bool> {
        let answers = self.collect(u64::from(fine))?;
        let all = answers.iter().all(|&answer| answer == 1);
        Ok(self.share(u64::from(all))? == 1)
    }

    /// Everyone's bytes, in rank order, on rank 0; nothing elsewhere. In rounds, so that no count overflows.
    pub(crate) fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let lengths = self.collect(bytes.len() as u64)?;
        let longest = self.share(lengths.iter().copied().max().unwrap_or(0))? as usize;
        let each = (ROUND / self.ranks.max(1) as usize).max(1);
        let mut all = vec![Vec::new(); lengths.len()];
        for start in (0..longest).step_by(each) {
            let part = |length: usize| start.min(length)..(start + each).min(length);
            let sizes: Vec<usize> = lengths
                .iter()
                .map(|&length| part(length as usize).len())
                .collect();
            let received = self.round(bytes.get(part(bytes.len())).unwrap_or_default(), &sizes)?;
            let mut rest = received.as_slice();
            for (whole, size) in all.iter_mut().zip(sizes) {
                let (this, others) = rest.split_at(size.min(rest.len()));
                whole.extend_from_slice(this);
                rest = others;
            }
        }
        Ok(all)
    }

    fn round(&self, part: &[u8], sizes: &[usize]) -> Result<Vec<u8>> {
        // The dangling pointer of an empty slice is 1, and that is MPI_IN_PLACE in two of the families.
        let from = if part.is_empty() {
            ptr::null()
        } else {
            part.as_ptr()
        };
        let mut received = vec![0; sizes.iter().sum()];
        let numbers: Vec<c_int> = sizes.iter().map(|&size| size as c_int).collect();
        let offsets = numbers.iter().scan(0, |end, &number| {
            let offset = *end;
            *end += number;
            Some(offset)
        });
        let offsets: Vec<c_int> = offsets.collect();
        let into = if received.is_empty() {
            ptr::null_mut()
        } else {
            received.as_mut_ptr()
        };
        // SAFETY: rank 0 has room for the sum of the sizes, which are those the others send.
        unsafe {
            mpi::gatherv(
                from,
                part.len() as c_int,
                self.byte,
                into,
                numbers.as_ptr(),
                offsets.as_ptr(),
                self.byte,
                0,
                self.comm,
            )
        }?;
        Ok(received)
    }
}
