//! `scontrol show topology`: the topology that Slurm's controller uses.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use crate::cache::now;
use crate::tool;
use rankfold_model::machine::import::{Source as Text, importer};
use std::time::Duration;

pub(super) struct SlurmController;

/// Longest wait for the controller. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(5);

impl Source for SlurmController {
    fn name(&self) -> &'static str {
        "scontrol show topology"
    }

    fn is_cheap(&self) -> bool {
        false
    }

    fn look(&self, _: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(text) = tool::output("scontrol", &["show", "topology"], PATIENCE)? else {
            return Ok(None);
        };
        // The controller has no topology for this cluster.
        if !text.contains('=') {
            return Ok(None);
        }
        let text = Text {
            file: self.name().into(),
            text,
        };
        DiscoveredMachine::imported(
            importer("slurm"),
            vec![text],
            self.name().into(),
            Some(now()),
        )
        .map(Some)
    }
}
