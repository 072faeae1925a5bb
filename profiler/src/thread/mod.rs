//! What a thread keeps to itself: all that a send touches besides the counters, found through one
//! address.

pub(crate) mod burst;
mod cache;
pub(crate) mod counters;
pub(crate) mod guard;
mod retired;
mod tables;
pub(crate) mod time;

use crate::objects::attributes::CachedObject;
use crate::objects::ranks::Translation;
use crate::{epoch, phase};
use burst::Burst;
use cache::Cache;
use rankfold_abi::Handle;
use rankfold_preload::stack;
use rankfold_profile::journal::Key;
use std::cell::Cell;
use tables::Tables;

/// One thread's state. Every field is valid when all its bytes are zero, which is how it starts.
#[repr(C)]
pub(crate) struct Thread {
    /// The same as `epoch`, or, inside an MPI call, the address of its guard: a send compares once
    /// instead of twice.
    pub(crate) state: Cell<u64>,
    /// The epoch in which what follows was true.
    pub(crate) epoch: Cell<u64>,
    /// The communicator of the last send, and its ranks.
    pub(crate) comm: Cell<(Handle, Translation)>,
    /// Of the phase that the thread counts in.
    pub(crate) burst: Burst,
    pub(crate) comms: Cache<Option<&'static CachedObject>, 4>,
    pub(crate) windows: Cache<Option<&'static CachedObject>, 2>,
    pub(crate) types: Cache<u64, 8>,
    pub(crate) tables: Tables,
    /// Where its stack is, once that was asked for.
    stack: Cell<Option<(usize, usize)>>,
    /// The addresses of two guards, of which the second was last found to be of a call from inside
    /// that of the first.
    inside: Cell<(usize, usize)>,
}

impl Thread {
    /// Forgets what may have become false since the thread was last up to date, and takes the table
    /// of the phase that the process is in.
    pub(crate) fn catch_up(&self) {
        let now = epoch::of_threads();
        // What is found out while nothing is counted may have become false at once.
        if self.epoch.replace(now) != now || now == epoch::NOT_COUNTING {
            self.comm.set(Default::default());
            self.comms.clear();
            self.windows.clear();
            self.types.clear();
            self.change_to(phase::now());
            self.burst.forget();
            self.tables.current.prepare();
        }
    }

    /// Back to the start, without tables.
    fn forget(&self) {
        self.epoch.set(0);
        self.state.set(0);
        self.comm.set(Default::default());
        self.burst.forget();
    }

    /// The lowest address of its stack and the one behind its highest. Only the thread itself asks.
    fn stack(&self) -> (usize, usize) {
        let stack = self.stack.get().unwrap_or_else(stack::of_this_thread);
        self.stack.set(Some(stack));
        stack
    }

    /// Counts a message of `bytes` under `key`; in vain when there is no memory.
    pub(crate) fn count(&self, key: Key, bytes: u64) {
        self.tables.add(key, bytes);
    }

    /// A receive has completed: the messages started since the last completion are a burst.
    #[inline(always)]
    pub(crate) fn close_burst(&self) {
        if !self.burst.close_known() {
            self.close_rare_burst();
        }
    }

    /// The same where it is rare, at no cost elsewhere.
    #[cold]
    #[inline(never)]
    pub(crate) fn close_rare_burst(&self) {
        if self.burst.close_known() {
            return;
        }
        let (messages, bytes) = self.burst.take();
        self.count_burst(messages, bytes);
    }

    /// Counts a burst of `messages` with `bytes` together.
    pub(crate) fn count_burst(&self, messages: u32, bytes: u64) {
        if let Some(slot) = self.tables.slot(Key::Burst(burst::rounded(messages))) {
            slot.sum.add(bytes);
            self.burst.remember(messages, slot);
        }
    }

    /// Takes the table of `phase`; a burst ends with the phase it began in.
    fn change_to(&self, phase: u32) {
        if self.tables.phase() != phase {
            self.close_burst();
            self.tables.change_to(phase);
        }
    }
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn this() -> &'static Thread {
    // SAFETY: the address is that of a thread-local `Thread`, aligned, whose bytes are zero, which
    // is valid, or were written by this thread; it lives as long as the thread, which the reference
    // cannot leave, because `Cell` is not `Sync`.
    unsafe { &*place::address() }
}

/// The compiler reaches thread-local storage of a shared object by calling `__tls_get_addr`, which
/// takes longer than all the rest of a count. A preloaded library is there before the first thread,
/// so the initial-exec model of the ELF specification for thread-local storage (Drepper, section
/// 4.4) serves: one offset, fixed when the program starts. Stable Rust cannot ask for it but in
/// assembly.
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
        // SAFETY: adds the offset of the variable above, which the linker stores in the global
        // offset table, to the thread pointer; nothing is written.
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
