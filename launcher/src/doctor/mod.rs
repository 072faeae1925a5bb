//! Does this launcher with this MPI put ranks where it should, and do the collectives return the
//! right data there?
//!
//! This program is started as the ranks: [`rank`] is what they do, [`judge`] what is made of it,
//! [`stacks`] what is known of launchers and libraries that fail.

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
