//! Memory for counters: a mapped file, or memory of this process alone.

use crate::size_limit::only_refuses;
use libc::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;

/// Size of a memory page of this system in bytes.
#[must_use]
pub fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(|| {
        // SAFETY: `sysconf` has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(page).unwrap_or(4096)
    })
}

/// Reserves the first `length` bytes of the file, which grows to that length. On a full file system
/// that is an error here; without it, the first write to a mapped page would end the program by
/// SIGBUS.
///
/// # Errors
/// Those of the system.
pub fn reserve(file: &File, length: usize) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` lives, and the call takes no address.
    let code =
        only_refuses(|| unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length as i64) });
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Maps the first `length` bytes of a file, shared with the file.
///
/// # Errors
/// Those of the system.
pub fn shared(file: &File, length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_SHARED, file.as_raw_fd(), length)
}

/// Maps `length` bytes of memory of this process, all zero.
///
/// # Errors
/// Those of the system.
pub fn private(length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, length)
}

fn map(flags: c_int, descriptor: c_int, length: usize) -> io::Result<*mut c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the address is null, so the system chooses one at which nothing is mapped.
    let start = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, descriptor, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(start)
}
