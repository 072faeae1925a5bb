//! Waiting for other ranks without taking their time, and never for ever.
//!
//! Where ranks outnumber cores, an MPI library that waits by polling keeps from running the very
//! ranks it waits for: under MPICH a collective of 64 ranks on two cores takes half a second. So
//! nothing here waits inside of MPI; the few collectives that can be waited for nowhere else are
//! made with [short turns](crate::turns).

use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, MpiError};
use std::fmt::{self, Display, Formatter};
use std::mem;
use std::thread;
use std::time::{Duration, Instant};

/// Tests before the first sleep: what is complete at once is not slept for.
const TESTS: u32 = 8;
/// A sleep takes this share of the time waited so far. Operations of many steps, such as making a
/// communicator, sleep at every step: under Open MPI, sleeps of a millisecond made one of 64 ranks
/// take 120 ms instead of 20.
const SHARE: u32 = 30;
/// Shorter sleeps leave the ranks that are waited for too little of the cores: under MPICH 64 of
/// them then take twice as long on two cores.
pub(super) const SHORTEST: Duration = Duration::from_micros(400);
pub(super) const LONGEST: Duration = Duration::from_millis(5);

/// Room for an `MPI_Status`: larger than that of any family.
type Status = [u64; 16];

/// Why something did not come about.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// MPI has returned an error.
    Mpi(MpiError),
    /// A rank was waited for longer than is allowed: which one, if one alone was waited for.
    Late(Option<u32>),
    /// Another rank has given up, and said why.
    GivenUp,
    /// What a rank sends finds no memory.
    Memory,
}

/// What comes of waiting for others.
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
    /// A message, to be cancelled.
    Message,
    /// A collective, which has to stay.
    Collective,
}

/// Starts what `start` puts into the request it is given, with `buffer`, and waits for it until
/// `deadline`; what is in the buffer then.
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

/// An operation of MPI that is under way, and what it reads or writes. While MPI may still use that
/// it is kept: for good, if this is dropped before the operation is complete.
pub(super) struct Pending<B> {
    request: Handle,
    /// `None` once it is dropped.
    buffer: Option<Box<B>>,
    done: bool,
}

impl<B: Default> Pending<B> {
    /// Starts what `start` puts into the request it is given, with `buffer`.
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

    /// Whether it is complete.
    pub(super) fn is_done(&mut self) -> Result<bool> {
        if !self.done {
            let (mut done, mut status) = (0, Status::default());
            let status = status.as_mut_ptr().cast();
            // SAFETY: the request is not complete yet, and the status has room for that of any
            // family.
            unsafe { mpi::test(&raw mut self.request, &raw mut done, status) }?;
            self.done = done != 0;
        }
        Ok(self.done)
    }

    /// Waits until it is complete.
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

    /// What it has read or written, once it is complete.
    pub(super) fn take(mut self) -> B {
        let buffer = self.buffer.take_if(|_| self.done);
        buffer.map(|buffer| *buffer).unwrap_or_default()
    }

    /// Takes a message back that has not come yet, and waits for that until `deadline`.
    pub(super) fn cancel(mut self, deadline: Instant) -> Result {
        if self.is_done()? {
            return Ok(());
        }
        // SAFETY: the request is that of a message which is not complete.
        unsafe { mpi::cancel(&raw mut self.request) }?;
        self.wait(deadline)
    }

    /// Leaves a message to itself that takes too long.
    fn abandon(&mut self) {
        // SAFETY: the request is that of a message which is not complete.
        let _ = unsafe { mpi::cancel(&raw mut self.request) };
        // SAFETY: the request is not used any more, and its buffer is kept.
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
