//! Wrappers that do more than exchange a communicator.

mod attributes;
mod callbacks;
mod errhandlers;
mod fortran;
mod init;
mod sessions;
mod subgroups;
mod tools;
mod topologies;
