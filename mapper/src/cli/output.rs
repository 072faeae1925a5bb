//! Result files: refused before the work if they cannot be written, and put in place in one step after it.

use crate::error::Error;
use std::fs::OpenOptions;
use std::path::Path;

/// Checks that [`write()`] will be able to write `path`, leaving no trace.
///
/// # Errors
/// [`Error::Unwritable`].
pub fn check(path: &Path) -> Result<(), Error> {
    let attempt = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        _ => tempfile::tempfile_in(directory(path)).map(drop),
    };
    attempt.map_err(|source| unwritable(path, source))
}

/// Puts `contents` under `path`, whole or not at all.
///
/// # Errors
/// [`Error::Unwritable`].
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    rankfold_profile::replace(path, contents).map_err(|source| unwritable(path, source))
}

/// The directory a file is in; the current one for a bare name.
#[must_use]
pub fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn unwritable(path: &Path, source: std::io::Error) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_leaves_no_trace_and_names_what_cannot_be_written() {
        let scratch = tempfile::tempdir().unwrap();
        check(&scratch.path().join("new")).unwrap();
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
        let lost = scratch.path().join("no/such/file");
        let message = check(&lost).unwrap_err().to_string();
        assert!(message.contains("no/such/file"), "{message}");
        assert!(check(scratch.path()).is_err(), "a directory is no file");
        check(Path::new("/dev/null")).unwrap();
    }
}
