//! Waits and tests: what completes in them ends a burst of messages. Nonblocking collective input
//! and output goes on in them, which is not the program's.

use crate::counted::completion::{self, Completion};
use libc::c_int;
use rankfold_abi::Address;
use rankfold_profile::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Wait);

plain! {
    Wait: (request: Address, status: Address) counts Completion::Waited(1);
    Test: (request: Address, done: Address, status: Address) after completion::tested(done, 1);
    Waitall: (number: c_int, requests: Address, statuses: Address) counts Completion::Waited(number);
    Testall:
        (number: c_int, requests: Address, done: Address, statuses: Address) after completion::tested(done, number);
    Waitany: (number: c_int, requests: Address, index: Address, status: Address) after completion::any(index);
    // The index is none unless a request has completed.
    Testany:
        (number: c_int, requests: Address, index: Address, done: Address, status: Address)
        after completion::any(index);
    Waitsome Testsome:
        (number: c_int, requests: Address, completed: Address, indices: Address, statuses: Address)
        after completion::some(completed);
}
