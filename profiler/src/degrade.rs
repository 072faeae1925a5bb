//! Internal errors of this library: the process stops counting, prints why, and the program goes
//! on.

use crate::epoch;
use crate::memory;
use rankfold_preload::warning::warn;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

static BROKEN: AtomicBool = AtomicBool::new(false);

/// Makes a panic of this library print that the library has failed, and not the program.
pub(crate) fn prepare() {
    panic::set_hook(Box::new(|info| {
        warn(format_args!(
            "internal error of librankfold.so ({info}): this process counts nothing more"
        ));
    }));
}

/// Runs what an exported function does besides forwarding the call. After a panic, or once memory
/// is short, this process counts nothing more.
pub(crate) fn guarded(action: impl FnOnce()) {
    let panicked = panic::catch_unwind(AssertUnwindSafe(action)).is_err();
    if (panicked || memory::is_short()) && !BROKEN.swap(true, Ordering::AcqRel) {
        epoch::give_up();
        if !panicked {
            warn("no memory is left: this process counts nothing more");
        }
    }
}

/// Whether this process has stopped counting because of an internal error.
pub(crate) fn is_broken() -> bool {
    BROKEN.load(Ordering::Acquire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_counting_and_nothing_else() {
        epoch::first(false);
        assert!(epoch::counting());
        guarded(|| ());
        assert!(epoch::counting() && !is_broken());
        guarded(|| panic!("on purpose"));
        assert!(!epoch::counting() && is_broken());
        // The run can still be ended.
        assert!(epoch::stop());
    }
}
