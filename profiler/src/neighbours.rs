//! From the arguments of a neighbourhood collective to pairs and bytes (MPI 4.0, section 8.6: the order of neighbours).

use crate::block::Block;
use crate::shares::Shares;
use crate::{attached, epoch, thread};
use libc::c_int;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi};
use rankfold_profile::journal::Key;

/// A neighbourhood collective, as the program described it.
pub(crate) struct Call {
    comm: Handle,
    /// What goes to each neighbour.
    block: Block,
}

impl Call {
    pub(crate) fn new(comm: Handle, block: Block) -> Self {
        Self { comm, block }
    }
}

impl Shares for Call {
    fn each(&self, count: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
            return;
        };
        thread::this().catch_up();
        let Some(ranks) = attached::communicator(self.comm & abi.mask) else {
            return;
        };
        let neighbours = ranks.neighbours(|| outgoing(self.comm, abi).unwrap_or_default());
        for (index, &neighbour) in neighbours.iter().enumerate() {
            // None for `MPI_PROC_NULL`.
            if let Some(place) = ranks.place(neighbour) {
                count(place.key(Key::Sent), self.block.bytes(index, abi));
            }
        }
    }
}

/// Whom the topology of `comm` sends to, ranks in `comm`; local.
pub(crate) fn outgoing(comm: Handle, abi: &Abi) -> Result<Vec<c_int>> {
    let mut kind = 0;
    // SAFETY: a communicator the program is calling on, here and below.
    unsafe { mpi::topo_test(comm, &raw mut kind) }?;
    match kind {
        kind if kind == abi.cart => cart(comm),
        kind if kind == abi.graph => graph(comm),
        kind if kind == abi.dist_graph => dist_graph(comm),
        _ => Ok(Vec::new()),
    }
}

/// Down and up in each dimension; `MPI_PROC_NULL` beyond an open end.
fn cart(comm: Handle) -> Result<Vec<c_int>> {
    let mut dimensions = 0;
    // SAFETY: a Cartesian communicator.
    unsafe { mpi::cartdim_get(comm, &raw mut dimensions) }?;
    let mut all = Vec::new();
    for dimension in 0..dimensions {
        let (mut down, mut up) = (0, 0);
        // SAFETY: as above.
        unsafe { mpi::cart_shift(comm, dimension, 1, &raw mut down, &raw mut up) }?;
        all.extend([down, up]);
    }
    Ok(all)
}

fn graph(comm: Handle) -> Result<Vec<c_int>> {
    let (mut rank, mut degree) = (0, 0);
    // SAFETY: a live communicator.
    unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
    // SAFETY: a graph communicator.
    unsafe { mpi::graph_neighbors_count(comm, rank, &raw mut degree) }?;
    let mut all = places(degree);
    // SAFETY: as above, with room for all.
    unsafe { mpi::graph_neighbors(comm, rank, degree, all.as_mut_ptr()) }?;
    all.truncate(degree.unsigned_abs() as usize);
    Ok(all)
}

fn dist_graph(comm: Handle) -> Result<Vec<c_int>> {
    let (mut into, mut out, mut weighted) = (0, 0, 0);
    // SAFETY: a distributed graph communicator.
    unsafe {
        mpi::dist_graph_neighbors_count(comm, &raw mut into, &raw mut out, &raw mut weighted)
    }?;
    let (mut sources, mut source_weights) = (places(into), places(into));
    let (mut all, mut weights) = (places(out), places(out));
    // SAFETY: as above, with room for all.
    unsafe {
        mpi::dist_graph_neighbors(
            comm,
            into,
            sources.as_mut_ptr(),
            source_weights.as_mut_ptr(),
            out,
            all.as_mut_ptr(),
            weights.as_mut_ptr(),
        )
    }?;
    all.truncate(out.unsigned_abs() as usize);
    Ok(all)
}

/// Never none: the address of an empty array may mean something else to MPI.
fn places(number: c_int) -> Vec<c_int> {
    vec![0; number.unsigned_abs().max(1) as usize]
}

/// How many neighbours a neighbourhood collective on `comm` sends to and receives from; local.
pub(crate) fn degrees(comm: Handle, abi: &Abi) -> Result<(usize, usize)> {
    let out = outgoing(comm, abi)?.len();
    let mut kind = 0;
    // SAFETY: a communicator the program is calling on.
    unsafe { mpi::topo_test(comm, &raw mut kind) }?;
    if kind != abi.dist_graph {
        return Ok((out, out));
    }
    let (mut into, mut out, mut weighted) = (0, 0, 0);
    // SAFETY: a distributed graph communicator.
    unsafe {
        mpi::dist_graph_neighbors_count(comm, &raw mut into, &raw mut out, &raw mut weighted)
    }?;
    Ok((out.unsigned_abs() as usize, into.unsigned_abs() as usize))
}
