//! What a thread keeps to itself: all that a send touches besides the counters, found through one address.

use crate::cache::Cache;
use crate::counters::Counters;
use crate::phase::Aside;
use crate::ranks::{Ranks, Translation};
use rankfold_abi::Handle;
use std::cell::Cell;

/// One thread's state. Every field is valid when all its bytes are zero, which is how it starts.
#[repr(C)]
pub(crate) struct Thread {
    /// `epoch`, or that this thread is inside an MPI call: a send asks one question instead of two.
    pub(crate) state: Cell<u64>,
    /// Up to when the following hold.
    pub(crate) epoch: Cell<u64>,
    /// The last communicator and its ranks.
    pub(crate) comm: Cell<(Handle, Translation)>,
    pub(crate) comms: Cache<Option<&'static Ranks>, 4>,
    pub(crate) windows: Cache<Option<&'static Ranks>, 2>,
    pub(crate) types: Cache<u64, 8>,
    pub(crate) counters: Counters,
    /// The phase they count.
    pub(crate) phase: Cell<u32>,
    /// Those of other phases.
    pub(crate) asides: Cell<*const Aside>,
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn this() -> &'static Thread {
    // SAFETY: zeroed or written by this thread before, aligned, and alive as long as the thread; the reference
    // cannot leave it, `Cell` is not `Sync`.
    unsafe { &*place::address() }
}

/// The compiler reaches thread-local storage of a shared object by calling `__tls_get_addr`, which takes longer than
/// all the rest of a count. A preloaded library is there before the first thread, so the initial-exec model of the ELF
/// specification for thread-local storage (Drepper, section 4.4) serves: one offset, fixed when the program starts.
/// Stable Rust cannot ask for it but in assembly.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod place {
    use super::Thread;
    use std::arch::{asm, global_asm};

    global_asm!(
        ".pushsection .tbss.rankfold_thread,\"awT\",@nobits",
        ".globl rankfold_thread",
        ".hidden rankfold_thread",
        ".type rankfold_thread, @object",
        ".size rankfold_thread, {size}",
        ".balign 64",
        "rankfold_thread:",
        ".zero {size}",
        ".popsection",
        size = const size_of::<Thread>(),
    );

    #[inline(always)]
    pub(super) fn address() -> *const Thread {
        let address: *const Thread;
        // SAFETY: adds the offset of the variable above to the thread pointer; touches nothing else.
        unsafe {
            asm!(
                "mov {address}, qword ptr fs:[0]",
                "add {address}, qword ptr [rip + rankfold_thread@GOTTPOFF]",
                address = out(reg) address,
                options(pure, nomem, nostack),
            );
        }
        address
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod place {
    use super::Thread;
    use std::mem::MaybeUninit;

    thread_local! {
        static THREAD: MaybeUninit<Thread> = const { MaybeUninit::zeroed() };
    }

    #[inline(always)]
    pub(super) fn address() -> *const Thread {
        THREAD.with(MaybeUninit::as_ptr)
    }
}
