//! An MPI library that is opened at run time by a program which was linked with none.
//!
//! A launcher of any MPI can start the same binary as its ranks. [`find()`] returns the libraries
//! that may belong to that launcher. [`World::open`] loads one, calls `MPI_Init`, and gives safe
//! access to a few functions on `MPI_COMM_WORLD`: messages of bytes and collectives of integers.
//!
//! A process opens one library, once, because MPI cannot be initialised again. An error inside MPI
//! ends the job, as is MPI's default. A call that waits for other ranks has no limit: a caller that
//! needs one ends the process.

pub mod calls;
mod collectives;
mod find;
mod library;
mod messages;
mod world;

pub use collectives::Share;
pub use find::{LibraryCandidates, find, launched_ranks};
pub use library::LoadError;
pub use messages::Posted;
pub use world::World;
