//! Finds the preload library.

use crate::error::LaunchError;
use std::path::{Path, PathBuf};

const NAME: &str = "librankfold.so";
const WORLD: &str = "librankfold_world.so";
const VARIABLE: &str = "RANKFOLD_LIBRARY";

/// Absolute path of `librankfold.so`: what `RANKFOLD_LIBRARY` says, else beside this program (a
/// build), else below the `lib` directory beside its own (an installation).
///
/// # Errors
/// It is nowhere, or where it cannot be preloaded from.
pub(crate) fn find() -> Result<PathBuf, LaunchError> {
    let candidates = match std::env::var_os(VARIABLE) {
        // A link stays one: it may be there to give the library a path that can be preloaded.
        Some(path) => vec![std::path::absolute(&path).unwrap_or_else(|_| path.into())],
        None => installed(),
    };
    let found = candidates.iter().find(|path| path.is_file());
    let library = found.ok_or_else(|| LaunchError::NoLibrary {
        searched: candidates.iter().map(|p| p.display().to_string()).collect(),
    })?;
    if is_loadable(library) {
        Ok(library.clone())
    } else {
        Err(LaunchError::Unloadable {
            library: library.clone(),
        })
    }
}

/// Absolute path of `librankfold_world.so`, which lies beside `librankfold.so`.
///
/// # Errors
/// It does not.
pub(crate) fn find_world(library: &Path) -> Result<PathBuf, LaunchError> {
    let world = library.with_file_name(WORLD);
    match world.is_file() {
        true => Ok(world),
        false => Err(LaunchError::NoWorld { world }),
    }
}

/// Whether `LD_PRELOAD` can name the path.
fn is_loadable(path: &Path) -> bool {
    let ends = |byte: &u8| matches!(byte, b' ' | b':');
    !path.as_os_str().as_encoded_bytes().iter().any(ends)
}

fn installed() -> Vec<PathBuf> {
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let Ok(program) = program else {
        return Vec::new();
    };
    let beside = program.parent().unwrap_or(Path::new("/"));
    let prefix = beside.parent().unwrap_or(beside);
    let lib = prefix.join("lib");
    vec![
        beside.join(NAME),
        lib.join("rankfold").join(NAME),
        lib.join(NAME),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_ld_preload_would_cut_are_refused() {
        assert!(is_loadable(Path::new("/opt/rankfold/lib/librankfold.so")));
        assert!(!is_loadable(Path::new("/opt/my tools/librankfold.so")));
        assert!(!is_loadable(Path::new("/opt/a:b/librankfold.so")));
    }
}
