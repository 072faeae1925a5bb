//! The files `topology.yaml` and `topology.conf` beside Slurm's configuration.

use super::{DiscoveredMachine, DiscoveryQuery, Source, changed};
use rankfold_mapper::error::Error;
use rankfold_model::machine::import::{Source as Text, importer};
use std::path::{Path, PathBuf};

pub(super) struct SlurmFiles;

impl Source for SlurmFiles {
    fn name(&self) -> &'static str {
        "Slurm's topology file"
    }

    fn look(&self, _: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let configured = std::env::var_os("SLURM_CONF").map(PathBuf::from);
        let beside = configured.as_deref().and_then(Path::parent);
        let usual = ["/etc/slurm", "/etc/slurm-llnl", "/run/slurm/conf"].map(Path::new);
        for directory in beside.into_iter().chain(usual) {
            // Slurm uses the first of the two that exists.
            for (name, kind) in [("topology.yaml", "slurm-yaml"), ("topology.conf", "slurm")] {
                let path = directory.join(name);
                if path.is_file() {
                    let text = Text::read(&path).map_err(Error::from)?;
                    let source = path.display().to_string();
                    let when = changed(&path);
                    let found =
                        DiscoveredMachine::imported(importer(kind), vec![text], source, when)?;
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}
