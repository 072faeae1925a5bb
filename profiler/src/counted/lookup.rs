//! What a handle stands for, as this thread remembers it, or as MPI answers the first time.

use crate::objects::attributes::{self, Known};
use crate::thread;
use rankfold_abi::{Handle, mpi};

/// What is known of `comm`, on which the program is calling; `None` when MPI would not tell.
pub(crate) fn communicator(comm: Handle) -> Option<&'static Known> {
    let ask = || attributes::of_communicator(comm).ok().map(Some);
    thread::this().comms.get(comm, ask)?
}

/// What is known of `window`, on which the program is calling; `None` when MPI would not tell.
pub(crate) fn window(window: Handle) -> Option<&'static Known> {
    let ask = || attributes::of_window(window).ok().map(Some);
    thread::this().windows.get(window, ask)?
}

/// Bytes of one item of `datatype`, with which the program is calling.
pub(crate) fn type_size(datatype: Handle) -> Option<u64> {
    thread::this().types.get(datatype, || ask_size(datatype))
}

fn ask_size(datatype: Handle) -> Option<u64> {
    let mut size = 0;
    // SAFETY: `datatype` is a datatype that the program is calling with.
    unsafe { mpi::type_size(datatype, &raw mut size) }.ok()?;
    if let Ok(size) = u64::try_from(size) {
        return Some(size);
    }
    // `MPI_UNDEFINED`: an item is larger than 2 GiB.
    let mut size = 0;
    // SAFETY: `datatype` is a datatype that the program is calling with.
    unsafe { mpi::type_size_x(datatype, &raw mut size) }.ok()?;
    size.try_into().ok()
}
