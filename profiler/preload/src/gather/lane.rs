//! Messages of this library's own.

use super::tree::Link;
use super::wait::{Kind, Result, Trouble, complete};
use libc::{c_int, c_void};
use rankfold_abi::mpi;
use rankfold_abi::{Abi, Handle};
use std::time::{Duration, Instant};

/// Most bytes of a message: its count is an `int`.
const PART: usize = 1 << 30;

/// The largest tag that every MPI has. On the world's own communicator no receive of a program is
/// likely to name it; on a communicator of our own any tag would do.
pub(super) const TAG: c_int = 32767;

/// How long others are waited for, of what is usual: those that wait for others themselves take
/// longer.
pub(super) const LONGER: u32 = 4;

/// A communicator, and what is asked of MPI again and again to send over it.
#[derive(Clone, Copy)]
pub struct Lane {
    pub(super) comm: Handle,
    /// `MPI_BYTE`.
    pub(super) byte: Handle,
    /// This process.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
    /// How long another rank is waited for.
    pub patience: Duration,
}

impl Lane {
    /// The world itself.
    ///
    /// # Errors
    /// [`Trouble::Mpi`].
    ///
    /// # Safety
    /// The world is alive as long as this is used.
    pub unsafe fn world(abi: &Abi, patience: Duration) -> Result<Self> {
        let (comm, mut rank, mut ranks) = (abi.comm_world, 0, 0);
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_size(comm, &raw mut ranks) }?;
        Ok(Self {
            comm,
            byte: abi.byte,
            rank: rank.unsigned_abs(),
            ranks: ranks.unsigned_abs(),
            patience,
        })
    }

    /// A duplicate: no receive of the program, from any source and with any tag, can match messages
    /// on it, and no error on it is the program's. The program has set no attributes yet whose
    /// callbacks a duplicate would run. `MPI_Comm_idup` is the only way to make a communicator that
    /// can be waited for outside of MPI. Collective, when `MPI_Init` ends and all ranks are known
    /// to be here.
    pub(super) fn duplicate(&self) -> Result<Self> {
        let deadline = Instant::now() + self.patience * LONGER;
        let original = self.comm;
        // SAFETY: the original is alive, and the variable for the new one lives until it is made,
        // or for good.
        let new = complete(Kind::Collective, deadline, 0, |new, request| unsafe {
            mpi::comm_idup(original, &raw mut *new, request)
        })?;
        let duplicate = Self { comm: new, ..*self };
        duplicate.survive_errors()?;
        Ok(duplicate)
    }

    /// Errors on it are returned and no more. A handler that does nothing is the same in every
    /// family; the values of `MPI_ERRORS_RETURN` differ even between libraries of the standard ABI.
    fn survive_errors(&self) -> Result {
        unsafe extern "C" fn ignore(_: *mut Handle, _: *mut c_int) {}
        let mut handler = 0;
        // SAFETY: the function lives as long as the process; MPI passes it more arguments, which it
        // does not look at.
        unsafe { mpi::comm_create_errhandler(ignore, &raw mut handler) }?;
        // SAFETY: the communicator is alive, and the handler was made above.
        unsafe { mpi::comm_set_errhandler(self.comm, handler) }?;
        // SAFETY: the handler was made above; the communicator keeps it.
        Ok(unsafe { mpi::errhandler_free(&raw mut handler) }?)
    }

    /// Whether this is rank 0.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.rank == 0
    }

    /// Frees a duplicate; nothing may be sent any more. Collective.
    ///
    /// # Errors
    /// [`Trouble::Mpi`].
    pub fn close(&self) -> Result {
        let mut duplicate = self.comm;
        // SAFETY: `duplicate` has made the communicator; every rank frees it here, when all it sent
        // has been received.
        Ok(unsafe { mpi::comm_free(&raw mut duplicate) }?)
    }

    /// When a rank that is waited for from now on is late, if it may wait for others itself `times`
    /// as long as is usual.
    pub(super) fn deadline(&self, times: u32) -> Instant {
        Instant::now() + self.patience * times
    }

    /// Sends one message; with `seen`, it is not sent before the receiver waits for it.
    pub(super) fn put(&self, to: u32, part: Vec<u8>, seen: bool, deadline: Instant) -> Result {
        let send = if seen { mpi::issend } else { mpi::isend };
        let (number, dest, byte, comm) = (part.len() as c_int, to as c_int, self.byte, self.comm);
        // SAFETY: the communicator is alive, and the bytes live until they are sent, or for good.
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
        // SAFETY: the communicator is alive, and the bytes live until they have come, or for good;
        // the sender sends as many.
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

/// Says which rank was late.
fn of(rank: u32, trouble: Trouble) -> Trouble {
    match trouble {
        Trouble::Late(None) => Trouble::Late(Some(rank)),
        other => other,
    }
}

/// The length first, then the bytes in parts that a count can hold.
impl Link for Lane {
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
