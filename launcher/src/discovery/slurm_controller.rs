//! `scontrol show topology`: what Slurm's controller knows.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use crate::cache::now;
use crate::tool;
use rankfold_model::machine::import::{Source as Text, importer};
use std::time::Duration;

pub(super) struct SlurmController;

/// A controller that does not answer is not waited for longer.
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
        // A cluster without a topology.
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
