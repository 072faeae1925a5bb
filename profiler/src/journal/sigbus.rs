//! Handling of SIGBUS. A journal that another process truncates, or whose pages cannot be read,
//! must not end the program.
//!
//! The space of a table is reserved before it is mapped (`posix_fallocate`), so only another
//! process can take it away. If that happens, the page is replaced by zeroed memory of this
//! process, and counting goes on. What the page held is lost, which a warning and the profile say.

use super::mapping;
use libc::{SIGBUS, c_int, c_void, siginfo_t};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// A mapped part of the journal. It is never unmapped, so this is never freed.
struct Mapping {
    start: usize,
    length: usize,
    next: *const Mapping,
}

static MAPPINGS: AtomicPtr<Mapping> = AtomicPtr::new(ptr::null_mut());
/// The action of the program for the signal, before the library installed its own.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether any counters were lost.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// Handles faults in a mapping of the journal from now on. Two threads must not call this function
/// at once.
pub(crate) fn watch(start: *mut c_void, length: usize) {
    let mapping = Box::leak(Box::new(Mapping {
        start: start.expose_provenance(),
        length,
        next: MAPPINGS.load(Ordering::Relaxed),
    }));
    MAPPINGS.store(mapping, Ordering::Release);
    BEFORE.get_or_init(handle);
}

/// Installs the handler. If the program installs one of its own later, that one replaces it.
fn handle() -> libc::sigaction {
    let mut before = MaybeUninit::uninit();
    // SAFETY: SIGBUS exists, a null pointer installs nothing, and `before` has room for the action
    // in force.
    unsafe { libc::sigaction(SIGBUS, ptr::null(), before.as_mut_ptr()) };
    // SAFETY: the call above has filled the action: it cannot fail for a signal that exists.
    let before: libc::sigaction = unsafe { before.assume_init() };
    let mut ours = before;
    ours.sa_sigaction = caught as *const () as usize;
    ours.sa_flags = before.sa_flags & libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: with SA_SIGINFO the system calls a function of the type of `caught`. The function is
    // never unloaded, and does only what a signal handler may do.
    unsafe { libc::sigaction(SIGBUS, &raw const ours, ptr::null_mut()) };
    before
}

unsafe extern "C" fn caught(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the system passes the address of a record.
    let info_of = unsafe { &*info };
    // SAFETY: the field can be read in every variant of the record. It is an address only if the
    // signal comes from a fault, and is used only if the signal code says so.
    let address = unsafe { info_of.si_addr() }.addr();
    if info_of.si_code > 0 && is_ours(address) && replace(address) {
        LOST.store(true, Ordering::Release);
        return;
    }
    // SAFETY: the arguments are those that the system passed to this handler.
    unsafe { pass_on(signal, info, context) };
}

fn is_ours(address: usize) -> bool {
    let mut next = MAPPINGS.load(Ordering::Acquire).cast_const();
    // SAFETY: the pointer is null, or that of a mapping that `watch` has stored, which is never
    // freed.
    while let Some(mapping) = unsafe { next.as_ref() } {
        if address.wrapping_sub(mapping.start) < mapping.length {
            return true;
        }
        next = mapping.next;
    }
    false
}

/// Replaces the page at `address` by zeroed memory. Returns whether the system has done so.
fn replace(address: usize) -> bool {
    // `mapping::page` has stored the size when the first mapping was made, so this makes no system
    // call.
    let size = mapping::page();
    let page = ptr::with_exposed_provenance_mut(address - address % size);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page belongs to a mapping of the journal. That holds only counters, which are
    // read and written as atomics and for which zero is valid.
    unsafe { libc::mmap(page, size, access, flags, -1, 0) != libc::MAP_FAILED }
}

/// Does what would have happened on the signal without this library.
///
/// # Safety
/// The arguments are those that the system passed to a handler.
unsafe fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = BEFORE
        .get()
        .map_or(libc::SIG_DFL, |before| before.sa_sigaction);
    let with_info = BEFORE
        .get()
        .is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
    match handler {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: SIGBUS exists, and every signal has a default action. If the signal comes
            // from a fault, it comes again and ends the program, even where the program ignores it.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            if handler == libc::SIG_DFL {
                // SAFETY: a signal handler may call `raise`. A signal that a process has sent does
                // not come again by itself.
                unsafe { libc::raise(signal) };
            }
        }
        handler if with_info => {
            type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: the program installed the handler with SA_SIGINFO, so it has this type.
            let handler: Handler = unsafe { std::mem::transmute(handler) };
            // SAFETY: the arguments are those that the system passed to this library's handler,
            // which replaced this one.
            unsafe { handler(signal, info, context) };
        }
        handler => {
            // SAFETY: the program installed the handler without SA_SIGINFO, so it has this type.
            let handler: unsafe extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            // SAFETY: the argument is the one that the system passed to this library's handler,
            // which replaced this one.
            unsafe { handler(signal) };
        }
    }
}
