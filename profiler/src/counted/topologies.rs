//! Virtual topologies: what the program tells MPI about its communication pattern. The profile
//! keeps it.

use super::lookup;
use crate::journal::notes;
use crate::{epoch, thread};
use libc::c_int;
use rankfold_abi::mpi::Result;
use rankfold_abi::neighbourhood;
use rankfold_abi::{self as abi, Abi, Address, Handle};
use rankfold_wire::MemberTopology;
use rankfold_wire::{Dimension, TopologyShape};

/// The kind of topology that a call makes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Cart,
    Graph,
    DistGraph,
}

impl Kind {
    fn code(self, abi: &Abi) -> c_int {
        match self {
            Self::Cart => abi.cart,
            Self::Graph => abi.graph,
            Self::DistGraph => abi.dist_graph,
        }
    }
}

/// Notes the topology of the communicator that MPI has stored at `new`, if there is one.
pub(crate) fn note(new: Address, reorder: c_int, kind: Kind) {
    let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
        return;
    };
    // SAFETY: the call that makes the communicator has succeeded, so MPI has stored a handle at
    // `new`.
    let comm = unsafe { abi.handle_at(new, 0) };
    // Ranks that a grid or graph has no place for get a null communicator.
    if comm == abi.comm_null {
        return;
    }
    thread::this().catch_up();
    if let Some(laid) = laid(comm, reorder != 0, kind, abi) {
        notes::topology(laid);
    }
}

fn laid(comm: Handle, reorder: bool, kind: Kind, abi: &Abi) -> Option<MemberTopology> {
    let group = lookup::communicator(comm)?.collective_group(comm)?;
    Some(MemberTopology {
        comm: group.local,
        member: group.rank.unsigned_abs(),
        reorder,
        shape: shape(comm, kind, abi).ok()??,
    })
}

/// The topology of `comm`; local. `None` where MPI reports another kind than the program has made:
/// Open MPI 5.0 takes a distributed graph over the ranks of a grid for a grid, and asking for its
/// dimensions ends in a segmentation fault.
fn shape(comm: Handle, kind: Kind, abi: &Abi) -> Result<Option<TopologyShape>> {
    if neighbourhood::kind(comm)? != kind.code(abi) {
        return Ok(None);
    }
    let lists = || -> Result<Vec<Vec<u32>>> {
        let receivers = neighbourhood::receivers(comm, abi)?;
        Ok(vec![
            receivers.into_iter().map(c_int::cast_unsigned).collect(),
        ])
    };
    Ok(Some(match kind {
        Kind::Cart => TopologyShape::Cart(dimensions(comm)?),
        Kind::Graph => TopologyShape::Graph(lists()?),
        Kind::DistGraph => TopologyShape::DistGraph(lists()?),
    }))
}

/// The dimensions of a Cartesian communicator on which the program is calling.
fn dimensions(comm: Handle) -> Result<Vec<Dimension>> {
    let dimension = |(extent, periodic)| Dimension { extent, periodic };
    let all = neighbourhood::dimensions(comm)?.into_iter();
    Ok(all.map(dimension).collect())
}
