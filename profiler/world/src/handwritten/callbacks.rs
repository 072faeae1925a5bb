//! Callbacks of attributes: MPI passes them the communicator that stands for the world, and they
//! shall see `MPI_COMM_WORLD`. Ours are called in their place, and find theirs by the state that
//! MPI keeps for a key.

use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{CopyAttribute, DeleteAttribute};
use rankfold_abi::{Address, Handle};
use rankfold_preload::stack;
use std::mem;

/// What the program has given for one key. It is kept for good: attributes may outlive their key.
struct Kept {
    copy: Address,
    delete: Address,
    state: Address,
}

handwritten! {
    Comm_create_keyval Keyval_create: (copy: Address, delete: Address, key: Address, state: Address) {
        if world::meant().is_none() || is_fortran() {
            // SAFETY: the arguments are those that the program passed to this very function.
            return unsafe { forward(copy, delete, key, state) };
        }
        let kept = Box::into_raw(Box::new(Kept { copy, delete, state }));
        let (copied, deleted): (CopyAttribute, DeleteAttribute) = (copied, deleted);
        // SAFETY: the functions have the types MPI asks for, and expect the state they are given,
        // which is never freed.
        unsafe { forward(copied as Address, deleted as Address, key, kept.cast()) }
    };
}

/// Addresses below are no functions but numbers that mean one: 0 the one that copies or deletes
/// nothing, 1 (standard ABI) the one that copies the value.
const FIRST_FUNCTION: usize = 4096;
const DUPLICATE: usize = 1;

/// # Safety
/// MPI calls it as the copy callback of a key whose state is a [`Kept`].
unsafe extern "C" fn copied(
    comm: Handle,
    key: c_int,
    state: Address,
    value: Address,
    new: Address,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the state is what was given with this function, which is never freed.
    let kept = unsafe { &*state.cast::<Kept>() };
    if kept.copy.addr() < FIRST_FUNCTION {
        let duplicate = kept.copy.addr() == DUPLICATE;
        if duplicate {
            // SAFETY: MPI passes the place for the copy.
            unsafe { new.cast::<Address>().write(value) };
        }
        // SAFETY: MPI passes the place for the flag.
        unsafe { flag.write(c_int::from(duplicate)) };
        return 0;
    }
    // SAFETY: the program has given a function of this type.
    let copy: CopyAttribute = unsafe { mem::transmute(kept.copy) };
    // SAFETY: the arguments are those of MPI, the world as the program knows it, and the state the
    // program's own.
    unsafe { copy(world::as_said(comm), key, kept.state, value, new, flag) }
}

/// # Safety
/// MPI calls it as the delete callback of a key whose state is a [`Kept`].
unsafe extern "C" fn deleted(comm: Handle, key: c_int, value: Address, state: Address) -> c_int {
    // SAFETY: the state is what was given with this function, which is never freed.
    let kept = unsafe { &*state.cast::<Kept>() };
    if kept.delete.addr() < FIRST_FUNCTION {
        return 0;
    }
    // SAFETY: the program has given a function of this type.
    let delete: DeleteAttribute = unsafe { mem::transmute(kept.delete) };
    // SAFETY: the arguments are those of MPI, the world as the program knows it, and the state the
    // program's own.
    unsafe { delete(world::as_said(comm), key, value, kept.state) }
}

/// Whether the call comes from a Fortran binding: its callbacks have another signature, and MPI
/// knows that only later.
fn is_fortran() -> bool {
    let file = stack::calling_object().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    name.contains("mpi")
        && ["fort", "mpif", "usempi"]
            .iter()
            .any(|part| name.contains(part))
}
