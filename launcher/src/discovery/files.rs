//! Files that the site names in `RANKFOLD_TOPOLOGY`, in a module file say: what NVIDIA topograph,
//! AWS or any other tool with an importer tells.

use super::{Described, Found, Source, Wanted, changed};
use anyhow::Context;
use rankfold_mapper::error::Error;
use rankfold_model::machine::import::{Source as Text, kind_of};
use rankfold_model::machine::load;
use std::path::{Path, PathBuf};

pub(super) struct Files;

/// Paths with colons between them.
const VARIABLE: &str = "RANKFOLD_TOPOLOGY";

impl Source for Files {
    fn name(&self) -> &'static str {
        VARIABLE
    }

    fn look(&self, _: &Wanted) -> anyhow::Result<Option<Found>> {
        let Some(paths) = std::env::var_os(VARIABLE).filter(|paths| !paths.is_empty()) else {
            return Ok(None);
        };
        found(&std::env::split_paths(&paths).collect::<Vec<_>>()).map(Some)
    }
}

fn found(paths: &[PathBuf]) -> anyhow::Result<Found> {
    let texts = paths.iter().map(|path| Text::read(path));
    let texts: Vec<Text> = texts.collect::<Result<_, _>>().map_err(Error::from)?;
    let newest = paths.iter().filter_map(|path| changed(path)).max();
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let told_by = format!("{} ({VARIABLE})", shown.join(" "));
    match texts.iter().find_map(kind_of) {
        Some(kind) => Found::imported(kind, texts, told_by, newest),
        None => {
            let [path] = &shown[..] else {
                return Err(anyhow::anyhow!("no importer knows {}", shown.join(" ")));
            };
            let hardware = load(&Path::new(path).to_string_lossy()).map_err(Error::from);
            Ok(Found {
                hardware: hardware.context(VARIABLE)?,
                text: None,
                machine: Described::Named(path.clone()),
                told_by,
                when: newest,
            })
        }
    }
}
