//! The life of a profiled run: from `MPI_Init`, or the first MPI session, to `MPI_Finalize`.

mod begun;
pub(crate) mod children;
mod eager;
mod fetched;
pub(crate) mod finish;
mod process;
mod rootless;
mod seats;
pub(crate) mod sessions;
pub(crate) mod start;
mod unseen;
mod until;
mod world_times;
