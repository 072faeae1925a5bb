//! Networks: which nodes, links and channels there are, how far apart two nodes are, and by which
//! channels a message travels.
//!
//! [`Topology`] is the trait of all networks, [`FAMILIES`] the list of those that a spec such as
//! `torus:4x4` names. Meshes and tori ([`GridNetwork`]) and extended generalised fat trees (`xgft`)
//! compute distances and routes; every other network is a list of links, which `fabric` compiles.

mod bisection;
mod distance_profile;
mod distances;
mod dragonfly;
pub(super) mod fabric;
pub mod families;
pub mod grammar;
mod graph_file;
mod grid;
mod grid_network;
mod ibcore;
pub(super) mod listed_paths;
mod percs;
mod rules;
pub(super) mod speed;
mod tianhe3;
mod topology;
mod unit;
mod wiring;
mod xgft;

pub use bisection::Bisection;
pub use distance_profile::DistanceProfile;
pub use distances::Distances;
pub use fabric::{Link, Tables};
pub use families::FAMILIES;
pub use grammar::{Family, FamilyMember};
pub use grid::Grid;
pub use grid_network::GridNetwork;
pub use listed_paths::{PathChannel, PathTable};
pub use rules::{Paths, RoutingRules, Ties};
pub use speed::{Speed, bandwidth_in_words, time_in_words};
pub use topology::{Flow, Flows, HEDGE, PathChoice, Routing, Structure, Topology};
pub use unit::Unit;
pub use wiring::{Edge, Wiring};
