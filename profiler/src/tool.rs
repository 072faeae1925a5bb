//! Another tool of the profiling interface that sees calls before this library does: one that is
//! linked into the program, or preloaded before. It forwards the program's calls under their names
//! with `PMPI_`, and makes calls of its own in the same way, to collect what it has found. The
//! latter are not the program's.
//!
//! What a tool sends while the program is in a call that moves no data, as `MPI_Finalize`, is its
//! own. That takes a walk up the stack, so calls are only looked at like this where there is such a
//! tool.

use rankfold_preload::stack;
use std::sync::atomic::{AtomicBool, Ordering};

static BEFORE_US: AtomicBool = AtomicBool::new(false);

/// Functions of the standard in which a tool may be, without `MPI_`.
const LIFE: [&std::ffi::CStr; 4] = [
    c"MPI_Init",
    c"MPI_Init_thread",
    c"MPI_Finalize",
    c"MPI_Pcontrol",
];

/// How the names of functions that move no data begin, without `MPI_`.
const MOVES_NOTHING: &[&str] = &[
    "Init",
    "Finalize",
    "Pcontrol",
    "Abort",
    "Comm_",
    "Cart_",
    "Graph_",
    "Dist_graph_",
    "Intercomm_",
    "Session_",
    "Type_",
    "Win_",
];

/// Finds out whether there is such a tool; whether there is.
pub(crate) fn find() -> bool {
    let found = LIFE.iter().any(|name| stack::is_defined_before_us(name));
    BEFORE_US.store(found, Ordering::Relaxed);
    found
}

/// Whether the call that this is asked in is a tool's own.
pub(crate) fn makes_this_call() -> bool {
    BEFORE_US.load(Ordering::Relaxed) && stack::nearest_function("MPI_").is_some_and(moves_nothing)
}

fn moves_nothing(name: &str) -> bool {
    MOVES_NOTHING.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_move_data_are_told_from_others() {
        assert!(
            ["Init_thread", "Finalize", "Comm_dup"]
                .into_iter()
                .all(moves_nothing)
        );
        assert!(
            !["Send", "Isend", "Allreduce", "Put"]
                .into_iter()
                .any(moves_nothing)
        );
        assert!(!makes_this_call());
    }
}
