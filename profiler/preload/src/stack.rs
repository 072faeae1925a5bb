//! The stack of the calling thread: its address range, and the calls that are under way on it.

use libc::{c_int, c_void};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;

/// The lowest address of the calling thread's stack and the address behind its highest one; an
/// empty range where the system does not answer.
#[must_use]
pub fn of_this_thread() -> (usize, usize) {
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: `pthread_self` has no preconditions.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is the calling one, and `attributes` has room for its attributes.
    let result = unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) };
    if result != 0 {
        return (0, 0);
    }
    let (mut lowest, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the call above has filled the attributes, and both results are variables on this
    // stack.
    unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size) };
    // SAFETY: the attributes were filled above, and are not used after this call.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    (lowest.addr(), lowest.addr().saturating_add(size))
}

/// Functions of the stack unwinder of the C++ and Rust runtimes (Itanium C++ ABI, level I).
mod unwind {
    use libc::{c_int, c_void};

    unsafe extern "C" {
        pub(super) fn _Unwind_Backtrace(
            visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        pub(super) fn _Unwind_GetIP(frame: *mut c_void) -> usize;
        /// The stack pointer that the frame has while it waits for the call under way to return.
        pub(super) fn _Unwind_GetCFA(frame: *mut c_void) -> usize;
    }

    /// `_URC_NO_REASON`: the unwinder goes on to the next frame.
    pub(super) const GO_ON: c_int = 0;
    /// `_URC_END_OF_STACK`: the unwinder stops, as for every other value but `GO_ON`.
    pub(super) const ENOUGH: c_int = 5;
}

/// The state of a walk up the stack.
struct Walk<'a> {
    until: usize,
    is_wanted: &'a mut dyn FnMut(Range<usize>) -> bool,
    /// Whether the walk has left the call of this library in which it began.
    left: bool,
    /// The lowest address of the frame visited last, if it belongs to an earlier call of this
    /// library.
    ours: Option<usize>,
    found: bool,
}

/// Whether one of the frames of this library that wait for a call to return has addresses that are
/// wanted. The call of this library in which the question is asked does not count. The walk up the
/// stack ends behind the address `until`.
#[must_use]
pub fn waits_in(until: usize, mut is_wanted: impl FnMut(Range<usize>) -> bool) -> bool {
    unsafe extern "C" fn visit(frame: *mut c_void, walk: *mut c_void) -> c_int {
        // SAFETY: `waits_in` passes the address of a `Walk`, and does not use it until all frames
        // are visited.
        let walk = unsafe { &mut *walk.cast::<Walk<'_>>() };
        // SAFETY: the unwinder passes a valid frame.
        let stack = unsafe { unwind::_Unwind_GetCFA(frame) };
        walk.found = walk
            .ours
            // From the stack of a signal handler the walk may go on at lower addresses.
            .is_some_and(|lowest| lowest < stack && (walk.is_wanted)(lowest..stack));
        if walk.found || stack > walk.until {
            return unwind::ENOUGH;
        }
        // SAFETY: the unwinder passes a valid frame.
        let ours = is_ours(unsafe { unwind::_Unwind_GetIP(frame) });
        walk.left |= !ours;
        walk.ours = (ours && walk.left).then_some(stack);
        unwind::GO_ON
    }
    let mut walk = Walk {
        until,
        is_wanted: &mut is_wanted,
        left: false,
        ours: None,
        found: false,
    };
    // SAFETY: `visit` has the type that the unwinder calls, and gets the walk that it expects,
    // which lives until the call returns.
    unsafe { unwind::_Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

/// Whether an address lies in the code of this library.
fn is_ours(code: usize) -> bool {
    let object = |address| symbol(address).dli_fbase;
    object(ptr::with_exposed_provenance(code)) == object(is_ours as *const c_void)
}

/// Whether another object defines a function of this name, and calls reach it before that of this
/// library.
#[must_use]
pub fn is_defined_before_us(name: &CStr) -> bool {
    // SAFETY: the name ends with a NUL, and RTLD_DEFAULT stands for all objects of the global
    // scope, the program first.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    !first.is_null() && !is_ours(first.expose_provenance())
}

/// The name, without `prefix`, of the nearest function on the stack that lies outside of this
/// library and whose name begins with `prefix`. Only functions that other objects can call have
/// names here.
#[must_use]
pub fn nearest_function(prefix: &str) -> Option<&'static str> {
    struct Search<'a> {
        prefix: &'a str,
        found: Option<&'static str>,
    }
    unsafe extern "C" fn visit(frame: *mut c_void, search: *mut c_void) -> c_int {
        // SAFETY: `nearest_function` passes the address of a `Search`, and does not use it until
        // all frames are visited.
        let search = unsafe { &mut *search.cast::<Search>() };
        // SAFETY: the unwinder passes a valid frame.
        let code = unsafe { unwind::_Unwind_GetIP(frame) };
        let at = symbol(ptr::with_exposed_provenance(code));
        if is_ours(code) || at.dli_sname.is_null() {
            return unwind::GO_ON;
        }
        // SAFETY: the pointer is not null, and the names of the loader end with a NUL. The object
        // stays loaded, because one of its functions is being executed.
        let name = unsafe { CStr::from_ptr(at.dli_sname) };
        search.found = name
            .to_str()
            .ok()
            .and_then(|name| name.strip_prefix(search.prefix));
        if search.found.is_some() {
            unwind::ENOUGH
        } else {
            unwind::GO_ON
        }
    }
    let mut search = Search {
        prefix,
        found: None,
    };
    // SAFETY: `visit` has the type that the unwinder calls, and gets the search that it expects,
    // which lives until the call returns.
    unsafe { unwind::_Unwind_Backtrace(visit, (&raw mut search).cast()) };
    search.found
}

/// The path of the object whose code has called this library last.
#[must_use]
pub fn calling_object() -> Option<String> {
    unsafe extern "C" fn visit(frame: *mut c_void, found: *mut c_void) -> c_int {
        // SAFETY: the unwinder passes a valid frame.
        let code = unsafe { unwind::_Unwind_GetIP(frame) };
        if is_ours(code) {
            return unwind::GO_ON;
        }
        let file = symbol(ptr::with_exposed_provenance(code)).dli_fname;
        if !file.is_null() {
            // SAFETY: the pointer is not null, and the names of the loader end with a NUL. The
            // object stays loaded, because its code is being executed.
            let file = unsafe { CStr::from_ptr(file) };
            // SAFETY: `calling_object` passes the address of the variable for the path, and does
            // not use it until all frames are visited.
            let found = unsafe { &mut *found.cast::<Option<String>>() };
            *found = Some(file.to_string_lossy().into_owned());
        }
        unwind::ENOUGH
    }
    let mut found: Option<String> = None;
    // SAFETY: `visit` has the type that the unwinder calls, and gets the variable that it expects,
    // which lives until the call returns.
    unsafe { unwind::_Unwind_Backtrace(visit, (&raw mut found).cast()) };
    found
}

/// What the loader reports about an address.
fn symbol(address: *const c_void) -> libc::Dl_info {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` takes any address, and fills the record or leaves it unchanged.
    unsafe { libc::dladdr(address, info.as_mut_ptr()) };
    // SAFETY: the record is filled or all zeros, and zeros are valid: its fields are pointers.
    unsafe { info.assume_init() }
}
