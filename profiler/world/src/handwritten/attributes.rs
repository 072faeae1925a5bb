//! Attributes of the world. The predefined ones are read from the world that MPI has made, for its
//! [duplicates] too; all others are on the communicator that replaces it.

use crate::duplicates;
use crate::world::{self, exchanged};
use libc::c_int;
use rankfold_abi::{self as abi, Abi, Address, Handle};
use std::sync::OnceLock;

handwritten! {
    Comm_get_attr Attr_get: (comm: Handle, key: c_int, value: Address, found: Address) {
        let Some(abi) = abi::get().filter(|abi| world::replacement().is_some() && is_predefined(key, abi)) else {
            // SAFETY: the arguments are those that the program passed to this function, with the
            // world exchanged.
            return unsafe { forward(exchanged(comm), key, value, found) };
        };
        // SAFETY: the arguments are those that the program passed to this function.
        let mut code = unsafe { forward(comm, key, value, found) };
        // SAFETY: the call has succeeded, so it has stored the flag.
        if code == 0 && is_inherited(key, abi) && unsafe { lacks(found) } && duplicates::is_one(comm) {
            // SAFETY: the arguments are those of the program, but for the world, which is alive.
            code = unsafe { forward(abi.comm_world, key, value, found) };
        }
        if code == 0 && (key == abi.host || key == abi.io) {
            // SAFETY: the call has succeeded, so it has stored both results.
            unsafe { renumber(key == abi.host, value, found) };
        }
        code
    };
}

/// Whether duplicates of the world inherit the predefined attribute.
pub(super) fn is_inherited(key: c_int, abi: &Abi) -> bool {
    key != abi.last_used_code
}

/// Whether an attribute is not set.
///
/// # Safety
/// `found` holds the flag that `MPI_Comm_get_attr` stores, in C or Fortran.
pub(super) unsafe fn lacks(found: Address) -> bool {
    // SAFETY: the caller guarantees that the flag was stored.
    unsafe { found.cast::<c_int>().read() == 0 }
}

/// Whether MPI itself has set the attribute. Under MPICH the Fortran binding uses numbers that are
/// one higher.
pub(super) fn is_predefined(key: c_int, abi: &Abi) -> bool {
    let keys = [
        abi.tag_ub,
        abi.host,
        abi.io,
        abi.wtime_is_global,
        abi.appnum,
        abi.universe_size,
        abi.last_used_code,
    ];
    keys.contains(&key) || (abi.width == 4 && keys.contains(&(key - 1)))
}

/// Replaces the value of `MPI_HOST` or `MPI_IO`, if it is a rank, by the new number of that rank.
///
/// # Safety
/// Both addresses hold what `MPI_Comm_get_attr` stores for such a key: the address of an integer,
/// and whether the attribute is set.
unsafe fn renumber(host: bool, value: Address, found: Address) {
    static HOST: OnceLock<c_int> = OnceLock::new();
    static IO: OnceLock<c_int> = OnceLock::new();
    // SAFETY: the caller guarantees that the flag was stored.
    if unsafe { lacks(found) } {
        return;
    }
    // SAFETY: the caller guarantees that the value was stored.
    let place = unsafe { value.cast::<*const c_int>().read() };
    // SAFETY: the attribute is set, so its value is the address of an integer of MPI.
    let process = unsafe { place.read() };
    if let Some(rank) = u32::try_from(process).ok().and_then(world::rank_of) {
        let kept = if host { &HOST } else { &IO };
        let kept: *const c_int = kept.get_or_init(|| rank as c_int);
        // SAFETY: the caller guarantees that the address holds a value. The integer lives as long
        // as the process.
        unsafe { value.cast::<*const c_int>().write(kept) };
    }
}
