//! Loading a library.

use super::find::LibraryCandidates;
use libc::{RTLD_GLOBAL, RTLD_LAZY};
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Why no MPI could be opened.
#[derive(Debug)]
pub enum LoadError {
    /// None of the libraries looked for can be loaded; what the loader said of each.
    NotFound(Vec<(PathBuf, String)>),
    /// This library was loaded, and it is of no known family.
    Unknown(PathBuf),
    /// This process has opened an MPI before.
    Again,
    /// `MPI_Init` or one of the first calls failed.
    Failed(crate::mpi::MpiError),
}

impl std::error::Error for LoadError {}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound(tried) => {
                f.write_str("no MPI library can be loaded")?;
                for (path, problem) in tried {
                    write!(f, "; {}: {problem}", path.display())?;
                }
                Ok(())
            }
            Self::Unknown(path) => write!(f, "{} is no MPI known here", path.display()),
            Self::Again => f.write_str("MPI can be opened once only"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl From<crate::mpi::MpiError> for LoadError {
    fn from(error: crate::mpi::MpiError) -> Self {
        Self::Failed(error)
    }
}

/// Loads the first of the candidates that can be, for all libraries to come: the plug-ins of Open
/// MPI look for it there.
pub(super) fn load(found: &LibraryCandidates) -> Result<PathBuf, LoadError> {
    let mut tried = Vec::new();
    for path in &found.candidates {
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            continue;
        };
        // SAFETY: the name ends with a NUL. Constructors of an MPI library run, which is what it is
        // opened for.
        let library = unsafe { libc::dlopen(name.as_ptr(), RTLD_LAZY | RTLD_GLOBAL) };
        if !library.is_null() {
            return Ok(path.clone());
        }
        tried.push((path.clone(), problem()));
    }
    Err(LoadError::NotFound(tried))
}

/// What the loader says of its last failure.
fn problem() -> String {
    // SAFETY: asks the loader for the text of this thread's last failure.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "it cannot be loaded".into();
    }
    // SAFETY: not null, and the loader's texts end with a NUL and stay until it is called again.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
