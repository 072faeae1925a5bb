//! SIGBUS: a journal that is truncated from outside, or whose pages cannot be brought in, must not end the program.
//!
//! The space is there when a table is mapped (`posix_fallocate`), so only others can take it away. Where they did, the
//! page is replaced by zeroed memory of our own and counting goes on; what the page held is lost, and said to be.

use libc::{SIGBUS, c_int, c_void, siginfo_t};
use rankfold_profile::journal::layout::PAGE;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What is mapped from the journal; never unmapped, so never freed.
struct Mapping {
    start: usize,
    length: usize,
    next: *const Mapping,
}

static MAPPINGS: AtomicPtr<Mapping> = AtomicPtr::new(ptr::null_mut());
/// What was done about the signal before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether anything that was counted is lost.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// Watches over a mapping of the journal. Callers take turns.
pub(crate) fn watch(start: *mut c_void, length: usize) {
    let mapping = Box::leak(Box::new(Mapping {
        start: start.expose_provenance(),
        length,
        next: MAPPINGS.load(Ordering::Relaxed),
    }));
    MAPPINGS.store(mapping, Ordering::Release);
    BEFORE.get_or_init(handle);
}

/// Installs the handler. A program that installs one of its own later is left to it.
fn handle() -> libc::sigaction {
    let mut before = MaybeUninit::uninit();
    // SAFETY: asks for what is in force, with room for it; the signal exists.
    unsafe { libc::sigaction(SIGBUS, ptr::null(), before.as_mut_ptr()) };
    // SAFETY: filled by the call above.
    let before: libc::sigaction = unsafe { before.assume_init() };
    let mut ours = before;
    ours.sa_sigaction = caught as *const () as usize;
    ours.sa_flags = before.sa_flags & libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: a handler of this type that lives as long as the process.
    unsafe { libc::sigaction(SIGBUS, &raw const ours, ptr::null_mut()) };
    before
}

unsafe extern "C" fn caught(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a record.
    let info_of = unsafe { &*info };
    // SAFETY: an address if the signal comes from a fault, which the code tells, and nothing of use otherwise.
    let address = unsafe { info_of.si_addr() }.addr();
    if info_of.si_code > 0 && is_ours(address) && replace(address) {
        LOST.store(true, Ordering::Release);
        return;
    }
    // SAFETY: as we were called.
    unsafe { pass_on(signal, info, context) };
}

fn is_ours(address: usize) -> bool {
    let mut next = MAPPINGS.load(Ordering::Acquire).cast_const();
    // SAFETY: null or leaked by `watch`.
    while let Some(mapping) = unsafe { next.as_ref() } {
        if address.wrapping_sub(mapping.start) < mapping.length {
            return true;
        }
        next = mapping.next;
    }
    false
}

/// Puts zeroed memory in the place of the page at `address`; whether the system did.
fn replace(address: usize) -> bool {
    let page = ptr::with_exposed_provenance_mut(address - address % PAGE);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: a page of our own, which holds counters, valid when zero.
    unsafe { libc::mmap(page, PAGE, access, flags, -1, 0) != libc::MAP_FAILED }
}

/// Does what would have been done without us.
///
/// # Safety
/// The arguments are those of a handler.
unsafe fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = BEFORE
        .get()
        .map_or(libc::SIG_DFL, |before| before.sa_sigaction);
    let with_info = BEFORE
        .get()
        .is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
    match handler {
        libc::SIG_DFL | libc::SIG_IGN => {
            // A fault comes again and ends the program then, even where it was ignored.
            // SAFETY: the default is always there.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            if handler == libc::SIG_DFL {
                // SAFETY: one that was sent would not come again by itself.
                unsafe { libc::raise(signal) };
            }
        }
        handler if with_info => {
            type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: installed as a handler of this type.
            let handler: Handler = unsafe { std::mem::transmute(handler) };
            // SAFETY: as we were called.
            unsafe { handler(signal, info, context) };
        }
        handler => {
            // SAFETY: installed as a handler of this type.
            let handler: unsafe extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            // SAFETY: as we were called.
            unsafe { handler(signal) };
        }
    }
}
