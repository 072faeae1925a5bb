//! Typed MPI functions, found at run time. They are named as in MPI, without the prefix. Each calls
//! the function with the prefix `PMPI_`, so that no tool counts the call.

use crate::handle::{Address, ERR_ABSENT, Handle};
use crate::symbol::{Symbol, c_name};
use libc::{c_char, c_int};

/// A call that did not return `MPI_SUCCESS`: the name of the function without `MPI_`, and the error
/// code.
#[derive(Clone, Copy, Debug)]
pub struct MpiError(pub &'static str, pub c_int);

impl std::error::Error for MpiError {}

impl std::fmt::Display for MpiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MPI_{} returned {}", self.0, self.1)
    }
}

/// The result of an MPI call.
pub type Result<T = ()> = std::result::Result<T, MpiError>;

/// Calls the address `function` as a C function of this signature, which returns an error code of
/// MPI. An error handler of the program may throw an exception out of the call.
///
/// # Safety
/// A function of this signature is at the address, and the arguments are valid for it.
#[macro_export]
macro_rules! call {
    ($function:expr, ($($type:ty),*), ($($value:expr),*)) => {{
        let function: unsafe extern "C-unwind" fn($($type),*) -> ::libc::c_int =
            ::std::mem::transmute($function);
        function($($value),*)
    }};
}

/// Defines unsafe wrappers of MPI functions, one in each line: `name = Name(argument: type);`.
macro_rules! functions {
    ($($rust:ident = $name:ident($($arg:ident: $type:ty),*);)+) => {$(
        #[doc = concat!("`MPI_", stringify!($name), "`.")]
        ///
        /// # Errors
        /// [`MpiError`], also where the loaded MPI lacks the function.
        ///
        /// # Safety
        /// The arguments are valid for this MPI function, and MPI allows the call at this time.
        #[allow(clippy::too_many_arguments, reason = "as many as MPI has")]
        pub unsafe fn $rust($($arg: $type),*) -> Result {
            static NEXT: Symbol = Symbol::new(c_name!("PMPI_", stringify!($name)));
            let code = match NEXT.get() {
                // SAFETY: in the MPI standard the function of this name has this signature. The
                // caller guarantees the rest.
                Some(next) => unsafe { call!(next.as_ptr(), ($($type),*), ($($arg),*)) },
                None => ERR_ABSENT,
            };
            if code == 0 { Ok(()) } else { Err(MpiError(stringify!($name), code)) }
        }
    )+};
}

pub(crate) use functions;

/// `MPI_Comm_copy_attr_function`, and the same for windows.
pub type CopyAttribute =
    unsafe extern "C" fn(Handle, c_int, Address, Address, Address, *mut c_int) -> c_int;
/// `MPI_Comm_delete_attr_function`, and the same for windows.
pub type DeleteAttribute = unsafe extern "C" fn(Handle, c_int, Address, Address) -> c_int;
/// `MPI_Comm_errhandler_function`, without the further arguments that a library may pass.
pub type CommErrhandler = unsafe extern "C" fn(*mut Handle, *mut c_int);

/// A copy callback that keeps an attribute from being copied to a duplicate.
///
/// # Safety
/// `copied` is the address of an integer, as MPI passes it.
pub unsafe extern "C" fn never_copied(
    _: Handle,
    _: c_int,
    _: Address,
    _: Address,
    _: Address,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: the caller guarantees that `copied` is the address of an integer.
    unsafe { copied.write(0) };
    0
}

