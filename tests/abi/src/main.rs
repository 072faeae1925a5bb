//! Prints the constants of the MPI library that `mpi-sys` was built for, one `NAME VALUE` in each
//! line, named as in C. Where a value is the address of an object, as the handles of Open MPI are,
//! the symbol of that object is printed instead.
//!
//! `MPI_BYTE`, `MPI_INT`, `MPI_SUM`, `MPI_NO_OP`, `MPI_IN_PLACE` and `MPI_STATUS_IGNORE` are not
//! printed. They are casts in macros, which bindgen leaves out and `mpi-sys` does not repeat in C.

use mpi_sys::*;
use std::ffi::{CStr, c_void};
use std::mem;

/// Constants that `mpi-sys` repeats in C as `RSMPI_NAME`; those that are handles are wrapped.
macro_rules! repeated {
    ($($name:ident $(. $handle:tt)?),* $(,)?) => {
        // SAFETY: constants in C; nobody writes them.
        [$((stringify!($name).trim_start_matches("RS"), unsafe { $name } $(. $handle)? as i64)),*]
    };
}

/// Constants that bindgen takes from the header itself.
macro_rules! bound {
    ($($name:ident),*) => {
        [$((stringify!($name), i64::from($name))),*]
    };
}

macro_rules! sizes {
    ($($name:ident),* $(,)?) => {
        [$((concat!("sizeof(", stringify!($name), ")"), size_of::<$name>() as i64)),*]
    };
}

fn main() {
    let repeated = repeated![
        RSMPI_COMM_WORLD.0,
        RSMPI_COMM_NULL.0,
        RSMPI_DATATYPE_NULL.0,
        RSMPI_INFO_NULL.0,
        RSMPI_PROC_NULL,
        RSMPI_UNDEFINED,
        RSMPI_COMM_TYPE_SHARED,
        RSMPI_ANY_SOURCE,
        RSMPI_CART,
        RSMPI_GRAPH,
        RSMPI_DIST_GRAPH,
        RSMPI_MAX_LIBRARY_VERSION_STRING,
    ];
    let bound = bound![MPI_ROOT, MPI_SUCCESS, MPI_ERR_COUNT, MPI_ERR_TRUNCATE];
    let sizes = sizes![
        MPI_Comm,
        MPI_Request,
        MPI_Datatype,
        MPI_Win,
        MPI_Group,
        MPI_Op,
        MPI_Info,
        MPI_File,
        MPI_Aint,
        MPI_Offset,
        MPI_Count,
    ];
    for (name, value) in repeated.into_iter().chain(bound).chain(sizes) {
        match object(value as usize) {
            Some(symbol) => println!("{name} {symbol}"),
            None => println!("{name} {value}"),
        }
    }
}

/// The symbol of the object that begins at `address`, if one does.
fn object(address: usize) -> Option<String> {
    // SAFETY: all zeroes are a valid value: null pointers.
    let mut found: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: any address may be asked for; the answer has its place.
    let loaded = unsafe { libc::dladdr(address as *const c_void, &mut found) } != 0;
    if !loaded || found.dli_sname.is_null() || found.dli_saddr as usize != address {
        return None;
    }
    // SAFETY: not null, and the name lives as long as its library.
    let name = unsafe { CStr::from_ptr(found.dli_sname) };
    Some(name.to_string_lossy().into_owned())
}
