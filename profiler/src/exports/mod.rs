//! Every function this library exports.

mod files;
mod life;
mod neighbours;
mod onesided;
mod point_to_point;
