//! The next definition of a name, behind this library.

use libc::{RTLD_DEFAULT, RTLD_LAZY, RTLD_NEXT, RTLD_NOLOAD, c_char, c_int, c_void, size_t};
use std::ffi::{CStr, CString};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A name resolved on first use.
pub(crate) struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

/// Stands for "looked for and not there"; no function lives at address 1.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

impl Symbol {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The function of this name in the next library, `None` where the loaded MPI lacks it.
    #[inline]
    pub(crate) fn get(&self) -> Option<NonNull<c_void>> {
        let address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            return self.resolve();
        }
        NonNull::new(address).filter(|_| address != ABSENT)
    }

    #[cold]
    fn resolve(&self) -> Option<NonNull<c_void>> {
        let found = function(self.name);
        let address = found.map_or(ABSENT, NonNull::as_ptr);
        self.address.store(address, Ordering::Relaxed);
        found
    }
}

/// Makes the `&'static CStr` of a name given in pieces.
macro_rules! c_name {
    ($($piece:expr),+) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($($piece),+, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("a name with a NUL inside"),
        }
    };
}
pub(crate) use c_name;

/// The next definition of a function, `None` where the loaded MPI lacks it.
pub(crate) fn function(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: a NUL-terminated name and a pseudo-handle.
    let next = unsafe { libc::dlsym(RTLD_NEXT, name.as_ptr()) };
    NonNull::new(next).or_else(|| hidden(name))
}

/// A data object of the MPI library. The default scope first: Open MPI's are copied into some executables.
pub(crate) fn data(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: a NUL-terminated name and a pseudo-handle.
    let found = unsafe { libc::dlsym(RTLD_DEFAULT, name.as_ptr()) };
    NonNull::new(found).or_else(|| hidden(name))
}

/// Looks into libraries loaded with `RTLD_LOCAL`, where Python's extension modules keep their MPI.
fn hidden(name: &CStr) -> Option<NonNull<c_void>> {
    loaded().iter().find_map(|path| {
        // SAFETY: a NUL-terminated path; RTLD_NOLOAD only finds what is already there.
        let library = unsafe { libc::dlopen(path.as_ptr(), RTLD_LAZY | RTLD_NOLOAD) };
        if library.is_null() {
            return None;
        }
        // SAFETY: a live handle and a NUL-terminated name.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: the handle from above; the library stays, its first loader holds it.
        unsafe { libc::dlclose(library) };
        NonNull::new(found).filter(|found| object_of(found.as_ptr()) != own_object())
    })
}

/// Names of the loaded objects that may be an MPI.
fn loaded() -> Vec<CString> {
    unsafe extern "C" fn collect(
        info: *mut libc::dl_phdr_info,
        _: size_t,
        list: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a valid record.
        let name: *const c_char = unsafe { (*info).dlpi_name };
        if name.is_null() {
            return 0;
        }
        // SAFETY: the loader's names are NUL-terminated.
        let name = unsafe { CStr::from_ptr(name) };
        let file = name.to_bytes().rsplit(|&byte| byte == b'/').next();
        if file.is_some_and(|file| {
            file.windows(3)
                .any(|part| part.eq_ignore_ascii_case(b"mpi"))
        }) {
            // SAFETY: the list passed below, borrowed by nobody else meanwhile.
            unsafe { &mut *list.cast::<Vec<CString>>() }.push(name.to_owned());
        }
        0
    }
    let mut list: Vec<CString> = Vec::new();
    // SAFETY: the callback matches and the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut list).cast()) };
    list
}

/// Where the object that holds `address` is loaded.
fn object_of(address: *const c_void) -> *mut c_void {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: dladdr takes any address and fills the record it is given.
    unsafe { libc::dladdr(address, &raw mut info) };
    info.dli_fbase
}

fn own_object() -> *mut c_void {
    object_of((&raw const ANCHOR).cast())
}

/// An address inside this library.
static ANCHOR: u8 = 0;
