//! The profile of an earlier run at the path of a profile that is to be written. If a program runs
//! and leaves no profile, the older one is set aside, so that no later command takes it for that of
//! the run. A launch that never comes to the program leaves the older one where it is.

use rankfold_console::terminal;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A profile that was there before a run.
pub(super) struct OlderProfile {
    path: PathBuf,
    changed: SystemTime,
}

impl OlderProfile {
    /// The file at `path`; `None` where there is none.
    pub(super) fn find(path: &Path) -> Option<Self> {
        let changed = changed(path)?;
        let path = path.to_owned();
        Some(Self { path, changed })
    }

    /// Renames the file and says so, unless it was replaced since it was found.
    pub(super) fn set_aside(self) {
        if changed(&self.path) != Some(self.changed) {
            return;
        }
        let aside = self.free_name();
        let (old, new) = (self.path.display(), aside.display());
        match fs::rename(&self.path, &aside) {
            Ok(()) => terminal::warning(format_args!(
                "{old} was the profile of an earlier run, and is {new} now"
            )),
            Err(error) => terminal::warning(format_args!(
                "{old} is the profile of an earlier run: it cannot be set aside ({error})"
            )),
        }
    }

    /// The first of `app.rfp.old`, `app.rfp.old2`, ... that no file has.
    fn free_name(&self) -> PathBuf {
        let name = |number: u32| {
            let mut name: OsString = self.path.clone().into();
            name.push(".old");
            if number > 1 {
                name.push(number.to_string());
            }
            PathBuf::from(name)
        };
        (1..)
            .map(name)
            .find(|path| !path.exists())
            .unwrap_or_default()
    }
}

/// When a file was last changed; `None` where there is no regular file.
fn changed(path: &Path) -> Option<SystemTime> {
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    data.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_profile_is_set_aside_and_nothing_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("app.rfp");
        assert!(OlderProfile::find(&path).is_none());
        for content in ["first", "second"] {
            fs::write(&path, content).unwrap();
            OlderProfile::find(&path).unwrap().set_aside();
            assert!(!path.exists());
        }
        let read = |ending: &str| fs::read_to_string(directory.path().join(ending)).unwrap();
        assert_eq!(read("app.rfp.old"), "first");
        assert_eq!(read("app.rfp.old2"), "second");
    }

    #[test]
    fn a_profile_that_was_written_since_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("app.rfp");
        fs::write(&path, "first").unwrap();
        let older = OlderProfile {
            changed: SystemTime::UNIX_EPOCH,
            ..OlderProfile::find(&path).unwrap()
        };
        older.set_aside();
        assert!(path.exists());
    }
}
