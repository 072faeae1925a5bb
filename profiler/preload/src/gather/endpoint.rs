//! Sending and receiving messages of the preload library itself over a communicator.

use super::tree::Link;
use super::wait::{Kind, Result, Trouble, complete};
use libc::{c_int, c_void};
use rankfold_abi::mpi;
use rankfold_abi::{Abi, Handle};
use std::time::{Duration, Instant};

/// Maximum length of one message, in bytes: MPI counts its bytes with an `int`.
const PART: usize = 1 << 30;

/// Tag of the library's messages: the largest tag that every MPI supports (MPI 4.0, section 9.1.2).
/// On the program's world a receive of the program is unlikely to name this tag. On a communicator
/// of the library's own any tag would do.
pub(super) const TAG: c_int = 32767;

/// A rank that itself waits for other ranks is waited for this many times as long as a rank that
/// does not. Chosen by hand; not measured.
pub(super) const LONGER: u32 = 4;

/// This process's access to a communicator: the communicator and what is needed to send on it.
#[derive(Clone, Copy)]
pub struct Endpoint {
    pub(super) comm: Handle,
    /// `MPI_BYTE`.
    pub(super) byte: Handle,
    /// Rank of this process in the communicator.
    pub rank: u32,
    /// Number of ranks of the communicator.
    pub ranks: u32,
    /// How long this process waits for another rank.
    pub patience: Duration,
}

impl Endpoint {
    /// Access to `MPI_COMM_WORLD`.
    ///
    /// # Errors
    /// [`Trouble::Mpi`].
    ///
    /// # Safety
    /// The world is alive as long as the returned value is used.
    pub unsafe fn world(abi: &Abi, patience: Duration) -> Result<Self> {
        let (comm, mut rank, mut ranks) = (abi.comm_world, 0, 0);
        // SAFETY: the caller guarantees that the communicator is alive.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: the caller guarantees that the communicator is alive.
        unsafe { mpi::comm_size(comm, &raw mut ranks) }?;
        Ok(Self {
            comm,
            byte: abi.byte,
            rank: rank.unsigned_abs(),
            ranks: ranks.unsigned_abs(),
            patience,
        })
    }

    /// Duplicates the communicator.
    ///
    /// On the duplicate, no receive of the program can match a message of the library, whatever
    /// source and tag it names, and an error never reaches the program's error handler. When
    /// `MPI_Init` ends, the program has set no attributes yet, so no callbacks of the program run.
    /// The library uses `MPI_Comm_idup` because it is the only function that makes a communicator
    /// and can be waited for outside of MPI.
    ///
    /// Collective. It is called at the end of `MPI_Init`, once all ranks are known to have loaded
    /// the library.
    pub(super) fn duplicate(&self) -> Result<Self> {
        let deadline = Instant::now() + self.patience * LONGER;
        let original = self.comm;
        // SAFETY: the original communicator is alive. `complete` keeps the variable that receives
        // the new one until MPI has written it, or for good.
        let new = complete(Kind::Collective, deadline, 0, |new, request| unsafe {
            mpi::comm_idup(original, &raw mut *new, request)
        })?;
        let duplicate = Self { comm: new, ..*self };
        duplicate.survive_errors()?;
        Ok(duplicate)
    }

    /// Makes errors on the communicator be returned, without any further effect.
    ///
    /// The error handler is a function that does nothing. It works with every MPI library, whereas
    /// the value of `MPI_ERRORS_RETURN` differs even between libraries of the standard ABI.
    fn survive_errors(&self) -> Result {
        unsafe extern "C" fn ignore(_: *mut Handle, _: *mut c_int) {}
        let mut handler = 0;
        // SAFETY: the function lives as long as the process. It reads none of its arguments, so it
        // may be passed more of them than it declares.
        unsafe { mpi::comm_create_errhandler(ignore, &raw mut handler) }?;
        // SAFETY: the communicator is alive, and the handler was made above.
        unsafe { mpi::comm_set_errhandler(self.comm, handler) }?;
        // SAFETY: the handler was made above. The communicator keeps its own reference to it.
        Ok(unsafe { mpi::errhandler_free(&raw mut handler) }?)
    }

