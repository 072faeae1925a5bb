//! Communicators of some processes of another one, or of all in another order.

use crate::config;
use crate::lower_group;
use crate::world::exchanged;
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_preload::warning::warn_once_a_host;

handwritten! {
    Comm_create: (comm: Handle, group: Handle, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the arguments are those that the program passed to this function, with the world
        // exchanged.
        let code = unsafe { forward(comm, group, new) };
        // SAFETY: the program is calling on the communicator, so it is alive.
        unsafe { agree(code, comm, new) }
    };
    Comm_split: (comm: Handle, color: c_int, key: c_int, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the arguments are those that the program passed to this function, with the world
        // exchanged.
        let code = unsafe { forward(comm, color, key, new) };
        // SAFETY: the program is calling on the communicator, so it is alive.
        unsafe { agree(code, comm, new) }
    };
}

/// Returns `code`. If MPI has made a communicator, its groups agree which of them is the lower one.
///
/// # Safety
/// `comm` is alive. If `code` is 0, MPI has stored a communicator made of it at `new`.
unsafe fn agree(code: c_int, comm: Handle, new: Address) -> c_int {
    if code != 0 {
        return code;
    }
    // SAFETY: the call has succeeded, so the caller guarantees what is asked here.
    if let Err(trouble) = unsafe { lower_group::agree(comm, new) } {
        let run = config::get().map_or("", |config| &config.run);
        let text = format!("{trouble}: collectives of two groups may hang in this MPICH");
        warn_once_a_host(run, "world-lower-group", text);
    }
    code
}
