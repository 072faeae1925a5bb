//! Callbacks of attributes. MPI passes the communicator that replaces the world to them, but they
//! must see `MPI_COMM_WORLD`. So functions of this library are called first. They find the
//! callbacks of the program in the extra state that MPI keeps for a key.

use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{CopyAttribute, DeleteAttribute};
use rankfold_abi::{Address, Handle};
use rankfold_preload::stack;
use std::mem;

/// The callbacks and the state that the program has given for one key. They are never freed,
/// because attributes may outlive their key.
struct Kept {
    copy: Address,
    delete: Address,
    state: Address,
}

handwritten! {
    Comm_create_keyval Keyval_create: (copy: Address, delete: Address, key: Address, state: Address) {
        if world::replacement().is_none() || is_fortran() {
            // SAFETY: the arguments are those that the program passed to this function.
            return unsafe { forward(copy, delete, key, state) };
        }
        let kept = Box::into_raw(Box::new(Kept { copy, delete, state }));
        let (copied, deleted): (CopyAttribute, DeleteAttribute) = (copied, deleted);
        // SAFETY: the functions have the types that MPI asks for, and get the state that they
        // expect, which is never freed.
        unsafe { forward(copied as Address, deleted as Address, key, kept.cast()) }
    };
}

/// Addresses below this one are numbers that stand for a predefined callback: 0 for the one that
/// copies or deletes nothing, 1 (standard ABI) for the one that copies the value. No function lies
/// in the first page, whose size on x86-64 this is.
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
    // SAFETY: the state is the one that was passed to MPI with this function. It is never freed.
    let kept = unsafe { &*state.cast::<Kept>() };
    if kept.copy.addr() < FIRST_FUNCTION {
        let duplicate = kept.copy.addr() == DUPLICATE;
        if duplicate {
            // SAFETY: MPI passes an address for the copy.
            unsafe { new.cast::<Address>().write(value) };
        }
        // SAFETY: MPI passes an address for the flag.
        unsafe { flag.write(c_int::from(duplicate)) };
        return 0;
    }
    // SAFETY: the program has passed a function of this type.
    let copy: CopyAttribute = unsafe { mem::transmute(kept.copy) };
    // SAFETY: the arguments are those of MPI, with the handle that the program knows and the state
    // that the program has passed.
    unsafe {
        copy(
            world::as_program_knows(comm),
            key,
            kept.state,
            value,
            new,
            flag,
        )
    }
}

/// # Safety
/// MPI calls it as the delete callback of a key whose state is a [`Kept`].
unsafe extern "C" fn deleted(comm: Handle, key: c_int, value: Address, state: Address) -> c_int {
    // SAFETY: the state is the one that was passed to MPI with this function. It is never freed.
    let kept = unsafe { &*state.cast::<Kept>() };
    if kept.delete.addr() < FIRST_FUNCTION {
        return 0;
    }
    // SAFETY: the program has passed a function of this type.
    let delete: DeleteAttribute = unsafe { mem::transmute(kept.delete) };
    // SAFETY: the arguments are those of MPI, with the handle that the program knows and the state
    // that the program has passed.
    unsafe { delete(world::as_program_knows(comm), key, value, kept.state) }
}

/// Whether the call comes from a Fortran binding. Its callbacks have another signature, of which
/// MPI is told after this call.
fn is_fortran() -> bool {
    let file = stack::calling_object().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    name.contains("mpi")
        && ["fort", "mpif", "usempi"]
            .iter()
            .any(|part| name.contains(part))
}
