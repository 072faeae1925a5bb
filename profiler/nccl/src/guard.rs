//! Every call of NCCL ends here, whatever happens: a panic must not reach C.

use rankfold_preload::warning::warn;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// `ncclSuccess`, which all functions return: the job goes on.
pub(crate) const SUCCESS: c_int = 0;

/// Whether an internal error has ended the counting.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Runs `body`, and counts nothing from its first panic on.
pub(crate) fn guarded(body: impl FnOnce()) -> c_int {
    if !ENDED.load(Relaxed) && catch_unwind(AssertUnwindSafe(body)).is_err() {
        ENDED.store(true, Relaxed);
        let expected = "an internal error: nothing that NCCL sends from here on is counted";
        // Writing the line may fail as well, and must not end the program either.
        let _ = catch_unwind(|| warn(expected));
        let _ = catch_unwind(crate::counting::lacks_some);
    }
    SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_success_for_nccl() {
        let mut ran = 0;
        assert_eq!(guarded(|| ran += 1), SUCCESS);
        assert_eq!(guarded(|| panic!("in a test")), SUCCESS);
        assert_eq!(guarded(|| ran += 1), SUCCESS);
        assert_eq!(ran, 1, "nothing runs after a panic");
    }
}
