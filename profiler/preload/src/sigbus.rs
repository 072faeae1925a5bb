//! Handling of SIGBUS. A file system without space for a page of the journal, and a process that
//! truncates the journal, must not end the program.
//!
//! In both cases the page is replaced by zeroed memory of this process. A page without space held
//! nothing yet: it was [touched](touch) before its first use, and another place is found for the
//! counters. What a truncated page held is lost, which a warning and the profile say.

use crate::mapping::page;
use crate::signal_mask::{self, only};
use libc::{SIGBUS, c_int, c_void, siginfo_t, sigset_t};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering, compiler_fence};

/// A range of addresses, empty at first. The length is read before the start is compared.
struct Range {
    start: AtomicUsize,
    length: AtomicUsize,
}

impl Range {
    const fn empty() -> Self {
        Self {
            start: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
        }
    }

    fn set(&self, start: usize, length: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.length.store(length, Ordering::Release);
    }

    fn holds(&self, address: usize) -> bool {
        let length = self.length.load(Ordering::Acquire);
        address.wrapping_sub(self.start.load(Ordering::Relaxed)) < length
    }
}

/// The mapping of the journal. It is never unmapped.
static MAPPED: Range = Range::empty();
/// The pages that are being [touched](touch).
static TOUCHED: Range = Range::empty();
/// The action of the program for the signal, before the library installed its own.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static LOST: AtomicBool = AtomicBool::new(false);
/// Whether a page that was touched had no space.
static REFUSED: AtomicBool = AtomicBool::new(false);
/// Whether a process has sent SIGBUS while pages were touched with a handler of their own.
static SENT: AtomicBool = AtomicBool::new(false);

/// Whether any counters were lost.
#[must_use]
pub fn lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// Makes the file system find space for unused pages of a mapping of the journal, by writing a zero
/// to each of them. Returns whether there was space for all. Two threads must not call this
/// function at once.
#[must_use]
pub fn touch(pages: &[AtomicU8]) -> bool {
    TOUCHED.set(pages.as_ptr().addr(), pages.len());
    REFUSED.store(false, Ordering::Relaxed);
    let handling = Handling::begin();
    // The fences keep the compiler from moving the accesses that end in the handler.
    compiler_fence(Ordering::SeqCst);
    let firsts = pages.iter().step_by(page());
    firsts.for_each(|first| first.store(0, Ordering::Relaxed));
    compiler_fence(Ordering::SeqCst);
    drop(handling);
    TOUCHED.set(0, 0);
    !REFUSED.load(Ordering::Relaxed)
}

/// While this value lives, this thread does not block SIGBUS, which would turn a fault into the end
/// of the program, and faults in the journal are handled even if the program has replaced the
/// library's handler.
struct Handling {
    blocked: sigset_t,
    /// The action of the program, if it is not the library's own.
    action: Option<libc::sigaction>,
}

impl Handling {
    fn begin() -> Self {
        let blocked = signal_mask::change(libc::SIG_UNBLOCK, Some(&only(SIGBUS)));
        let action = in_force();
        let is_ours = action.sa_sigaction == caught as *const () as usize;
        if !is_ours {
            install(caught_while_touching, &action);
        }
        Self {
            blocked,
            action: (!is_ours).then_some(action),
        }
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        if let Some(action) = &self.action {
            // SAFETY: the action was in force before, and SIGBUS exists.
            unsafe { libc::sigaction(SIGBUS, action, ptr::null_mut()) };
        }
        signal_mask::change(libc::SIG_SETMASK, Some(&self.blocked));
        if SENT.swap(false, Ordering::Relaxed) {
            // SAFETY: SIGBUS exists, and the action of the program is in force again.
            unsafe { libc::raise(SIGBUS) };
        }
    }
}

type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// The action that is in force for SIGBUS.
fn in_force() -> libc::sigaction {
    let mut action = MaybeUninit::uninit();
    // SAFETY: SIGBUS exists, a null pointer installs nothing, and `action` has room for the action
    // in force.
    unsafe { libc::sigaction(SIGBUS, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call above has filled the action: it cannot fail for a signal that exists.
    unsafe { action.assume_init() }
}

/// Installs a handler of the library in place of the action `before`.
fn install(handler: Handler, before: &libc::sigaction) {
    let mut ours = *before;
    ours.sa_sigaction = handler as *const () as usize;
    ours.sa_flags = before.sa_flags & libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: with SA_SIGINFO the system calls a function of the type `Handler`. The function is
    // never unloaded, and does only what a signal handler may do.
    unsafe { libc::sigaction(SIGBUS, &raw const ours, ptr::null_mut()) };
}

/// Handles faults in the mapping of the journal from now on. A process has one journal.
///
/// # Safety
/// At `start` begins a mapping of `length` bytes that is never unmapped. It is read and written
/// through atomics only, for which zero is valid.
pub unsafe fn watch(start: *mut c_void, length: usize) {
    // The handler must find the size of a page stored.
    let _ = page();
    MAPPED.set(start.expose_provenance(), length);
    BEFORE.get_or_init(handle);
}

/// Installs the handler, and returns the action before it. If the program installs a handler of its
/// own later, that one replaces it.
fn handle() -> libc::sigaction {
    let before = in_force();
    install(caught, &before);
    before
}

unsafe extern "C" fn caught(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the system passes the address of a record.
    let handled = is_handled(unsafe { &*info });
    if !handled {
        // SAFETY: the arguments are those that the system passed to this handler.
        unsafe { pass_on(signal, info, context) };
    }
}

/// The handler while pages are touched, if the program has a handler of its own. A fault of another
/// thread is left as it is: it comes again until the program's handler is back, which then gets it.
unsafe extern "C" fn caught_while_touching(
    signal: c_int,
    info: *mut siginfo_t,
    context: *mut c_void,
) {
    // SAFETY: with SA_SIGINFO the system passes the address of a record.
    let what = unsafe { &*info };
    if is_handled(what) {
        return;
    }
    if what.si_code <= 0 {
        SENT.store(true, Ordering::Relaxed);
    } else if is_in_journal(what) {
        // The page could not be replaced, and the fault would come again for ever.
        // SAFETY: the arguments are those that the system passed to this handler.
        unsafe { pass_on(signal, info, context) };
    }
}

/// Whether the signal comes from a fault in the journal.
fn is_in_journal(info: &siginfo_t) -> bool {
    info.si_code > 0 && MAPPED.holds(address_in(info))
}

/// The address of a fault. For a signal that does not come from a fault it has no meaning.
fn address_in(info: &siginfo_t) -> usize {
    // SAFETY: the field can be read in every variant of the record.
    unsafe { info.si_addr() }.addr()
}

/// Handles the signal if it comes from a fault in the journal. Returns whether it does.
fn is_handled(info: &siginfo_t) -> bool {
    let address = address_in(info);
    if !is_in_journal(info) || !replace(address) {
        return false;
    }
    if TOUCHED.holds(address) {
        REFUSED.store(true, Ordering::Relaxed);
    } else {
        LOST.store(true, Ordering::Release);
    }
    true
}

/// Replaces the page at `address` by zeroed memory. Returns whether the system has done so.
fn replace(address: usize) -> bool {
    // `watch` has stored the size, so this makes no system call.
    let size = page();
    let page = ptr::with_exposed_provenance_mut(address - address % size);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page belongs to the mapping of the journal. By the contract of `watch` zero is
    // valid for what is in it.
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
