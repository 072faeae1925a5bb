//! Machine files that were found or measured on a cluster.

use super::{Cache, now, own_place};
use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::PathBuf;

/// The origin of a machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineOrigin {
    /// Found by one of the sources in the module `discovery`.
    Discovered,
    /// Measured by `rankfold probe`.
    Probed,
}

/// A machine file in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineFile {
    pub path: PathBuf,
    /// The source of the file, in words.
    pub source: String,
    /// When the file was written, in seconds since 1970.
    pub when: u64,
}

/// The beginning of the first line of a machine file in the cache; the source follows.
const HEAD: &str = "# rankfold: ";
/// The third line of a machine file that was measured.
const PROBED: &str = "# measured by rankfold probe";

impl Cache {
    pub(super) fn machines(&self) -> PathBuf {
        self.root.join("machines")
    }

    /// Stores the text of a machine file of a cluster, with its source in words. Returns the path.
    /// The latest file of the cluster stays as it is where its text is the same.
    pub fn keep_machine(
        &self,
        cluster: &str,
        kind: MachineOrigin,
        source: &str,
        text: &str,
    ) -> io::Result<PathBuf> {
        let hash = crc32fast::hash(text.as_bytes());
        let name = format!("{}-{hash:08x}.toml", clean(cluster));
        let path = self.machines().join(name);
        let latest = self.machines_of(cluster, kind).into_iter().next();
        if kind == MachineOrigin::Discovered && latest.is_some_and(|file| file.path == path) {
            return Ok(path);
        }
        let whole = with_head(kind, source, text);
        self.locked(|| own_place::replace(&path, whole.as_bytes()))?;
        Ok(path)
    }

    /// The machine files of a cluster, the latest first.
    pub fn machines_of(&self, cluster: &str, kind: MachineOrigin) -> Vec<MachineFile> {
        let mut kept: Vec<MachineFile> = self
            .files_of(cluster, ".toml")
            .filter_map(|path| {
                let head = read_head(&own_place::read_text(&path).ok()?)?;
                (head.kind == kind).then_some(MachineFile {
                    path,
                    source: head.source,
                    when: head.when,
                })
            })
            .collect();
        // Files of the same second differ by when they were written.
        let written = |kept: &MachineFile| fs::metadata(&kept.path)?.modified();
        kept.sort_by_cached_key(|kept| (Reverse(kept.when), Reverse(written(kept).ok())));
        kept
    }

    /// The files of machines, by their names.
    pub(super) fn machine_files(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(self.machines()).into_iter().flatten();
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
    }

    /// The files of a cluster with this ending: the name of the cluster and a digest precede it.
    pub(super) fn files_of(&self, cluster: &str, ending: &str) -> impl Iterator<Item = PathBuf> {
        let start = format!("{}-", clean(cluster));
        let is_of = move |name: &String| {
            let hash = name.strip_prefix(&start);
            let hash = hash.and_then(|rest| rest.strip_suffix(ending));
            hash.is_some_and(|hash| hash.len() == 8)
        };
        let directory = self.machines();
        let names = self.machine_files().filter(is_of);
        names.map(move |name| directory.join(name))
    }

    /// Removes all files of machines, and returns the number of files.
    pub fn forget_machines(&self) -> io::Result<usize> {
        self.locked(|| {
            let entries = fs::read_dir(self.machines())?.flatten();
            let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            files.iter().try_for_each(fs::remove_file)?;
            Ok(files.len())
        })
    }
}

/// The text of a file, behind the lines that say where it comes from.
pub(super) fn with_head(kind: MachineOrigin, source: &str, text: &str) -> String {
    let probed = match kind {
        MachineOrigin::Discovered => String::new(),
        MachineOrigin::Probed => format!("{PROBED}\n"),
    };
    let source = source.replace('\n', " ");
    format!("{HEAD}{source}\n# found at {}\n{probed}{text}", now())
}

/// What the first lines of a machine file in the cache tell.
pub(super) struct MachineFileHead {
    /// The source of the file, in words.
    pub(super) source: String,
    /// When the file was written, in seconds since 1970.
    pub(super) when: u64,
    pub(super) kind: MachineOrigin,
}

/// Reads the first lines of a machine file in the cache; `None` for any other text.
pub(super) fn read_head(text: &str) -> Option<MachineFileHead> {
    let mut lines = text.lines();
    let source = lines.next()?.strip_prefix(HEAD)?.to_owned();
    let when = lines.next()?.strip_prefix("# found at ")?.parse().ok()?;
    let kind = match lines.next() {
        Some(PROBED) => MachineOrigin::Probed,
        _ => MachineOrigin::Discovered,
    };
    Some(MachineFileHead { source, when, kind })
}

/// The name of a cluster in the form that file names use.
pub(super) fn clean(cluster: &str) -> String {
    let clean = |c: char| {
        if c.is_ascii_alphanumeric() || "._#-".contains(c) {
            c
        } else {
            '_'
        }
    };
    cluster.chars().take(80).map(clean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_files_are_found_by_their_cluster_and_kind() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let text = "network = \"torus:2\"\nhosts = [\"n0\", \"n1\"]\n";
        let path = cache
            .keep_machine("n#", MachineOrigin::Discovered, "scontrol", text)
            .unwrap();
        cache
            .keep_machine("n#", MachineOrigin::Probed, "probe", "# x\n")
            .unwrap();
        cache
            .keep_machine("n#-gpu", MachineOrigin::Discovered, "other", text)
            .unwrap();
        let found = cache.machines_of("n#", MachineOrigin::Discovered);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].path, &*found[0].source), (&path, "scontrol"));
        assert_eq!(cache.machines_of("n#", MachineOrigin::Probed).len(), 1);
        let loaded = rankfold_machine::load(&path.to_string_lossy()).unwrap();
        assert_eq!(loaded.names.unwrap(), ["n0", "n1"]);
        assert_eq!(cache.forget_machines().unwrap(), 3);
    }
}
