//! `librankfold_world.so`: preloaded into every process of an unmodified MPI program, the library
//! renumbers the ranks.
//!
//! In `MPI_Init` the library makes a communicator with the processes in the order of a plan, and
//! uses it wherever the program passes `MPI_COMM_WORLD`. Processes stay where the launcher has put
//! them. The library exports `MPI_X` and `PMPI_X` for every X in `functions.txt`, and links no MPI:
//! `MPI_Init` finds out which MPI library the program has loaded.

// The tables use the macros of this module, so it comes first.
#[macro_use]
mod entry;

mod config;
mod duplicates;
mod finalize;
mod handwritten;
mod initialize;
mod lower_group;
mod mapper;
mod order;
mod record;
mod reorder;
mod solve;
mod unlisted_functions;
mod variables;
mod world;
mod wrappers;

use rankfold_preload::warning::remember_standard_error;

ctor::declarative::ctor! {
    /// Reads the environment before the program can change it. Everything else waits for
    /// `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
        remember_standard_error();
    }
}
