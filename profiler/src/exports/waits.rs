//! Waits and tests: nonblocking collective input and output goes on in them, which is not the program's.

use libc::c_int;
use rankfold_abi::Address;
use rankfold_profile::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Wait);

plain! {
    Wait: (request: Address, status: Address) uncounted ();
    Test: (request: Address, done: Address, status: Address) uncounted ();
    Waitall: (number: c_int, requests: Address, statuses: Address) uncounted ();
    Waitany Testall: (number: c_int, requests: Address, index_or_done: Address, status: Address) uncounted ();
    Testany Waitsome Testsome:
        (number: c_int, requests: Address, done: Address, indices: Address, statuses: Address) uncounted ();
}
