//! Reserving space in the file of a journal, and mapping it to memory.

use super::slot::Slot;
use libc::{c_int, c_void};
use rankfold_preload::size_limit::only_refuses;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;

/// Size of a memory page of this system in bytes.
pub(crate) fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(|| {
        // SAFETY: `sysconf` has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(page).unwrap_or(4096)
    })
}

/// Reserves space in the file. On a full file system that is an error here; without it, the first
/// write to the mapped page would end the program by SIGBUS.
pub(super) fn reserve(file: &File, offset: usize, length: usize) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` lives, and the call takes no address.
    let code = only_refuses(|| unsafe {
        libc::posix_fallocate(file.as_raw_fd(), offset as i64, length as i64)
    });
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Maps `length` bytes of a file from `offset` on, shared with the file.
pub(super) fn shared(file: &File, offset: usize, length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_SHARED, file.as_raw_fd(), offset, length)
}

/// Maps `length` bytes of memory of this process, all zero.
pub(crate) fn private(length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0, length)
}

fn map(flags: c_int, descriptor: c_int, offset: usize, length: usize) -> io::Result<*mut c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let (anywhere, offset) = (ptr::null_mut(), offset as i64);
    // SAFETY: the address is null, so the system chooses one at which nothing is mapped.
    let start = unsafe { libc::mmap(anywhere, length, access, flags, descriptor, offset) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(start)
}

/// Gives the memory of an empty table back to the system. Its whole pages read as zeros, as before,
/// and take no memory until they are written. The table stays mapped.
pub(super) fn give_back(table: &'static [Slot]) {
    let range = table.as_ptr_range();
    let (start, end) = (range.start.cast_mut().cast::<c_void>(), range.end.addr());
    let unused = start.align_offset(page());
    let length = (end - end % page()).saturating_sub(start.addr() + unused);
    // The first advice is for files. Where the file system cannot make holes the system refuses it,
    // and the memory stays. The second is for memory without a file.
    for advice in [libc::MADV_REMOVE, libc::MADV_DONTNEED] {
        // SAFETY: the address range consists of whole pages of a table that is never unmapped. Its
        // slots are zero before and after the call.
        if unsafe { libc::madvise(start.wrapping_byte_add(unused), length, advice) } == 0 {
            break;
        }
    }
}
