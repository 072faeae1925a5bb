//! Persistent requests: the program describes them once, and they are counted each time they are
//! started. A request that is not stored here is taken for a receive.
//!
//! Requests from and to `MPI_PROC_NULL` are not stored, because their handles are not unique. A
//! look-up takes no lock; adding and removing do.

use super::receive::Receive;
use crate::{epoch, monitoring, thread, turns};
use libc::c_int;
use rankfold_abi::{self as abi, Abi, Address, Handle};
use rankfold_wire::SizeKind;
use rankfold_wire::journal::Key;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A request, and what is counted when it is started. `request` is stored last, so a reader that
/// finds it finds the other fields too.
#[derive(Default)]
struct Entry {
    request: AtomicUsize,
    started: AtomicPtr<Started>,
}

/// Keys, and the bytes that are counted under each.
type Increments = Vec<(Key, u64)>;

/// What the start of a request does.
struct Started {
    increments: Increments,
    /// The rank from which the request receives.
    from: Option<u32>,
}

/// Marks an entry that was never used. Neither a null pointer nor an MPICH handle of this value is
/// a request.
const EMPTY: Handle = 0;
/// Marks an entry whose request was freed. Searches go on behind it.
const GONE: Handle = 1;

/// The table in use, with open addressing. A table that is replaced by a larger one is never freed,
/// because other threads may be reading it.
static TABLE: AtomicPtr<Vec<Entry>> = AtomicPtr::new(ptr::null_mut());
/// Number of entries of the table that are in use or marked as freed.
static TAKEN: Mutex<usize> = Mutex::new(0);

/// Stores what is counted whenever the request at `request` is started. MPI has just made the
/// request. It is stored even while nothing is counted, because it may be started later.
pub(crate) fn remember(request: Address, increments: impl IntoIterator<Item = (Key, u64)>) {
    let increments: Increments = increments.into_iter().collect();
    if !increments.is_empty() {
        let from = None;
        store(request, Started { increments, from });
    }
}

/// Stores from whom the request at `request` receives whenever it is started. MPI has just made the
/// request.
pub(crate) fn remember_receive(request: Address, receive: Receive) {
    if let Some(from) = receive.from() {
        let (increments, from) = (Increments::new(), Some(from));
        store(request, Started { increments, from });
    }
}

fn store(request: Address, started: Started) {
    let Some(abi) = abi::get().filter(|_| epoch::is_open()) else {
        return;
    };
    // SAFETY: the call that makes the request has succeeded, so MPI has stored a handle at
    // `request`.
    let request = unsafe { abi.handle_at(request, 0) };
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut table = table();
    if *taken >= table.len() / 2 {
        let Some(new) = rebuilt(table) else { return };
        (table, *taken) = new;
    }
    if let Some(entry) = place(table, request) {
        *taken += usize::from(entry.request.load(Ordering::Relaxed) == EMPTY);
        entry.set(request, Box::into_raw(Box::new(started)));
    }
}

/// Counts the sends and collectives among `number` requests that are about to be started.
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
        // SAFETY: `store` stores what is started before the request. `forget` drops it only when
        // the program frees the request, which the program must not do while it starts the request.
        let started = unsafe { &*entry.started.load(Ordering::Relaxed) };
        let increments = &started.increments;
        if epoch::watching() {
            started.record(turns::request_at(requests, index));
        }
        for &(key, bytes) in increments {
            thread.count(key, bytes);
            if let Key::Sent(rank) = key {
                thread.burst.add(bytes);
                // Open MPI reports the messages of collectives only.
                if monitoring::is_wanted() && is_message(increments) {
                    thread.count(Key::Unreported(rank), bytes);
                }
            }
        }
        let receives = started.from.is_some() || receives(increments);
        thread.burst.request(1, u32::from(receives));
    }
}

impl Started {
    /// Records the turn of what the request with this handle sends and receives.
    fn record(&self, request: Option<Handle>) {
        let sends = self
            .increments
            .iter()
            .filter_map(|&(key, bytes)| match key {
                Key::Sent(rank) => Some((rank, bytes)),
                _ => None,
            });
        let is_both = receives(&self.increments);
        turns::record(|log| {
            for (rank, bytes) in sends {
                log.send(rank, bytes, request);
                if is_both {
                    log.receive(rank, request);
                }
            }
            if let Some(rank) = self.from {
                log.receive(rank, request);
            }
        });
    }
}

/// Whether a request with these keys is a point-to-point message.
fn is_message(increments: &[(Key, u64)]) -> bool {
    let is_message = |(key, _): &(Key, u64)| matches!(key, Key::Size(SizeKind::Message, _));
    increments.iter().any(is_message)
}

/// Whether a request with these keys also receives. A request with several receivers is a
/// neighbourhood collective, which does. Other collectives count neither as sends nor as receives.
fn receives(increments: &[(Key, u64)]) -> bool {
    let is_size = |&&(key, _): &&(Key, u64)| matches!(key, Key::Size(..));
    let is_send = |&&(key, _): &&(Key, u64)| matches!(key, Key::Sent(_) | Key::Foreign);
    let sizes = increments.iter().filter(is_size).count();
    let sends = increments.iter().filter(is_send).count();
    sends > 1 && sends + sizes == increments.len()
}

/// Removes a request that the program is about to free, because MPI may give its handle to another.
pub(crate) fn forget(request: Address) {
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = abi::get().and_then(|abi| known(abi, request, 0)) {
        entry.request.store(GONE, Ordering::Release);
        // SAFETY: `store` made the box and stored it in this entry only. The program is freeing
        // the request, so no thread starts it any more.
        drop(unsafe { Box::from_raw(entry.started.load(Ordering::Relaxed)) });
        *taken -= tidied(table(), entry);
    }
}

/// If the entry behind `gone` was never used, every search ends there, so `gone` and the freed
/// entries right before it can be marked as never used. Returns how many entries were.
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
    fn set(&self, request: Handle, started: *mut Started) {
        self.started.store(started, Ordering::Relaxed);
        self.request.store(request, Ordering::Release);
    }
}

fn table() -> &'static [Entry] {
    // SAFETY: the pointer is null, or that of a table that `rebuilt` has made, which is never
    // freed.
    unsafe { TABLE.load(Ordering::Acquire).as_ref() }.map_or(&[], Vec::as_slice)
}

/// The handle of the `index`-th request.
fn known(abi: &Abi, requests: Address, index: usize) -> Option<&'static Entry> {
    if requests.is_null() {
        return None;
    }
    // SAFETY: `requests` is not null, and the program has passed the address of at least `index +
    // 1` requests.
    let request = unsafe { abi.handle_at(requests, index) };
    place(table(), request).filter(|entry| entry.request.load(Ordering::Acquire) == request)
}

/// The entry of `request`, or the unused entry where the request belongs.
fn place(table: &[Entry], request: Handle) -> Option<&Entry> {
    let mask = table.len().checked_sub(1)?;
    // Fibonacci hashing, because handles are aligned addresses or small integers. The factor is
    // 2^64 over the golden ratio.
    let start = (request as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (0..table.len())
        .filter_map(|step| table.get((start as usize + step) & mask))
        .find(|entry| {
            matches!(entry.request.load(Ordering::Acquire), EMPTY)
                || entry.request.load(Ordering::Relaxed) == request
        })
}

/// A larger table with the entries of `old` that are in use, and their number; `None` if there is
/// no memory for it.
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
            place.set(request, entry.started.load(Ordering::Relaxed));
        }
    }
    TABLE.store(new, Ordering::Release);
    Some((table(), count))
}
