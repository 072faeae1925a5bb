//! What MPI knows of the objects that calls are made on: whom a rank argument on a communicator or
//! window means, who calls its collectives, who its neighbours are.

pub(crate) mod attributes;
pub(crate) mod collective_group;
pub(crate) mod ranks;
pub(crate) mod sessions;
pub(crate) mod world;
mod zeros;
