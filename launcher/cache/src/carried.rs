//! Files that a program carries inside of it and others have to open: the preload libraries of a
//! program that was installed alone.

use super::{Cache, own_place};
use std::io;
use std::path::PathBuf;

impl Cache {
    /// The directory, named by a checksum of the files, that holds these and no others of theirs.
    /// What is there is compared byte by byte, and replaced where it differs or where another user
    /// could have written it.
    ///
    /// # Errors
    /// The directory belongs to another user or may be written to by others, or a file cannot be
    /// written.
    pub fn carried(&self, files: &[(&str, &[u8])]) -> io::Result<PathBuf> {
        let mut checksum = crc32fast::Hasher::new();
        files.iter().for_each(|(_, bytes)| checksum.update(bytes));
        let name = format!("carried-{:08x}", checksum.finalize());
        let directory = self.root.join(name);
        own_place::directory(&directory, false)?;
        for (name, bytes) in files {
            let path = directory.join(name);
            if !own_place::read(&path).is_ok_and(|found| found == *bytes) {
                own_place::replace(&path, bytes)?;
            }
        }
        Ok(directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    const FILES: [(&str, &[u8]); 2] = [("a.so", b"one"), ("b.so", b"two")];

    #[test]
    fn files_are_written_once_and_mended_where_they_differ() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = Cache::at(scratch.path(), 1 << 20).unwrap();
        let place = cache.carried(&FILES).unwrap();
        let file = place.join("a.so");
        let inode = || fs::symlink_metadata(&file).unwrap().ino();
        let first = inode();
        assert_eq!(cache.carried(&FILES).unwrap(), place);
        assert_eq!(inode(), first, "it is not written again");
        fs::write(&file, "evil").unwrap();
        cache.carried(&FILES).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"one");
        // A link is replaced, and what it leads to stays.
        fs::rename(&file, scratch.path().join("else")).unwrap();
        symlink(scratch.path().join("else"), &file).unwrap();
        cache.carried(&FILES).unwrap();
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        assert!(place.read_dir().unwrap().count() == 2, "nothing is left");
        let other = cache.carried(&[("a.so", b"new")]).unwrap();
        assert_ne!(other, place, "running jobs keep the files of their version");
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = Cache::at(scratch.path(), 1 << 20).unwrap();
        let place = cache.carried(&FILES).unwrap();
        fs::set_permissions(&place, Permissions::from_mode(0o777)).unwrap();
        let refused = cache.carried(&FILES).unwrap_err().to_string();
        assert!(refused.contains("may be written to by others"), "{refused}");
    }
}
