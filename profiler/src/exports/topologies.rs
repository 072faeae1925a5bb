//! Functions that make communicators with a virtual topology.

use crate::counted::topologies::{self, Kind};
use libc::c_int;
use rankfold_abi::{Address, Handle};
use rankfold_wire::CallClass;

const CLASS: Option<CallClass> = None;

plain! {
    Cart_create:
        (comm: Handle, number: c_int, extents: Address, periods: Address, reorder: c_int, new: Address)
        after topologies::note(new, reorder, Kind::Cart);
    Cart_sub: (comm: Handle, remain: Address, new: Address) after topologies::note(new, 0, Kind::Cart);
    Graph_create:
        (comm: Handle, number: c_int, ends: Address, edges: Address, reorder: c_int, new: Address)
        after topologies::note(new, reorder, Kind::Graph);
    Dist_graph_create:
        (comm: Handle, number: c_int, sources: Address, degrees: Address, destinations: Address, weights: Address,
         info: Handle, reorder: c_int, new: Address)
        after topologies::note(new, reorder, Kind::DistGraph);
    Dist_graph_create_adjacent:
        (comm: Handle, into: c_int, sources: Address, source_weights: Address, out: c_int, destinations: Address,
         weights: Address, info: Handle, reorder: c_int, new: Address)
        after topologies::note(new, reorder, Kind::DistGraph);
}
