//! Another tool of MPI's profiling interface that is called before this library: one that is linked
//! into the program, or preloaded before this library. Such a tool forwards the calls of the
//! program by the names with `PMPI_`. It also makes calls of its own in the same way, for instance
//! to collect its results, and these must not be counted.
//!
//! What a tool sends while the program is in a function that moves no data, such as `MPI_Finalize`,
//! is taken for the tool's own. To find that function takes a walk up the stack, so calls are
//! checked only where there is such a tool.

use rankfold_preload::stack;
use std::sync::atomic::{AtomicBool, Ordering};

static BEFORE_US: AtomicBool = AtomicBool::new(false);

/// Functions that most tools wrap. Another definition of one of these is the sign of a tool.
const LIFE: [&std::ffi::CStr; 4] = [
    c"MPI_Init",
    c"MPI_Init_thread",
    c"MPI_Finalize",
    c"MPI_Pcontrol",
];

/// The beginnings of the names, without `MPI_`, of functions that move no data.
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

/// Finds out whether there is such a tool, stores the answer and returns it.
pub(crate) fn find() -> bool {
    let found = LIFE.iter().any(|name| stack::is_defined_before_us(name));
    BEFORE_US.store(found, Ordering::Relaxed);
    found
}

/// Whether a tool has made the MPI call that is under way on this thread.
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
