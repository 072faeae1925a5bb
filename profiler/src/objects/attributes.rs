//! Cached properties of communicators and windows. They are kept as an attribute of the object (MPI
//! 4.0, section 7.7), so they are freed with it.
//!
//! The properties are read when the object is first used. That is local, and does not depend on how
//! the object was made. A duplicate of a communicator has the same ranks in the same order, so
//! `MPI_Comm_dup` copies the attribute, and the duplicate shares the properties of its original.
//! [`duplication`] keeps other functions of MPI from copying the attribute.

use super::collective_group::CollectiveGroup;
use super::duplication;
use super::ranks::Ranks;
use crate::freed;
use libc::c_int;
use rankfold_abi::mpi::{self, CopyAttribute, DeleteAttribute, MpiError, Result};
use rankfold_abi::neighbourhood;
use rankfold_abi::{self as abi, Abi, Address, ERR_ABSENT, Handle};
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    fn new(ranks: Ranks) -> Self {
        Self {
            ranks,
            neighbours: OnceLock::new(),
            group: OnceLock::new(),
        }
    }

    /// The properties of a communicator of the first `size` ranks of the world.
    #[cfg(test)]
    pub(crate) fn of_world(size: u32) -> Self {
        Self::new(Ranks::of_world(size))
    }

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
    copied: CopyAttribute,
    deleted: DeleteAttribute,
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
    copied: shared,
    deleted: communicator_deleted,
    get: mpi::comm_get_attr,
    set: mpi::comm_set_attr,
    group: receivers,
};

static WINDOWS: Kind = Kind {
    key: Mutex::new(None),
    create_keyval: mpi::win_create_keyval,
    copied: mpi::never_copied,
    deleted: window_deleted,
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
    freed::all();
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
            let properties = Arc::new(self.look_at(object, abi)?);
            value = Arc::into_raw(properties).cast_mut().cast();
            // SAFETY: the object is alive, the key was made below, and the value is what the
            // callbacks expect. From here on the attribute owns the value. If setting it fails, the
            // value is never freed.
            unsafe { (self.set)(object, key, value) }?;
        }
        // SAFETY: only the lines above and `shared` set this attribute, to a `CachedObject` that
        // lives until the object is freed. The program is calling on the object, so it is alive.
        // Before the attribute is deleted, every thread is made to drop what it has cached of the
        // object.
        Ok(unsafe { &*value.cast_const().cast() })
    }

    fn look_at(&self, object: Handle, abi: &Abi) -> Result<CachedObject> {
        // SAFETY: the program is calling on the object, which is of this kind.
        let (group, size) = unsafe { (self.group)(object) }?;
        // SAFETY: the group was made by the call above, and has at least this many ranks.
        let ranks = unsafe { Ranks::of(group, size, abi) }?;
        Ok(CachedObject::new(ranks))
    }

    fn new_key(&self) -> Result<c_int> {
        let mut key = 0;
        // SAFETY: the callbacks have the types that MPI asks for. They live as long as the process,
        // because this library is never unloaded.
        unsafe { (self.create_keyval)(self.copied, self.deleted, &raw mut key, ptr::null_mut()) }?;
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

/// Gives the duplicate of a communicator the properties of the original.
unsafe extern "C" fn shared(
    original: Handle,
    _: c_int,
    _: Address,
    value: Address,
    copy: Address,
    copied: *mut c_int,
) -> c_int {
    let takes_copy = abi::get().is_some_and(|abi| duplication::takes_copy(original, abi.mask));
    // SAFETY: MPI passes the address of an integer.
    unsafe { copied.write(c_int::from(takes_copy)) };
    if !takes_copy {
        return 0;
    }
    // SAFETY: the value is the pointer of an `Arc` that `Kind::known` or this function has given to
    // the attribute of the original, which is alive.
    unsafe { Arc::increment_strong_count(value.cast_const().cast::<CachedObject>()) };
    // SAFETY: MPI passes the address of an attribute value, which is a pointer.
    unsafe { copy.cast::<Address>().write(value) };
    0
}

unsafe extern "C" fn communicator_deleted(
    comm: Handle,
    _: c_int,
    value: Address,
    _: Address,
) -> c_int {
    freed::communicator(comm);
    // SAFETY: MPI passes the value of the attribute that is being deleted.
    unsafe { drop_value(value) };
    0
}

unsafe extern "C" fn window_deleted(_: Handle, _: c_int, value: Address, _: Address) -> c_int {
    freed::window();
    // SAFETY: MPI passes the value of the attribute that is being deleted.
    unsafe { drop_value(value) };
    0
}

/// Drops the value of an attribute that is being deleted.
///
/// # Safety
/// MPI has passed the value to the callback for deletion.
unsafe fn drop_value(value: Address) {
    // SAFETY: the value is the pointer of an `Arc` that `Kind::known` or `shared` has given to this
    // attribute. MPI passes it for deletion once.
    drop(unsafe { Arc::from_raw(value.cast_const().cast::<CachedObject>()) });
}
