//! Access to files in directories where every user may create files. Only regular files of this
//! user are opened: opening a pipe of another user could wait for ever, and a link could lead
//! anywhere.

use rustix::fs::OFlags;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Reads a regular file of this user.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file of this user for reading. That never waits.
///
/// # Errors
/// The system's error, or [`io::ErrorKind::PermissionDenied`] if the file is not a regular file of
/// this user.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !belongs(&file.metadata()?) {
        let problem = "it is no regular file of this user's";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    Ok(file)
}

/// Whether a regular file of this user is at `path`.
#[must_use]
pub fn is_own(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| belongs(&found))
}

fn belongs(found: &Metadata) -> bool {
    found.is_file() && found.uid() == rustix::process::geteuid().as_raw()
}
