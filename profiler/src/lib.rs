//! `librankfold.so`: preloaded into every rank of an unmodified MPI program, counts bytes per rank
//! pair.
//!
//! It exports `MPI_X` and `PMPI_X` for every X in `exports` and nothing else, and links no MPI:
//! whichever one the program brings is recognised in `MPI_Init`. Recording is done by the outermost
//! call only, so a program that calls `PMPI_X`, a Fortran binding on top of C, and another tool
//! before or behind this one are each seen once.

// First, because the tables in `exports` use its macros.
#[macro_use]
mod entry;

mod absent;
mod config;
mod counted;
mod degrade;
mod epoch;
mod exports;
mod journal;
mod memory;
mod objects;
mod phase;
mod run;
mod thread;
mod tool;

ctor::declarative::ctor! {
    /// Reads the environment, before the program can change it; everything else waits for
    /// `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
        degrade::prepare();
    }
}
