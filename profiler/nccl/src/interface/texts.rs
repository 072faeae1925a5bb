//! Texts in NCCL's descriptors.

use crate::names::{Element, Function, element, function};
use std::ffi::{CStr, c_char};

/// The function that a text names.
///
/// # Safety
/// The address is null or that of a text that ends with a zero byte.
pub(super) unsafe fn function_of(name: *const c_char) -> Option<Function> {
    // SAFETY: the caller guarantees that.
    function(unsafe { text(name) }?)
}

/// The type of elements that a text names.
///
/// # Safety
/// As [`function_of`].
pub(super) unsafe fn element_of(name: *const c_char) -> Option<Element> {
    // SAFETY: the caller guarantees that.
    element(unsafe { text(name) }?)
}

unsafe fn text<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees that a text is there; NCCL's are constants.
    Some(unsafe { CStr::from_ptr(text) }.to_bytes())
}
