//! The files of a site's users: entries of caches, and profiles. Their owners are not trusted: no
//! link is followed, nothing but a regular file is opened, and no more is read than is sensible.

use rankfold_console::terminal::printable;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Largest entry of a cache that is read, and largest profile, in bytes. Chosen by hand: a profile
/// of 65536 ranks with 26 partners each has 40 MB.
const MOST_OF_ENTRY: u64 = 16 << 20;
const MOST_OF_PROFILE: u64 = 1 << 30;

/// Directories deeper than this below the named one are left out. Chosen by hand.
const DEEPEST: usize = 16;

/// The name of an entry of a cache.
const ENTRY: &str = "entry.json";

/// An entry of a cache, or a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) is_entry: bool,
}

/// The file that is open, and the number of its owner.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) owner: u32,
}

impl Found {
    /// Opens the file.
    ///
    /// # Errors
    /// It is no regular file, or larger than is read.
    pub(super) fn open(&self) -> io::Result<Opened> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(flags.bits().cast_signed());
        let file = options.open(&self.path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let most = if self.is_entry {
            MOST_OF_ENTRY
        } else {
            MOST_OF_PROFILE
        };
        if found.len() > most {
            return Err(io::Error::other(format!("it is larger than {most} bytes")));
        }
        Ok(Opened {
            file,
            owner: found.uid(),
        })
    }

    /// What stands for the file in messages.
    pub(super) fn name(&self) -> String {
        printable(&self.path.to_string_lossy())
    }
}

impl Opened {
    /// The whole file.
    pub(super) fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        (&self.file).take(MOST_OF_ENTRY).read_to_end(&mut text)?;
        Ok(text)
    }
}

/// All entries and profiles below `directory` that were changed after `since`, in the order of
/// their names. A profile beside an entry is part of that.
///
/// # Errors
/// The directory itself cannot be read.
pub(super) fn below(directory: &Path, since: SystemTime) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut left = vec![(directory.to_owned(), 0)];
    while let Some((path, depth)) = left.pop() {
        let entries = match fs::read_dir(&path) {
            Err(error) if depth == 0 => return Err(error),
            // A user may keep a directory of their own from everybody else.
            Err(_) => continue,
            Ok(entries) => entries.flatten(),
        };
        let mut here = Vec::new();
        for entry in entries {
            // Of the entry itself: links are neither directories nor files.
            let Ok(kind) = entry.metadata() else { continue };
            if kind.is_dir() && depth < DEEPEST {
                left.push((entry.path(), depth + 1));
            } else if kind.is_file() && kind.modified().is_ok_and(|when| when >= since) {
                here.extend(known(entry.path()));
            }
        }
        let holds_entry = here.iter().any(|found| found.is_entry);
        found.extend(here.into_iter().filter(|one| one.is_entry || !holds_entry));
    }
    found.sort();
    Ok(found)
}

fn known(path: PathBuf) -> Option<Found> {
    let is_entry = path.file_name() == Some(OsStr::new(ENTRY));
    let is_profile = path.extension() == Some(OsStr::new("rfp"));
    (is_entry || is_profile).then_some(Found { path, is_entry })
}
