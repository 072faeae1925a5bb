//! What is known of Slurm on this host without a job: its configuration, and the cluster's name.

use crate::tool;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// The directories in which Slurm's configuration lies on most systems.
const DIRECTORIES: [&str; 3] = ["/etc/slurm", "/etc/slurm-llnl", "/run/slurm/conf"];

/// The environment variable with the path of `slurm.conf`.
const CONFIGURATION: &str = "SLURM_CONF";

/// The environment variable with the number of the job that this process belongs to.
const JOB: &str = "SLURM_JOB_ID";

/// Longest wait for the controller. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(5);

/// The directories that may hold Slurm's configuration, the most likely one first.
pub fn directories() -> Vec<PathBuf> {
    let named = env::var_os(CONFIGURATION).map(PathBuf::from);
    let beside = named.as_deref().and_then(std::path::Path::parent);
    let beside = beside.map(PathBuf::from);
    beside
        .into_iter()
        .chain(DIRECTORIES.map(PathBuf::from))
        .collect()
}

/// The file `slurm.conf`, where there is one.
fn configuration() -> Option<PathBuf> {
    let named = env::var_os(CONFIGURATION).map(PathBuf::from);
    let usual = DIRECTORIES.map(|directory| PathBuf::from(directory).join("slurm.conf"));
    named.into_iter().chain(usual).find(|path| path.is_file())
}

/// Whether this process belongs to a job of Slurm.
pub fn is_in_job() -> bool {
    env::var_os(JOB).is_some()
}

/// Whether this host belongs to a cluster that Slurm runs. The programs of Slurm may also be
/// installed where there is no such cluster.
pub fn is_here() -> bool {
    is_in_job() || configuration().is_some()
}

/// The name of the cluster: `SLURM_CLUSTER_NAME` in a job, else `ClusterName` of `slurm.conf`, else
/// what the controller tells. It is the same inside and outside a job.
pub fn cluster_name() -> Option<String> {
    static NAME: LazyLock<Option<String>> = LazyLock::new(|| {
        let set = env::var("SLURM_CLUSTER_NAME").ok();
        let configured = || name_in(&fs::read_to_string(configuration()?).ok()?);
        let asked = || name_in(&tool::output("scontrol", &["show", "config"], PATIENCE).ok()??);
        let name = set.filter(|name| !name.is_empty());
        let name = name.or_else(configured).or_else(asked)?;
        // Slurm itself knows clusters by names in lower case.
        Some(name.to_ascii_lowercase())
    });
    NAME.clone()
}

/// The value of `ClusterName` in `slurm.conf`, or in the output of `scontrol show config`.
fn name_in(text: &str) -> Option<String> {
    let mut settings = text.lines().filter_map(|line| {
        let (key, value) = line.split('#').next()?.split_once('=')?;
        (key.trim().eq_ignore_ascii_case("ClusterName")).then(|| value.trim().to_owned())
    });
    settings.find(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clusters_name_is_read_from_the_file_and_from_the_controllers_answer() {
        let file = "# ClusterName=old\nclustername=Big # ours\nSlurmctldHost=c\n";
        assert_eq!(name_in(file).as_deref(), Some("Big"));
        let expected = "Configuration data as of 2026-01-01\nClusterName             = big\n";
        assert_eq!(name_in(expected).as_deref(), Some("big"));
        assert_eq!(name_in("SlurmctldHost=c\n"), None);
    }
}
