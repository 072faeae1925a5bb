//! What a thread keeps to itself: all that a send touches besides the counters, found through one address.

mod cache;
pub(crate) mod counters;
pub(crate) mod guard;
mod tables;
pub(crate) mod time;

use crate::objects::attributes::Known;
use crate::objects::ranks::Translation;
use crate::{epoch, phase};
use cache::Cache;
use rankfold_abi::Handle;
use rankfold_profile::journal::Key;
use std::cell::Cell;
use tables::Tables;

/// One thread's state. Every field is valid when all its bytes are zero, which is how it starts.
#[repr(C)]
pub(crate) struct Thread {
    /// The same as `epoch`, or, inside an MPI call, a number that is no epoch: a send compares once instead of twice.
    pub(crate) state: Cell<u64>,
    /// The epoch in which what follows was true.
    pub(crate) epoch: Cell<u64>,
    /// The communicator of the last send, and its ranks.
    pub(crate) comm: Cell<(Handle, Translation)>,
    pub(crate) comms: Cache<Option<&'static Known>, 4>,
    pub(crate) windows: Cache<Option<&'static Known>, 2>,
    pub(crate) types: Cache<u64, 8>,
    pub(crate) tables: Tables,
}

impl Thread {
    /// Forgets what may have become false since the thread was last up to date, and takes the table of the phase that the
    /// process is in.
    pub(crate) fn catch_up(&self) {
        let now = epoch::of_threads();
        if self.epoch.replace(now) != now {
            self.comm.set(Default::default());
            self.comms.clear();
            self.windows.clear();
            self.types.clear();
            self.tables.change_to(phase::now());
            self.tables.current.prepare();
        }
    }

    /// Counts a message of `bytes` under `key`; in vain when there is no memory.
    pub(crate) fn count(&self, key: Key, bytes: u64) {
        self.tables.add(key, bytes);
    }
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn this() -> &'static Thread {
    // SAFETY: the address is that of a thread-local `Thread`, aligned, whose bytes are zero, which is valid, or were written
    // by this thread; it lives as long as the thread, which the reference cannot leave, because `Cell` is not `Sync`.
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
        // SAFETY: adds the offset of the variable above, which the linker stores in the global offset table, to the thread
        // pointer; nothing is written.
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
