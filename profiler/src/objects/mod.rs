//! Properties of the objects on which the program calls: which world ranks the rank arguments on a
//! communicator or window name, which processes call its collectives, and which are its neighbours.

pub(crate) mod attributes;
pub(crate) mod collective_group;
pub(crate) mod duplication;
pub(crate) mod ranks;
pub(crate) mod sessions;
pub(crate) mod world;
mod zeros;
