//! Looks up functions and data in the libraries that are loaded behind the calling one.

use libc::{RTLD_DEFAULT, RTLD_LAZY, RTLD_NEXT, RTLD_NOLOAD, c_char, c_int, c_void, size_t};
use std::ffi::OsString;
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// A function that is looked up on first use.
pub struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

/// Stands for the address of a function that was looked up and does not exist. No function has the
/// address 1.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

/// Whether a function whose name begins with `PMPI_` is looked up without the `P`.
static THROUGH_TOOLS: AtomicBool = AtomicBool::new(false);

/// From now on, a function with the prefix `PMPI_` is looked up without the `P`, so that tools see
/// the call. This is for a program that calls MPI as a user does. A tool would call itself.
pub(crate) fn call_through_tools() {
    THROUGH_TOOLS.store(true, Ordering::Relaxed);
}

/// The name under which a function is looked up.
fn called(name: &CStr) -> &CStr {
    let plain = name.to_bytes_with_nul().strip_prefix(b"P");
    let plain = plain.filter(|plain| plain.starts_with(b"MPI_"));
    let plain = plain.filter(|_| THROUGH_TOOLS.load(Ordering::Relaxed));
    plain.map_or(name, |plain| {
        CStr::from_bytes_with_nul(plain).unwrap_or(name)
    })
}

impl Symbol {
    /// The function of this name. Nothing is looked up yet.
    #[must_use]
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The address of the function in the next library; `None` where the loaded MPI lacks it.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<NonNull<c_void>> {
        let address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            return self.resolve();
        }
        NonNull::new(address).filter(|_| address != ABSENT)
    }

    #[cold]
    fn resolve(&self) -> Option<NonNull<c_void>> {
        let found = function(called(self.name));
        let address = found.map_or(ABSENT, NonNull::as_ptr);
        self.address.store(address, Ordering::Relaxed);
        found
    }
}

/// The `&'static CStr` of a name that is given as one or more string literals, without its final
/// NUL.
#[macro_export]
macro_rules! c_name {
    ($($piece:expr),+) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($($piece),+, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("a name with a NUL inside"),
        }
    };
}
pub(crate) use c_name;

/// The next definition of a function behind the library that calls this; `None` where the loaded
/// MPI lacks the function.
#[must_use]
pub fn function(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a NUL, and RTLD_NEXT stands for the libraries behind this one.
    let next = unsafe { libc::dlsym(RTLD_NEXT, name.as_ptr()) };
    NonNull::new(next).or_else(|| hidden(name))
}

/// A data object of the MPI library; `None` where the library has none of this name. The default
/// scope is searched first: some executables hold copies of Open MPI's objects, and the library
/// then uses these copies.
#[must_use]
pub fn data(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a NUL, and RTLD_DEFAULT stands for all libraries of the global
    // scope.
    let found = unsafe { libc::dlsym(RTLD_DEFAULT, name.as_ptr()) };
    NonNull::new(found).or_else(|| hidden(name))
}

/// Looks a name up in libraries that were loaded with `RTLD_LOCAL`, as extension modules of Python
/// load MPI.
fn hidden(name: &CStr) -> Option<NonNull<c_void>> {
    paths().iter().find_map(|path| {
        // SAFETY: the path ends with a NUL. RTLD_NOLOAD finds only libraries that are loaded
        // already, so no constructor runs.
        let library = unsafe { libc::dlopen(path.as_ptr(), RTLD_LAZY | RTLD_NOLOAD) };
        if library.is_null() {
            return None;
        }
        // SAFETY: `dlopen` has just returned the handle, and the name ends with a NUL.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: the handle was opened above. The library stays loaded, because the program that
        // loaded it first still holds it.
        unsafe { libc::dlclose(library) };
        NonNull::new(found).filter(|found| object_of(found.as_ptr()) != own_object())
    })
}

/// File names of all loaded objects, without their directories.
#[must_use]
pub fn loaded() -> Vec<String> {
    let paths = objects();
    let name = |path: &CString| String::from_utf8_lossy(file(path)).into_owned();
    paths.iter().map(name).collect()
}

/// Paths of all loaded objects that have one. The program itself is not among them.
#[must_use]
pub fn loaded_paths() -> Vec<PathBuf> {
    let objects = objects().into_iter();
    let bytes = objects
        .map(CString::into_bytes)
        .filter(|path| path.contains(&b'/'));
    bytes
        .map(|path| PathBuf::from(OsString::from_vec(path)))
        .collect()
}

/// Whether an object is loaded whose path contains `part`.
#[must_use]
pub fn is_loaded(part: &str) -> bool {
    let has = |path: &CString| path.to_string_lossy().contains(part);
    objects().iter().any(has)
}

/// Paths of the loaded objects that may be an MPI library, or Open MPI's library for monitoring,
/// which Open MPI loads in `MPI_Init`.
fn paths() -> Vec<CString> {
    let may_be_mpi = |path: &CString| {
        let monitors = file(path).starts_with(b"libmca_common_monitoring");
        monitors
            || file(path)
                .windows(3)
                .any(|part| part.eq_ignore_ascii_case(b"mpi"))
    };
    objects().into_iter().filter(may_be_mpi).collect()
}

fn file(path: &CStr) -> &[u8] {
    path.to_bytes()
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default()
}

/// Paths of all loaded objects.
fn objects() -> Vec<CString> {
    unsafe extern "C" fn collect(
        info: *mut libc::dl_phdr_info,
        _: size_t,
        list: *mut c_void,
    ) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes a record that is valid during the callback.
        let name: *const c_char = unsafe { (*info).dlpi_name };
        if name.is_null() {
            return 0;
        }
        // SAFETY: the pointer is not null, and names of the loader end with a NUL.
        let name = unsafe { CStr::from_ptr(name) };
        // SAFETY: `list` is the vector that `objects` passes below, which does not use it until the
        // iteration is over.
        unsafe { &mut *list.cast::<Vec<CString>>() }.push(name.to_owned());
        0
    }
    let mut list: Vec<CString> = Vec::new();
    // SAFETY: the callback has the signature that is asked for, and gets the vector that it
    // expects, which lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut list).cast()) };
    list
}

/// The address at which the object that holds `address` is loaded.
fn object_of(address: *const c_void) -> *mut c_void {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `dladdr` takes any address, and fills the record or leaves it unchanged.
    unsafe { libc::dladdr(address, &raw mut info) };
    info.dli_fbase
}

/// The address at which the object that contains this code is loaded. Its own definitions do not
/// count as the next ones.
fn own_object() -> *mut c_void {
    object_of((&raw const ANCHOR).cast())
}

/// A variable of this library, for its address.
static ANCHOR: u8 = 0;
