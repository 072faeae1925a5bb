//! Functions that are exported here and that the loaded MPI lacks.
//!
//! One library serves every version of MPI, so programs that look for a function by name find ours.
//! A call of it fails as calls of MPI do: by the error handler, and with an error code. mpi4py
//! takes a name that is there for a function that is, and tells its programs of one that is not by
//! an exception of its own: it gets the code by which it does so itself. Which names are there
//! cannot depend on the MPI: it is known only when the program has started, and what is loaded then
//! comes behind the program's own libraries.

use libc::c_int;
use rankfold_abi::{self as abi, ERR_ABSENT, UNAVAILABLE, mpi};
use rankfold_profile::CallClass;

/// Ends a call with `code`. The error handler of the world is called, as for errors that concern no
/// object; not for calls of no class, which begin and end MPI and bring their handlers with them.
#[cold]
pub(crate) fn fail(class: Option<CallClass>, code: c_int) -> c_int {
    if code == ERR_ABSENT && abi::is_loaded("/mpi4py/") {
        return UNAVAILABLE;
    }
    if let (Some(_), Some(abi), true) = (class, abi::detect(), is_alive()) {
        // SAFETY: MPI is initialised and not finalized, so the world is alive.
        let _ = unsafe { mpi::comm_call_errhandler(abi.comm_world, code) };
    }
    code
}

/// Whether the world can be used. A program that has only opened sessions has none.
fn is_alive() -> bool {
    let (mut begun, mut ended) = (0, 1);
    // SAFETY: MPI allows the call at any time; the flag is an integer on this stack.
    let asked = unsafe { mpi::initialized(&raw mut begun) };
    // SAFETY: MPI allows the call at any time; the flag is an integer on this stack.
    let asked = asked.and(unsafe { mpi::finalized(&raw mut ended) });
    asked.is_ok() && begun != 0 && ended == 0
}
