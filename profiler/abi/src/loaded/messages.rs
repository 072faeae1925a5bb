//! Messages of bytes between two ranks.

use super::calls;
use super::world::{World, count};
use crate::handle::{Address, Handle};
use crate::mpi::{self, Result};
use std::marker::PhantomData;
use std::mem;
use std::ptr;

impl World {
    /// Sends a message. When the call returns, `bytes` may be used again.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no rank `to`, or the number of bytes does not fit into an `int`.
    pub fn send(&self, bytes: &[u8], to: usize, tag: u16) -> Result {
        let (number, byte, world) = (count(bytes.len()), self.abi.byte, self.abi.comm_world);
        let dest = self.peer(to);
        // SAFETY: `bytes` holds this many bytes. MPI only reads them, and only until it returns.
        unsafe { calls::send(bytes.as_ptr(), number, byte, dest, tag.into(), world) }
    }

    /// Receives a message of `into.len()` bytes, and waits for it inside MPI.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no rank `from`, or the number of bytes does not fit into an `int`.
    pub fn receive(&self, into: &mut [u8], from: usize, tag: u16) -> Result {
        let (number, byte, world) = (count(into.len()), self.abi.byte, self.abi.comm_world);
        let (source, ignored) = (self.peer(from), self.ignored());
        let into = into.as_mut_ptr().cast();
        // SAFETY: `into` has room for this many bytes, and is borrowed exclusively until MPI
        // returns.
        unsafe { calls::recv(into, number, byte, source, tag.into(), world, ignored) }
    }

    /// Sends to one rank and receives from one at the same time. Both may be the same rank.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    ///
    /// # Panics
    /// There is no such rank, or a number of bytes does not fit into an `int`.
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
        // SAFETY: both buffers have this many bytes. They do not overlap, because one is borrowed
        // exclusively.
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
    /// There is no rank `from`, or the number of bytes does not fit into an `int`.
    pub fn post(&self, length: usize, from: usize, tag: u16) -> Result<Posted<'_>> {
        let (number, byte, world) = (count(length), self.abi.byte, self.abi.comm_world);
        let source = self.peer(from);
        let into = Box::into_raw(vec![0_u8; length].into_boxed_slice());
        let mut request = 0;
        // SAFETY: the buffer has room for this many bytes, and only MPI uses it until the request
        // is complete. The request is a variable as wide as any handle.
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

    /// A rank as an argument of MPI.
    pub(super) fn peer(&self, rank: usize) -> libc::c_int {
        assert!(rank < self.size(), "there is no rank {rank}");
        count(rank)
    }
}

/// A message that is to be received, and the buffer for it.
#[derive(Debug)]
pub struct Posted<'a> {
    request: Handle,
    /// The buffer, a boxed slice. MPI writes into it until the request is complete.
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
            // SAFETY: `post` has started the request, and it is not complete. The flag is an
            // integer on this stack.
            unsafe { mpi::test(&raw mut self.request, &raw mut done, self.world.ignored()) }?;
            self.done = done != 0;
        }
        Ok(self.done)
    }

    /// Returns the message, which must have arrived.
    ///
    /// # Panics
    /// [`Posted::has_arrived`] has not returned `true`.
    #[must_use]
    pub fn message(mut self) -> Box<[u8]> {
        assert!(self.done, "the message has not arrived");
        let into = mem::replace(
            &mut self.into,
            ptr::slice_from_raw_parts_mut(ptr::null_mut(), 0),
        );
        // SAFETY: `post` has made the pointer of a box. It is taken back once, because null is
        // stored in its place, and MPI has completed the request.
        unsafe { Box::from_raw(into) }
    }
}

impl Drop for Posted<'_> {
    /// Frees the buffer, unless MPI may still write to it.
    fn drop(&mut self) {
        if self.done && !self.into.is_null() {
            // SAFETY: `post` has made the pointer of a box. It is not null, so it was not taken
            // back, and MPI has completed the request.
            drop(unsafe { Box::from_raw(self.into) });
        }
    }
}
