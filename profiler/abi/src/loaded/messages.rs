//! Messages of bytes between two ranks.

use super::calls;
use super::world::{World, count};
use crate::handle::{Address, Handle};
use crate::mpi::{self, Result};
use std::marker::PhantomData;
use std::mem;
use std::ptr;

impl World {
    /// Sends; returns when `bytes` may be used again.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no rank `to`, or more bytes than an `int` counts.
    pub fn send(&self, bytes: &[u8], to: usize, tag: u16) -> Result {
        let (number, byte, world) = (count(bytes.len()), self.abi.byte, self.abi.comm_world);
        let dest = self.peer(to);
        // SAFETY: as many bytes as are counted, which MPI only reads, and only until it returns.
        unsafe { calls::send(bytes.as_ptr(), number, byte, dest, tag.into(), world) }
    }

    /// Waits inside MPI for a message of `into.len()` bytes.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no rank `from`, or more bytes than an `int` counts.
    pub fn receive(&self, into: &mut [u8], from: usize, tag: u16) -> Result {
        let (number, byte, world) = (count(into.len()), self.abi.byte, self.abi.comm_world);
        let (source, ignored) = (self.peer(from), self.ignored());
        let into = into.as_mut_ptr().cast();
        // SAFETY: room for as many bytes as are counted, which nobody else looks at until MPI
        // returns.
        unsafe { calls::recv(into, number, byte, source, tag.into(), world, ignored) }
    }

    /// Sends to one rank and receives from one, which may be the same, at once.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no such rank, or more bytes than an `int` counts.
    pub fn exchange(
        &self,
        (bytes, to): (&[u8], usize),
        (into, from): (&mut [u8], usize),
        tag: u16,
    ) -> Result {
        let (byte, world, tag) = (self.abi.byte, self.abi.comm_world, tag.into());
        let (sent, dest) = (count(bytes.len()), self.peer(to));
        let (number, source) = (count(into.len()), self.peer(from));
        let (out, into) = (bytes.as_ptr(), into.as_mut_ptr().cast());
        let ignored = self.ignored();
        // SAFETY: both buffers have as many bytes as are counted, and they are two, since one of
        // them is exclusive.
        unsafe {
            calls::sendrecv(
                out, sent, byte, dest, tag, into, number, byte, source, tag, world, ignored,
            )
        }
    }

    /// Begins to receive a message of up to `length` bytes.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no rank `from`, or more bytes than an `int` counts.
    pub fn post(&self, length: usize, from: usize, tag: u16) -> Result<Posted<'_>> {
        let (number, byte, world) = (count(length), self.abi.byte, self.abi.comm_world);
        let source = self.peer(from);
        let into = Box::into_raw(vec![0_u8; length].into_boxed_slice());
        let mut request = 0;
        // SAFETY: room for as many bytes as are counted, which belongs to MPI until the request is
        // done; the request is a variable as wide as any handle.
        let posted = unsafe {
            mpi::irecv(
                into.cast(),
                number,
                byte,
                source,
                tag.into(),
                world,
                &raw mut request,
            )
        };
        posted.map(|()| Posted {
            request,
            into,
            done: false,
            world: self,
            _of_one_thread: PhantomData,
        })
    }

    /// `MPI_STATUS_IGNORE`.
    fn ignored(&self) -> Address {
        ptr::without_provenance_mut(self.abi.status_ignore)
    }

    /// A rank as MPI takes it.
    pub(super) fn peer(&self, rank: usize) -> libc::c_int {
        assert!(rank < self.size(), "there is no rank {rank}");
        count(rank)
    }
}

/// A message to come, and the room for it.
#[derive(Debug)]
pub struct Posted<'a> {
    request: Handle,
    /// A boxed slice. MPI writes into it until the request is done.
    into: *mut [u8],
    done: bool,
    world: &'a World,
    _of_one_thread: PhantomData<*const ()>,
}

impl Posted<'_> {
    /// Whether the message has arrived.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn has_arrived(&mut self) -> Result<bool> {
        if !self.done {
            let mut done = 0;
            // SAFETY: the request was begun by `post` and is not done; the flag is an integer on
            // this stack.
            unsafe { mpi::test(&raw mut self.request, &raw mut done, self.world.ignored()) }?;
            self.done = done != 0;
        }
        Ok(self.done)
    }

    /// The message; it must have arrived.
    ///
    /// # Panics
    /// [`Posted::has_arrived`] has not said so.
    #[must_use]
    pub fn message(mut self) -> Box<[u8]> {
        assert!(self.done, "the message has not arrived");
        let into = mem::replace(
            &mut self.into,
            ptr::slice_from_raw_parts_mut(ptr::null_mut(), 0),
        );
        // SAFETY: made from a box by `post`, and taken back once, since null is left in its place;
        // MPI is done with it.
        unsafe { Box::from_raw(into) }
    }
}

impl Drop for Posted<'_> {
    /// What MPI may still write to is never used again.
    fn drop(&mut self) {
        if self.done && !self.into.is_null() {
            // SAFETY: made from a box by `post`, taken back nowhere else since it is not null, and
            // MPI is done with it.
            drop(unsafe { Box::from_raw(self.into) });
        }
    }
}
