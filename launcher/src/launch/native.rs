//! What a launcher's own placing is worth, and for which library.

use super::app::App;
use object::{Object, ObjectSection};

/// What is known of a launcher's own placing, for one plan and program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NativePlacement {
    /// Seen to be right, and the MPI library believes it.
    Verified(&'static str),
    /// Documented, and never run by us.
    Documented,
    /// Known to do harm.
    Bad(&'static str),
    /// There is no way to tell the launcher.
    Impossible(&'static str),
}

/// The MPI library that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    OpenMpi,
    Mpich,
    /// MPICH of a version from 4.1, or Intel MPI: their libraries have one name.
    MpichAbi,
}

/// The library of the first program, as far as its file tells.
pub(crate) fn library(apps: &[App]) -> Option<Library> {
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
