//! The file of the journal, mapped as a whole for as long as the process lives.
//!
//! The file is open only while it is mapped. A descriptor that stayed open could be closed by a
//! mistake of the program, and its number would then stand for a file of the program. Everything
//! else is written to the mapping, which needs no system call: it works under another user, under a
//! limit on the size of files, and under filters of system calls.
//!
//! Only the beginning of the file has space from the start. The rest is a hole, whose pages get
//! their space when they are first [touched](sigbus::touch).

use libc::c_void;
use rankfold_preload::mapping::{self, page};
use rankfold_preload::sigbus;
use rankfold_preload::size_limit::only_refuses;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};

/// Length of the mapping in bytes, without what the number of ranks adds. Chosen by hand: tables
/// for the largest number of phases in eight threads take half of it.
const LENGTH: usize = 16 << 20;
/// Bytes that every rank of the world adds to the mapping. A table with all ranks as partners takes
/// an eighth of them to a quarter, and the smaller tables before it as much again.
const BYTES_A_RANK: usize = 512;
/// If the system refuses a mapping, the next one that is tried is shorter by this factor.
const SHORTER: usize = 4;

/// The mapped file.
pub(super) struct Room {
    pub(super) path: PathBuf,
    bytes: &'static [AtomicU8],
    /// Number of bytes in use.
    end: usize,
    /// Number of bytes that have space in the file system.
    reserved: usize,
    /// Whether the file system has refused space, or the mapping is used up.
    is_full: bool,
}

impl Room {
    /// Makes the file `path` with this head, for a process of a world of `ranks` ranks. `reserved`
    /// is the number of bytes, in whole pages, for which space is reserved at once. If that fails,
    /// no file is left behind.
    pub(super) fn create(
        path: PathBuf,
        head: &[u8],
        reserved: usize,
        ranks: u32,
    ) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let length = LENGTH + BYTES_A_RANK * ranks as usize;
        match map(&file, reserved, length.next_multiple_of(page())) {
            Ok(bytes) => {
                let room = Self {
                    path,
                    bytes,
                    end: page(),
                    reserved,
                    is_full: false,
                };
                room.write(0, head);
                Ok(room)
            }
            Err(error) => {
                // The first error is reported. This one adds nothing.
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// The next `length` bytes, in whole pages, and their offset in the file; `None` if there is no
    /// space for them. Once that has happened, there is never space again.
    pub(super) fn take(&mut self, length: usize) -> Option<(*mut c_void, usize)> {
        let (start, end) = (self.end, self.end + length);
        let new = self.bytes.get(self.reserved.clamp(start, end)..end);
        self.is_full |= !new.is_some_and(sigbus::touch);
        if self.is_full {
            return None;
        }
        (self.end, self.reserved) = (end, self.reserved.max(end));
        let taken = self.bytes.get(start..end)?;
        Some((taken.as_ptr().cast_mut().cast(), start))
    }

    /// Whether [`Room::take`] has found no space.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Overwrites bytes of the file, which are in use.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) {
        let places = self.bytes.iter().skip(offset);
        places
            .zip(bytes)
            .for_each(|(place, byte)| place.store(*byte, Relaxed));
    }

    /// Overwrites a number at once, after everything that was written before. The offset is a
    /// multiple of the size of the number.
    pub(super) fn publish(&self, offset: usize, number: u64) {
        let Some(place) = self.bytes.get(offset..offset + size_of::<u64>()) else {
            return;
        };
        let place = place.as_ptr().cast_mut().cast::<u64>();
        // SAFETY: the mapping begins at a page and `offset` is a multiple of eight, so the number
        // is aligned. The mapping is never unmapped, and written through atomics only.
        unsafe { AtomicU64::from_ptr(place) }.store(number.to_le(), Release);
    }
}

/// Reserves the first `reserved` bytes of the file, and maps `length` bytes or, where the system
/// allows less, fewer.
fn map(file: &File, reserved: usize, length: usize) -> io::Result<&'static [AtomicU8]> {
    mapping::reserve(file, reserved)?;
    let mut length = length.max(reserved);
    loop {
        let mapped = only_refuses(|| file.set_len(length as u64))
            .and_then(|()| mapping::shared(file, length));
        match mapped {
            Ok(start) => {
                // SAFETY: the mapping has this length and is never unmapped. It is written through
                // atomics only, for which zero is valid.
                unsafe { sigbus::watch(start, length) };
                // SAFETY: the mapping has this length and is never unmapped. Its bytes may have any
                // value and are written through atomics only.
                return Ok(unsafe { std::slice::from_raw_parts(start.cast(), length) });
            }
            Err(error) if length == reserved => return Err(error),
            Err(_) => length = (length / SHORTER).next_multiple_of(page()).max(reserved),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_in_the_file_and_space_ends_with_the_mapping() {
        let directory = std::env::temp_dir();
        let path = directory.join(format!("rankfold-room-{}", std::process::id()));
        let mut room = Room::create(path.clone(), b"head", 2 * page(), 1).expect("a file");
        let (_, offset) = room.take(page()).expect("space");
        assert_eq!(offset, page());
        let (_, offset) = room
            .take(2 * page())
            .expect("space behind what was reserved");
        assert_eq!(offset, 2 * page());
        room.write(offset + 8, b"noted");
        room.publish(offset, 7);
        let bytes = fs::read(&path).expect("the file");
        fs::remove_file(&path).expect("removed");
        assert!(bytes.starts_with(b"head"));
        assert_eq!(bytes[offset..offset + 8], 7_u64.to_le_bytes());
        assert_eq!(bytes[offset + 8..offset + 13], *b"noted");
        assert!(room.take(bytes.len()).is_none() && room.is_full());
        assert!(room.take(page()).is_none(), "a full room stays full");
    }
    #[test]
    fn a_journal_is_never_made_where_a_file_or_a_link_is() {
        let base = std::env::temp_dir().join(format!("rankfold-taken-{}", std::process::id()));
        let (target, link) = (base.with_extension("target"), base.with_extension("link"));
        fs::write(&target, "of somebody else").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        for taken in [&target, &link] {
            let made = Room::create(taken.clone(), b"head", page(), 1);
            assert!(made.is_err(), "{}", taken.display());
        }
        assert_eq!(fs::read(&target).expect("the file"), b"of somebody else");
        for made in [target, link] {
            fs::remove_file(made).expect("removed");
        }
    }
}
