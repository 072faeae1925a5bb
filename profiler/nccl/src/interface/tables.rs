//! The functions that NCCL calls, for any version, and the tables that hold them.

use super::progress::Telling;
use crate::counting::{self, NewCommunicator};
use crate::event::{Event, Progress};
use crate::guard::guarded;
use std::ffi::{c_char, c_int, c_void};

/// A version of the interface.
pub(super) trait Version {
    /// Its number.
    const NUMBER: u32;
    /// The types of events that are asked for.
    const MASK: u64;
    /// How progress is told.
    type Telling: Telling;
    /// The descriptor of an event.
    type Descriptor;

    /// The event, its parent and the rank that it is of.
    ///
    /// # Safety
    /// The descriptor is one that NCCL has filled: its type says which member of its union is set,
    /// and texts in it end with a zero byte.
    unsafe fn event(descriptor: &Self::Descriptor) -> (Event, *mut c_void, c_int);
}

type Start<V> =
    unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *const <V as Version>::Descriptor) -> c_int;
type Record<V> = unsafe extern "C" fn(*mut c_void, c_int, *const Arguments<V>) -> c_int;
type Arguments<V> = <<V as Version>::Telling as Telling>::Arguments;
type Plain = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A table: the name of the plugin and five functions. `I` is the type of the first one.
#[repr(C)]
pub(super) struct Table<V: Version, I> {
    name: *const c_char,
    init: I,
    start: Start<V>,
    stop: Plain,
    record: Record<V>,
    finalize: Plain,
}

// SAFETY: the name is a constant text, and functions may be called by any thread.
unsafe impl<V: Version, I> Sync for Table<V, I> {}

impl<V: Version, I> Table<V, I> {
    /// The table with this first function.
    pub(super) const fn new(init: I) -> Self {
        Self {
            name: c"rankfold".as_ptr(),
            init,
            start: start::<V>,
            stop,
            record: record::<V>,
            finalize,
        }
    }
}

/// `init` of versions 1 to 3.
pub(super) type PlainInit = unsafe extern "C" fn(*mut *mut c_void, *mut c_int) -> c_int;
/// The function with which NCCL writes its log, which is not called.
type Logger = *const c_void;
/// `init` of version 4.
pub(super) type NamedInit = unsafe extern "C" fn(
    *mut *mut c_void,
    *mut c_int,
    *const c_char,
    u64,
    c_int,
    c_int,
    c_int,
    Logger,
) -> c_int;
/// `init` from version 5 on.
pub(super) type NumberedInit = unsafe extern "C" fn(
    *mut *mut c_void,
    u64,
    *mut c_int,
    *const c_char,
    c_int,
    c_int,
    c_int,
    Logger,
) -> c_int;

/// `init` of versions 1 to 3: a new communicator, of which nothing is told.
pub(super) unsafe extern "C" fn plain_init<V: Version>(
    context: *mut *mut c_void,
    mask: *mut c_int,
) -> c_int {
    // SAFETY: NCCL passes the addresses of two variables, or null.
    unsafe { init::<V>(context, mask, None) }
}

/// `init` of version 4.
pub(super) unsafe extern "C" fn named_init<V: Version>(
    context: *mut *mut c_void,
    mask: *mut c_int,
    _name: *const c_char,
    id: u64,
    _nodes: c_int,
    size: c_int,
    rank: c_int,
    _log: Logger,
) -> c_int {
    let communicator = NewCommunicator { id, rank, size };
    // SAFETY: NCCL passes the addresses of two variables, or null.
    unsafe { init::<V>(context, mask, Some(communicator)) }
}

/// `init` from version 5 on.
pub(super) unsafe extern "C" fn numbered_init<V: Version>(
    context: *mut *mut c_void,
    id: u64,
    mask: *mut c_int,
    _name: *const c_char,
    _nodes: c_int,
    size: c_int,
    rank: c_int,
    _log: Logger,
) -> c_int {
    let communicator = NewCommunicator { id, rank, size };
    // SAFETY: NCCL passes the addresses of two variables, or null.
    unsafe { init::<V>(context, mask, Some(communicator)) }
}

/// Begins a communicator. The mask is one for the whole process, so it is only set when something
/// is counted: another communicator may be counted already.
///
/// # Safety
/// The addresses are null or those of variables.
unsafe fn init<V: Version>(
    context: *mut *mut c_void,
    mask: *mut c_int,
    communicator: Option<NewCommunicator>,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller guarantees that a variable is at an address other than null.
        let Some(context) = (unsafe { context.as_mut() }) else {
            return;
        };
        *context = counting::begin(V::NUMBER, communicator);
        // SAFETY: as above.
        if let (Some(mask), false) = (unsafe { mask.as_mut() }, context.is_null()) {
            *mask = V::MASK as c_int;
        }
    })
}

unsafe extern "C" fn start<V: Version>(
    context: *mut c_void,
    handle: *mut *mut c_void,
    descriptor: *const V::Descriptor,
) -> c_int {
    guarded(|| {
        // SAFETY: NCCL passes the address of a variable, or null.
        let Some(handle) = (unsafe { handle.as_mut() }) else {
            return;
        };
        *handle = std::ptr::null_mut();
        // SAFETY: NCCL passes the address of a descriptor of this version, or null.
        let Some(descriptor) = (unsafe { descriptor.as_ref() }) else {
            return;
        };
        // SAFETY: NCCL has filled the descriptor.
        let (event, parent, rank) = unsafe { V::event(descriptor) };
        *handle = counting::event(context, parent, rank, event, V::Telling::SUMS);
    })
}

unsafe extern "C" fn stop(handle: *mut c_void) -> c_int {
    guarded(|| counting::stop(handle))
}

unsafe extern "C" fn record<V: Version>(
    handle: *mut c_void,
    state: c_int,
    arguments: *const Arguments<V>,
) -> c_int {
    guarded(|| {
        // SAFETY: NCCL passes the address of the arguments of this version, or null.
        let arguments = unsafe { arguments.as_ref() };
        let (progress, sends) = V::Telling::progress(state, arguments);
        if progress != Progress::Nothing {
            counting::progress(handle, progress, sends);
        }
    })
}

unsafe extern "C" fn finalize(context: *mut c_void) -> c_int {
    guarded(|| counting::end(context))
}
