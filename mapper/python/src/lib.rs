//! The compiled half of the Python module `rankfold`: it reads, searches and draws with the crates
//! of the command line, so that the figures are the same.
//!
//! Values cross to Python as numbers, text, JSON, and bytes in the computer's own byte order; the
//! Python half, the package beside this crate, makes objects and arrays of them. The interpreter is
//! released during long work, and Ctrl-C ends the wait for it: see `work`.
//!
//! `forbid(unsafe_code)` holds: the macros of PyO3 allow themselves what they expand to.
#![forbid(unsafe_code)]

mod details;
mod error;
mod input;
mod machine;
mod placed;
mod seats;
mod table;
mod work;

/// What the package `rankfold` is built on. Nothing here is for users.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::input::{Input, from_pairs, read};
    #[pymodule_export]
    use crate::machine::{MachineHandle, machine};
    #[pymodule_export]
    use crate::placed::{Placed, evaluate, search};
    #[pymodule_export]
    use crate::seats::{SeatsHandle, read_mapfile, seats};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
