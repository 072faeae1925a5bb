//! Persistent sends and collectives: described once, counted each time they start.
//! Every other persistent request is taken for a receive.
//!
//! Only they are remembered by request: the handles of other requests are not unique. Looking one
//! up takes no lock; adding and removing do.

use crate::{epoch, thread};
use libc::c_int;
use rankfold_abi::{self as abi, Abi, Address, Handle};
use rankfold_profile::journal::Key;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A request and what is counted when it starts. `request` is stored last: whoever finds it finds
/// the rest.
#[derive(Default)]
struct Entry {
    request: AtomicUsize,
    increments: AtomicPtr<Increments>,
}

/// Keys, and the bytes that are counted under each.
type Increments = Vec<(Key, u64)>;

/// No request: neither a null pointer nor an MPICH handle of this value exists.
const EMPTY: Handle = 0;
/// In the place of a request that was freed: searches go on behind it.
const GONE: Handle = 1;

/// The table in use, open addressing, leaked when outgrown so that readers never lose it.
static TABLE: AtomicPtr<Vec<Entry>> = AtomicPtr::new(ptr::null_mut());
/// Entries taken in the table, those gone included.
static TAKEN: Mutex<usize> = Mutex::new(0);

/// Keeps what is to be counted whenever the request starts that MPI has just stored at `request`:
/// it may be made while nothing is counted, and started when that is over.
pub(crate) fn remember(request: Address, increments: impl IntoIterator<Item = (Key, u64)>) {
    let Some(abi) = abi::get().filter(|_| epoch::is_open()) else {
        return;
    };
    // SAFETY: the call that makes the request has succeeded, so MPI has stored a handle there.
    let request = unsafe { abi.handle_at(request, 0) };
    let increments: Increments = increments.into_iter().collect();
    if increments.is_empty() {
        return;
    }
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut table = table();
    if *taken >= table.len() / 2 {
        let Some(new) = rebuilt(table) else { return };
        (table, *taken) = new;
    }
    if let Some(entry) = place(table, request) {
        *taken += usize::from(entry.request.load(Ordering::Relaxed) == EMPTY);
        entry.set(request, Box::into_raw(Box::new(increments)));
    }
}

/// Counts what is known among `number` requests that are about to start.
pub(crate) fn start(requests: Address, number: c_int) {
    let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
        return;
    };
    let thread = thread::this();
    thread.catch_up();
    for index in 0..usize::try_from(number).unwrap_or(0) {
        let Some(entry) = known(abi, requests, index) else {
            thread.burst.request(1, 1);
            continue;
        };
        // SAFETY: `remember` stores the increments before the request, and `forget` drops them only
        // when the program frees the request, which it cannot do while it starts it.
        let increments = unsafe { &*entry.increments.load(Ordering::Relaxed) };
        for &(key, bytes) in increments {
            thread.count(key, bytes);
            if let Key::Sent(_) = key {
                thread.burst.add(bytes);
            }
        }
        thread.burst.request(1, u32::from(receives(increments)));
    }
}

/// Whether a call that sends so receives as well: one that sends to several is a neighbourhood
/// collective. Other collectives are no matter of sends and receives.
fn receives(increments: &[(Key, u64)]) -> bool {
    let is_size = |&&(key, _): &&(Key, u64)| matches!(key, Key::Size(..));
    let is_send = |&&(key, _): &&(Key, u64)| matches!(key, Key::Sent(_) | Key::Foreign);
    let sizes = increments.iter().filter(is_size).count();
    let sends = increments.iter().filter(is_send).count();
    sends > 1 && sends + sizes == increments.len()
}

/// Drops a request that the program is about to free: MPI may give its handle to another.
pub(crate) fn forget(request: Address) {
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = abi::get().and_then(|abi| known(abi, request, 0)) {
        entry.request.store(GONE, Ordering::Release);
        // SAFETY: `remember` made the box and stored it in this entry only; the program frees the
        // request, so no thread starts it any more.
        drop(unsafe { Box::from_raw(entry.increments.load(Ordering::Relaxed)) });
        *taken -= tidied(table(), entry);
    }
}

/// Empties the entry `gone` and the freed ones right before it if an empty one follows, as every
/// search ends there anyway; how many it emptied.
fn tidied(table: &[Entry], gone: &Entry) -> usize {
    let Some(mask) = table.len().checked_sub(1) else {
        return 0;
    };
    let start = (ptr::from_ref(gone).addr() - table.as_ptr().addr()) / size_of::<Entry>();
    let holds = |index: usize, what| {
        table
            .get(index & mask)
            .is_some_and(|entry| entry.request.load(Ordering::Relaxed) == what)
    };
    let mut emptied = 0;
    let mut index = start;
    while holds(index, GONE) && holds(index.wrapping_add(1), EMPTY) {
        if let Some(entry) = table.get(index & mask) {
            entry.request.store(EMPTY, Ordering::Release);
        }
        emptied += 1;
        index = index.wrapping_sub(1);
    }
    emptied
}

impl Entry {
    fn set(&self, request: Handle, increments: *mut Increments) {
        self.increments.store(increments, Ordering::Relaxed);
        self.request.store(request, Ordering::Release);
    }
}

fn table() -> &'static [Entry] {
    // SAFETY: the pointer is null, or `rebuilt` has stored it, which leaks its tables.
    unsafe { TABLE.load(Ordering::Acquire).as_ref() }.map_or(&[], Vec::as_slice)
}

/// The entry of the `index`-th request.
fn known(abi: &Abi, requests: Address, index: usize) -> Option<&'static Entry> {
    if requests.is_null() {
        return None;
    }
    // SAFETY: not null, and the program has passed the address of at least `index + 1` requests.
    let request = unsafe { abi.handle_at(requests, index) };
    place(table(), request).filter(|entry| entry.request.load(Ordering::Acquire) == request)
}

/// Where `request` is, or the empty entry where it belongs.
fn place(table: &[Entry], request: Handle) -> Option<&Entry> {
    let mask = table.len().checked_sub(1)?;
    // Fibonacci hashing: handles are aligned addresses or small integers.
    let start = (request as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (0..table.len())
        .filter_map(|step| table.get((start as usize + step) & mask))
        .find(|entry| {
            matches!(entry.request.load(Ordering::Acquire), EMPTY)
                || entry.request.load(Ordering::Relaxed) == request
        })
}

/// A table with room, holding what is still alive in `old`, and how much that is; `None` where
/// there is no memory for it.
fn rebuilt(old: &[Entry]) -> Option<(&'static [Entry], usize)> {
    let alive = || {
        let requests = old
            .iter()
            .map(|entry| (entry, entry.request.load(Ordering::Relaxed)));
        requests.filter(|&(_, request)| request != EMPTY && request != GONE)
    };
    let count = alive().count();
    let length = ((count + 1) * 4).next_power_of_two().max(64);
    let mut entries = Vec::new();
    entries.try_reserve_exact(length).ok()?;
    entries.resize_with(length, Entry::default);
    let new: &'static mut Vec<Entry> = Box::leak(Box::new(entries));
    for (entry, request) in alive() {
        if let Some(place) = place(new, request) {
            place.set(request, entry.increments.load(Ordering::Relaxed));
        }
    }
    TABLE.store(new, Ordering::Release);
    Some((table(), count))
}
