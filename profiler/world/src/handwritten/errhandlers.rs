//! Error handlers. One that the program sets on its world is set on both: errors that concern no
//! communicator are raised on the world that MPI has made.
//!
//! A handler that is a function sees `MPI_COMM_WORLD`, not what stands for it: another function is
//! called in its place, which passes on the handle that the program knows. MPI keeps no state with
//! a handler, so there is one such function for each of the first [`MOST`] handlers.

use crate::world::{self, exchanged};
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle};
use std::mem;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Handlers that a program may have; further ones see the handle that stands for the world.
const MOST: usize = 64;

/// `MPI_Comm_errhandler_function`: MPI libraries pass more than the standard names, at most two.
type Handler = unsafe extern "C-unwind" fn(Address, Address, Address, Address);

/// The program's handlers in C.
static C: Pool = Pool::new();
/// The program's handlers in Fortran under Open MPI, which are given numbers.
static FORTRAN: Pool = Pool::new();

struct Pool {
    handlers: [AtomicPtr<libc::c_void>; MOST],
}

handwritten! {
    Comm_create_errhandler Errhandler_create: (handler: Address, new: Address) {
        // SAFETY: the arguments are those that the program passed to this very function, the
        // handler one that passes on to its.
        unsafe { forward(in_c(handler), new) }
    };
    Comm_set_errhandler Errhandler_set: (comm: Handle, handler: Handle) {
        if world::is_exchanged(comm) {
            // SAFETY: the communicator that stands for the world is alive, and the handler is the
            // program's.
            unsafe { forward(exchanged(comm), handler) };
        }
        // SAFETY: the arguments are those that the program passed to this very function.
        unsafe { forward(comm, handler) }
    };
}

/// The function that MPI shall call for the handler `handler`, of C.
fn in_c(handler: Address) -> Address {
    if world::meant().is_none() {
        return handler;
    }
    C.instead_of(handler, &IN_C)
}

/// The same of a Fortran binding that gives handlers the number of a communicator.
pub(super) fn in_fortran(handler: Address) -> Address {
    FORTRAN.instead_of(handler, &IN_FORTRAN)
}

impl Pool {
    const fn new() -> Self {
        Self {
            handlers: [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST],
        }
    }

    /// The function of `functions` whose place in the pool the handler has; the handler itself
    /// where none is left.
    fn instead_of(&self, handler: Address, functions: &[Handler; MOST]) -> Address {
        for (place, function) in self.handlers.iter().zip(functions) {
            let function = *function as Address;
            match place.compare_exchange(
                std::ptr::null_mut(),
                handler,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return function,
                Err(there) if there == handler => return function,
                // One that is created anew from what it has already been given.
                Err(_) if function == handler => return handler,
                Err(_) => {}
            }
        }
        handler
    }

    /// Calls the handler of a place.
    ///
    /// # Safety
    /// The arguments are those that MPI has passed to the function of this place, but the first,
    /// which is the address of a handle.
    unsafe fn call(
        &self,
        place: usize,
        comm: Address,
        code: Address,
        more: Address,
        most: Address,
    ) {
        let handler = self.handlers[place].load(Ordering::Acquire);
        // SAFETY: the place has a handler, as the function for it was given to MPI, and it has this
        // type.
        let handler: Handler = unsafe { mem::transmute(handler) };
        // SAFETY: the caller vouches for the arguments.
        unsafe { handler(comm, code, more, most) };
    }
}

/// # Safety
/// MPI calls it as an error handler of a communicator.
unsafe extern "C-unwind" fn on_error_in_c<const PLACE: usize>(
    comm: Address,
    code: Address,
    more: Address,
    most: Address,
) {
    let Some(abi) = abi::get() else { return };
    // SAFETY: MPI passes the address of the communicator.
    let raised = unsafe { abi.handle_at(comm, 0) };
    let said = world::as_said(raised);
    let (mut wide, mut narrow) = (said, said as u32);
    let place = match abi.width {
        _ if said == raised => comm,
        4 => (&raw mut narrow).cast(),
        _ => (&raw mut wide).cast(),
    };
    // SAFETY: the arguments are those of MPI, but the handle, which is the one that the program
    // knows.
    unsafe { C.call(PLACE, place, code, more, most) };
}

/// # Safety
/// The Fortran binding of Open MPI calls it as an error handler of a communicator.
unsafe extern "C-unwind" fn on_error_in_fortran<const PLACE: usize>(
    comm: Address,
    code: Address,
    more: Address,
    most: Address,
) {
    let mut world: c_int = 0;
    // SAFETY: the binding passes the address of the communicator's number.
    let raised = unsafe { comm.cast::<c_int>().read() };
    let place = if world::number() == Some(raised) {
        (&raw mut world).cast()
    } else {
        comm
    };
    // SAFETY: the arguments are those of MPI, but the number, which is that of the world.
    unsafe { FORTRAN.call(PLACE, place, code, more, most) };
}

/// A function for every place.
macro_rules! places {
    ($function:ident: $($tens:literal)+) => {
        [$(
            $function::<{ $tens * 8 }>, $function::<{ $tens * 8 + 1 }>,
            $function::<{ $tens * 8 + 2 }>, $function::<{ $tens * 8 + 3 }>,
            $function::<{ $tens * 8 + 4 }>, $function::<{ $tens * 8 + 5 }>,
            $function::<{ $tens * 8 + 6 }>, $function::<{ $tens * 8 + 7 }>,
        )+]
    };
}
static IN_C: [Handler; MOST] = places!(on_error_in_c: 0 1 2 3 4 5 6 7);
static IN_FORTRAN: [Handler; MOST] = places!(on_error_in_fortran: 0 1 2 3 4 5 6 7);
