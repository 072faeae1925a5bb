//! Virtual topologies: what the program tells MPI of its pattern is a hint worth keeping.

use crate::team::Team;
use crate::{attached, epoch, neighbours, notebook, thread};
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi};
use rankfold_abi::{Address, Handle};
use rankfold_profile::ledger::Laid;
use rankfold_profile::{Dimension, Shape};

/// What a call makes.
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

/// Notes the topology of the communicator that was just stored at `new`, if it was one.
pub(crate) fn note(new: Address, reorder: c_int, kind: Kind) {
    let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
        return;
    };
    // SAFETY: MPI has just stored the communicator there.
    let comm = unsafe { abi.handle_at(new, 0) };
    // Ranks that the grid or the graph does not need get none.
    if comm == abi.comm_null {
        return;
    }
    thread::this().catch_up();
    if let Some(laid) = laid(comm, reorder != 0, kind, abi) {
        notebook::topology(laid);
    }
}

fn laid(comm: Handle, reorder: bool, kind: Kind, abi: &Abi) -> Option<Laid> {
    let ranks = attached::communicator(comm)?;
    let team = ranks.team(|| Team::of(comm, ranks))?;
    Some(Laid {
        comm: team.ours,
        member: team.rank.unsigned_abs(),
        reorder,
        shape: shape(comm, kind, abi).ok()??,
    })
}

/// Local. None where MPI takes the communicator for something else: Open MPI 5.0 says of a distributed graph over the
/// ranks of a grid that it is a grid, and ends in a segmentation fault when asked for its dimensions.
fn shape(comm: Handle, kind: Kind, abi: &Abi) -> Result<Option<Shape>> {
    let mut code = 0;
    // SAFETY: a live communicator.
    unsafe { mpi::topo_test(comm, &raw mut code) }?;
    if code != kind.code(abi) {
        return Ok(None);
    }
    let lists = || -> Result<Vec<Vec<u32>>> {
        let neighbours = neighbours::outgoing(comm, abi)?;
        Ok(vec![
            neighbours.into_iter().map(c_int::cast_unsigned).collect(),
        ])
    };
    Ok(Some(match kind {
        Kind::Cart => grid(comm)?,
        Kind::Graph => Shape::Graph(lists()?),
        Kind::DistGraph => Shape::DistGraph(lists()?),
    }))
}

fn grid(comm: Handle) -> Result<Shape> {
    let mut number = 0;
    // SAFETY: a Cartesian communicator, here and below.
    unsafe { mpi::cartdim_get(comm, &raw mut number) }?;
    // Never none: the address of an empty array may mean something else to MPI.
    let places = vec![0; number.unsigned_abs().max(1) as usize];
    let (mut extents, mut periods, mut own) = (places.clone(), places.clone(), places);
    // SAFETY: as above, with room for all.
    unsafe {
        mpi::cart_get(
            comm,
            number,
            extents.as_mut_ptr(),
            periods.as_mut_ptr(),
            own.as_mut_ptr(),
        )
    }?;
    let dimension = |(&extent, &period): (&c_int, &c_int)| Dimension {
        extent: extent.unsigned_abs(),
        periodic: period != 0,
    };
    let all = extents.iter().zip(&periods).map(dimension);
    Ok(Shape::Cart(
        all.take(number.unsigned_abs() as usize).collect(),
    ))
}
