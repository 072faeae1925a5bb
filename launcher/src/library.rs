//! Finds the preload libraries: beside this program, or inside of it.

use rankfold_cache::Cache;
use rankfold_launch::config::CachePlace;
use rankfold_launch::error::LaunchError;
use std::path::{Path, PathBuf};

const NAME: &str = "librankfold.so";
const WORLD: &str = "librankfold_world.so";
const NCCL: &str = "librankfold_nccl.so";
const VARIABLE: &str = "RANKFOLD_LIBRARY";

/// The libraries that this program carries: all, if it was built with the feature `carry`.
#[cfg(feature = "carry")]
const CARRIED: &[(&str, &[u8])] = &[
    (NAME, include_bytes!(env!("RANKFOLD_CARRIED_PROFILER"))),
    (WORLD, include_bytes!(env!("RANKFOLD_CARRIED_WORLD"))),
    (NCCL, include_bytes!(env!("RANKFOLD_CARRIED_NCCL"))),
];
#[cfg(not(feature = "carry"))]
const CARRIED: &[(&str, &[u8])] = &[];

/// Absolute path of `librankfold.so`. `RANKFOLD_LIBRARY` names it. Without that variable these
/// places are searched, in this order:
///
/// 1. the directory of this program, for a build;
/// 2. `../lib` and `../lib/rankfold` from there, for an installation;
/// 3. the cache, if this program carries the library. It is written there when it is needed, also
///    where the variable names no file.
///
/// # Errors
/// The library is at none of these paths, or `LD_PRELOAD` cannot name its path.
pub(crate) fn find() -> Result<PathBuf, LaunchError> {
    let mut candidates = match std::env::var_os(VARIABLE) {
        // Symbolic links are not resolved: the link may have a path that `LD_PRELOAD` can name
        // where the library has none.
        Some(path) => vec![std::path::absolute(&path).unwrap_or_else(|_| path.into())],
        None => installed(),
    };
    if !candidates.iter().any(|path| path.is_file()) && !CARRIED.is_empty() {
        candidates.push(unpacked());
    }
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

/// Absolute path of `librankfold_world.so`, in the directory of `librankfold.so`.
///
/// # Errors
/// The file does not exist.
pub(crate) fn find_world(library: &Path) -> Result<PathBuf, LaunchError> {
    let world = library.with_file_name(WORLD);
    if world.is_file() {
        Ok(world)
    } else {
        Err(LaunchError::NoWorld { world })
    }
}

/// Longest path that NCCL reads from `NCCL_PROFILER_PLUGIN`.
const LONGEST_OF_NCCL: usize = 255;

/// Absolute path of `librankfold_nccl.so`, in the directory of `librankfold.so`. `None` if it is
/// not installed, or NCCL would cut its path.
pub(crate) fn find_nccl(library: &Path) -> Option<PathBuf> {
    let nccl = library.with_file_name(NCCL);
    let fits = nccl.as_os_str().len() <= LONGEST_OF_NCCL;
    (fits && nccl.is_file()).then_some(nccl)
}

/// Whether `LD_PRELOAD` can name the path: a space or a colon ends a path there.
fn is_loadable(path: &Path) -> bool {
    let ends = |byte: &u8| matches!(byte, b' ' | b':');
    !path.as_os_str().as_encoded_bytes().iter().any(ends)
}

/// The paths of the library in a build and in an installation of this program.
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

/// The path of the library that this program has unpacked, or where it cannot, the reason.
fn unpacked() -> PathBuf {
    let place = Cache::open(&CachePlace::default()).and_then(|cache| cache.carried(CARRIED));
    place.map_or_else(|error| error.to_string().into(), |place| place.join(NAME))
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
