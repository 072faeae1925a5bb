//! Examines whether a launcher with its MPI puts ranks where it should, and whether the collectives
//! return the right data there.
//!
//! This program is started as the ranks. [`rank`] is what the ranks do, [`judge`] draws the
//! conclusions from their messages, and [`stacks`] lists launchers and libraries that are known to
//! fail.

mod collectives;
mod cores;
mod judge;
mod messages;
mod rank;
mod stacks;
mod wrong_data;

pub(crate) use judge::{Findings, Planned, judge};
pub(crate) use messages::Message;
pub(crate) use rank::examine;
