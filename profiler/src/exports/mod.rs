//! Every function that this library exports. `unwrapped.txt` lists all others, with the reasons.

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
