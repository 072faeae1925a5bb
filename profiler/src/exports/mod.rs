//! Every function that this library exports. `unwrapped.txt` lists all others of MPI, with the
//! reasons.

mod collectives;
mod files;
mod life;
mod monitoring;
mod neighbours;
mod onesided;
mod point_to_point;
mod receives;
mod streams;
mod topologies;
mod waits;
