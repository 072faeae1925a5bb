//! What the library does in `MPI_Init`: it makes the communicator that replaces the world.

use crate::config::{self, Config};
use crate::order::Process;
use crate::{duplicates, finalize, record, reorder, solve, unlisted_functions, variables, world};
use libc::c_int;
use rankfold_abi::mpi::{self, Result as MpiResult};
use rankfold_abi::{self as abi, Abi, Handle};
use rankfold_preload::gather::endpoint::Endpoint;
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::presence::{self, Presence, find_missing_ranks};
use rankfold_preload::gather::wait::Result;
use rankfold_preload::warning::{warn, warn_once_a_host, warn_once_a_run};
use rankfold_preload::{children, comm, process};
use rankfold_wire::{env, variables_of_process};
use std::fs::File;
use std::num::NonZeroU64;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The end of every warning that says why the ranks are not renumbered.
const SO: &str = "ranks keep the launcher's numbers";

/// Renumbers the ranks, after `MPI_Init` has succeeded. If that fails, the program goes on with the
/// launcher's numbers.
pub(crate) fn begin() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    let Some(config) = config::get() else { return };
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    children::release();
    let Some(abi) = abi::detect() else {
        let text = format!(
            "this MPI library is neither Open MPI nor of the MPICH family nor of the standard ABI: {SO}"
        );
        return warn_once_a_host(&config.run, "world-family", text);
    };
    match panic::catch_unwind(AssertUnwindSafe(|| renumber(config, abi))) {
        Ok(Ok(())) => {}
        Ok(Err(trouble)) => warn(format_args!("{trouble}: {SO}")),
        Err(_) => warn(format_args!("internal error of librankfold_world.so: {SO}")),
    }
}

/// Renumbers the ranks. Collective among the processes that have loaded this library.
fn renumber(config: &Config, abi: &Abi) -> Result {
    if process::is_spawned(abi)? {
        return Ok(());
    }
    // SAFETY: `MPI_Init` has returned, so the world is alive until `MPI_Finalize`.
    let endpoint = unsafe { Endpoint::world(abi, config.patience) }?;
    if endpoint.is_root() {
        leave_mark(config);
    }
    let host = process::host();
    let place = match find_missing_ranks(&endpoint, &host, false, || NonZeroU64::MIN)? {
        Presence::All(_, place) => place,
        Presence::Missing(missing) => {
            if let Some(late) = presence::describe(&missing, config.patience) {
                leave_mark(config);
                let text =
                    format!("{late}, it seems not to have loaded librankfold_world.so: {SO}");
                warn_once_a_run(&config.run, "world-missing", config.seats.as_deref(), text);
            }
            return Ok(());
        }
    };
    let all = OwnComm::on(endpoint, place);
    let own = Process {
        host,
        cores: process::cores(),
        memory: abi::own::memory_policy(),
        variables: variables_of_process(),
        program: program(abi)?,
    };
    let mut processes = Vec::new();
    all.gather(&own.to_bytes(), &mut |bytes| {
        processes.push(Process::from_bytes(&bytes));
    })?;
    let decided = match &config.plan {
        Some(plan) if endpoint.is_root() => decide(config, plan, &processes),
        None if endpoint.is_root() => vec![0],
        _ => Vec::new(),
    };
    let order = from_bytes(&all.spread(decided)?);
    let comm = match &order {
        Some(order) => exchange(order, &all, abi)?,
        None => abi.comm_world,
    };
    if order.is_some() && config.variables {
        variables::rewrite(comm)?;
    }
    reorder::all_are_here();
    if let Some(path) = &config.seats {
        let order = order.unwrap_or_else(|| (0..endpoint.ranks).collect());
        record::write(path, &all, comm, &order, &processes, abi)?;
    }
    Ok(())
}

/// The process of every rank, as bytes. If the plan does not fit, prints why and returns a single
/// byte.
fn decide(config: &Config, plan: &Path, processes: &[Process]) -> Vec<u8> {
    match solve::order(config, plan, processes) {
        Ok(order) => {
            order.notes.iter().for_each(warn);
            unlisted_functions::look();
            let numbers = order.processes.into_iter();
            numbers.flat_map(u32::to_le_bytes).collect()
        }
        Err(reason) => {
            warn(format_args!("{reason}: {SO}"));
            vec![0]
        }
    }
}

fn from_bytes(bytes: &[u8]) -> Option<Vec<u32>> {
    let (numbers, rest) = bytes.as_chunks();
    rest.is_empty().then(|| {
        numbers
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect()
    })
}

/// The number of the program of an MPMD launch to which this process belongs.
fn program(abi: &Abi) -> MpiResult<i32> {
    let (mut number, mut found) = (ptr::null_mut(), 0);
    // SAFETY: the world is alive, and both results are variables on this stack.
    unsafe { mpi::comm_get_attr(abi.comm_world, abi.appnum, &raw mut number, &raw mut found) }?;
    if found == 0 || number.is_null() {
        return Ok(0);
    }
    // SAFETY: the attribute is set, so its value is the address of an integer of MPI.
    Ok(unsafe { number.cast::<c_int>().read() })
}

/// Makes the communicator in which rank r is process `order[r]`, and lets it replace the world.
/// Collective.
fn exchange(order: &[u32], all: &OwnComm, abi: &Abi) -> MpiResult<Handle> {
    let _yielding = all.yield_timer();
    let new = comm::permuted(abi.comm_world, order)?;
    // SAFETY: the communicator was made above, and the name ends with a NUL.
    unsafe { mpi::comm_set_name(new, c"MPI_COMM_WORLD".as_ptr()) }?;
    duplicates::mark(new)?;
    finalize::prepare(abi)?;
    world::exchange(new, order, abi);
    Ok(new)
}

/// Leaves a file that tells the launcher that `MPI_Init` has returned, whatever becomes of the run.
fn leave_mark(config: &Config) {
    if let Some(mark) = config.seats.as_deref().and_then(env::begun) {
        // Without the file the launcher has to guess why there is no record; nothing else is lost.
        let _ = File::create(mark);
    }
}
