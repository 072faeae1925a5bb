//! Remote memory access. What is put travels from the origin to the target, what is fetched the other way.

use crate::entry::{Address, Handle, Offset, act, call, entry, missing, plain, with_large_counts};
use crate::onesided::{Access, exchange};
use libc::c_int;

with_large_counts! {
    Put:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle)
        before Access::new(window, target, number, datatype).put();
    Rput:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle, request: Address)
        before Access::new(window, target, number, datatype).put();
    Get:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle)
        before Access::new(window, target, number, datatype).get();
    Rget:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle, request: Address)
        before Access::new(window, target, number, datatype).get();
    Accumulate:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, operation: Handle, window: Handle)
        before Access::new(window, target, number, datatype).put();
    Raccumulate:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, operation: Handle, window: Handle, request: Address)
        before Access::new(window, target, number, datatype).put();
    Get_accumulate:
        (origin: Address, number: Count, datatype: Handle, result: Address, results: Count, result_type: Handle,
         target: c_int, at: Offset, room: Count, target_type: Handle, operation: Handle, window: Handle)
        before exchange(
            operation,
            Access::new(window, target, number, datatype),
            Access::new(window, target, results, result_type),
        );
    Rget_accumulate:
        (origin: Address, number: Count, datatype: Handle, result: Address, results: Count, result_type: Handle,
         target: c_int, at: Offset, room: Count, target_type: Handle, operation: Handle, window: Handle,
         request: Address)
        before exchange(
            operation,
            Access::new(window, target, number, datatype),
            Access::new(window, target, results, result_type),
        );
}

plain! {
    Fetch_and_op:
        (origin: Address, result: Address, datatype: Handle, target: c_int, at: Offset, operation: Handle,
         window: Handle)
        before exchange(
            operation,
            Access::new(window, target, 1, datatype),
            Access::new(window, target, 1, datatype),
        );
    Compare_and_swap:
        (origin: Address, compare: Address, result: Address, datatype: Handle, target: c_int, at: Offset,
         window: Handle)
        before {
            // The value to store and the one to compare with both travel.
            Access::new(window, target, 2, datatype).put();
            Access::new(window, target, 1, datatype).get();
        };
}
