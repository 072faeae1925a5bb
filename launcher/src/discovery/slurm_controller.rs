//! `scontrol show topology`: the topology that Slurm's controller uses.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use crate::cache::now;
use crate::slurm;
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

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let text = match tool::output("scontrol", &["show", "topology"], PATIENCE) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            // The clients of Slurm may be installed where no Slurm runs.
            Err(_) if !slurm::is_here() => return Ok(None),
            Err(error) => return Err(error),
        };
        // The controller has no topology for this cluster.
        if !text.contains('=') {
            return Ok(None);
        }
        let text = Text {
            file: self.name().into(),
            text,
        };
        DiscoveredMachine::imported_for_job(
            importer("slurm"),
            vec![text],
            self.name().into(),
            Some(now()),
            wanted.hosts,
        )
        .map(Some)
    }
}
