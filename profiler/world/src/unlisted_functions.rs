//! Warns of MPI functions that the program calls and this library does not know, such as those of a
//! later standard or of a vendor. Such a function may take a communicator, which is then not
//! exchanged.

use crate::wrappers::KNOWN;
use object::read::ReadCache;
use object::{Object, ObjectSymbol};
use rankfold_preload::warning::warn;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// Searches the objects that this process has loaded, and prints one warning.
pub(crate) fn look() {
    let paths = rankfold_abi::loaded_paths();
    let program = std::env::current_exe().into_iter();
    let found: BTreeSet<String> = program
        .chain(paths.into_iter().filter(|path| !is_system(path)))
        .flat_map(|path| wanted(&path))
        .collect();
    if found.is_empty() {
        return;
    }
    let names: Vec<String> = found.into_iter().collect();
    let names = names.join(", ");
    warn(format_args!(
        "the program calls {names}, which librankfold_world.so does not know: with MPI_COMM_WORLD these functions use the launcher's ranks"
    ));
}

/// Whether a library belongs to MPI or to the system. Neither calls MPI for the program.
fn is_system(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_mpi = name.starts_with("lib") && name.contains("mpi") && !name.contains("mpi4py");
    let starts = [
        "ld-linux",
        "libc.",
        "libm.",
        "libopen-",
        "librankfold",
        "linux-vdso",
    ];
    is_mpi || starts.iter().any(|start| name.starts_with(start))
}

/// The MPI functions that the object at `path` imports and this library does not know.
fn wanted(path: &Path) -> Vec<String> {
    let Ok(file) = File::open(path) else {
        return Vec::new();
    };
    let cache = ReadCache::new(file);
    let Ok(object) = object::File::parse(&cache) else {
        return Vec::new();
    };
    let undefined = object.dynamic_symbols().filter(ObjectSymbol::is_undefined);
    let names = undefined.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    names.filter(|name| is_unknown(name)).collect()
}

fn is_unknown(name: &str) -> bool {
    let plain = name
        .strip_prefix('P')
        .filter(|plain| plain.starts_with("MPI"));
    let plain = plain.unwrap_or(name);
    // Names in capitals are those of Fortran functions and constants.
    let is_function = (plain.starts_with("MPI_") || plain.starts_with("MPIX_"))
        && plain.chars().any(|letter| letter.is_ascii_lowercase());
    is_function
        && !plain.ends_with("_f")
        && !plain.ends_with("_f08")
        && KNOWN.binary_search(&plain).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_table_and_of_the_list_are_known() {
        for known in [
            "MPI_Send",
            "PMPI_Comm_rank",
            "MPI_Bcast_init_c",
            "MPI_Wtime",
            "MPI_Abort",
            "memcpy",
            "MPI_UNWEIGHTED",
        ] {
            assert!(!is_unknown(known), "{known}");
        }
        for unknown in ["MPI_Teleport", "PMPI_Teleport", "MPIX_Teleport"] {
            assert!(is_unknown(unknown), "{unknown}");
        }
    }
}
