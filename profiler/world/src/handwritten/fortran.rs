//! What Fortran bindings do without calling the C functions of MPI: attributes, and under Open MPI
//! error handlers.
//!
//! Open MPI's binding knows communicators by number, and asks its own library about attributes. The
//! functions of every name mangling call one of a few functions whose names end in `_f`, or are one
//! of them. The binding of the MPICH family calls functions of the C library that are not in the
//! standard.

use super::attributes::{is_inherited, is_predefined, lacks};
use super::errhandlers;
use crate::duplicates;
use crate::world::{self, exchanged};
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle, Symbol, c_name};

handwritten! {
    "MPII_Comm_set_attr": (comm: Handle, key: c_int, value: Address, kind: c_int) {
        // SAFETY: the arguments are those that the binding passed to this function, with the world
        // exchanged.
        unsafe { forward(exchanged(comm), key, value, kind) }
    };
}

handwritten! {
    "MPII_Comm_get_attr" "MPII_Comm_get_attr_fort": (comm: Handle, key: c_int, value: Address, found: Address, kind: c_int) {
        // SAFETY: the arguments are those that the binding passed to this function, with the world
        // exchanged.
        unsafe { forward(of_attribute(comm, key), key, value, found, kind) }
    };
}

/// The communicator from which the attribute is read.
fn of_attribute(comm: Handle, key: c_int) -> Handle {
    match abi::get() {
        Some(abi) if is_predefined(key, abi) => comm,
        _ => exchanged(comm),
    }
}

/// The number to pass to Open MPI's binding in place of the number at `comm`. The number of the
/// world is 0.
///
/// # Safety
/// `comm` is the address of a communicator's number.
unsafe fn number(comm: Address) -> c_int {
    // SAFETY: the caller guarantees that the address is that of a number.
    let said = unsafe { comm.cast::<c_int>().read() };
    let is_open_mpi = || abi::get().is_some_and(|abi| abi.width == 8 && abi.comm_world > 0xffff);
    match said {
        0 if is_open_mpi() => world::number().unwrap_or(0),
        _ => said,
    }
}

/// Whether the communicator with the number at `comm` is a duplicate of the world.
///
/// # Safety
/// `comm` is the address of the number of a communicator that is alive, under Open MPI.
unsafe fn is_duplicate(comm: Address) -> bool {
    static HANDLE: Symbol = Symbol::new(c_name!("PMPI_Comm_f2c"));
    // SAFETY: the caller guarantees that the address is that of a number.
    let number = unsafe { comm.cast::<c_int>().read() };
    HANDLE.get().is_some_and(|handle| {
        // SAFETY: the function has this signature under Open MPI.
        let handle: unsafe extern "C" fn(c_int) -> Handle = unsafe { std::mem::transmute(handle) };
        // SAFETY: the caller guarantees that the number is that of a communicator.
        duplicates::is_one(unsafe { handle(number) })
    })
}

/// `names: (arguments) body;` exports Fortran functions of these names, whose arguments are all
/// addresses. In the body, `forward` is the next function of the name.
macro_rules! fortran {
    ($($($name:literal)+: $args:tt $body:expr;)+) => {$($(
        fortran!(@ $name, $args, $body);
    )+)+};
    (@ $name:literal, ($($arg:ident),*), $body:expr) => {
        const _: () = {
            static NEXT: Symbol = Symbol::new(c_name!($name));

            unsafe fn forward($($arg: Address),*) {
                if let Some(next) = NEXT.get() {
                    // SAFETY: the function of this name takes this number of addresses.
                    let next: unsafe extern "C-unwind" fn($(address!($arg)),*) = unsafe { std::mem::transmute(next) };
                    // SAFETY: the caller guarantees that the arguments are valid.
                    unsafe { next($($arg),*) };
                }
            }

            #[unsafe(export_name = $name)]
            unsafe extern "C-unwind" fn entry($($arg: Address),*) {
                $body
            }
        };
    };
}

/// The type of every argument in Fortran.
macro_rules! address {
    ($arg:ident) => {
        Address
    };
}

