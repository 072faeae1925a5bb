//! Cached properties of communicators and windows. They are kept as an attribute of the object (MPI
//! 4.0, section 7.7), so they are freed with it.
//!
//! The properties are read when the object is first used. That is local, and does not depend on how
//! the object was made.

use super::collective_group::CollectiveGroup;
use super::ranks::Ranks;
use crate::epoch;
use libc::c_int;
use rankfold_abi::mpi::{self, CopyAttribute, DeleteAttribute, MpiError, Result};
use rankfold_abi::neighbourhood;
use rankfold_abi::{self as abi, Abi, Address, ERR_ABSENT, Handle};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The cached properties of one communicator or window.
pub(crate) struct CachedObject {
    /// The ranks that a rank argument may name: those of the object's own group, or of the remote
    /// group of an intercommunicator.
    pub(crate) ranks: Ranks,
    /// The neighbours, once they were asked for.
    neighbours: OnceLock<Vec<c_int>>,
    /// The group, once it was asked for; `None` if MPI returned an error.
    group: OnceLock<Option<CollectiveGroup>>,
}

impl CachedObject {
    /// The ranks to which this process sends in a neighbourhood collective on `comm`, the
    /// communicator to which these properties belong. The ranks are those in `comm`, or
    /// `MPI_PROC_NULL`.
    pub(crate) fn neighbours(&self, comm: Handle, abi: &Abi) -> &[c_int] {
        let ask = || neighbourhood::receivers(comm, abi).unwrap_or_default();
        self.neighbours.get_or_init(ask)
    }

    /// The processes that call the collectives of `comm`, the communicator to which these
    /// properties belong.
    pub(crate) fn collective_group(&self, comm: Handle) -> Option<&CollectiveGroup> {
        let ask = || CollectiveGroup::of(comm, &self.ranks);
        self.group.get_or_init(ask).as_ref()
    }
}

/// MPI's functions for one kind of object.
struct Kind {
    /// The key of the library's attribute, once it exists. The lock also keeps two threads from
    /// setting the attribute twice.
    key: Mutex<Option<c_int>>,
    create_keyval: unsafe fn(CopyAttribute, DeleteAttribute, *mut c_int, Address) -> Result,
    get: unsafe fn(Handle, c_int, *mut Address, *mut c_int) -> Result,
    set: unsafe fn(Handle, c_int, Address) -> Result,
    /// Makes the group of the ranks that a rank argument on the object may name. The second result
    /// is their number: only that many ranks of the group count. The object must be of this kind
    /// and alive.
    group: unsafe fn(Handle) -> Result<(Handle, c_int)>,
}

static COMMUNICATORS: Kind = Kind {
    key: Mutex::new(None),
    create_keyval: mpi::comm_create_keyval,
    get: mpi::comm_get_attr,
    set: mpi::comm_set_attr,
    group: receivers,
};

static WINDOWS: Kind = Kind {
    key: Mutex::new(None),
    create_keyval: mpi::win_create_keyval,
    get: mpi::win_get_attr,
    set: mpi::win_set_attr,
    group: targets,
};

/// The cached properties of `comm`, on which the program is calling.
pub(crate) fn of_communicator(comm: Handle) -> Result<&'static CachedObject> {
    COMMUNICATORS.known(comm)
}

/// The cached properties of `window`, on which the program is calling.
pub(crate) fn of_window(window: Handle) -> Result<&'static CachedObject> {
    WINDOWS.known(window)
}

/// Forgets the keys of the attributes. They end with the MPI library, and it may be initialised
/// again.
pub(crate) fn forget() {
    for kind in [&COMMUNICATORS, &WINDOWS] {
        *kind.key.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    epoch::next();
}

impl Kind {
    fn known(&self, object: Handle) -> Result<&'static CachedObject> {
        let abi = abi::get().ok_or(MpiError("Abi", ERR_ABSENT))?;
        let mut key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        let key = match *key {
            Some(key) => key,
            None => *key.insert(self.new_key()?),
        };
        let (mut value, mut found) = (ptr::null_mut(), 0);
        // SAFETY: the program is calling on the object, so it is alive, and the key was made below.
        unsafe { (self.get)(object, key, &raw mut value, &raw mut found) }?;
        if found == 0 {
            value = Box::into_raw(Box::new(self.look_at(object, abi)?)).cast();
            // SAFETY: the object is alive, the key was made below, and the value is what `deleted`
            // expects. From here on the attribute owns the value. If setting it fails, the value is
            // never freed.
            unsafe { (self.set)(object, key, value) }?;
        }
        // SAFETY: only the lines above set this attribute, to a `CachedObject` that lives until the
        // object is freed. The program is calling on the object, so it is alive. What threads have
        // cached of it ends with the epoch, which `deleted` changes.
        Ok(unsafe { &*value.cast_const().cast() })
    }

    fn look_at(&self, object: Handle, abi: &Abi) -> Result<CachedObject> {
        // SAFETY: the program is calling on the object, which is of this kind.
        let (group, size) = unsafe { (self.group)(object) }?;
        // SAFETY: the group was made by the call above, and has at least this many ranks.
        let ranks = unsafe { Ranks::of(group, size, abi) }?;
        Ok(CachedObject {
            ranks,
            neighbours: OnceLock::new(),
            group: OnceLock::new(),
        })
    }

    fn new_key(&self) -> Result<c_int> {
        let mut key = 0;
        // SAFETY: the callbacks have the types that MPI asks for. They live as long as the process,
        // because this library is never unloaded.
        unsafe { (self.create_keyval)(mpi::never_copied, deleted, &raw mut key, ptr::null_mut()) }?;
        Ok(key)
    }
}

/// The group of the ranks that a rank argument on a communicator may name, and their number. The
/// number is asked of the communicator, because under MPICH 5.0 the group of a grid that holds some
/// ranks only is that of all ranks.
///
/// # Safety
/// `comm` is a communicator that is alive.
unsafe fn receivers(comm: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: the caller guarantees that the communicator is alive.
    if unsafe { mpi::is_inter(comm) }? {
        // SAFETY: the caller guarantees that the communicator is alive, and it is an
        // intercommunicator.
        unsafe { mpi::comm_remote_group(comm, &raw mut group) }?;
        // SAFETY: the caller guarantees that the communicator is alive, and it is an
        // intercommunicator.
        unsafe { mpi::comm_remote_size(comm, &raw mut size) }?;
    } else {
        // SAFETY: the caller guarantees that the communicator is alive.
        unsafe { mpi::comm_group(comm, &raw mut group) }?;
        // SAFETY: the caller guarantees that the communicator is alive.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
    }
    Ok((group, size))
}

/// The group of the ranks that a rank argument on a window may name, and their number.
///
/// # Safety
/// `window` is a window that is alive.
unsafe fn targets(window: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: the caller guarantees that the window is alive.
    unsafe { mpi::win_get_group(window, &raw mut group) }?;
    // SAFETY: the group was made by the call above.
    unsafe { mpi::group_size(group, &raw mut size) }?;
    Ok((group, size))
}

unsafe extern "C" fn deleted(_: Handle, _: c_int, value: Address, _: Address) -> c_int {
    epoch::next();
    // SAFETY: the value is the box that `Kind::known` has made for this attribute, and MPI passes
    // it here once.
    drop(unsafe { Box::from_raw(value.cast::<CachedObject>()) });
    0
}
