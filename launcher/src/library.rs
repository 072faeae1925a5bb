//! Finds the preload library.

use crate::error::LaunchError;
use std::path::{Path, PathBuf};

const NAME: &str = "librankfold.so";
const VARIABLE: &str = "RANKFOLD_LIBRARY";

/// Absolute path of `librankfold.so`: what `RANKFOLD_LIBRARY` says, else beside this program, else in the
/// `lib` directory beside its own (an installation).
pub(crate) fn find() -> Result<PathBuf, LaunchError> {
    let candidates = match std::env::var_os(VARIABLE) {
        Some(path) => vec![PathBuf::from(path)],
        None => installed(),
    };
    candidates
        .iter()
        .find_map(|path| path.canonicalize().ok().filter(|path| path.is_file()))
        .ok_or_else(|| LaunchError::NoLibrary {
            searched: candidates.iter().map(|p| p.display().to_string()).collect(),
        })
}

fn installed() -> Vec<PathBuf> {
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let Ok(program) = program else {
        return Vec::new();
    };
    let beside = program.parent().unwrap_or(Path::new("/"));
    vec![beside.join(NAME), beside.join("../lib").join(NAME)]
}