fortran! {
    "mpi_comm_set_attr" "mpi_comm_set_attr_" "mpi_comm_set_attr__" "MPI_COMM_SET_ATTR" "ompi_comm_set_attr_f"
    "pmpi_comm_set_attr" "pmpi_comm_set_attr_" "pmpi_comm_set_attr__" "PMPI_COMM_SET_ATTR"
    "mpi_attr_put" "mpi_attr_put_" "mpi_attr_put__" "MPI_ATTR_PUT" "ompi_attr_put_f"
    "pmpi_attr_put" "pmpi_attr_put_" "pmpi_attr_put__" "PMPI_ATTR_PUT": (comm, key, value, error) {
        // SAFETY: the program has passed the address of a communicator's number.
        let mut number = unsafe { number(comm) };
        // SAFETY: the arguments are those that the program passed to this function, with the world
        // exchanged.
        unsafe { forward((&raw mut number).cast(), key, value, error) };
    };
    "mpi_comm_get_attr" "mpi_comm_get_attr_" "mpi_comm_get_attr__" "MPI_COMM_GET_ATTR" "ompi_comm_get_attr_f"
    "pmpi_comm_get_attr" "pmpi_comm_get_attr_" "pmpi_comm_get_attr__" "PMPI_COMM_GET_ATTR"
    "mpi_attr_get" "mpi_attr_get_" "mpi_attr_get__" "MPI_ATTR_GET" "ompi_attr_get_f"
    "pmpi_attr_get" "pmpi_attr_get_" "pmpi_attr_get__" "PMPI_ATTR_GET": (comm, key, value, found, error) {
        // SAFETY: the program has passed the address of a key.
        let which = unsafe { key.cast::<c_int>().read() };
        if let Some(abi) = abi::get().filter(|abi| is_predefined(which, abi)) {
            // SAFETY: the arguments are those that the program passed to this function.
            unsafe { forward(comm, key, value, found, error) };
            // SAFETY: the function has stored the error code.
            let succeeded = unsafe { error.cast::<c_int>().read() } == 0;
            // SAFETY: without an error the function has stored the flag.
            let lacks = succeeded && is_inherited(which, abi) && unsafe { lacks(found) };
            // SAFETY: without an error the number is that of a communicator that is alive.
            if lacks && unsafe { is_duplicate(comm) } {
                let mut world: c_int = 0;
                // SAFETY: the arguments are those of the program, but for the number of the world.
                unsafe { forward((&raw mut world).cast(), key, value, found, error) };
            }
            return;
        }
        // SAFETY: the program has passed the address of a communicator's number.
        let mut number = unsafe { number(comm) };
        // SAFETY: the arguments are those that the program passed to this function, with the world
        // exchanged.
        unsafe { forward((&raw mut number).cast(), key, value, found, error) };
    };
    "mpi_comm_create_errhandler" "mpi_comm_create_errhandler_" "mpi_comm_create_errhandler__" "MPI_COMM_CREATE_ERRHANDLER"
    "pmpi_comm_create_errhandler" "pmpi_comm_create_errhandler_" "pmpi_comm_create_errhandler__" "PMPI_COMM_CREATE_ERRHANDLER"
    "mpi_errhandler_create" "mpi_errhandler_create_" "mpi_errhandler_create__" "MPI_ERRHANDLER_CREATE"
    "pmpi_errhandler_create" "pmpi_errhandler_create_" "pmpi_errhandler_create__" "PMPI_ERRHANDLER_CREATE"
    "ompi_comm_create_errhandler_f" "ompi_errhandler_create_f": (handler, new, error) {
        let handler = if number_of_world_is_asked_for() { errhandlers::in_fortran(handler) } else { handler };
        // SAFETY: the arguments are those that the program passed to this function, except the
        // handler, which is replaced by one that calls it.
        unsafe { forward(handler, new, error) };
    };
}

/// Whether handlers get the number of the communicator that replaces the world. That is so under
/// Open MPI, whose binding does not call the C function.
fn number_of_world_is_asked_for() -> bool {
    abi::get().is_some_and(|abi| abi.width == 8) && world::number().is_some()
}
