//! What happens in a call of a function that this library exports and the loaded MPI lacks.
//!
//! One library serves every version of MPI, so a program that looks for a function by name finds
//! the one exported here, whether MPI has it or not. The library cannot export only what MPI has:
//! which MPI the program loads is known only after the program has started, and functions of a
//! library that is loaded then would come behind those of the program's own libraries.
//!
//! A call of such a function fails as calls of MPI fail: the error handler is called, and an error
//! code is returned. mpi4py is different. It calls a function wherever its name exists, and raises
//! an exception of its own where the name does not. For mpi4py the error code is therefore the one
//! by which it recognises a missing function.

use libc::c_int;
use rankfold_abi::{self as abi, ERR_ABSENT, UNAVAILABLE, mpi};
use rankfold_wire::CallClass;

/// Ends a call with `code`. The error handler of the world is called first, as MPI does for errors
/// that concern no object. It is not called for functions without a class, which begin and end MPI
/// and take their error handlers as arguments.
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

/// Whether the world can be used. In a program that has only opened sessions it cannot.
fn is_alive() -> bool {
    let (mut begun, mut ended) = (0, 1);
    // SAFETY: MPI allows the call at any time; the flag is an integer on this stack.
    let asked = unsafe { mpi::initialized(&raw mut begun) };
    // SAFETY: MPI allows the call at any time; the flag is an integer on this stack.
    let asked = asked.and(unsafe { mpi::finalized(&raw mut ended) });
    asked.is_ok() && begun != 0 && ended == 0
}
