//! Waits and tests. A receive that completes in one of them ends a burst of messages. Nonblocking
//! collective input and output also makes progress in them; what MPI sends for that is not counted.

use crate::counted::completion::{self, Completion};
use libc::c_int;
use rankfold_abi::Address;
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = Some(CallClass::Wait);

plain! {
    Wait: (request: Address, status: Address) counts Completion::Waited(1, request);
    Test: (request: Address, done: Address, status: Address) after completion::tested(done, 1);
    Waitall:
        (number: c_int, requests: Address, statuses: Address) counts Completion::Waited(number, requests);
    Testall:
        (number: c_int, requests: Address, done: Address, statuses: Address) after completion::tested(done, number);
    Waitany: (number: c_int, requests: Address, index: Address, status: Address) after completion::any(index);
    // MPI stores no index unless a request has completed.
    Testany:
        (number: c_int, requests: Address, index: Address, done: Address, status: Address)
        after completion::any(index);
    Waitsome Testsome:
        (number: c_int, requests: Address, completed: Address, indices: Address, statuses: Address)
        after completion::some(completed);
}
