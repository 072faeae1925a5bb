//! Files that the site names in `RANKFOLD_TOPOLOGY`, for instance in a module file: machine files,
//! or the output of NVIDIA topograph, AWS or any other tool with an importer.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, changed};
use anyhow::Context;
use rankfold_mapper::error::Error;
use rankfold_model::machine::import::{Source as Text, kind_of};
use rankfold_model::machine::load;
use std::path::{Path, PathBuf};

pub(super) struct Files;

/// The environment variable with the paths, separated by colons.
const VARIABLE: &str = "RANKFOLD_TOPOLOGY";

impl Source for Files {
    fn name(&self) -> &'static str {
        VARIABLE
    }

    fn look(&self, _: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(paths) = std::env::var_os(VARIABLE).filter(|paths| !paths.is_empty()) else {
            return Ok(None);
        };
        found(&std::env::split_paths(&paths).collect::<Vec<_>>()).map(Some)
    }
}

fn found(paths: &[PathBuf]) -> anyhow::Result<DiscoveredMachine> {
    let texts = paths.iter().map(|path| Text::read(path));
    let texts: Vec<Text> = texts.collect::<Result<_, _>>().map_err(Error::from)?;
    let newest = paths.iter().filter_map(|path| changed(path)).max();
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let source = format!("{} ({VARIABLE})", shown.join(" "));
    match texts.iter().find_map(kind_of) {
        Some(kind) => DiscoveredMachine::imported(kind, texts, source, newest),
        None => {
            let [path] = &shown[..] else {
                return Err(anyhow::anyhow!("no importer knows {}", shown.join(" ")));
            };
            let hardware = load(&Path::new(path).to_string_lossy()).map_err(Error::from);
            Ok(DiscoveredMachine {
                hardware: hardware.context(VARIABLE)?,
                text: None,
                machine: MachineArgument::Named(path.clone()),
                source,
                when: newest,
            })
        }
    }
}
