//! Waiting for other ranks without using their processor time, and never without a limit.
//!
//! Where the ranks of a host outnumber its cores, an MPI library that waits by polling keeps the
//! ranks from running for which it waits: under MPICH a collective of 64 ranks on two cores takes
//! half a second. So the library starts nonblocking operations and sleeps outside of MPI. The few
//! collectives that MPI offers in blocking form only are called with a [timer that gives up the
//! core](crate::yield_timer).

use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, MpiError};
use std::fmt::{self, Display, Formatter};
use std::mem;
use std::thread;
use std::time::{Duration, Instant};

/// Number of tests before the first sleep, so that an operation that completes at once costs no
/// sleep. Chosen by hand; not measured.
const TESTS: u32 = 8;
/// A sleep lasts this fraction of the time waited so far. An operation of many steps, such as the
/// making of a communicator, sleeps at every step: under Open MPI, with sleeps of a millisecond, it
/// took 120 ms for 64 ranks instead of 20 ms.
const SHARE: u32 = 30;
/// Length of the shortest sleep. With shorter ones the ranks that are waited for get too little of
/// the cores: under MPICH 64 ranks on two cores then took twice as long.
pub(super) const SHORTEST: Duration = Duration::from_micros(400);
pub(super) const LONGEST: Duration = Duration::from_millis(5);

/// Memory for an `MPI_Status`. It is larger than the status of any MPI library.
type Status = [u64; 16];

/// Why ranks could not communicate.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// MPI has returned an error.
    Mpi(MpiError),
    /// A rank did not answer within the time allowed. The number is known if a single rank was
    /// waited for.
    Late(Option<u32>),
    /// Another rank has given up, and has printed why.
    GivenUp,
    /// There is no memory for what a rank sends.
    Memory,
}

/// The result of an operation that waits for other ranks.
pub type Result<T = ()> = std::result::Result<T, Trouble>;

impl From<MpiError> for Trouble {
    fn from(error: MpiError) -> Self {
        Self::Mpi(error)
    }
}

impl Display for Trouble {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Mpi(error) => error.fmt(f),
            Self::Late(Some(rank)) => write!(f, "rank {rank} has not answered in time"),
            Self::Late(None) => f.write_str("some ranks have not answered in time"),
            Self::GivenUp => f.write_str("another rank has given up"),
            Self::Memory => f.write_str("there is no memory for what the ranks have counted"),
        }
    }
}

/// What can be done with an operation that takes too long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message: it can be cancelled.
    Message,
    /// A collective: it cannot be cancelled.
    Collective,
}

/// Starts an operation with `start`, which stores its request and uses `buffer`, and waits for the
/// operation until `deadline`. Returns the buffer.
pub(super) fn complete<B: Default>(
    kind: Kind,
    deadline: Instant,
    buffer: B,
    start: impl FnOnce(&mut B, *mut Handle) -> mpi::Result,
) -> Result<B> {
    let mut pending = Pending::start(buffer, start)?;
    let waited = pending.wait(deadline);
    if matches!(waited, Err(Trouble::Late(_))) && kind == Kind::Message {
        pending.abandon();
    }
    waited?;
    Ok(pending.take())
}

/// An MPI operation that is under way, and the buffer that it reads or writes. If the value is
/// dropped before the operation is complete, the buffer is never freed, because MPI may still use
/// it.
pub(super) struct Pending<B> {
    request: Handle,
    /// `None` once the buffer was taken out.
    buffer: Option<Box<B>>,
    done: bool,
}

impl<B: Default> Pending<B> {
    /// Starts an operation with `start`, which stores its request and uses `buffer`.
    pub(super) fn start(
        buffer: B,
        start: impl FnOnce(&mut B, *mut Handle) -> mpi::Result,
    ) -> Result<Self> {
        let mut pending = Self {
            request: 0,
            buffer: None,
            done: false,
        };
        let buffer = pending.buffer.insert(Box::new(buffer));
        start(buffer, &raw mut pending.request)?;
        Ok(pending)
    }

    /// Whether the operation is complete.
    pub(super) fn is_done(&mut self) -> Result<bool> {
        if !self.done {
            let (mut done, mut status) = (0, Status::default());
            let status = status.as_mut_ptr().cast();
            // SAFETY: the request is that of an operation which is not complete, and the status has
            // room for that of any MPI library.
            unsafe { mpi::test(&raw mut self.request, &raw mut done, status) }?;
            self.done = done != 0;
        }
        Ok(self.done)
    }

    /// Waits until the operation is complete, or returns an error at `deadline`.
    pub(super) fn wait(&mut self, deadline: Instant) -> Result {
        let begun = Instant::now();
        for test in 0_u32.. {
            if self.is_done()? {
                break;
            }
            if test >= TESTS {
                let now = Instant::now();
                if now >= deadline {
                    return Err(Trouble::Late(None));
                }
                let sleep = (now - begun) / SHARE;
                thread::sleep(sleep.clamp(SHORTEST, LONGEST));
            }
        }
        Ok(())
    }

    /// The buffer of an operation that is complete; an empty one if it is not.
    pub(super) fn take(mut self) -> B {
        let buffer = self.buffer.take_if(|_| self.done);
        buffer.map(|buffer| *buffer).unwrap_or_default()
    }

    /// Cancels a message that has not arrived yet, and waits until `deadline` for the cancellation.
    pub(super) fn cancel(mut self, deadline: Instant) -> Result {
        if self.is_done()? {
            return Ok(());
        }
        // SAFETY: the request is that of a message which is not complete.
        unsafe { mpi::cancel(&raw mut self.request) }?;
        self.wait(deadline)
    }

    /// Cancels a message that takes too long, and does not wait for it.
    fn abandon(&mut self) {
        // SAFETY: the request is that of a message which is not complete.
        let _ = unsafe { mpi::cancel(&raw mut self.request) };
        // SAFETY: the request is not used after this call, and the buffer is never freed.
        let _ = unsafe { mpi::request_free(&raw mut self.request) };
    }
}

impl<B> Drop for Pending<B> {
    fn drop(&mut self) {
        if !self.done {
            mem::forget(self.buffer.take());
        }
    }
}
