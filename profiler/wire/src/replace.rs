//! Replaces files as a whole: contents are written under a temporary name, which is then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `contents` to the file `path`, replacing an older file in one step.
///
/// A symbolic link is followed. Something that is no regular file (a pipe, `/dev/stdout`) is
/// written to directly.
///
/// # Errors
/// The system's error. The file at `path` is then unchanged, and no temporary file is left.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(contents))
}

/// As [`replace`], with contents written by `fill`. Errors of `fill` are passed on.
///
/// # Errors
/// As [`replace`], and those of `fill`.
pub fn replace_with<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        Ok(there) if !there.is_file() => write(OpenOptions::new().write(true).open(&target)?, fill),
        _ => {
            let (temporary, file) = create_beside(&target)?;
            let done = write(file, fill)
                .and_then(|()| fs::rename(&temporary, &target).map_err(Into::into));
            if done.is_err() {
                // The first error is reported, not one of the clean-up.
                let _ = fs::remove_file(&temporary);
            }
            done
        }
    }
}

fn write<E: From<io::Error>>(
    file: File,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffered = BufWriter::new(file);
    fill(&mut buffered)?;
    buffered.flush()?;
    Ok(())
}

/// Creates a temporary file in the directory of `target`, so that the rename stays within a file
/// system.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    let Some(name) = target.file_name() else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    hidden.push(format!(".{}-{serial}.tmp", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    Ok((temporary, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("a readable directory");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_new_contents_replace_the_old() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        replace(&path, b"old, and longer").expect("written");
        replace(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("readable"), b"new");
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn a_failure_half_way_keeps_the_old_file_and_no_temporary() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        replace(&path, b"old").expect("written");
        let failed = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("readable"), b"old");
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn a_link_at_the_temporary_name_is_not_followed() {
        let directory = tempfile::tempdir().expect("a directory");
        let (path, victim) = (
            directory.path().join("out"),
            directory.path().join("victim"),
        );
        fs::write(&victim, b"kept").expect("written");
        // Tests of this process that run at the same time take some of the numbers.
        for serial in 0..100 {
            let name = format!(".out.{}-{serial}.tmp", std::process::id());
            let temporary = directory.path().join(name);
            std::os::unix::fs::symlink(&victim, temporary).expect("linked");
        }
        assert!(replace(&path, b"new").is_err());
        assert_eq!(fs::read(&victim).expect("readable"), b"kept");
        assert!(!path.exists());
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(replace(&directory.path().join("none/out"), b"").is_err());
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let (link, target) = (
            directory.path().join("link"),
            directory.path().join("target"),
        );
        fs::write(&target, b"old").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        replace(&link, b"new").expect("written");
        assert_eq!(fs::read(&target).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
