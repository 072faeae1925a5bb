//! The three binary interfaces of MPI, and which of them the process has loaded.

use crate::handle::Handle;
use crate::mpi;
use crate::symbol::{c_name, data, function};
use libc::c_int;
use std::ffi::CStr;
use std::sync::OnceLock;

/// The constants that differ between MPI families, as far as this project needs them.
#[derive(Debug)]
pub struct Abi {
    /// The bits of a handle that have a meaning.
    pub mask: Handle,
    /// Size of a handle in memory, in bytes.
    pub width: usize,
    /// `MPI_COMM_WORLD`.
    pub comm_world: Handle,
    /// `MPI_COMM_NULL`.
    pub comm_null: Handle,
    /// `MPI_WIN_NULL`.
    pub win_null: Handle,
    /// `MPI_DATATYPE_NULL`.
    pub datatype_null: Handle,
    /// `MPI_BYTE`.
    pub byte: Handle,
    /// `MPI_INT`.
    pub int: Handle,
    /// `MPI_SUM`.
    pub sum: Handle,
    /// `MPI_INFO_NULL`.
    pub info_null: Handle,
    /// `MPI_PROC_NULL`.
    pub proc_null: c_int,
    /// `MPI_ROOT`.
    pub root: c_int,
    /// `MPI_IN_PLACE`, an address.
    pub in_place: usize,
    /// `MPI_STATUS_IGNORE`, an address.
    pub status_ignore: usize,
    /// `MPI_COMM_TYPE_SHARED`.
    pub comm_type_shared: c_int,
    /// `MPI_ANY_SOURCE`.
    pub any_source: c_int,
    /// `MPI_ERR_TRUNCATE`.
    pub err_truncate: c_int,
    /// The bits of an error code that are its class.
    pub class_bits: c_int,
    /// `MPI_NO_OP`.
    pub no_op: Handle,
    /// `MPI_CART`.
    pub cart: c_int,
    /// `MPI_GRAPH`.
    pub graph: c_int,
    /// `MPI_DIST_GRAPH`.
    pub dist_graph: c_int,
    /// `MPI_COMM_SELF`.
    pub comm_self: Handle,
    /// `MPI_TAG_UB`.
    pub tag_ub: c_int,
    /// `MPI_HOST`.
    pub host: c_int,
    /// `MPI_IO`.
    pub io: c_int,
    /// `MPI_WTIME_IS_GLOBAL`.
    pub wtime_is_global: c_int,
    /// `MPI_APPNUM`.
    pub appnum: c_int,
    /// `MPI_UNIVERSE_SIZE`.
    pub universe_size: c_int,
    /// `MPI_LASTUSEDCODE`.
    pub last_used_code: c_int,
    /// `MPI_T_BIND_MPI_COMM`.
    pub bind_comm: c_int,
}

/// MPICH since version 1, and libraries with its binary interface (Intel MPI, Cray MPICH, MVAPICH).
/// Handles are 32 bits wide.
const MPICH: Abi = Abi {
    mask: 0xffff_ffff,
    width: 4,
    comm_world: 0x4400_0000,
    comm_null: 0x0400_0000,
    win_null: 0x2000_0000,
    datatype_null: 0x0c00_0000,
    byte: 0x4c00_010d,
    int: 0x4c00_0405,
    sum: 0x5800_0003,
    info_null: 0x1c00_0000,
    proc_null: -1,
    root: -3,
    in_place: usize::MAX,
    status_ignore: 1,
    comm_type_shared: 1,
    any_source: -2,
    err_truncate: 14,
    class_bits: 0x7f,
    no_op: 0x5800_000e,
    cart: 2,
    graph: 1,
    dist_graph: 3,
    comm_self: 0x4400_0001,
    tag_ub: 0x6440_0001,
    host: 0x6440_0003,
    io: 0x6440_0005,
    wtime_is_global: 0x6440_0007,
    appnum: 0x6440_000d,
    universe_size: 0x6440_0009,
    last_used_code: 0x6440_000b,
    bind_comm: 9701,
};

/// The standard ABI of MPI 5.0, section 20.
pub const STANDARD: Abi = Abi {
    mask: Handle::MAX,
    width: size_of::<Handle>(),
    comm_world: 0x101,
    comm_null: 0x100,
    win_null: 0x110,
    datatype_null: 0x200,
    byte: 0x247,
    int: 0x209,
    sum: 0x21,
    info_null: 0x130,
    proc_null: -3,
    root: -4,
    in_place: 1,
    status_ignore: 0,
    comm_type_shared: 221,
    any_source: -1,
    err_truncate: 15,
    class_bits: 0x7f,
    no_op: 0x3d,
    cart: 211,
    graph: 212,
    dist_graph: 213,
    comm_self: 0x102,
    tag_ub: 501,
    host: 503,
    io: 502,
    wtime_is_global: 504,
    appnum: 505,
    universe_size: 507,
    last_used_code: 506,
    bind_comm: 2,
};

/// The standard ABI as Intel MPI 2021 implements it, with numbers from a draft of the standard.
const INTEL_STANDARD: Abi = Abi {
    appnum: 506,
    universe_size: 505,
    last_used_code: 507,
    ..STANDARD
};

/// Length in bytes of the largest version text: the largest `MPI_MAX_LIBRARY_VERSION_STRING` of all
/// families.
const VERSION_ROOM: usize = 8192;

static ABI: OnceLock<Option<Abi>> = OnceLock::new();

/// The family in use; `None` before [`detect`], and if `detect` has recognised none.
#[inline]
#[must_use]
pub fn get() -> Option<&'static Abi> {
    ABI.get()?.as_ref()
}

