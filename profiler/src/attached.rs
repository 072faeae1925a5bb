//! What is known of a communicator or a window: it hangs on the object as an attribute and dies with it.
//!
//! An object is looked at when it is first used, which needs no other rank and no knowledge of how it was made.

use crate::epoch;
use crate::ranks::Ranks;
use crate::thread;
use libc::c_int;
use rankfold_abi::mpi::{self, CopyAttribute, DeleteAttribute, Result};
use rankfold_abi::{self as abi, Abi};
use rankfold_abi::{Address, Handle};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// MPI's functions for one kind of object.
struct Kind {
    /// The key of our attribute, once it exists; the lock also makes two threads find one attribute.
    key: Mutex<Option<c_int>>,
    create_keyval: unsafe fn(CopyAttribute, DeleteAttribute, *mut c_int, Address) -> Result,
    get: unsafe fn(Handle, c_int, *mut Address, *mut c_int) -> Result,
    set: unsafe fn(Handle, c_int, Address) -> Result,
    /// A new group, whose first ranks a rank argument on this object means, and how many they are.
    group: fn(Handle) -> Result<(Handle, c_int)>,
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

/// The ranks that `comm` addresses: its own group, or the remote one of an intercommunicator.
pub(crate) fn communicator(comm: Handle) -> Option<&'static Ranks> {
    let ask = || COMMUNICATORS.attached(comm).ok().map(Some);
    thread::this().comms.get(comm, ask)?
}

/// The ranks that `window` addresses.
pub(crate) fn window(window: Handle) -> Option<&'static Ranks> {
    let ask = || WINDOWS.attached(window).ok().map(Some);
    thread::this().windows.get(window, ask)?
}

/// The MPI library is about to end, and may begin again: our keys end with it.
pub(crate) fn forget() {
    for kind in [&COMMUNICATORS, &WINDOWS] {
        *kind.key.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    epoch::next();
}

impl Kind {
    fn attached(&self, object: Handle) -> Result<&'static Ranks> {
        let abi = abi::detect();
        let mut key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        let key = match *key {
            Some(key) => key,
            None => *key.insert(self.new_key()?),
        };
        let (mut value, mut found) = (ptr::null_mut(), 0);
        // SAFETY: a live object and our key.
        unsafe { (self.get)(object, key, &raw mut value, &raw mut found) }?;
        if found == 0 {
            value = Box::into_raw(Box::new(self.look_at(object, abi)?)).cast();
            // SAFETY: as above; the attribute owns the value from here on. Should this fail the value leaks.
            unsafe { (self.set)(object, key, value) }?;
        }
        // SAFETY: made above, now or earlier, and alive as long as the object, on which the program is calling.
        Ok(unsafe { &*value.cast_const().cast() })
    }

    fn look_at(&self, object: Handle, abi: &Abi) -> Result<Ranks> {
        let (group, size) = (self.group)(object)?;
        Ranks::of(group, size, abi)
    }

    fn new_key(&self) -> Result<c_int> {
        let mut key = 0;
        // SAFETY: callbacks of the right types that live as long as the process.
        unsafe { (self.create_keyval)(never_copied, deleted, &raw mut key, ptr::null_mut()) }?;
        Ok(key)
    }
}

/// The size is asked for apart: MPICH 5.0 has the group of all ranks for a grid that only some are in.
fn receivers(comm: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: `comm` is a communicator that the program is calling on.
    if unsafe { mpi::is_inter(comm) }? {
        // SAFETY: a communicator the program is calling on.
        unsafe { mpi::comm_remote_group(comm, &raw mut group) }?;
        // SAFETY: as above.
        unsafe { mpi::comm_remote_size(comm, &raw mut size) }?;
    } else {
        // SAFETY: as above.
        unsafe { mpi::comm_group(comm, &raw mut group) }?;
        // SAFETY: as above.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
    }
    Ok((group, size))
}

fn targets(window: Handle) -> Result<(Handle, c_int)> {
    let (mut group, mut size) = (0, 0);
    // SAFETY: a window the program is calling on.
    unsafe { mpi::win_get_group(window, &raw mut group) }?;
    // SAFETY: made above.
    unsafe { mpi::group_size(group, &raw mut size) }?;
    Ok((group, size))
}

/// A duplicate is another communicator and gets its own.
unsafe extern "C" fn never_copied(
    _: Handle,
    _: c_int,
    _: Address,
    _: Address,
    _: Address,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a place for the flag.
    unsafe { copied.write(0) };
    0
}

unsafe extern "C" fn deleted(_: Handle, _: c_int, value: Address, _: Address) -> c_int {
    epoch::next();
    // SAFETY: made by `attached`, handed back once.
    drop(unsafe { Box::from_raw(value.cast::<Ranks>()) });
    0
}
