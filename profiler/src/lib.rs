//! `librankfold.so`: preloaded into every rank of an unmodified MPI program, counts bytes per rank pair.
//!
//! It exports `MPI_X` and `PMPI_X` for every X in `exports` and nothing else, and links no MPI: whichever one the
//! program brings is recognised in `MPI_Init`. Recording is done by the outermost call only, so a program that calls
//! `PMPI_X`, a Fortran binding on top of C, and another tool before or behind this one are each seen once.

// Its macros are for those below.
#[macro_use]
mod entry;

mod arguments;
mod attached;
mod block;
mod bus;
mod cache;
mod collectives;
mod config;
mod counters;
mod datatype;
mod epoch;
mod exports;
mod finish;
mod gather;
mod guard;
mod journal;
mod message;
mod neighbours;
mod note;
mod notebook;
mod onesided;
mod patience;
mod persistent;
mod phase;
mod ranks;
mod seats;
mod session;
mod sessions;
mod shares;
mod size_limit;
mod team;
mod thread;
mod time;
mod topologies;
mod tree;
mod world;

ctor::declarative::ctor! {
    /// Reads the environment, before the program can change it; everything else waits for `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
    }
}
