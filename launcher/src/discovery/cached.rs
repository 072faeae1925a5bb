//! Machine files of this cluster in the cache: the answers of other sources to earlier runs, and
//! machines that `rankfold probe` has measured.
//!
//! An answer to an earlier run counts only where the sources that need no program, and Slurm's
//! controller, have none for this run.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, missing};
use rankfold_cache::MachineOrigin;
use rankfold_machine as machine;
use rankfold_mapper::error::Error;

pub(super) struct Cached(MachineOrigin);

pub(super) const DISCOVERED: Cached = Cached(MachineOrigin::Discovered);
pub(super) const PROBED: Cached = Cached(MachineOrigin::Probed);

impl Source for Cached {
    fn name(&self) -> &'static str {
        match self.0 {
            MachineOrigin::Discovered => "the cached machine file",
            MachineOrigin::Probed => "what a probe has measured",
        }
    }

    fn is_live(&self) -> bool {
        false
    }

    /// The latest file that has all hosts.
    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(cache) = wanted.cache else {
            return Ok(None);
        };
        for kept in cache.machines_of(wanted.cluster, self.0) {
            let path = kept.path.to_string_lossy();
            let found = DiscoveredMachine {
                hardware: machine::load(&path).map_err(Error::from)?,
                text: None,
                source: format!("{} of {} ({})", self.name(), wanted.cluster, kept.source),
                when: Some(kept.when),
                machine: MachineArgument::Named(path.into_owned()),
            };
            let found = found.called(wanted.hosts);
            if missing(&found.hardware, wanted.hosts).is_none() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
