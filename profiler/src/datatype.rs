//! Sizes of datatypes.

use crate::thread;
use rankfold_abi::Handle;
use rankfold_abi::mpi;

/// Bytes of one item.
pub(crate) fn size(datatype: Handle) -> Option<u64> {
    thread::this().types.get(datatype, || ask(datatype))
}

fn ask(datatype: Handle) -> Option<u64> {
    let mut size = 0;
    // SAFETY: a datatype the program is about to send with.
    unsafe { mpi::type_size(datatype, &raw mut size) }.ok()?;
    if let Ok(size) = u64::try_from(size) {
        return Some(size);
    }
    // `MPI_UNDEFINED`: beyond 2 GiB.
    let mut size = 0;
    // SAFETY: as above.
    unsafe { mpi::type_size_x(datatype, &raw mut size) }.ok()?;
    size.try_into().ok()
}
