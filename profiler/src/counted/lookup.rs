//! The object that a handle stands for, from the thread's cache, or from MPI if the thread has not
//! used the handle before.

use crate::objects::attributes::{self, CachedObject};
use crate::thread;
use rankfold_abi::{self as abi, Abi, Handle, mpi};

/// The cached properties of `comm`, on which the program has called; `None` if MPI returned an
/// error.
pub(crate) fn communicator(comm: Handle) -> Option<&'static CachedObject> {
    exists(comm, |abi| abi.comm_null)?;
    let ask = || attributes::of_communicator(comm).ok();
    thread::this().comms.get(comm, ask)
}

/// The cached properties of `window`, on which the program has called; `None` if MPI returned an
/// error.
pub(crate) fn window(window: Handle) -> Option<&'static CachedObject> {
    exists(window, |abi| abi.win_null)?;
    let ask = || attributes::of_window(window).ok().map(Some);
    thread::this().windows.get(window, ask)?
}

/// Length in bytes of one item of `datatype`, with which the program has called.
pub(crate) fn type_size(datatype: Handle) -> Option<u64> {
    exists(datatype, |abi| abi.datatype_null)?;
    thread::this().types.get(datatype, || ask_size(datatype))
}

/// `None` for a null handle: asked about it, MPI would call the error handler of the program. A
/// null handle comes here although the call has returned `MPI_SUCCESS`, because MPICH 5 returns
/// that after an error handler of the program has returned.
fn exists(handle: Handle, null: fn(&Abi) -> Handle) -> Option<()> {
    abi::get()
        .is_some_and(|abi| handle != null(abi))
        .then_some(())
}

fn ask_size(datatype: Handle) -> Option<u64> {
    let mut size = 0;
    // SAFETY: `datatype` is a datatype with which the program is calling.
    unsafe { mpi::type_size(datatype, &raw mut size) }.ok()?;
    if let Ok(size) = u64::try_from(size) {
        return Some(size);
    }
    // The size was `MPI_UNDEFINED`, because an item is larger than 2 GiB.
    let mut size = 0;
    // SAFETY: `datatype` is a datatype with which the program is calling.
    unsafe { mpi::type_size_x(datatype, &raw mut size) }.ok()?;
    size.try_into().ok()
}
