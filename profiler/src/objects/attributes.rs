//! What is known of a communicator or a window: kept as an attribute of the object (MPI 4.0,
//! section 7.7), so it dies with it.
//!
//! An object is looked at when it is first used, which needs no other rank and no knowledge of how
//! it was made.

use super::collective_group::CollectiveGroup;
use super::ranks::Ranks;
use crate::epoch;
use libc::c_int;
use rankfold_abi::mpi::{self, CopyAttribute, DeleteAttribute, MpiError, Result};
use rankfold_abi::neighbourhood;
use rankfold_abi::{self as abi, Abi, Address, ERR_ABSENT, Handle};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What is known of one communicator or window.
pub(crate) struct CachedObject {
    /// Whom a rank argument means: the object's own group, or the remote group of an
    /// intercommunicator.
    pub(crate) ranks: Ranks,
    /// Once asked for.
    neighbours: OnceLock<Vec<c_int>>,
    /// Once asked for; `None` when MPI would not tell.
    group: OnceLock<Option<CollectiveGroup>>,
}

impl CachedObject {
    /// Whom this process sends to in a neighbourhood collective on `comm`, the communicator that
    /// this is known of: ranks in it, or `MPI_PROC_NULL`.
    pub(crate) fn neighbours(&self, comm: Handle, abi: &Abi) -> &[c_int] {
        let ask = || neighbourhood::receivers(comm, abi).unwrap_or_default();
        self.neighbours.get_or_init(ask)
    }

    /// Who calls the collectives of `comm`, the communicator that this is known of.
    pub(crate) fn collective_group(&self, comm: Handle) -> Option<&CollectiveGroup> {
        let ask = || CollectiveGroup::of(comm, &self.ranks);
        self.group.get_or_init(ask).as_ref()
    }
}

/// MPI's functions for one kind of object.
struct Kind {
    /// The key of our attribute, once it exists; the lock also makes two threads find one
    /// attribute.
    key: Mutex<Option<c_int>>,
    create_keyval: unsafe fn(CopyAttribute, DeleteAttribute, *mut c_int, Address) -> Result,
    get: unsafe fn(Handle, c_int, *mut Address, *mut c_int) -> Result,
    set: unsafe fn(Handle, c_int, Address) -> Result,
    /// Makes a group of the object; a rank argument on the object means one of its first ranks, as
    /// many as are returned. The argument is an object of this kind that is alive.
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

/// What is known of `comm`, on which the program is calling.
pub(crate) fn of_communicator(comm: Handle) -> Result<&'static CachedObject> {
    COMMUNICATORS.known(comm)
}

/// What is known of `window`, on which the program is calling.
pub(crate) fn of_window(window: Handle) -> Result<&'static CachedObject> {
    WINDOWS.known(window)
}

/// The MPI library is about to end, and may begin again: our keys end with it.
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
        // SAFETY: the program is calling on the object, so it is alive, and the key is ours.
        unsafe { (self.get)(object, key, &raw mut value, &raw mut found) }?;
        if found == 0 {
            value = Box::into_raw(Box::new(self.look_at(object, abi)?)).cast();
            // SAFETY: the object is alive, the key ours, and the value what `deleted` expects: the
            // attribute owns it from here on. Should setting it fail, the value leaks.
            unsafe { (self.set)(object, key, value) }?;
        }
        // SAFETY: only the lines above set this attribute, to a `CachedObject` that lives until the object
        // is freed; the program is calling on the object, and what threads remember of it ends with
        // the epoch, which `deleted` changes.
        Ok(unsafe { &*value.cast_const().cast() })
    }

    fn look_at(&self, object: Handle, abi: &Abi) -> Result<CachedObject> {
        // SAFETY: the program is calling on the object, which is of this kind.
        let (group, size) = unsafe { (self.group)(object) }?;
        // SAFETY: the group was made for this, and has at least so many ranks.
        let ranks = unsafe { Ranks::of(group, size, abi) }?;
        Ok(CachedObject {
            ranks,
            neighbours: OnceLock::new(),
            group: OnceLock::new(),
        })
    }

    fn new_key(&self) -> Result<c_int> {
        let mut key = 0;
        // SAFETY: the callbacks have the types MPI asks for and live as long as the process, as
        // this library is never unloaded.
        unsafe { (self.create_keyval)(mpi::never_copied, deleted, &raw mut key, ptr::null_mut()) }?;
        Ok(key)
    }
}

/// The group that a rank argument on a communicator means. Its size is asked of the communicator:
/// under MPICH 5.0 the group of a grid that only some ranks are in is that of all ranks.
///
/// # Safety
/// `comm` is a communicator that is alive.
unsafe fn receivers(comm: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: the caller vouches for the communicator.
    if unsafe { mpi::is_inter(comm) }? {
        // SAFETY: the caller vouches for the communicator, and it is an intercommunicator.
        unsafe { mpi::comm_remote_group(comm, &raw mut group) }?;
        // SAFETY: the caller vouches for the communicator, and it is an intercommunicator.
        unsafe { mpi::comm_remote_size(comm, &raw mut size) }?;
    } else {
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_group(comm, &raw mut group) }?;
        // SAFETY: the caller vouches for the communicator.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
    }
    Ok((group, size))
}

/// The group that a rank argument on a window means.
///
/// # Safety
/// `window` is a window that is alive.
unsafe fn targets(window: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: the caller vouches for the window.
    unsafe { mpi::win_get_group(window, &raw mut group) }?;
    // SAFETY: the group was made by the call above.
    unsafe { mpi::group_size(group, &raw mut size) }?;
    Ok((group, size))
}

unsafe extern "C" fn deleted(_: Handle, _: c_int, value: Address, _: Address) -> c_int {
    epoch::next();
    // SAFETY: the value is the box that `Kind::known` has made for this attribute, and MPI hands it
    // back once.
    drop(unsafe { Box::from_raw(value.cast::<CachedObject>()) });
    0
}
