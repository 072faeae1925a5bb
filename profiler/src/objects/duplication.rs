//! The communicator that a thread is duplicating.
//!
//! Open MPI calls the copy callbacks of attributes not only in `MPI_Comm_dup`, where MPI asks for
//! it, but also in `MPI_Comm_create_group` and `MPIX_Comm_shrink`, whose new communicator has other
//! ranks. A callback cannot tell these calls apart: MPI passes it the old communicator only. So the
//! exported `MPI_Comm_dup` notes its communicator here. If an error handler leaves `MPI_Comm_dup`
//! by `longjmp` before the attribute is copied, the note stays until the next duplication.

use rankfold_abi::Handle;
use std::cell::Cell;

thread_local! {
    /// The communicator that this thread is duplicating, until its attribute has been copied.
    static DUPLICATED: Cell<Option<Handle>> = const { Cell::new(None) };
}

/// A call of `MPI_Comm_dup` by this thread. The call ends when this value is dropped.
pub(crate) struct Duplication {
    /// The communicator of the duplication in which this call is, if a copy callback of the program
    /// has made the call.
    outer: Option<Handle>,
}

impl Duplication {
    /// The call that duplicates `comm` begins.
    pub(crate) fn of(comm: Handle) -> Self {
        Self {
            outer: DUPLICATED.replace(Some(comm)),
        }
    }
}

impl Drop for Duplication {
    fn drop(&mut self) {
        DUPLICATED.set(self.outer);
    }
}

/// Whether a copy of the attribute of `comm` is for a duplicate of `comm`. Only the first copy of a
/// duplication is.
pub(crate) fn takes_copy(comm: Handle, mask: Handle) -> bool {
    let duplicated = DUPLICATED.get();
    let takes = duplicated.is_some_and(|original| original & mask == comm & mask);
    if takes {
        DUPLICATED.set(None);
    }
    takes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_duplicate_takes_a_copy_and_only_one() {
        const MASK: Handle = 0xffff;
        assert!(!takes_copy(7, MASK));
        let outer = Duplication::of(0x1_0007);
        {
            let _inner = Duplication::of(8);
            assert!(!takes_copy(7, MASK) && takes_copy(8, MASK));
        }
        assert!(takes_copy(7, MASK) && !takes_copy(7, MASK));
        drop(outer);
        drop(Duplication::of(7));
        assert!(!takes_copy(7, MASK));
    }
}
