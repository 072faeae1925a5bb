//! Waiting for other ranks without taking their time, and never for ever.
//!
//! Where ranks outnumber cores, an MPI library that waits by polling keeps from running the very ranks it waits for:
//! under MPICH a collective of 64 ranks on two cores takes half a second. So nothing here waits inside of MPI.

use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, MpiError};
use std::fmt::{self, Display, Formatter};
use std::mem;
use std::thread;
use std::time::{Duration, Instant};

/// Tests before the first sleep: what is complete at once is not slept for.
const TESTS: u32 = 8;
/// A sleep takes this share of the time waited so far. Operations of many steps, such as making a communicator, sleep at
/// every step: under Open MPI, sleeps of a millisecond made one of 64 ranks take 120 ms instead of 20.
const SHARE: u32 = 30;
/// Shorter sleeps leave the ranks that are waited for too little of the cores: under MPICH 64 of them then take twice as
/// long on two cores.
const SHORTEST: Duration = Duration::from_micros(400);
const LONGEST: Duration = Duration::from_millis(5);

/// Room for an `MPI_Status`: larger than that of any family.
type Status = [u64; 16];

/// Why something did not come about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    Mpi(MpiError),
    /// A rank was waited for longer than is allowed: which one, if one alone was waited for.
    Late(Option<u32>),
    /// Another rank has given up, and said why.
    GivenUp,
    /// What a rank sends finds no memory.
    Memory,
}

pub(crate) type Result<T = ()> = std::result::Result<T, Trouble>;

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

/// Starts what `start` puts into the request it is given, with `buffer`, and waits for it until `deadline`; the buffer, once
/// MPI is done with it. In any other case MPI may still use the buffer, so it is kept for good.
pub(super) fn complete<B>(
    kind: Kind,
    deadline: Instant,
    mut buffer: Box<B>,
    start: impl FnOnce(&mut B, *mut Handle) -> mpi::Result,
) -> Result<Box<B>> {
    let mut request = 0;
    let waited = start(&mut buffer, &raw mut request)
        .map_err(Trouble::from)
        .and_then(|()| test_until(deadline, &mut request));
    let Err(trouble) = waited else {
        return Ok(buffer);
    };
    if matches!(trouble, Trouble::Late(_)) && kind == Kind::Message {
        // SAFETY: the request is that of a message which is not complete.
        let _ = unsafe { mpi::cancel(&raw mut request) };
        // SAFETY: the request is not used any more, and its buffer is kept.
        let _ = unsafe { mpi::request_free(&raw mut request) };
    }
    mem::forget(buffer);
    Err(trouble)
}

fn test_until(deadline: Instant, request: &mut Handle) -> Result {
    let begun = Instant::now();
    for test in 0_u32.. {
        let (mut done, mut status) = (0, Status::default());
        // SAFETY: the request is not complete yet, and the status has room for that of any family.
        unsafe { mpi::test(&raw mut *request, &raw mut done, status.as_mut_ptr().cast()) }?;
        if done != 0 {
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
