//! Error handlers. A handler that the program sets on the world is set on the world that MPI has
//! made as well, because errors that concern no communicator are raised there.
//!
//! A handler that is a function of the program must see `MPI_COMM_WORLD`, not the communicator that
//! replaces it. So a function of this library is called first, and passes on the handle that the
//! program knows. MPI keeps no state with a handler, so there is one such function for each of the
//! first [`MOST`] handlers.

use crate::world::{self, exchanged};
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle};
use std::mem;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Number of handlers of a program that see `MPI_COMM_WORLD`. Further ones see the handle of the
/// communicator that replaces it. Chosen by hand; not measured.
const MOST: usize = 64;

/// `MPI_Comm_errhandler_function`. MPI libraries pass up to two arguments more than the standard
/// names.
type Handler = unsafe extern "C-unwind" fn(Address, Address, Address, Address);

/// The program's handlers in C.
static C: Pool = Pool::new();
/// The program's handlers in Fortran under Open MPI. They get the number of a communicator.
static FORTRAN: Pool = Pool::new();

struct Pool {
    handlers: [AtomicPtr<libc::c_void>; MOST],
}

handwritten! {
    Comm_create_errhandler Errhandler_create: (handler: Address, new: Address) {
        // SAFETY: the arguments are those that the program passed to this function, except the
        // handler, which is replaced by one that calls it.
        unsafe { forward(in_c(handler), new) }
    };
    Comm_set_errhandler Errhandler_set: (comm: Handle, handler: Handle) {
        if world::is_exchanged(comm) {
            // SAFETY: the communicator that replaces the world is alive, and the program has passed
            // the handler.
            unsafe { forward(exchanged(comm), handler) };
        }
        // SAFETY: the arguments are those that the program passed to this function.
        unsafe { forward(comm, handler) }
    };
}

/// The function that MPI must call in place of the C handler `handler`.
fn in_c(handler: Address) -> Address {
    if world::replacement().is_none() {
        return handler;
    }
    C.instead_of(handler, &IN_C)
}

/// The same for the Fortran binding of Open MPI, whose handlers get the number of a communicator.
pub(super) fn in_fortran(handler: Address) -> Address {
    FORTRAN.instead_of(handler, &IN_FORTRAN)
}

impl Pool {
    const fn new() -> Self {
        Self {
            handlers: [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST],
        }
    }

    /// The function among `functions` for the place that `handler` has in the pool. If the pool is
    /// full, `handler` itself.
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
                // The program has passed a function of this library, which it got from MPI.
                Err(_) if function == handler => return handler,
                Err(_) => {}
            }
        }
        handler
    }

    /// Calls the handler at `place`.
    ///
    /// # Safety
    /// The arguments are those that MPI has passed to the function of this place, except the first,
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
        // SAFETY: MPI has the function of this place, so the place has a handler, and it has this
        // type.
        let handler: Handler = unsafe { mem::transmute(handler) };
        // SAFETY: the caller guarantees that the arguments are valid.
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
    let said = world::as_program_knows(raised);
    let (mut wide, mut narrow) = (said, said as u32);
    let place = match abi.width {
        _ if said == raised => comm,
        4 => (&raw mut narrow).cast(),
        _ => (&raw mut wide).cast(),
    };
    // SAFETY: the arguments are those of MPI, with the handle that the program knows.
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
    // SAFETY: the arguments are those of MPI, with the number of the world.
    unsafe { FORTRAN.call(PLACE, place, code, more, most) };
}

/// One function for every place.
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
