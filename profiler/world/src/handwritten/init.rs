//! `MPI_Init` and `MPI_Init_thread`.

use crate::initialize::begin;
use libc::c_int;
use rankfold_abi::Address;
use std::cell::Cell;

thread_local! {
    /// Number of calls of `MPI_Init` that are under way. A tool behind this library makes one
    /// inside that of the program, when MPI is not ready to be used yet.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Makes the call, and renumbers the ranks if it is the outermost one and has succeeded.
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
        // SAFETY: the arguments are those that the program passed to this function.
        around(|| unsafe { forward(argc, argv) })
    };
    Init_thread: (argc: Address, argv: Address, required: c_int, provided: Address) {
        // SAFETY: the arguments are those that the program passed to this function.
        around(|| unsafe { forward(argc, argv, required, provided) })
    };
}
