//! Waiting for other ranks without taking their time.
//!
//! Where ranks outnumber cores, an MPI library that waits by polling keeps from running the very ranks it waits for:
//! under MPICH a collective of 64 ranks on two cores takes half a second. So nothing here waits inside of MPI.

use crate::entry::Handle;
use crate::mpi::{self, Result};
use std::thread;
use std::time::Duration;

/// Looks before the first nap: what is there at once is not slept for.
const LOOKS: u32 = 8;
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

/// Larger than the status of any family.
type Status = [u64; 16];

/// Starts what `start` puts into the request it is given, and waits until it is complete.
pub(crate) fn complete(start: impl FnOnce(*mut Handle) -> Result) -> Result {
    let mut request = 0;
    start(&raw mut request)?;
    let mut nap = SHORTEST;
    for look in 0_u32.. {
        let (mut done, mut status) = (0, Status::default());
        // SAFETY: a request just started, and room for the status of any family.
        unsafe { mpi::test(&raw mut request, &raw mut done, status.as_mut_ptr().cast()) }?;
        if done != 0 {
            break;
        }
        if look >= LOOKS {
            thread::sleep(nap);
            nap = LONGEST.min(nap * 2);
        }
    }
    Ok(())
}
