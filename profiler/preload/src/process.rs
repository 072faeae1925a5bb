//! Facts about this process: its host, its cores and its MPI library.

use rankfold_abi::Abi;
use rankfold_abi::mpi::{self, Result};
use rankfold_wire::Cores;

/// The name of the host, as `gethostname` returns it.
#[must_use]
pub fn host() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: `gethostname` may write all bytes but the last, so the name ends with a NUL even
    // where it is cut.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// The number of the user with whose rights this process runs.
#[must_use]
pub fn user() -> u32 {
    // SAFETY: `geteuid` has no preconditions.
    unsafe { libc::geteuid() }
}

/// Whether the system has given this process more rights than its user has, as it does for
/// set-user-ID programs. The environment of such a process is not to be trusted.
#[must_use]
pub fn is_privileged() -> bool {
    // SAFETY: `getauxval` takes any number.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// The cores on which this thread may run; an empty set where the system does not answer.
#[must_use]
pub fn cores() -> Cores {
    rankfold_abi::own::processors().into_iter().collect()
}

/// Number of cores of the host, including those on which this thread may not run. Where the system
/// does not answer, a number larger than that of any host.
#[must_use]
pub fn cores_of_host() -> u64 {
    // SAFETY: `sysconf` has no preconditions.
    let result = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u64::try_from(result).unwrap_or(u64::MAX)
}

/// The first line of the version that the MPI library reports.
#[must_use]
pub fn library() -> String {
    /// The largest `MPI_MAX_LIBRARY_VERSION_STRING` of all MPI libraries.
    const ROOM: usize = 8192;
    let (mut text, mut length) = (vec![0; ROOM], 0);
    // SAFETY: the text has room for the longest version of any MPI library.
    let asked = unsafe { mpi::library_version(text.as_mut_ptr(), &raw mut length) };
    let text = asked.map_or(String::new(), |()| {
        String::from_utf8_lossy(&text).into_owned()
    });
    let line = text.split(['\n', '\0']).next().unwrap_or("");
    // MPICH puts a tab behind its colon.
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `MPI_Comm_spawn` has started this world. `MPI_Init` must have returned.
///
/// # Errors
/// Those of MPI.
pub fn is_spawned(abi: &Abi) -> Result<bool> {
    let mut parent = abi.comm_null;
    // SAFETY: the caller guarantees that `MPI_Init` has returned, and the handle is a variable on
    // this stack.
    unsafe { mpi::comm_get_parent(&raw mut parent) }?;
    Ok(parent & abi.mask != abi.comm_null)
}
