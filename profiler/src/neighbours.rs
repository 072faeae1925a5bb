//! From the arguments of a neighbourhood collective to pairs and bytes (MPI 4.0, section 8.6: the order of neighbours).

use crate::abi::{self, Abi};
use crate::entry::{Address, Handle};
use crate::message::Message;
use crate::mpi::{self, Result};
use crate::{attached, counters, epoch, thread};
use libc::c_int;

/// What goes to each neighbour.
pub(crate) enum Parts {
    /// This many items of this type.
    Equal(i64, Handle),
    /// As many items of one type as an array says.
    Varying(*const c_int, Handle),
    /// As many items, and of the types, as two arrays say.
    Typed(*const c_int, Address),
}

/// Counts a collective on `comm`.
pub(crate) fn count(comm: Handle, parts: &Parts) {
    for (rank, bytes) in pairs(comm, parts) {
        if let Some(slot) = thread::this().counters.slot(counters::sent_to(rank)) {
            slot.add(bytes);
        }
    }
}

/// The receivers in the world, in neighbour order, and what each gets.
pub(crate) fn pairs(comm: Handle, parts: &Parts) -> Vec<(u32, u64)> {
    let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
        return Vec::new();
    };
    thread::this().catch_up();
    let neighbours = attached::communicator(comm & abi.mask)
        .map(|ranks| ranks.neighbours(|| neighbours(comm, abi).unwrap_or_default()))
        .unwrap_or_default();
    let message = |(index, &neighbour)| {
        let (number, datatype) = parts.of(index, abi);
        Message::new(comm, neighbour, number, datatype).receiver()
    };
    neighbours.iter().enumerate().filter_map(message).collect()
}

impl Parts {
    pub(crate) fn equal(number: impl Into<i64>, datatype: Handle) -> Self {
        Self::Equal(number.into(), datatype)
    }

    /// What goes to the `index`-th neighbour.
    fn of(&self, index: usize, abi: &Abi) -> (i64, Handle) {
        // SAFETY: the program passes as many counts as there are neighbours.
        let number =
            |numbers: *const c_int| i64::from(unsafe { numbers.wrapping_add(index).read() });
        match *self {
            Self::Equal(items, datatype) => (items, datatype),
            Self::Varying(numbers, datatype) => (number(numbers), datatype),
            Self::Typed(numbers, types) => {
                // SAFETY: and as many datatypes.
                let datatype = unsafe { abi.handle_at(types, index) };
                (number(numbers), datatype)
            }
        }
    }
}

/// Whom the topology of `comm` sends to, ranks in `comm`; local.
fn neighbours(comm: Handle, abi: &Abi) -> Result<Vec<c_int>> {
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
