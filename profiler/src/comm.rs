//! From a rank in a communicator to a rank in the world.
//!
//! A communicator is looked at when it is first sent on, which needs no other rank and no knowledge of how it was made.
//! What was found hangs on the communicator as an attribute and dies with it.

use crate::abi::Abi;
use crate::entry::{Address, Handle};
use crate::mpi::{self, Result};
use libc::c_int;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The receivers of one communicator: its own group, or the remote one of an intercommunicator.
struct Receivers {
    size: c_int,
    /// World rank of each, negative outside the world; `None` when they are those of the world in the same order.
    world: Option<Box<[c_int]>>,
}

/// Counts communicators freed: handles are reused, so what was known before one may be false after it.
static FREED: AtomicU64 = AtomicU64::new(0);
/// The key of our attribute, once it exists; the lock also makes two threads find one attribute.
static KEY: Mutex<Option<c_int>> = Mutex::new(None);

thread_local! {
    /// The last communicator asked for, its receivers, and the value of `FREED` then.
    static LAST: Cell<(Handle, *const Receivers, u64)> = const { Cell::new((0, ptr::null(), u64::MAX)) };
}

pub(crate) fn forget() {
    FREED.fetch_add(1, Ordering::Release);
}

/// World rank of `dest` in `comm`; `None` when there is none.
#[inline]
pub(crate) fn world_rank(comm: Handle, dest: c_int, abi: &Abi) -> Option<u32> {
    let freed = FREED.load(Ordering::Acquire);
    let receivers = match LAST.get() {
        (known, receivers, then) if known == comm && then == freed => receivers,
        _ => {
            let receivers = receivers(comm, abi).ok()?;
            LAST.set((comm, receivers, freed));
            receivers
        }
    };
    // SAFETY: alive as long as its communicator, on which the program is sending right now.
    unsafe { &*receivers }.world_rank(dest)
}

impl Receivers {
    #[inline]
    fn world_rank(&self, dest: c_int) -> Option<u32> {
        match &self.world {
            Some(world) => u32::try_from(*world.get(usize::try_from(dest).ok()?)?).ok(),
            None if dest < self.size => u32::try_from(dest).ok(),
            None => None,
        }
    }

    /// Asks MPI; local.
    fn of(comm: Handle, abi: &Abi) -> Result<Self> {
        let mut inter = 0;
        // SAFETY: a communicator the program is sending on.
        unsafe { mpi::comm_test_inter(comm, &raw mut inter) }?;
        let (mut group, mut all) = (0, 0);
        if inter == 0 {
            // SAFETY: as above.
            unsafe { mpi::comm_group(comm, &raw mut group) }?;
        } else {
            // SAFETY: as above, an intercommunicator.
            unsafe { mpi::comm_remote_group(comm, &raw mut group) }?;
        }
        // SAFETY: the world lives between Init and Finalize.
        unsafe { mpi::comm_group(abi.comm_world, &raw mut all) }?;
        let found = Self::translate(group, all, abi);
        // SAFETY: made above.
        unsafe { mpi::group_free(&raw mut group) }?;
        // SAFETY: made above.
        unsafe { mpi::group_free(&raw mut all) }?;
        found
    }

    fn translate(group: Handle, all: Handle, abi: &Abi) -> Result<Self> {
        let (mut size, mut relation) = (0, -1);
        // SAFETY: a group of ours.
        unsafe { mpi::group_size(group, &raw mut size) }?;
        // SAFETY: two groups of ours.
        unsafe { mpi::group_compare(group, all, &raw mut relation) }?;
        if relation == abi.identical {
            return Ok(Self { size, world: None });
        }
        let ranks: Vec<c_int> = (0..size).collect();
        let mut world = vec![-1; ranks.len()];
        // SAFETY: `size` ranks and as many places.
        unsafe {
            mpi::group_translate_ranks(group, size, ranks.as_ptr(), all, world.as_mut_ptr())
        }?;
        Ok(Self {
            size,
            world: Some(world.into()),
        })
    }
}

#[cold]
fn receivers(comm: Handle, abi: &Abi) -> Result<*const Receivers> {
    let mut key = KEY.lock().unwrap_or_else(PoisonError::into_inner);
    let key = match *key {
        Some(key) => key,
        None => *key.insert(new_key()?),
    };
    let (mut value, mut found) = (ptr::null_mut(), 0);
    // SAFETY: a live communicator and our key.
    unsafe { mpi::comm_get_attr(comm, key, &raw mut value, &raw mut found) }?;
    if found != 0 {
        return Ok(value.cast_const().cast());
    }
    let receivers = Box::into_raw(Box::new(Receivers::of(comm, abi)?));
    // SAFETY: as above; the attribute owns the value from here on. Should this fail the value leaks: nobody frees it.
    unsafe { mpi::comm_set_attr(comm, key, receivers.cast()) }?;
    Ok(receivers)
}

fn new_key() -> Result<c_int> {
    let mut key = 0;
    // SAFETY: callbacks of the right types that live as long as the process.
    unsafe { mpi::comm_create_keyval(never_copied, deleted, &raw mut key, ptr::null_mut()) }?;
    Ok(key)
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
    forget();
    // SAFETY: made by `receivers`, handed back once.
    drop(unsafe { Box::from_raw(value.cast::<Receivers>()) });
    0
}
