//! From the arguments of a call to what is counted: keys and bytes.

pub(crate) mod block;
pub(crate) mod collectives;
pub(crate) mod completion;
pub(crate) mod increments;
mod lookup;
pub(crate) mod message;
pub(crate) mod neighbours;
pub(crate) mod onesided;
pub(crate) mod persistent;
pub(crate) mod receive;
pub(crate) mod topologies;
pub(crate) mod unseen;
