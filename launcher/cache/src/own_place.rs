//! Directories and files that nobody else can have written. Others may write to a directory above
//! the cache, or may have made it before its owner did: what they put there is not believed, and no
//! link of theirs is followed.

use rankfold_wire::own_file;
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Bits of a mode by which others may write.
const WRITE: u32 = 0o022;
/// Bits of the mode of a directory by which others may reach what is in it.
const SEARCH: u32 = 0o011;

/// Makes the directory at `path` for this user alone, with those above it, or checks that the one
/// there is this user's. If `links` is set, it may be reached through a link that this user or the
/// system's administrator has made.
pub(super) fn directory(path: &Path, links: bool) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mut found = fs::symlink_metadata(path)?;
    if links && found.is_symlink() && [own(), 0].contains(&found.uid()) {
        found = fs::metadata(path)?;
    }
    if !found.is_dir() {
        return Err(refused(path, "is no directory"));
    }
    check(path, &found)
}

/// Fails unless the file or directory is this user's, and no one else may write to it.
fn check(path: &Path, found: &Metadata) -> io::Result<()> {
    if found.uid() != own() {
        return Err(refused(path, "belongs to another user"));
    }
    if found.mode() & WRITE != 0 {
        let mode = found.mode() & 0o7777;
        let problem =
            format!("may be written to by others (mode {mode:o}); chmod go-w changes that");
        return Err(refused(path, &problem));
    }
    Ok(())
}

fn own() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn refused(path: &Path, problem: &str) -> io::Error {
    let problem = format!("{} {problem}", path.display());
    io::Error::new(ErrorKind::PermissionDenied, problem)
}

/// Opens the file at `path`, which processes lock, or makes it. Nothing is written to it.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != own() {
        return Err(refused(path, "is no regular file of this user's"));
    }
    Ok(file)
}

/// Reads a file that nobody else can have written.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    verify(path)?;
    own_file::read(path)
}

/// The same for a text.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Fails unless the file at `path` is this user's, and nobody else can have written it.
pub(super) fn verify(path: &Path) -> io::Result<()> {
    let file = own_file::open(path)?;
    let around = fs::symlink_metadata(path.parent().unwrap_or(path))?;
    if around.mode() & SEARCH != 0 {
        check(path, &file.metadata()?)?;
    }
    Ok(())
}

/// Replaces the file at `path`, for this user alone.
pub(super) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    let mut new = tempfile::Builder::new()
        .prefix(".new-")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(directory)?;
    new.write_all(contents)?;
    new.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Cache, Lookup};
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    const NOBODY: u32 = 65534;

    /// A user other than this one can be had as root only.
    fn is_root() -> bool {
        own() == 0
    }

    fn problem(directory: &Path) -> String {
        Cache::at(directory, 1 << 20).unwrap_err().to_string()
    }

    #[test]
    fn a_cache_is_for_its_user_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().join("a/b");
        Cache::at(&place, 1 << 20).unwrap();
        for part in ["", "2", "2/maps", "2/machines"] {
            let mode = fs::metadata(place.join(part)).unwrap().mode();
            assert_eq!(mode & 0o777, 0o700, "{part}");
        }
        // A link of the user's own is followed.
        symlink(&place, scratch.path().join("link")).unwrap();
        Cache::at(&scratch.path().join("link"), 1 << 20).unwrap();
    }

    #[test]
    fn directories_that_others_may_write_to_are_refused_by_name() {
        for part in ["", "2", "2/maps", "2/machines"] {
            for mode in [0o777, 0o770, 0o1777] {
                let scratch = tempfile::tempdir().unwrap();
                let place = scratch.path().join("cache");
                Cache::at(&place, 1 << 20).unwrap();
                let changed = place.join(part);
                fs::set_permissions(&changed, fs::Permissions::from_mode(mode)).unwrap();
                let said = problem(&place);
                let expected = format!("{} may be written to", place.join(part).display());
                let expected = expected.replace("/ may", " may");
                assert!(said.contains(&expected), "{said}");
            }
        }
    }

    #[test]
    fn no_link_is_followed_below_the_directory() {
        for part in ["2", "2/maps", "2/machines"] {
            let scratch = tempfile::tempdir().unwrap();
            let place = scratch.path().join("cache");
            Cache::at(&place, 1 << 20).unwrap();
            fs::rename(place.join(part), scratch.path().join("moved")).unwrap();
            symlink(scratch.path().join("moved"), place.join(part)).unwrap();
            assert!(problem(&place).contains("is no directory"), "{part}");
        }
    }

    #[test]
    fn the_lock_follows_no_link_and_empties_no_file() {
        let scratch = tempfile::tempdir().unwrap();
        let (place, precious) = (
            scratch.path().join("cache"),
            scratch.path().join("precious"),
        );
        Cache::at(&place, 1 << 20).unwrap();
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(place.join("2/lock")).unwrap();
        symlink(&precious, place.join("2/lock")).unwrap();
        problem(&place);
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        fs::remove_file(place.join("2/lock")).unwrap();
        fs::write(place.join("2/lock"), "text").unwrap();
        let cache = Cache::at(&place, 1 << 20).unwrap();
        cache.all().unwrap();
        assert_eq!(fs::read_to_string(place.join("2/lock")).unwrap(), "text");
    }

    #[test]
    fn directories_and_links_of_other_users_are_refused() {
        if !is_root() {
            return;
        }
        for part in ["", "2", "2/maps", "2/machines"] {
            let scratch = tempfile::tempdir().unwrap();
            let place = scratch.path().join("cache");
            Cache::at(&place, 1 << 20).unwrap();
            chown(place.join(part), Some(NOBODY), None).unwrap();
            assert!(
                problem(&place).contains("belongs to another user"),
                "{part}"
            );
        }
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("link");
        symlink(scratch.path(), &link).unwrap();
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        assert!(problem(&link).contains("is no directory"));
    }

    #[test]
    fn entries_of_other_users_are_not_believed() {
        if !is_root() {
            return;
        }
        let scratch = tempfile::tempdir().unwrap();
        let cache = Cache::at(scratch.path(), 1 << 20).unwrap();
        let entry = scratch.path().join("2/maps/planted/entry.json");
        let machine = scratch.path().join("2/machines/c-00000000.toml");
        let given = scratch.path().join("2/machines/c.given.json");
        let text = "# rankfold: planted\n# found at 5\n";
        fs::create_dir(entry.parent().unwrap()).unwrap();
        fs::write(&entry, "{\"version\": 2}").unwrap();
        fs::write(&machine, text).unwrap();
        fs::write(
            &given,
            "{\"machine\": \"torus:2\", \"hosts\": null, \"when\": 5}",
        )
        .unwrap();
        assert_eq!(
            (
                cache.all_machines().len(),
                cache.given_machine("c").is_some()
            ),
            (2, true)
        );
        for file in [&entry, &machine, &given] {
            chown(file, Some(NOBODY), None).unwrap();
        }
        let found = cache.find("planted").unwrap();
        assert!(
            matches!(&found, Lookup::Unusable(why) if why.contains("this user")),
            "{found:?}"
        );
        assert_eq!(
            (
                cache.all_machines().len(),
                cache.given_machine("c").is_some()
            ),
            (0, false)
        );
    }
}
