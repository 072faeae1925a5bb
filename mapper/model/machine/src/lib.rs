//! Machines: nodes, the network between them, its routes, and the slots that a job may use.
//!
//! Nodes of a torus or mesh are numbered lexicographically, the last dimension fastest; nodes of
//! trees and fat trees depth first by leaf switch. Links are full duplex: every cable is two
//! [channels](rankfold_base::ChannelId). Two ranks on one node are 0 hops apart and load no link.
//! In switched networks the links between hosts and switches count as links.
//!
//! There are two parts: `network` (families, distances, routes) and `description` (machine files,
//! host names, the inside of nodes). `description` may use `network`; `tests/structure` checks it.
#![forbid(unsafe_code)]

mod description;
mod load;
mod machine;
mod network;
pub mod samples;
pub mod sites;

pub use description::{
    BySize, Description, Device, EAGER_LIMIT, Hardware, HostList, HostsBelow, Inside, InsideEntry,
    InsideLevel, Insides, MachineError, Oversubscription, Sharing, SizeRow, Timing, Wired, hosts,
    read_machine_file,
};
pub use load::{file_of, load, load_with, parse};
pub use machine::Machine;
pub use network::{
    Bisection, DistanceProfile, Distances, Edge, FAMILIES, Family, FamilyMember, Flow, Flows, Grid,
    GridNetwork, HEDGE, Link, PathChannel, PathChoice, PathTable, Paths, Routing, RoutingRules,
    Speed, Structure, Tables, Ties, Topology, Unit, Wiring, bandwidth_in_words, families, grammar,
    time_in_words,
};
