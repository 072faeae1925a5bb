//! Files in directories where every user may make some: only regular files of one's own are
//! touched. A pipe under the name of one would keep whoever opens it waiting, and a link would lead
//! anywhere.

use rustix::fs::OFlags;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The contents of a regular file of this user.
///
/// # Errors
/// What the system said, or that the file is none of this user's; nothing is waited for.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut file: File = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !belongs(&file.metadata()?) {
        let problem = "it is no regular file of this user's";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a regular file of this user is at `path`.
#[must_use]
pub fn is_own(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| belongs(&found))
}

fn belongs(found: &Metadata) -> bool {
    found.is_file() && found.uid() == rustix::process::geteuid().as_raw()
}
