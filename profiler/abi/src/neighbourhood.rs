//! The neighbours of this process in the virtual topology of a communicator, in the order of MPI
//! 4.0, section 8.6. All functions are local.

use crate::abi::Abi;
use crate::handle::Handle;
use crate::mpi::{self, Result};
use libc::c_int;

/// The kind of topology of `comm`, on which the program is calling: [`Abi::cart`], [`Abi::graph`]
/// or [`Abi::dist_graph`]. Any other number means that there is none.
///
/// # Errors
/// Those of MPI.
pub fn kind(comm: Handle) -> Result<c_int> {
    let mut kind = 0;
    // SAFETY: `comm` is a communicator on which the program is calling.
    unsafe { mpi::topo_test(comm, &raw mut kind) }?;
    Ok(kind)
}

/// The ranks in `comm`, or `MPI_PROC_NULL`, to which this process sends in a neighbourhood
/// collective on `comm`. The program must be calling on `comm`.
///
/// # Errors
/// Those of MPI.
pub fn receivers(comm: Handle, abi: &Abi) -> Result<Vec<c_int>> {
    match kind(comm)? {
        kind if kind == abi.cart => cart(comm),
        kind if kind == abi.graph => graph(comm),
        kind if kind == abi.dist_graph => dist_graph(comm),
        _ => Ok(Vec::new()),
    }
}

/// The numbers of neighbours to which this process sends, and from which it receives, in a
/// neighbourhood collective on `comm`. The program must be calling on `comm`.
///
/// # Errors
/// Those of MPI.
pub fn degrees(comm: Handle, abi: &Abi) -> Result<(usize, usize)> {
    if kind(comm)? == abi.dist_graph {
        let (sources, receivers) = dist_graph_degrees(comm)?;
        return Ok((length(receivers), length(sources)));
    }
    // Grids and graphs are symmetric, so a process sends to as many neighbours as it receives from.
    let all = receivers(comm, abi)?.len();
    Ok((all, all))
}

/// The dimensions of the Cartesian communicator `comm`, on which the program is calling. Each has
/// its number of ranks, and whether it is periodic.
///
/// # Errors
/// Those of MPI.
pub fn dimensions(comm: Handle) -> Result<Vec<(u32, bool)>> {
    let number = number_of_dimensions(comm)?;
    let (mut extents, mut periods, mut own) = (array(number), array(number), array(number));
    // SAFETY: `comm` is a Cartesian communicator, and each array has an item for each of its
    // dimensions.
    unsafe {
        mpi::cart_get(
            comm,
            number,
            extents.as_mut_ptr(),
            periods.as_mut_ptr(),
            own.as_mut_ptr(),
        )
    }?;
    let dimension = |(&extent, &period): (&c_int, &c_int)| (extent.unsigned_abs(), period != 0);
    let all = extents.iter().zip(&periods).map(dimension);
    Ok(all.take(length(number)).collect())
}

fn number_of_dimensions(comm: Handle) -> Result<c_int> {
    let mut number = 0;
    // SAFETY: `comm` is a Cartesian communicator on which the program is calling.
    unsafe { mpi::cartdim_get(comm, &raw mut number) }?;
    Ok(number)
}

/// The lower and the upper neighbour in each dimension; `MPI_PROC_NULL` at an end that is not
/// periodic.
fn cart(comm: Handle) -> Result<Vec<c_int>> {
    let mut all = Vec::new();
    for dimension in 0..number_of_dimensions(comm)? {
        let (mut down, mut up) = (0, 0);
        // SAFETY: `comm` is a Cartesian communicator on which the program is calling, and has this
        // dimension.
        unsafe { mpi::cart_shift(comm, dimension, 1, &raw mut down, &raw mut up) }?;
        all.extend([down, up]);
    }
    Ok(all)
}

fn graph(comm: Handle) -> Result<Vec<c_int>> {
    let (mut rank, mut degree) = (0, 0);
    // SAFETY: `comm` is a communicator on which the program is calling.
    unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
    // SAFETY: `comm` is a graph communicator on which the program is calling, and `rank` is a rank
    // in it.
    unsafe { mpi::graph_neighbors_count(comm, rank, &raw mut degree) }?;
    let mut all = array(degree);
    // SAFETY: `comm` is a graph communicator, `rank` is a rank in it, and the array has an item for
    // each of its neighbours.
    unsafe { mpi::graph_neighbors(comm, rank, degree, all.as_mut_ptr()) }?;
    all.truncate(length(degree));
    Ok(all)
}

fn dist_graph(comm: Handle) -> Result<Vec<c_int>> {
    let (into, out) = dist_graph_degrees(comm)?;
    let (mut sources, mut source_weights) = (array(into), array(into));
    let (mut all, mut weights) = (array(out), array(out));
    // SAFETY: `comm` is a distributed graph communicator, and the arrays have an item for each
    // source and receiver.
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
    all.truncate(length(out));
    Ok(all)
}

/// Number of sources, and number of receivers.
fn dist_graph_degrees(comm: Handle) -> Result<(c_int, c_int)> {
    let (mut into, mut out, mut weighted) = (0, 0, 0);
    // SAFETY: `comm` is a distributed graph communicator on which the program is calling.
    unsafe {
        mpi::dist_graph_neighbors_count(comm, &raw mut into, &raw mut out, &raw mut weighted)
    }?;
    Ok((into, out))
}

/// An array of `number` items, but of at least one: the address of an empty array may have a
/// special meaning in MPI.
fn array(number: c_int) -> Vec<c_int> {
    vec![0; length(number).max(1)]
}

fn length(number: c_int) -> usize {
    number.unsigned_abs() as usize
}
