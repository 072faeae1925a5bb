//! Remote memory access. Data that is put goes from the origin to the target; data that is fetched
//! goes from the target to the origin.

use crate::counted::onesided::{Access, exchange};
use crate::counted::unseen::note;
use libc::c_int;
use rankfold_abi::{Address, Handle, Offset};
use rankfold_wire::{CallClass, Unseen};

const CLASS: Option<CallClass> = Some(CallClass::OneSided);

with_large_counts! {
    Put:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle)
        after Access::new(window, target, number, datatype).put();
    Rput:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle, request: Address)
        after Access::new(window, target, number, datatype).put();
    Get:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle)
        after Access::new(window, target, number, datatype).get();
    Rget:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, window: Handle, request: Address)
        after Access::new(window, target, number, datatype).get();
    Accumulate:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, operation: Handle, window: Handle)
        after Access::new(window, target, number, datatype).put();
    Raccumulate:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, operation: Handle, window: Handle, request: Address)
        after Access::new(window, target, number, datatype).put();
    Get_accumulate:
        (origin: Address, number: Count, datatype: Handle, result: Address, results: Count, result_type: Handle,
         target: c_int, at: Offset, room: Count, target_type: Handle, operation: Handle, window: Handle)
        after exchange(
            operation,
            Access::new(window, target, number, datatype),
            Access::new(window, target, results, result_type),
        );
    Rget_accumulate:
        (origin: Address, number: Count, datatype: Handle, result: Address, results: Count, result_type: Handle,
         target: c_int, at: Offset, room: Count, target_type: Handle, operation: Handle, window: Handle,
         request: Address)
        after exchange(
            operation,
            Access::new(window, target, number, datatype),
            Access::new(window, target, results, result_type),
        );
}

plain! {
    Fetch_and_op:
        (origin: Address, result: Address, datatype: Handle, target: c_int, at: Offset, operation: Handle,
         window: Handle)
        after exchange(
            operation,
            Access::new(window, target, 1, datatype),
            Access::new(window, target, 1, datatype),
        );
    Compare_and_swap:
        (origin: Address, compare: Address, result: Address, datatype: Handle, target: c_int, at: Offset,
         window: Handle)
        after {
            // The value to store and the value to compare with both go to the target.
            Access::new(window, target, 2, datatype).put();
            Access::new(window, target, 1, datatype).get();
        };
}

// Intel MPI: an access that also increments a counter at the target.
extension_with_large_counts! {
    Put_notify:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, counter: c_int, window: Handle)
        after Access::new(window, target, number, datatype).put();
    Get_notify:
        (origin: Address, number: Count, datatype: Handle, target: c_int, at: Offset,
         room: Count, target_type: Handle, counter: c_int, window: Handle)
        after Access::new(window, target, number, datatype).get();
}

with_large_counts! {
    // Ranks load and store in shared windows without calls of MPI.
    Win_allocate_shared:
        (size: Offset, unit: Count, info: Handle, comm: Handle, base: Address, window: Address)
        after note(Unseen::SharedWindows);
}

plain! {
    Win_fence Win_lock_all: (assertion: c_int, window: Handle) timed ();
    Win_start Win_post: (group: Handle, assertion: c_int, window: Handle) timed ();
    Win_complete Win_wait Win_unlock_all Win_flush_all Win_flush_local_all Win_sync: (window: Handle) timed ();
    Win_test: (window: Handle, done: Address) timed ();
    Win_lock: (kind: c_int, target: c_int, assertion: c_int, window: Handle) timed ();
    Win_unlock Win_flush Win_flush_local: (target: c_int, window: Handle) timed ();
}
