//! Every function this library exports.

mod collectives;
mod files;
mod life;
mod neighbours;
mod onesided;
mod point_to_point;
mod receives;
mod streams;
mod topologies;
mod waits;
