//! Measures the machine. This program is started as the ranks, on all hosts of a launch.
//!
//! [`rank`] is the work of the ranks: rank 0 orders the measurements, in the order of [`plan`], and
//! reconstructs the network with the crate `rankfold_reconstruct`. All other ranks sleep between
//! two looks for an order. [`messages`] holds the messages of rank 0 to the command.

mod messages;
mod plan;
mod rank;

pub(crate) use messages::{Message, ProbedMachine};
pub(crate) use rank::{Settings, measure};
