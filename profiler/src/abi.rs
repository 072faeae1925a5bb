//! The three binary interfaces of MPI, told apart at run time.

use crate::entry::Handle;
use crate::mpi;
use crate::symbol::{c_name, data};
use libc::c_int;
use std::ffi::CStr;
use std::sync::OnceLock;

/// What differs between the families, as far as this library needs it.
pub(crate) struct Abi {
    /// The bits of a handle that mean something.
    pub(crate) mask: Handle,
    /// Bytes of a handle in memory.
    pub(crate) width: usize,
    pub(crate) comm_world: Handle,
    pub(crate) comm_null: Handle,
    pub(crate) byte: Handle,
    pub(crate) info_null: Handle,
    pub(crate) proc_null: c_int,
    /// `MPI_ROOT`.
    pub(crate) root: c_int,
    /// `MPI_IN_PLACE`, an address.
    pub(crate) in_place: usize,
    pub(crate) comm_type_shared: c_int,
    /// `MPI_IDENT`.
    pub(crate) identical: c_int,
    pub(crate) no_op: Handle,
    pub(crate) cart: c_int,
    pub(crate) graph: c_int,
    pub(crate) dist_graph: c_int,
}

/// MPICH since version 1 and its family (Intel, Cray, MVAPICH): 32-bit handles.
const MPICH: Abi = Abi {
    mask: 0xffff_ffff,
    width: 4,
    comm_world: 0x4400_0000,
    comm_null: 0x0400_0000,
    byte: 0x4c00_010d,
    info_null: 0x1c00_0000,
    proc_null: -1,
    root: -3,
    in_place: usize::MAX,
    comm_type_shared: 1,
    identical: 0,
    no_op: 0x5800_000e,
    cart: 2,
    graph: 1,
    dist_graph: 3,
};

/// The standard ABI of MPI 5.0, section 20.
const STANDARD: Abi = Abi {
    mask: Handle::MAX,
    width: size_of::<Handle>(),
    comm_world: 0x101,
    comm_null: 0x100,
    byte: 0x247,
    info_null: 0x130,
    proc_null: -3,
    root: -4,
    in_place: 1,
    comm_type_shared: 221,
    identical: 201,
    no_op: 0x3d,
    cart: 211,
    graph: 212,
    dist_graph: 213,
};

static ABI: OnceLock<Abi> = OnceLock::new();

/// The family in use; `None` before [`detect`].
#[inline]
pub(crate) fn get() -> Option<&'static Abi> {
    ABI.get()
}

/// Recognises the MPI the program brought. The order matters: the standard ABI may sit on either of the other two.
pub(crate) fn detect() -> &'static Abi {
    ABI.get_or_init(|| {
        if standard() {
            STANDARD
        } else {
            open_mpi().unwrap_or(MPICH)
        }
    })
}

/// Native libraries may export the query too, and then answer -1.
fn standard() -> bool {
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: two places for two integers; legal at any time.
    let asked = unsafe { mpi::abi_get_version(&raw mut major, &raw mut minor) };
    asked.is_ok() && major >= 1
}

/// Open MPI's handles are addresses of its own objects.
fn open_mpi() -> Option<Abi> {
    let address = |name: &CStr| data(name).map(|object| object.as_ptr().addr());
    Some(Abi {
        mask: Handle::MAX,
        width: size_of::<Handle>(),
        comm_world: address(c_name!("ompi_mpi_comm_world"))?,
        comm_null: address(c_name!("ompi_mpi_comm_null"))?,
        byte: address(c_name!("ompi_mpi_byte"))?,
        info_null: address(c_name!("ompi_mpi_info_null"))?,
        proc_null: -2,
        root: -4,
        in_place: 1,
        comm_type_shared: 0,
        identical: 0,
        no_op: address(c_name!("ompi_mpi_op_no_op"))?,
        cart: 1,
        graph: 2,
        dist_graph: 3,
    })
}

impl Abi {
    /// The handle at `place`, an out-parameter or the `index`-th of an array.
    ///
    /// # Safety
    /// `place` points to at least `index + 1` handles.
    pub(crate) unsafe fn handle_at(&self, place: *const libc::c_void, index: usize) -> Handle {
        if self.width == 4 {
            // SAFETY: the caller's promise, in a family of 32-bit handles.
            let handle = unsafe { place.cast::<u32>().wrapping_add(index).read() };
            handle as Handle
        } else {
            // SAFETY: the caller's promise, in a family of pointers.
            unsafe { place.cast::<Handle>().wrapping_add(index).read() }
        }
    }
}
