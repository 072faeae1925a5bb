//! `librankfold_nccl.so`: a plugin of NCCL's profiler interface that counts who sends whom how
//! much.
//!
//! NCCL loads the library if `NCCL_PROFILER_PLUGIN` names it, and takes the newest of the tables
//! `ncclProfiler_v1` to `ncclProfiler_v6` that it knows. The tables are in `interface`, one file
//! a version; each turns NCCL's events into an `event::Event`. `counting` finds the counter of
//! an event in a fixed `table` of the process's `journal`, which is mapped shared and outlives
//! the process. Nothing here allocates memory, waits or makes a system call while events are
//! counted.
//!
//! PyTorch's c10d on other transports is counted in the same journal: see `c10d`.
//!
//! No trouble reaches NCCL: every function that NCCL calls returns success, panics end there, and
//! the process goes on without being counted.

mod c10d;
mod communicators;
mod counting;
mod event;
mod guard;
mod handle;
mod interface;
mod journal;
mod names;
mod operations;
mod process;
mod table;
