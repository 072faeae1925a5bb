//! The functions in which more has to be done than to exchange a communicator.

mod attributes;
mod callbacks;
mod errhandlers;
mod fortran;
mod init;
mod sessions;
mod tools;
mod topologies;
