//! Measures the machine: this program is started as the ranks, on all hosts of a launch.
//!
//! [`rank`] is what the ranks do: rank 0 leads, in the order of [`plan`], and decides what the
//! network is by the crate `rankfold_reconstruct`; the others wait asleep for what they are
//! told. [`messages`] is what rank 0 tells.

mod messages;
mod plan;
mod rank;

pub(crate) use messages::{Message, ProbedMachine};
pub(crate) use rank::{Settings, measure};
