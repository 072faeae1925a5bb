//! `librankfold_world.so`: preloaded into every process of an unmodified MPI program, gives the
//! processes other ranks.
//!
//! In `MPI_Init` it makes a communicator with the processes in the order of a plan and uses that
//! wherever the program passes `MPI_COMM_WORLD`. Processes stay where the launcher has put them. It
//! exports `MPI_X` and `PMPI_X` for every X in `functions.txt` and links no MPI: whichever one the
//! program brings is recognised in `MPI_Init`.

// First, because the tables use its macros.
#[macro_use]
mod entry;

mod comm;
mod config;
mod finalize;
mod handwritten;
mod initialize;
mod mapper;
mod order;
mod record;
mod reorder;
mod solve;
mod unlisted_functions;
mod variables;
mod world;
mod wrappers;

ctor::declarative::ctor! {
    /// Reads the environment, before the program can change it; everything else waits for
    /// `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
    }
}
