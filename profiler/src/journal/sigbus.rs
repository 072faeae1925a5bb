//! SIGBUS: a journal that is truncated from outside, or whose pages cannot be brought in, must not
//! end the program.
//!
//! The space is there when a table is mapped (`posix_fallocate`), so only others can take it away.
//! Where they did, the page is replaced by zeroed memory of our own and counting goes on; what the
//! page held is lost, and said to be.

use super::mapping;
use libc::{SIGBUS, c_int, c_void, siginfo_t};
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
/// The action that was in force for the signal before ours.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether anything that was counted is lost.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// Watches over a mapping of the journal. Not to be called by two threads at once.
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
    // SAFETY: SIGBUS exists, nothing is installed, and the address has room for what is in force.
    unsafe { libc::sigaction(SIGBUS, ptr::null(), before.as_mut_ptr()) };
    // SAFETY: asking for the action of a signal that exists cannot fail, so the call above has
    // filled it.
    let before: libc::sigaction = unsafe { before.assume_init() };
    let mut ours = before;
    ours.sa_sigaction = caught as *const () as usize;
    ours.sa_flags = before.sa_flags & libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: with SA_SIGINFO the system calls a function of the type of `caught`, which is never
    // unloaded, and which only does what is allowed in a handler.
    unsafe { libc::sigaction(SIGBUS, &raw const ours, ptr::null_mut()) };
    before
}

unsafe extern "C" fn caught(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the system passes the address of a record.
    let info_of = unsafe { &*info };
    // SAFETY: every variant of the record is readable; the field is an address only if the signal
    // comes from a fault, and is used only if the code says so.
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
    // SAFETY: the pointer is null, or `watch` has stored it, which leaks its mappings.
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
    // Known since the first mapping was made.
    let size = mapping::page();
    let page = ptr::with_exposed_provenance_mut(address - address % size);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page belongs to a mapping of the journal, which holds only counters that are
    // accessed as atomics and for which zero is valid.
    unsafe { libc::mmap(page, size, access, flags, -1, 0) != libc::MAP_FAILED }
}

/// Does what would have happened to the signal without this library.
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
            // A fault comes again and ends the program then, even where it was ignored.
            // SAFETY: SIGBUS exists, and every signal has its default action.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            if handler == libc::SIG_DFL {
                // A signal that was sent by a process does not come again by itself.
                // SAFETY: `raise` may be called in a handler.
                unsafe { libc::raise(signal) };
            }
        }
        handler if with_info => {
            type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: the program installed it with SA_SIGINFO, so it is a function of this type.
            let handler: Handler = unsafe { std::mem::transmute(handler) };
            // SAFETY: the arguments are those that the system passed to our handler, in the place
            // of which this one was.
            unsafe { handler(signal, info, context) };
        }
        handler => {
            // SAFETY: the program installed it without SA_SIGINFO, so it is a function of this
            // type.
            let handler: unsafe extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            // SAFETY: the argument is the one that the system passed to our handler, in the place
            // of which this one was.
            unsafe { handler(signal) };
        }
    }
}
