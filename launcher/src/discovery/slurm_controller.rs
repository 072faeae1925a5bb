//! `scontrol show topology`: the topology that Slurm's controller uses.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use rankfold_cache::now;
use rankfold_importers::Source as Text;
use rankfold_launch::slurm;
use rankfold_launch::tool;
use rankfold_mapper::members::IMPORTERS;
use rankfold_wire::Surroundings;
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
        let file = self.name().to_owned();
        let mut texts = vec![Text { file, text }];
        texts.extend(positions(wanted.seen));
        DiscoveredMachine::imported_for_job(
            IMPORTERS.named("slurm"),
            texts,
            self.name().into(),
            Some(now()),
            wanted.hosts,
        )
        .map(Some)
    }
}

/// The positions of hosts in a torus, of which the controller tells the sizes alone; `None` where
/// the ranks have seen no such positions.
fn positions(seen: &[Surroundings]) -> Option<Text> {
    let addresses = seen.iter().map(|seen| seen.address.as_str());
    let of_torus = addresses.filter(|address| address.matches(':').count() > 1);
    let text: String = of_torus.flat_map(|address| [address, "\n"]).collect();
    let file = "SLURM_TOPOLOGY_ADDR".to_owned();
    (!text.is_empty()).then_some(Text { file, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_a_torus_alone_complete_the_answer_of_the_controller() {
        let seen = |address: &str| Surroundings {
            address: address.into(),
            ..Surroundings::default()
        };
        let found = positions(&[seen("s.l.n0"), seen("ring:3.n1"), seen("pod:0:1:0.n2")]);
        assert_eq!(found.unwrap().text, "pod:0:1:0.n2\n");
        assert!(positions(&[seen("s.l.n0"), seen("")]).is_none());
    }
}
