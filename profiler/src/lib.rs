//! `librankfold.so`: preloaded into every rank of an unmodified MPI program, the library counts the
//! bytes that each pair of ranks exchanges.
//!
//! The library exports `MPI_X` and `PMPI_X` for every X in `exports`, and two functions of Open
//! MPI's monitoring. It links no MPI: `MPI_Init` finds out which MPI library the program has
//! loaded. Only the outermost call is counted, so a call is counted once even if the program calls
//! `PMPI_X`, if a Fortran binding calls the C function, or if another tool stands before or behind
//! this library.

// The tables in `exports` use the macros of this module, so it comes first.
#[macro_use]
mod entry;

mod config;
mod counted;
mod degrade;
mod epoch;
mod exports;
mod freed;
mod journal;
mod memory;
mod missing_function;
mod monitoring;
mod objects;
mod parameters;
mod phase;
mod run;
mod thread;
mod tool;
mod turns;

use rankfold_preload::warning::remember_standard_error;

ctor::declarative::ctor! {
    /// Reads the environment before the program can change it. Everything else waits for
    /// `MPI_Init`.
    #[ctor(unsafe)]
    fn load() {
        config::read();
        if monitoring::is_wanted() {
            monitoring::turn_on();
        }
        remember_standard_error();
        degrade::prepare();
    }
}
