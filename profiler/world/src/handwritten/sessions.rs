//! Sessions: the process set of the world has the new order.
//!
//! The call is local, so a process cannot ask others. After `MPI_Init` it knows the order. Without
//! `MPI_Init` it knows the order only if the plan names the process of every rank.

use crate::config;
use crate::order::order_of_number;
use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Address, Handle};
use rankfold_preload::warning::warn_once_a_host;
use rankfold_wire::plan::RenumberingPlan;
use std::ffi::CStr;
use std::sync::OnceLock;

handwritten! {
    Group_from_session_pset: (session: Handle, name: Address, group: Address) {
        // SAFETY: the arguments are those that the program passed to this function.
        let code = unsafe { forward(session, name, group) };
        // SAFETY: the call has succeeded, so the name is a string, and MPI has stored a group.
        if code == 0 && unsafe { is_world(name) } {
            // SAFETY: the call has succeeded, so MPI has stored a group.
            let _ = unsafe { permute(group) };
        }
        code
    };
}

/// # Safety
/// The name ends with a NUL.
unsafe fn is_world(name: Address) -> bool {
    // SAFETY: the caller guarantees that the name ends with a NUL.
    let name = unsafe { CStr::from_ptr(name.cast_const().cast()) };
    name.to_bytes().eq_ignore_ascii_case(b"mpi://WORLD")
}

/// Replaces the group of the world at `place` by one in the new order, if that is known.
///
/// # Safety
/// `place` is the address of a group that MPI has just made.
unsafe fn permute(place: Address) -> Result {
    let Some(abi) = rankfold_abi::detect() else {
        return Ok(());
    };
    // SAFETY: the caller guarantees that there is a group at the address.
    let mut group = unsafe { abi.handle_at(place, 0) };
    let (mut number, mut new) = (0, 0);
    // SAFETY: MPI has just made the group.
    unsafe { mpi::group_size(group, &raw mut number) }?;
    let Some(order) = order(number) else {
        return Ok(());
    };
    // SAFETY: MPI has just made the group, and the list names each of its ranks once.
    unsafe { mpi::group_incl(group, number, order.as_ptr().cast(), &raw mut new) }?;
    // SAFETY: MPI has just made the group, and the program has not seen it yet.
    unsafe { mpi::group_free(&raw mut group) }?;
    // SAFETY: the caller guarantees that the address is that of a handle.
    unsafe { abi.store_handle(place, new) };
    Ok(())
}

/// The process of each of `number` ranks. `None` if no renumbering is wanted, or if the order is
/// not known; then a warning says so.
fn order(number: c_int) -> Option<Vec<u32>> {
    static OF_PLAN: OnceLock<Option<Vec<u32>>> = OnceLock::new();
    let number = usize::try_from(number).ok()?;
    let config = config::get()?;
    let plan = config.plan.as_deref()?;
    if let Some(processes) = world::processes() {
        return (processes.len() == number).then_some(processes);
    }
    let of_plan = OF_PLAN.get_or_init(|| {
        let order = RenumberingPlan::read(plan).map_or_else(
            |error| Err(error.to_string()),
            |plan| {
                order_of_number(&plan, number).ok_or_else(|| {
                    "a session begins before MPI_Init, and the plan does not name the process of every rank".to_owned()
                })
            },
        );
        order
            .map_err(|reason| {
                let text = format!("{reason}: its ranks keep the launcher's numbers");
                warn_once_a_host(&config.run, "world-session", text);
            })
            .ok()
    });
    of_plan.clone().filter(|order| order.len() == number)
}