    /// Whether this process is rank 0.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.rank == 0
    }

    /// Frees a duplicated communicator, on which no message may be under way. Collective.
    ///
    /// # Errors
    /// [`Trouble::Mpi`].
    pub fn close(&self) -> Result {
        let mut duplicate = self.comm;
        // SAFETY: `duplicate` has made the communicator. Every rank frees it here, after all
        // messages that it sent were received.
        Ok(unsafe { mpi::comm_free(&raw mut duplicate) }?)
    }

    /// The time at which a rank is late that is waited for from now on, if the rank may take
    /// `times` times the usual patience because it waits for others itself.
    pub(super) fn deadline(&self, times: u32) -> Instant {
        Instant::now() + self.patience * times
    }

    /// Sends one message. With `seen`, the send completes only when the receiver has begun to
    /// receive it.
    pub(super) fn put(&self, to: u32, part: Vec<u8>, seen: bool, deadline: Instant) -> Result {
        let send = if seen { mpi::issend } else { mpi::isend };
        let (number, dest, byte, comm) = (part.len() as c_int, to as c_int, self.byte, self.comm);
        // SAFETY: the communicator is alive, and `complete` keeps the bytes until they are sent, or
        // for good.
        let sent = complete(Kind::Message, deadline, part, |part, request| unsafe {
            send(part.as_ptr(), number, byte, dest, TAG, comm, request)
        });
        sent.map(drop).map_err(|trouble| of(to, trouble))
    }

    /// Receives one message of `length` bytes.
    pub(super) fn take(&self, from: u32, length: usize, deadline: Instant) -> Result<Vec<u8>> {
        let mut part = Vec::new();
        part.try_reserve_exact(length)
            .map_err(|_| Trouble::Memory)?;
        part.resize(length, 0);
        let (number, source, byte, comm) = (length as c_int, from as c_int, self.byte, self.comm);
        // SAFETY: the communicator is alive, `complete` keeps the buffer until the message has
        // arrived, or for good, and the sender sends exactly this many bytes.
        let come = complete(Kind::Message, deadline, part, |part, request| unsafe {
            let into = part.as_mut_ptr().cast::<c_void>();
            mpi::irecv(into, number, byte, source, TAG, comm, request)
        });
        come.map_err(|trouble| of(from, trouble))
    }

    fn receive_until(&self, from: u32, deadline: Instant) -> Result<Vec<u8>> {
        let length = self.take(from, 8, deadline)?;
        let length = length
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes)) as usize;
        if length <= PART {
            return match length {
                0 => Ok(Vec::new()),
                _ => self.take(from, length, deadline),
            };
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(length)
            .map_err(|_| Trouble::Memory)?;
        while bytes.len() < length {
            let part = PART.min(length - bytes.len());
            bytes.extend(self.take(from, part, deadline)?);
        }
        Ok(bytes)
    }
}

/// Adds the number of the rank that was waited for to an error that says a rank was late.
fn of(rank: u32, trouble: Trouble) -> Trouble {
    match trouble {
        Trouble::Late(None) => Trouble::Late(Some(rank)),
        other => other,
    }
}

/// Sends the length first, then the bytes, in parts whose length an `int` can hold.
impl Link for Endpoint {
    fn send(&self, to: u32, bytes: &[u8]) -> Result {
        let deadline = self.deadline(LONGER);
        let length = (bytes.len() as u64).to_le_bytes();
        self.put(to, length.to_vec(), false, deadline)?;
        let mut parts = bytes.chunks(PART);
        parts.try_for_each(|part| self.put(to, part.to_vec(), false, deadline))
    }

    fn receive(&self, from: u32) -> Result<Vec<u8>> {
        self.receive_until(from, self.deadline(1))
    }

    fn be_told(&self, by: u32) -> Result<Vec<u8>> {
        self.receive_until(by, self.deadline(LONGER))
    }
}
