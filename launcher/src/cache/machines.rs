//! Machine files that were found or measured on a cluster, and the ratio of measured to predicted
//! times there.

use super::{Cache, now};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

/// The origin of a machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineOrigin {
    /// Found by one of the sources in the module `discovery`.
    Discovered,
    /// Measured by `rankfold probe`.
    Probed,
}

/// A machine file in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MachineFile {
    pub(crate) path: PathBuf,
    /// The source of the file, in words.
    pub(crate) source: String,
    /// When the file was written, in seconds since 1970.
    pub(crate) when: u64,
}

/// The beginning of the first line of a machine file in the cache; the source follows.
const HEAD: &str = "# rankfold: ";
/// The third line of a machine file that was measured.
const PROBED: &str = "# measured by rankfold probe";

/// The unit of predictions on machines with known bandwidths.
const SECONDS: &str = "seconds";

/// The correction of predicted times on a cluster: the ratio of measured to predicted time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Correction {
    /// Measured seconds over predicted time, the geometric mean of the runs. The weight of earlier
    /// runs is limited.
    pub(crate) factor: f64,
    /// The number of runs.
    pub(crate) runs: u32,
    /// The unit of the predictions. The factor holds for predictions in this unit only.
    pub(crate) unit: String,
}

impl Correction {
    /// Whether the predictions are in seconds before they are corrected.
    pub(crate) fn is_of_seconds(&self) -> bool {
        self.unit == SECONDS
    }
}

impl Cache {
    fn machines(&self) -> PathBuf {
        self.root.join("machines")
    }

    /// Stores the text of a machine file of a cluster, with its source in words. Returns the path.
    pub(crate) fn keep_machine(
        &self,
        cluster: &str,
        kind: MachineOrigin,
        source: &str,
        text: &str,
    ) -> io::Result<PathBuf> {
        let hash = crc32fast::hash(text.as_bytes());
        let name = format!("{}-{hash:08x}.toml", clean(cluster));
        let path = self.machines().join(name);
        let probed = match kind {
            MachineOrigin::Discovered => String::new(),
            MachineOrigin::Probed => format!("{PROBED}\n"),
        };
        let source = source.replace('\n', " ");
        let whole = format!("{HEAD}{source}\n# found at {}\n{probed}{text}", now());
        self.locked(|| rankfold_profile::replace(&path, whole.as_bytes()))?;
        Ok(path)
    }

    /// The machine files of a cluster, the latest first.
    pub(crate) fn machines_of(&self, cluster: &str, kind: MachineOrigin) -> Vec<MachineFile> {
        let start = format!("{}-", clean(cluster));
        let entries = fs::read_dir(self.machines())
            .into_iter()
            .flatten()
            .flatten();
        let mut kept: Vec<MachineFile> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let hash = name.strip_prefix(&start)?.strip_suffix(".toml")?;
                let path = entry.path();
                (hash.len() == 8).then_some(())?;
                let text = fs::read_to_string(&path).ok()?;
                let mut lines = text.lines();
                let source = lines.next()?.strip_prefix(HEAD)?.to_owned();
                let when = lines.next()?.strip_prefix("# found at ")?.parse().ok()?;
                let found = match lines.next() {
                    Some(PROBED) => MachineOrigin::Probed,
                    _ => MachineOrigin::Discovered,
                };
                (found == kind).then_some(MachineFile { path, source, when })
            })
            .collect();
        kept.sort_by_key(|kept| (std::cmp::Reverse(kept.when), kept.path.clone()));
        kept
    }

    /// Removes all machine files and corrections, and returns the number of files.
    pub(crate) fn forget_machines(&self) -> io::Result<usize> {
        self.locked(|| {
            let entries = fs::read_dir(self.machines())?.flatten();
            let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            files.iter().try_for_each(fs::remove_file)?;
            Ok(files.len())
        })
    }

    /// The correction for predictions in `unit` on a cluster; `None` before the first run.
    pub(crate) fn correction(&self, cluster: &str, unit: &str) -> Option<Correction> {
        let text = fs::read(self.correction_file(cluster)).ok()?;
        let known: Correction = serde_json::from_slice(&text).ok()?;
        (known.unit == unit && known.factor.is_finite() && known.factor > 0.0).then_some(known)
    }

    /// The corrections of all clusters, each with the name of the cluster as it is in file names.
    pub(crate) fn corrections(&self) -> Vec<(String, Correction)> {
        let entries = fs::read_dir(self.machines())
            .into_iter()
            .flatten()
            .flatten();
        let mut all: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let text = fs::read(entry.path()).ok()?;
                let known = serde_json::from_slice(&text).ok()?;
                Some((name.strip_suffix(".json")?.to_owned(), known))
            })
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Adds the ratio of measured to predicted time of one more run, and returns the new
    /// correction.
    pub(crate) fn correct(&self, cluster: &str, unit: &str, ratio: f64) -> io::Result<Correction> {
        /// Earlier runs together weigh no more than this number of runs, so that the correction
        /// follows changes of the cluster. Chosen by hand; not measured.
        const MEMORY: u32 = 20;
        self.locked(|| {
            let known = self.correction(cluster, unit);
            let (before, runs) = known.map_or((1.0, 0), |known| (known.factor, known.runs));
            let weight = f64::from(runs.min(MEMORY));
            let mean = (f64::ln(before) * weight + ratio.ln()) / (weight + 1.0);
            let correction = Correction {
                factor: mean.exp(),
                runs: runs + 1,
                unit: unit.to_owned(),
            };
            let text = serde_json::to_string(&correction)?;
            rankfold_profile::replace(&self.correction_file(cluster), text.as_bytes())?;
            Ok(correction)
        })
    }

    fn correction_file(&self, cluster: &str) -> PathBuf {
        self.machines().join(format!("{}.json", clean(cluster)))
    }
}

/// The name of a cluster in the form that file names use.
fn clean(cluster: &str) -> String {
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
        let loaded = rankfold_model::machine::load(&path.to_string_lossy()).unwrap();
        assert_eq!(loaded.names.unwrap(), ["n0", "n1"]);
        assert_eq!(cache.forget_machines().unwrap(), 3);
    }

    #[test]
    fn a_correction_is_the_geometric_mean_of_what_was_measured() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        assert_eq!(cache.correction("c", "seconds"), None);
        cache.correct("c", "seconds", 4.0).unwrap();
        let both = cache.correct("c", "seconds", 1.0).unwrap();
        assert!((both.factor - 2.0).abs() < 1e-12 && both.runs == 2);
        assert_eq!(cache.correction("c", "seconds").as_ref(), Some(&both));
        assert_eq!(cache.corrections(), [("c".to_owned(), both)]);
        assert_eq!(cache.correction("c", "bytes over one link"), None);
    }
}
