//! Space in the file of a journal, and its memory.

use super::slot::Slot;
use libc::{c_int, c_void};
use rankfold_preload::size_limit::only_refuses;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;

/// Bytes of a page of memory, as this system has them.
pub(crate) fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(|| {
        // SAFETY: the call takes no address.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(page).unwrap_or(4096)
    })
}

/// Reserves space in the file: a full file system is an error here, and would otherwise be a SIGBUS
/// in the middle of the program.
pub(super) fn reserve(file: &File, offset: usize, length: usize) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is, and the call takes no address.
    let code = only_refuses(|| unsafe {
        libc::posix_fallocate(file.as_raw_fd(), offset as i64, length as i64)
    });
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Maps `length` bytes of a file from `offset` on, shared.
pub(super) fn shared(file: &File, offset: usize, length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_SHARED, file.as_raw_fd(), offset, length)
}

/// Maps `length` zero bytes of memory of this process.
pub(crate) fn private(length: usize) -> io::Result<*mut c_void> {
    map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0, length)
}

fn map(flags: c_int, descriptor: c_int, offset: usize, length: usize) -> io::Result<*mut c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let (anywhere, offset) = (ptr::null_mut(), offset as i64);
    // SAFETY: the system chooses an address at which nothing is mapped yet.
    let start = unsafe { libc::mmap(anywhere, length, access, flags, descriptor, offset) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(start)
}

/// Gives the memory of a table back that is empty: its whole pages hold zeros as before, and take
/// up nothing until they are written again. The table stays mapped.
pub(super) fn give_back(table: &'static [Slot]) {
    let range = table.as_ptr_range();
    let (start, end) = (range.start.cast_mut().cast::<c_void>(), range.end.addr());
    let unused = start.align_offset(page());
    let length = (end - end % page()).saturating_sub(start.addr() + unused);
    // Where the file system cannot make holes the memory stays: the advice is refused, and the
    // other one is for plain memory.
    for advice in [libc::MADV_REMOVE, libc::MADV_DONTNEED] {
        // SAFETY: the whole pages of a table, which is mapped for good; its slots are zero before
        // and after.
        if unsafe { libc::madvise(start.wrapping_byte_add(unused), length, advice) } == 0 {
            break;
        }
    }
}
