//! Programs that were compiled with AddressSanitizer (`-fsanitize=address`).
//!
//! The shared runtime of AddressSanitizer ends a program with an error if another library is loaded
//! before it, which every preloaded library is. The check is for libraries that define functions
//! which the runtime replaces, such as `malloc`. The preload libraries define none of these, so the
//! check is switched off for programs that they are loaded into.

use std::ffi::{CStr, c_char};

/// The option of the runtime that switches the check off.
const OPTIONS: &CStr = c"verify_asan_link_order=0";

/// The default options of AddressSanitizer. The runtime calls this function before any constructor.
/// The user's `ASAN_OPTIONS` take effect on top of these. A program that defines this function
/// itself is asked in place of this library.
#[unsafe(no_mangle)]
pub extern "C" fn __asan_default_options() -> *const c_char {
    OPTIONS.as_ptr()
}