functions! {
    abi_get_version = Abi_get_version(major: *mut c_int, minor: *mut c_int);
    library_version = Get_library_version(text: *mut u8, length: *mut c_int);
    initialized = Initialized(flag: *mut c_int);
    finalized = Finalized(flag: *mut c_int);
    comm_call_errhandler = Comm_call_errhandler(comm: Handle, code: c_int);
    comm_rank = Comm_rank(comm: Handle, rank: *mut c_int);
    comm_size = Comm_size(comm: Handle, size: *mut c_int);
    comm_get_parent = Comm_get_parent(comm: *mut Handle);
    comm_split = Comm_split(comm: Handle, color: c_int, key: c_int, new: *mut Handle);
    comm_split_type = Comm_split_type(comm: Handle, kind: c_int, key: c_int, info: Handle, new: *mut Handle);
    comm_free = Comm_free(comm: *mut Handle);
    comm_test_inter = Comm_test_inter(comm: Handle, flag: *mut c_int);
    comm_group = Comm_group(comm: Handle, group: *mut Handle);
    comm_remote_size = Comm_remote_size(comm: Handle, size: *mut c_int);
    comm_remote_group = Comm_remote_group(comm: Handle, group: *mut Handle);
    group_from_pset = Group_from_session_pset(session: Handle, name: *const c_char, group: *mut Handle);
    group_rank = Group_rank(group: Handle, rank: *mut c_int);
    group_size = Group_size(group: Handle, size: *mut c_int);
    group_translate_ranks = Group_translate_ranks(from: Handle, number: c_int, ranks: *const c_int, to: Handle, found: *mut c_int);
    group_free = Group_free(group: *mut Handle);
    comm_create_keyval = Comm_create_keyval(copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: Address);
    comm_get_attr = Comm_get_attr(comm: Handle, keyval: c_int, value: *mut Address, flag: *mut c_int);
    comm_set_attr = Comm_set_attr(comm: Handle, keyval: c_int, value: Address);
    comm_delete_attr = Comm_delete_attr(comm: Handle, keyval: c_int);
    comm_free_keyval = Comm_free_keyval(keyval: *mut c_int);
    comm_create = Comm_create(comm: Handle, group: Handle, new: *mut Handle);
    intercomm_create = Intercomm_create(comm: Handle, leader: c_int, peer: Handle, remote_leader: c_int, tag: c_int, new: *mut Handle);
    intercomm_merge = Intercomm_merge(comm: Handle, high: c_int, new: *mut Handle);
    comm_set_name = Comm_set_name(comm: Handle, name: *const c_char);
    comm_get_errhandler = Comm_get_errhandler(comm: Handle, handler: *mut Handle);
    barrier = Barrier(comm: Handle);
    allreduce = Allreduce(from: *const u8, into: Address, number: c_int, datatype: Handle, operator: Handle, comm: Handle);
    bcast = Bcast(buffer: Address, number: c_int, datatype: Handle, root: c_int, comm: Handle);
    gather = Gather(from: *const u8, number: c_int, datatype: Handle, into: Address, room: c_int, into_type: Handle, root: c_int, comm: Handle);
    gatherv = Gatherv(from: *const u8, number: c_int, datatype: Handle, into: Address, rooms: *const c_int, offsets: *const c_int, into_type: Handle, root: c_int, comm: Handle);
    scatter = Scatter(from: *const u8, number: c_int, datatype: Handle, into: Address, room: c_int, into_type: Handle, root: c_int, comm: Handle);
    scatterv = Scatterv(from: *const u8, numbers: *const c_int, offsets: *const c_int, datatype: Handle, into: Address, room: c_int, into_type: Handle, root: c_int, comm: Handle);
    group_incl = Group_incl(group: Handle, number: c_int, ranks: *const c_int, new: *mut Handle);
    win_create_keyval = Win_create_keyval(copy: CopyAttribute, delete: DeleteAttribute, keyval: *mut c_int, extra: Address);
    win_get_attr = Win_get_attr(window: Handle, keyval: c_int, value: *mut Address, flag: *mut c_int);
    win_set_attr = Win_set_attr(window: Handle, keyval: c_int, value: Address);
    win_get_group = Win_get_group(window: Handle, group: *mut Handle);
    topo_test = Topo_test(comm: Handle, kind: *mut c_int);
    cartdim_get = Cartdim_get(comm: Handle, dimensions: *mut c_int);
    cart_get = Cart_get(comm: Handle, dimensions: c_int, extents: *mut c_int, periods: *mut c_int, own: *mut c_int);
    cart_shift = Cart_shift(comm: Handle, dimension: c_int, by: c_int, source: *mut c_int, dest: *mut c_int);
    graph_neighbors_count = Graph_neighbors_count(comm: Handle, rank: c_int, number: *mut c_int);
    graph_neighbors = Graph_neighbors(comm: Handle, rank: c_int, room: c_int, neighbors: *mut c_int);
    dist_graph_neighbors_count = Dist_graph_neighbors_count(comm: Handle, into: *mut c_int, out: *mut c_int, weighted: *mut c_int);
    dist_graph_neighbors = Dist_graph_neighbors(comm: Handle, into: c_int, sources: *mut c_int, source_weights: *mut c_int, out: c_int, destinations: *mut c_int, weights: *mut c_int);
    op_commutative = Op_commutative(operator: Handle, commutes: *mut c_int);
    type_size = Type_size(datatype: Handle, size: *mut c_int);
    type_size_x = Type_size_x(datatype: Handle, size: *mut i64);
    comm_create_errhandler = Comm_create_errhandler(handler: CommErrhandler, new: *mut Handle);
    comm_set_errhandler = Comm_set_errhandler(comm: Handle, handler: Handle);
    errhandler_free = Errhandler_free(handler: *mut Handle);
    cancel = Cancel(request: *mut Handle);
    request_free = Request_free(request: *mut Handle);
    comm_idup = Comm_idup(comm: Handle, new: *mut Handle, request: *mut Handle);
    isend = Isend(from: *const u8, number: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: *mut Handle);
    issend = Issend(from: *const u8, number: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle, request: *mut Handle);
    irecv = Irecv(into: Address, number: c_int, datatype: Handle, source: c_int, tag: c_int, comm: Handle, request: *mut Handle);
    ibarrier = Ibarrier(comm: Handle, request: *mut Handle);
    test = Test(request: *mut Handle, done: *mut c_int, status: Address);
}

/// Whether `comm` is an intercommunicator.
///
/// # Errors
/// [`MpiError`].
///
/// # Safety
/// `comm` is a communicator that is alive.
pub unsafe fn is_inter(comm: Handle) -> Result<bool> {
    let mut inter = 0;
    // SAFETY: the caller guarantees that the communicator is alive. The flag is an integer on this
    // stack.
    unsafe { comm_test_inter(comm, &raw mut inter) }?;
    Ok(inter != 0)
}
