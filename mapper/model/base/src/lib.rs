//! What everything else is counted in: indices of ranks, nodes, slots, cores and channels; the
//! slots of a machine and placements on them; lists of rows; words of messages;
//! files of the user.
#![forbid(unsafe_code)]

mod csr;
pub mod files;
mod ids;
mod placement;
pub mod words;

pub use csr::Csr;
pub use ids::{ChannelId, CoreId, NodeId, Rank, SlotId};
pub use placement::{Occupancy, Placement, Slots};
