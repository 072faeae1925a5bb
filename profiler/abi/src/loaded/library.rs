//! Loads an MPI library.

use super::find::LibraryCandidates;
use libc::{RTLD_GLOBAL, RTLD_LAZY};
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Why no MPI library could be opened.
#[derive(Debug)]
pub enum LoadError {
    /// None of the candidates can be loaded. Each comes with the error of the loader.
    NotFound(Vec<(PathBuf, String)>),
    /// This library was loaded, but belongs to no known family.
    Unknown(PathBuf),
    /// This process has opened an MPI library before.
    Again,
    /// `MPI_Init`, or one of the first calls behind it, has failed.
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

/// Loads the first of the candidates that can be loaded. Its symbols become visible to all
/// libraries loaded later, because the plug-ins of Open MPI need them.
pub(super) fn load(found: &LibraryCandidates) -> Result<PathBuf, LoadError> {
    let mut tried = Vec::new();
    for path in &found.candidates {
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            continue;
        };
        // SAFETY: the name ends with a NUL. Constructors of the MPI library run, which is what the
        // caller wants.
        let library = unsafe { libc::dlopen(name.as_ptr(), RTLD_LAZY | RTLD_GLOBAL) };
        if !library.is_null() {
            return Ok(path.clone());
        }
        tried.push((path.clone(), problem()));
    }
    Err(LoadError::NotFound(tried))
}

/// The text of the loader's last error.
fn problem() -> String {
    // SAFETY: `dlerror` has no preconditions.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "it cannot be loaded".into();
    }
    // SAFETY: the pointer is not null. Texts of the loader end with a NUL, and stay valid until
    // this thread calls it again.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
