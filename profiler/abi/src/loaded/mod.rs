//! An MPI library opened at run time by a program that was not linked with any.
//!
//! A launcher starts the same binary as the ranks of every MPI; [`find()`] says which library goes
//! with that launcher, and
//! [`World::open`] loads it, calls `MPI_Init` and gives safe access to a few functions on
//! `MPI_COMM_WORLD`: messages of bytes, collectives of integers.
//!
//! One process opens one library, once: MPI cannot be initialised again. Errors inside MPI end the
//! job, as MPI does it by default. A call that waits for other ranks waits as long as they take;
//! who needs a limit ends the process when it is over.

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
