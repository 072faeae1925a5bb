//! `librankfold.so`: preloaded into every rank of an unmodified MPI program, counts bytes per rank pair.
//!
//! It exports `MPI_X` and `PMPI_X` for every X in `exports.rs` and nothing else, and links no MPI: whichever one the
//! program brings is recognised in `MPI_Init`. Recording is done by the outermost call only, so a program that calls
//! `PMPI_X`, a Fortran binding on top of C, and another tool before or behind this one are each seen once.

mod abi;
mod comm;
mod config;
mod counters;
mod datatype;
mod entry;
mod exports;
mod finish;
mod gather;
mod guard;
mod journal;
mod message;
mod mpi;
mod note;
mod persistent;
mod seats;
mod session;
mod symbol;

ctor::declarative::ctor! {
    /// Reads the environment, before the program can change it; everything else waits for `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
    }
}
