//! Input and output. Nothing here is counted. But ROMIO, the MPI-IO of MPICH and its family, sends
//! data between the ranks by the functions that programs call, so the functions below mark the
//! thread as inside MPI while they run. `tests/programs/files.c` calls them; without its wrapper
//! `MPI_File_set_atomicity` of MPICH 4.0 adds an `MPI_Bcast` to the profile.

use libc::c_int;
use rankfold_abi::{Address, Handle, Offset};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Io);

with_large_counts! {
    File_read File_read_all File_read_shared File_read_ordered File_write File_write_all File_write_shared
    File_write_ordered File_iread File_iread_all File_iread_shared File_iwrite File_iwrite_all File_iwrite_shared:
        (file: Address, buffer: Address, number: Count, datatype: Handle, status_or_request: Address) uncounted ();
    File_read_at File_read_at_all File_write_at File_write_at_all
    File_iread_at File_iread_at_all File_iwrite_at File_iwrite_at_all:
        (file: Address, at: Offset, buffer: Address, number: Count, datatype: Handle, status_or_request: Address)
        uncounted ();
    File_read_all_begin File_read_ordered_begin File_write_all_begin File_write_ordered_begin:
        (file: Address, buffer: Address, number: Count, datatype: Handle) uncounted ();
    File_read_at_all_begin File_write_at_all_begin:
        (file: Address, at: Offset, buffer: Address, number: Count, datatype: Handle) uncounted ();
}

plain! {
    File_read_all_end File_read_at_all_end File_read_ordered_end
    File_write_all_end File_write_at_all_end File_write_ordered_end:
        (file: Address, buffer: Address, status: Address) uncounted ();
    File_open: (comm: Handle, name: Address, mode: c_int, info: Handle, file: Address) uncounted ();
    File_close: (file: Address) uncounted ();
    File_set_view:
        (file: Address, at: Offset, item: Handle, layout: Handle, representation: Address, info: Handle) uncounted ();
    File_set_info: (file: Address, info: Handle) uncounted ();
    File_set_atomicity: (file: Address, atomic: c_int) uncounted ();
    File_get_position_shared: (file: Address, at: Address) uncounted ();
    File_delete: (name: Address, info: Handle) uncounted ();
    File_set_size File_preallocate: (file: Address, size: Offset) uncounted ();
    File_seek_shared: (file: Address, at: Offset, whence: c_int) uncounted ();
    File_sync: (file: Address) uncounted ();
}
