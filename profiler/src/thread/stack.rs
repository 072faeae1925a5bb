//! The stack of the calling thread: where it is, and which calls are under way on it.

use libc::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;

/// The lowest address of the stack of the calling thread and the one behind its highest; an empty range where the system
/// does not tell.
pub(super) fn of_this_thread() -> (usize, usize) {
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: the call asks for nothing and cannot fail.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is the calling one, and there is room for its attributes.
    let told = unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) };
    if told != 0 {
        return (0, 0);
    }
    let (mut lowest, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the call above has filled the attributes, and both results are variables on this stack.
    unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size) };
    // SAFETY: the attributes were filled above, and are not used any more.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    (lowest.addr(), lowest.addr().saturating_add(size))
}

/// What the unwinder of the C++ and of the Rust runtime tells of the frames of the stack (Itanium C++ ABI, level I).
mod unwind {
    use libc::{c_int, c_void};

    unsafe extern "C" {
        pub(super) fn _Unwind_Backtrace(
            visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        pub(super) fn _Unwind_GetIP(frame: *mut c_void) -> usize;
        /// Where the stack pointer is while the frame waits for the call under way to return.
        pub(super) fn _Unwind_GetCFA(frame: *mut c_void) -> usize;
    }

    /// `_URC_NO_REASON`: go on to the next frame.
    pub(super) const GO_ON: c_int = 0;
    /// `_URC_END_OF_STACK`, or any other.
    pub(super) const ENOUGH: c_int = 5;
}

/// A walk up the stack.
struct Walk {
    held: usize,
    /// Whether the walk has left the call that it began in.
    left: bool,
    /// Whether the frame last visited is one of this library, of an earlier call.
    ours: bool,
    found: bool,
}

/// Whether what lies at `held` is in a frame of this library that waits for a call to return, other than the call that this
/// is asked in.
pub(super) fn is_under_way(held: usize) -> bool {
    unsafe extern "C" fn visit(frame: *mut c_void, walk: *mut c_void) -> c_int {
        // SAFETY: `is_under_way` passes a walk, which it touches only when all is visited.
        let walk = unsafe { &mut *walk.cast::<Walk>() };
        // SAFETY: the unwinder passes a frame.
        let stack = unsafe { unwind::_Unwind_GetCFA(frame) };
        if stack > walk.held {
            walk.found = walk.ours;
            return unwind::ENOUGH;
        }
        // SAFETY: the unwinder passes a frame.
        let ours = is_ours(unsafe { unwind::_Unwind_GetIP(frame) });
        walk.left |= !ours;
        walk.ours = ours && walk.left;
        unwind::GO_ON
    }
    let mut walk = Walk {
        held,
        left: false,
        ours: false,
        found: false,
    };
    // SAFETY: the function has the type asked for, and expects the walk it is given, which outlives the call.
    unsafe { unwind::_Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

/// Whether an address is in the code of this library.
fn is_ours(code: usize) -> bool {
    let object = |address: *const c_void| {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: `dladdr` takes any address, and fills the record or leaves it as it is.
        unsafe { libc::dladdr(address, info.as_mut_ptr()) };
        // SAFETY: all bytes zero, the record is valid too: its fields are pointers.
        unsafe { info.assume_init() }.dli_fbase
    };
    object(ptr::with_exposed_provenance(code)) == object(is_ours as *const c_void)
}
