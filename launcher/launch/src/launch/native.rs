//! Whether a launcher's own placing of ranks can be relied on, and with which MPI library.

use super::app::App;
use object::{Object, ObjectSection};

/// What is known about the launcher's own placing of one plan and program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativePlacement {
    /// Tests have shown that ranks run where planned, and that the MPI library uses the placement.
    Verified(&'static str),
    /// Documented, but not covered by any test of rankfold.
    Documented,
    /// Known to fail.
    Bad(&'static str),
    /// The launcher has no option for such a placement.
    Impossible(&'static str),
}

/// The MPI library that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Open MPI.
    OpenMpi,
    /// MPICH before version 4.1.
    Mpich,
    /// MPICH from version 4.1 on, or Intel MPI: the libraries of the two have the same file name.
    MpichAbi,
}

/// The MPI library of the first program, from the names in its file; `None` where there is none.
pub fn library(apps: &[App]) -> Option<Library> {
    let program = apps.first()?.program.first()?;
    let bytes = std::fs::read(crate::diagnosis::find(program)?).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let names = file.section_by_name(".dynstr")?.data().ok()?;
    let has = |name: &[u8]| names.windows(name.len()).any(|window| window == name);
    if has(b"libmpi.so.40") {
        Some(Library::OpenMpi)
    } else if has(b"libmpich.so") {
        Some(Library::Mpich)
    } else {
        (has(b"libmpi.so.12") || has(b"libmpi_abi.so")).then_some(Library::MpichAbi)
    }
}
