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

/// Whether the cluster has `TopologyPlugin=topology/block`, or a `topology.yaml` whose default is
/// of blocks: the plugin then has another name. A cluster whose controller does not answer counts
/// as one without blocks. The answer is needed for the choice of the placing method alone, and the
/// controller is asked once.
pub(super) fn are_used() -> bool {
    static USED: LazyLock<bool> = LazyLock::new(|| {
        let shown = |what| tool::output("scontrol", &["show", what], PATIENCE);
        let names = |what, is_of_blocks: fn(&str) -> bool| {
            shown(what).is_ok_and(|text| text.is_some_and(|text| is_of_blocks(&text)))
        };
        names("config", is_plugin_of_blocks) || names("topology", are_blocks)
    });
    *USED
}

/// Whether the output of `scontrol show config` names the plugin.
fn is_plugin_of_blocks(text: &str) -> bool {
    let mut settings = text.lines().filter_map(|line| line.split_once('='));
    settings.any(|(key, value)| {
        key.trim().eq_ignore_ascii_case("TopologyPlugin") && value.trim() == "topology/block"
    })
}

/// Whether the output of `scontrol show topology` has blocks.
fn are_blocks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("BlockName="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_is_read_from_the_controllers_answer() {
        let settings = |plugin: &str| {
            format!(
                "Configuration data as of 2026-11-25\nTopologyParam           = (null)\nTopologyPlugin          = {plugin}\n"
            )
        };
        assert!(is_plugin_of_blocks(&settings("topology/block")));
        for other in [&*settings("topology/tree"), "Slurmctld is down"] {
            assert!(!is_plugin_of_blocks(other) && !are_blocks(other));
        }
        assert!(are_blocks(
            "BlockName=b0 BlockIndex=0 Nodes=n[0-1] BlockSize=2\n"
        ));
        assert!(!are_blocks(
            "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\n"
        ));
    }
}
