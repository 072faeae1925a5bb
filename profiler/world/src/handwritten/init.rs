//! The beginning of MPI.

use crate::initialize::begin;
use libc::c_int;
use rankfold_abi::Address;
use std::cell::Cell;

thread_local! {
    /// Calls of `MPI_Init` under way: a tool behind this library makes one inside the program's,
    /// when MPI is not ready for ours yet.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Makes the world anew when the outermost call has succeeded.
fn around(call: impl FnOnce() -> c_int) -> c_int {
    DEPTH.set(DEPTH.get() + 1);
    let code = call();
    DEPTH.set(DEPTH.get() - 1);
    if code == 0 && DEPTH.get() == 0 {
        begin();
    }
    code
}

handwritten! {
    Init: (argc: Address, argv: Address) {
        // SAFETY: the arguments are those that the program passed to this very function.
        around(|| unsafe { forward(argc, argv) })
    };
    Init_thread: (argc: Address, argv: Address, required: c_int, provided: Address) {
        // SAFETY: the arguments are those that the program passed to this very function.
        around(|| unsafe { forward(argc, argv, required, provided) })
    };
}
