//! Waiting for other ranks without taking their time.
//!
//! Where ranks outnumber cores, an MPI library that waits by polling keeps from running the very ranks it waits for:
//! under MPICH a collective of 64 ranks on two cores takes half a second. So nothing here waits inside of MPI.

use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
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

/// Starts what `start` puts into the request it is given, and waits until it is complete.
pub(crate) fn complete(start: impl FnOnce(*mut Handle) -> Result) -> Result {
    let mut request = 0;
    start(&raw mut request)?;
    let begun = Instant::now();
    for test in 0_u32.. {
        let (mut done, mut status) = (0, Status::default());
        // SAFETY: `start` has stored a request, which is not complete yet, and the status has room for that of any family.
        unsafe { mpi::test(&raw mut request, &raw mut done, status.as_mut_ptr().cast()) }?;
        if done != 0 {
            break;
        }
        if test >= TESTS {
            let sleep = begun.elapsed() / SHARE;
            thread::sleep(sleep.clamp(SHORTEST, LONGEST));
        }
    }
    Ok(())
}
