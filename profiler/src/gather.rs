//! Bytes of every rank to rank 0, over the program's own MPI.

use crate::patience::complete;
use crate::tree::{self, Link};
use libc::c_int;
use rankfold_abi::Abi;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
use std::num::NonZeroU64;
use std::{iter, ptr};

/// Most bytes of a message: its count is an `int`.
const PART: usize = 1 << 30;

/// Bytes that are told along with their number.
const FIRST: usize = 1 << 10;

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
        self.spread(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Rank 0's bytes to everyone: the first along with their number, as nobody else knows how many they are.
    pub(crate) fn tell(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut number = (bytes.len() as u64).to_le_bytes();
        let first = bytes.iter().chain(iter::repeat(&0)).take(FIRST);
        let mut head: Vec<u8> = number.iter().chain(first).copied().collect();
        self.spread(&mut head)?;
        let mut told = head.split_off(number.len());
        number.copy_from_slice(&head);
        told.resize(u64::from_le_bytes(number) as usize, 0);
        if let Some(rest) = told.get_mut(FIRST..) {
            if self.root() {
                rest.copy_from_slice(&bytes[FIRST..]);
            }
            let mut parts = rest.chunks_mut(PART);
            parts.try_for_each(|part| self.spread(part))?;
        }
        Ok(told)
    }

    /// Rank 0's bytes, as many as everyone has room for.
    fn spread(&self, bytes: &mut [u8]) -> Result {
        let (number, bytes) = (bytes.len() as c_int, bytes.as_mut_ptr().cast());
        // SAFETY: as many bytes on every rank, which stay until all is complete.
        complete(|request| unsafe { mpi::ibcast(bytes, number, self.byte, 0, self.comm, request) })
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
        // SAFETY: eight bytes from every rank, and room for them on rank 0; both stay until all is complete.
        complete(|request| unsafe {
            mpi::igather(
                bytes.as_ptr(),
                each,
                self.byte,
                into,
                each,
                self.byte,
                0,
                self.comm,
                request,
            )
        })?;
        Ok(all.into_iter().map(u64::from_le_bytes).collect())
    }

    /// What rank 0 makes, on every rank, if `fine` holds on every rank.
    pub(crate) fn agree(
        &self,
        fine: bool,
        make: impl FnOnce() -> NonZeroU64,
    ) -> Result<Option<NonZeroU64>> {
        let answers = self.collect(u64::from(fine))?;
        let made = (self.root() && answers.iter().all(|&answer| answer == 1)).then(make);
        let told = self.share(made.map_or(0, NonZeroU64::get))?;
        Ok(NonZeroU64::new(told))
    }

    /// Everyone's bytes, in rank order, on rank 0; nothing elsewhere.
    pub(crate) fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        let lane = Lane::open(*self)?;
        lane.gather(bytes, &mut |bytes| all.push(bytes))?;
        lane.close()?;
        Ok(all)
    }
}

/// A communicator of our own: no receive of the program, however wild, can take our messages.
pub(crate) struct Lane {
    world: World,
    comm: Handle,
}

/// No message has this tag by chance: there are no others.
const TAG: c_int = 0;

impl Lane {
    /// Collective. Made when `MPI_Init` ends: the program has no attributes then whose callbacks a duplicate would run.
    /// Of all ways to make a communicator this is the only one that need not be waited for inside of MPI.
    pub(crate) fn open(world: World) -> Result<Self> {
        let mut comm = 0;
        let new = &raw mut comm;
        // SAFETY: a live communicator, and a place for the new one, which stays until it is there.
        complete(|request| unsafe { mpi::comm_idup(world.comm, new, request) })?;
        Ok(Self { world, comm })
    }

    /// Everyone's bytes, in rank order, to `visit` on rank 0 as they come; nothing elsewhere. Collective.
    pub(crate) fn gather(&self, bytes: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result {
        tree::gather(self, self.world.rank, self.world.ranks, bytes, visit)
    }

    /// Collective; nothing may be sent any more.
    pub(crate) fn close(&self) -> Result {
        let mut comm = self.comm;
        // SAFETY: made by `open`; every rank is here, and nothing is on its way.
        unsafe { mpi::comm_free(&raw mut comm) }
    }

    fn put(&self, to: u32, part: &[u8]) -> Result {
        let (number, to) = (part.len() as c_int, to as c_int);
        let byte = self.world.byte;
        // SAFETY: as many bytes as it says, which stay until they are sent, on a communicator of ours.
        complete(|request| unsafe {
            mpi::isend(part.as_ptr(), number, byte, to, TAG, self.comm, request)
        })
    }

    fn take(&self, from: u32, part: &mut [u8]) -> Result {
        let (number, from) = (part.len() as c_int, from as c_int);
        let (into, byte) = (part.as_mut_ptr().cast(), self.world.byte);
        // SAFETY: room for as many bytes as the sender's are, which stays until they have come.
        complete(|request| unsafe { mpi::irecv(into, number, byte, from, TAG, self.comm, request) })
    }
}

/// The length first, then the bytes in parts that a count can hold.
impl Link for Lane {
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
