//! The state of a thread: everything that a send uses besides the counters, at one address.

pub(crate) mod burst;
mod cache;
pub(crate) mod communicators;
pub(crate) mod counters;
pub(crate) mod guard;
mod retired;
mod stacks;
mod tables;
pub(crate) mod time;

use crate::objects::attributes::CachedObject;
use crate::{epoch, freed, phase, turns};
use burst::Burst;
use cache::Cache;
use communicators::Communicators;
use rankfold_preload::stack;
use rankfold_wire::TimedFunction;
use rankfold_wire::journal::Key;
use std::cell::Cell;
use tables::Tables;

/// The state of one thread. Every field is valid when all its bytes are zero, which is how it
/// starts.
#[repr(C)]
pub(crate) struct Thread {
    /// The same as `epoch`; inside an MPI call the address of its guard. So a send needs one
    /// comparison instead of two.
    pub(crate) state: Cell<u64>,
    /// The epoch in which the following fields were correct.
    pub(crate) epoch: Cell<u64>,
    pub(crate) comms: Communicators,
    /// The burst of the phase for which the thread counts.
    pub(crate) burst: Burst,
    pub(crate) windows: Cache<Option<&'static CachedObject>, 2>,
    pub(crate) types: Cache<u64, 8>,
    pub(crate) tables: Tables,
    /// The function of the last outermost call that was timed.
    called: Cell<Option<TimedFunction>>,
    /// The address range of the thread's stack, once it was asked for.
    stack: Cell<Option<(usize, usize)>>,
    /// What was freed when the thread was last up to date.
    freed: Cell<freed::Numbers>,
    /// The addresses of two guards. A call with the second was found to be inside the call with the
    /// first.
    inside: Cell<(usize, usize)>,
}

impl Thread {
    /// Drops what was freed since the thread was last up to date, and takes the table of the
    /// current phase. May be called outside of an MPI call, too: MPI libraries report messages that
    /// they send in functions that this library does not define.
    pub(crate) fn catch_up(&self) {
        let now = epoch::of_threads();
        let before = self.epoch.replace(now);
        if self.state.get() == before {
            self.state.set(now);
        }
        // While nothing is counted, a free starts no epoch.
        if before != now || now == epoch::NOT_COUNTING {
            self.drop_freed();
            self.change_to(phase::now());
            self.tables.current.prepare();
            self.comms.prepare();
        }
    }

    /// Drops the cached objects that were freed since the thread was last up to date.
    fn drop_freed(&self) {
        let (seen, comms) = (self.freed.get(), &self.comms);
        let now = freed::since(seen, |comm| comms.remove(comm), || comms.clear());
        if now.datatypes != seen.datatypes {
            self.types.clear();
        }
        if now.windows != seen.windows {
            self.windows.clear();
        }
        self.freed.set(now);
    }

    /// Sets all fields to their start values. There are no tables then.
    fn forget(&self) {
        self.epoch.set(0);
        self.state.set(0);
        self.comms.end();
        self.burst.forget();
    }

    /// The lowest address of the thread's stack and the address behind its highest. Only the thread
    /// itself may call this.
    fn stack(&self) -> (usize, usize) {
        let stack = self.stack.get().unwrap_or_else(stack::of_this_thread);
        self.stack.set(Some(stack));
        stack
    }

    /// Counts a message of `bytes` under `key`; while calls are timed, also under the function that
    /// the program has called, if the message belongs to the matrix. Without memory for it, the
    /// message is lost.
    pub(crate) fn count(&self, key: Key, bytes: u64) {
        self.tables.add(key, bytes);
        if let (Key::Sent(_) | Key::Fetched(_), true) = (key, epoch::timing())
            && let Some(function) = self.called.get()
        {
            self.tables.add(Key::Function(function), bytes);
        }
    }

    /// Notes that a receive has completed: the messages started since the last completion are a
    /// burst.
    #[inline(always)]
    pub(crate) fn close_burst(&self) {
        if !self.burst.close_known() {
            self.close_rare_burst();
        }
    }

    /// The same for places where it is rare, so that its code takes no space elsewhere.
    #[cold]
    #[inline(never)]
    pub(crate) fn close_rare_burst(&self) {
        if self.burst.close_known() {
            return;
        }
        let (messages, bytes) = self.burst.take();
        self.count_burst(messages, bytes);
    }

    /// Counts a burst of `messages` messages with `bytes` together.
    pub(crate) fn count_burst(&self, messages: u32, bytes: u64) {
        if let Some(slot) = self.tables.slot(Key::Burst(burst::rounded(messages))) {
            let [_, bursts] = slot.sum.get();
            turns::look_again(bursts);
            slot.sum.add(bytes);
            self.burst.remember(messages, slot);
        }
    }

    /// Takes the table of `phase`. A burst ends with the phase in which it began.
    fn change_to(&self, phase: u32) {
        if self.tables.phase() != phase {
            self.close_burst();
            self.tables.change_to(phase);
            // The slots that are cached for bursts are those of the other table.
            self.burst.forget();
            turns::enter(phase);
        }
    }

    /// Whether the thread is in no call that is known to be under way.
    pub(crate) fn is_outside(&self) -> bool {
        self.state.get() == self.epoch.get()
    }
}

/// The state of the calling thread.
#[inline(always)]
pub(crate) fn this() -> &'static Thread {
    // SAFETY: the address is that of a thread-local `Thread`, so it is aligned. Its bytes are zero,
    // which is valid, or were written by this thread. It lives as long as the thread, and the
    // reference cannot leave the thread, because `Cell` is not `Sync`.
    unsafe { &*place::address() }
}

/// The address of the thread-local variable. Compilers reach thread-local storage of a shared
/// object by calling `__tls_get_addr`, which takes longer than all the rest of a count. A preloaded
/// library is loaded before the first thread starts, so the initial-exec model (Drepper, "ELF
/// handling for thread-local storage", section 4.4) can be used: one offset, which is fixed when
/// the program starts. Stable Rust offers that model in assembly only.
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
        // SAFETY: the instructions add the offset of the variable, which the linker stores in the
        // global offset table, to the thread pointer. They write no memory.
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
