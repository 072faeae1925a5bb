//! Files that the configuration names by the key `topology` or the variable `RANKFOLD_TOPOLOGY`:
//! machine files, or the output of NVIDIA topograph, AWS or any other tool with an importer.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, changed};
use anyhow::Context;
use rankfold_importers::Source as Text;
use rankfold_launch::config::Origin;
use rankfold_machine::load;
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;
use std::path::{Path, PathBuf};

pub(super) struct Files {
    /// Whether the files count that the variable names, or those of a configuration file.
    by_variable: bool,
}

/// Files that the variable names, which holds for this run.
pub(super) const NOW: Files = Files { by_variable: true };

/// Files that a configuration file names, for any run.
pub(super) const CONFIGURED: Files = Files { by_variable: false };

impl Source for Files {
    fn name(&self) -> &'static str {
        "RANKFOLD_TOPOLOGY"
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let (paths, origin) = &wanted.settings.topology;
        let is_by_variable = matches!(origin, Origin::Variable { .. });
        if paths.is_empty() || is_by_variable != self.by_variable {
            return Ok(None);
        }
        found(paths, origin, wanted.hosts).map(Some)
    }
}

/// The machine in these files, which are named at `origin`, for a job on these hosts.
fn found(
    paths: &[PathBuf],
    origin: &Origin,
    hosts: &[String],
) -> anyhow::Result<DiscoveredMachine> {
    let texts = paths.iter().map(|path| Text::read(path));
    let texts: Vec<Text> = texts.collect::<Result<_, _>>().map_err(Error::from)?;
    let newest = paths.iter().filter_map(|path| changed(path)).max();
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let source = format!("{} ({origin})", shown.join(" "));
    match texts.iter().find_map(|text| IMPORTERS.kind_of(text)) {
        Some(kind) => DiscoveredMachine::imported_for_job(kind, texts, source, newest, hosts),
        None => {
            let [path] = &shown[..] else {
                return Err(anyhow::anyhow!("no importer knows {}", shown.join(" ")));
            };
            let hardware = load(&Path::new(path).to_string_lossy()).map_err(Error::from);
            Ok(DiscoveredMachine {
                hardware: hardware.with_context(|| origin.to_string())?,
                text: None,
                machine: MachineArgument::Named(path.clone()),
                source,
                when: newest,
            })
        }
    }
}