/// Recognises the MPI library that the process has loaded. Later calls return the answer of the
/// first one.
///
/// `None` if there is no MPI, or one that shows no sign of a known family: its handles may be
/// anything. The standard ABI is checked first, because it may be a layer over one of the other
/// two, whose symbols then exist as well.
pub fn detect() -> Option<&'static Abi> {
    let found = ABI.get_or_init(|| {
        if standard() {
            Some(if is_intel() { INTEL_STANDARD } else { STANDARD })
        } else {
            open_mpi().or_else(|| mpich().then_some(MPICH))
        }
    });
    found.as_ref()
}

/// Whether the library belongs to the MPICH family. All libraries with its binary interface have
/// this function, which their `mpi.h` uses.
fn mpich() -> bool {
    function(c_name!("MPIR_Dup_fn")).is_some()
}

/// Whether the standard ABI is in use. Libraries with an ABI of their own may have the query too,
/// and return -1.
fn standard() -> bool {
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: each address is that of an integer on this stack, and MPI allows the call at any
    // time.
    let asked = unsafe { mpi::abi_get_version(&raw mut major, &raw mut minor) };
    asked.is_ok() && major >= 1
}

/// Whether the library reports that it is Intel's.
fn is_intel() -> bool {
    let (mut text, mut length) = ([0; VERSION_ROOM], 0);
    // SAFETY: the text has room for any version, and the length is a variable on this stack. MPI
    // allows the call at any time.
    let result = unsafe { mpi::library_version(text.as_mut_ptr(), &raw mut length) };
    let length = usize::try_from(length).unwrap_or(0).min(VERSION_ROOM);
    result.is_ok() && text[..length].windows(5).any(|word| word == b"Intel")
}

/// The constants of Open MPI. Its handles are addresses of objects in the library.
fn open_mpi() -> Option<Abi> {
    let address = |name: &CStr| data(name).map(|object| object.as_ptr().addr());
    Some(Abi {
        mask: Handle::MAX,
        width: size_of::<Handle>(),
        comm_world: address(c_name!("ompi_mpi_comm_world"))?,
        comm_null: address(c_name!("ompi_mpi_comm_null"))?,
        win_null: address(c_name!("ompi_mpi_win_null"))?,
        datatype_null: address(c_name!("ompi_mpi_datatype_null"))?,
        byte: address(c_name!("ompi_mpi_byte"))?,
        int: address(c_name!("ompi_mpi_int"))?,
        sum: address(c_name!("ompi_mpi_op_sum"))?,
        info_null: address(c_name!("ompi_mpi_info_null"))?,
        proc_null: -2,
        root: -4,
        in_place: 1,
        status_ignore: 0,
        comm_type_shared: 0,
        any_source: -1,
        err_truncate: 15,
        class_bits: !0,
        no_op: address(c_name!("ompi_mpi_op_no_op"))?,
        cart: 1,
        graph: 2,
        dist_graph: 3,
        comm_self: address(c_name!("ompi_mpi_comm_self"))?,
        tag_ub: 0,
        host: 1,
        io: 2,
        wtime_is_global: 3,
        appnum: 4,
        universe_size: 6,
        last_used_code: 5,
        bind_comm: 1,
    })
}

impl Abi {
    /// The handle with this index in the array at `place`, where MPI or the program has stored
    /// handles.
    ///
    /// # Safety
    /// `place` points to at least `index + 1` handles.
    #[inline]
    #[must_use]
    pub unsafe fn handle_at(&self, place: *const libc::c_void, index: usize) -> Handle {
        if self.width == 4 {
            // SAFETY: handles of this family are 32 bits wide, and the caller guarantees `index +
            // 1` of them.
            let handle = unsafe { place.cast::<u32>().wrapping_add(index).read() };
            handle as Handle
        } else {
            // SAFETY: handles of this family are as wide as a pointer, and the caller guarantees
            // `index + 1` of them.
            unsafe { place.cast::<Handle>().wrapping_add(index).read() }
        }
    }

    /// Stores a handle at `place`, in the width of the family.
    ///
    /// # Safety
    /// `place` points to a handle.
    pub unsafe fn store_handle(&self, place: *mut libc::c_void, handle: Handle) {
        if self.width == 4 {
            // SAFETY: handles of this family are 32 bits wide, and the caller guarantees room for
            // one.
            unsafe { place.cast::<u32>().write(handle as u32) };
        } else {
            // SAFETY: handles of this family are as wide as a pointer, and the caller guarantees
            // room for one.
            unsafe { place.cast::<Handle>().write(handle) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_in_memory_are_as_wide_as_the_family_has_them() {
        let narrow = [0x4400_0000_u32, 0x8400_0001];
        // SAFETY: there are two 32-bit handles, and the index is 1.
        let second = unsafe { MPICH.handle_at(narrow.as_ptr().cast(), 1) };
        assert_eq!(second, 0x8400_0001);
        let wide: [Handle; 2] = [0x101, 0x7fff_1234_5678];
        // SAFETY: there are two handles of the width of a pointer, and the index is 1.
        let second = unsafe { STANDARD.handle_at(wide.as_ptr().cast(), 1) };
        assert_eq!(second, 0x7fff_1234_5678);
    }

    #[test]
    fn a_process_without_mpi_is_of_no_family() {
        assert!(!standard());
        assert!(open_mpi().is_none());
        assert!(!mpich());
        assert!(detect().is_none());
        assert!(get().is_none());
    }
}
