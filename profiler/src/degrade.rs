//! Trouble of this library's own is not the program's: it counts no more from then on, says so, and
//! the program goes on.

use crate::epoch;
use crate::memory;
use rankfold_preload::warning::warn;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

static BROKEN: AtomicBool = AtomicBool::new(false);

/// Makes panics say what they are: no failure of the program.
pub(crate) fn prepare() {
    panic::set_hook(Box::new(|info| {
        warn(format_args!(
            "an error of this library's own ({info}): this process counts no more"
        ));
    }));
}

/// Does what an exported function does besides forwarding the call.
pub(crate) fn guarded(action: impl FnOnce()) {
    let panicked = panic::catch_unwind(AssertUnwindSafe(action)).is_err();
    if (panicked || memory::is_short()) && !BROKEN.swap(true, Ordering::AcqRel) {
        epoch::give_up();
        if !panicked {
            warn("there is no memory left: this process counts no more");
        }
    }
}

/// Whether this process has stopped counting before its end.
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
        // The run still ends as one that was begun.
        assert!(epoch::stop());
    }
}
