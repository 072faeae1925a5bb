//! The files `topology.yaml` and `topology.conf` beside Slurm's configuration.

use super::{DiscoveredMachine, DiscoveryQuery, Source, changed};
use rankfold_importers::Source as Text;
use rankfold_launch::slurm;
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;

pub(super) struct SlurmFiles;

impl Source for SlurmFiles {
    fn name(&self) -> &'static str {
        "Slurm's topology file"
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        for directory in slurm::directories() {
            // Slurm uses the first of the two that exists.
            for (name, kind) in [("topology.yaml", "slurm-yaml"), ("topology.conf", "slurm")] {
                let path = directory.join(name);
                if path.is_file() {
                    let text = Text::read(&path).map_err(Error::from)?;
                    let source = path.display().to_string();
                    let when = changed(&path);
                    let found = DiscoveredMachine::imported_for_job(
                        IMPORTERS.named(kind),
                        vec![text],
                        source,
                        when,
                        wanted.hosts,
                    )?;
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}
