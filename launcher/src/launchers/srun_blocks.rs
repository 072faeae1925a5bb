//! Whether Slurm places jobs by blocks, where it refuses an arbitrary distribution.

use crate::tool;
use std::sync::LazyLock;
use std::time::Duration;

/// The reason not to use `--distribution=arbitrary` on a cluster of blocks. Slurm 26.05 answers
/// such a request of nodes with `ESLURM_NOT_SUPPORTED`.
pub(super) const REFUSED: &str =
    "Slurm refuses arbitrary distributions on clusters with topology/block";

/// Longest wait for the controller. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the cluster has `TopologyPlugin=topology/block`. Without an answer of the controller it
/// has not. The answer is needed for the choice of the placing method alone, and the controller is
/// asked once.
pub(super) fn are_used() -> bool {
    static USED: LazyLock<bool> = LazyLock::new(|| {
        let told = tool::output("scontrol", &["show", "config"], PATIENCE);
        told.is_ok_and(|text| text.is_some_and(|text| is_of_blocks(&text)))
    });
    *USED
}

/// Whether the output of `scontrol show config` names the plugin.
fn is_of_blocks(text: &str) -> bool {
    let mut settings = text.lines().filter_map(|line| line.split_once('='));
    settings.any(|(key, value)| {
        key.trim().eq_ignore_ascii_case("TopologyPlugin") && value.trim() == "topology/block"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_is_read_from_the_controllers_answer() {
        let told = |plugin: &str| {
            format!(
                "Configuration data as of 2026-11-25\nTopologyParam           = (null)\nTopologyPlugin          = {plugin}\n"
            )
        };
        assert!(is_of_blocks(&told("topology/block")));
        assert!(!is_of_blocks(&told("topology/tree")) && !is_of_blocks("Slurmctld is down"));
    }
}
