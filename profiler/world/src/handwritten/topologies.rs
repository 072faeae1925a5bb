//! Virtual topologies. If the user has asked for it, the mapper orders the ranks of those that MPI
//! may reorder.

use crate::reorder::{self, Declared, Reordered};
use crate::world::exchanged;
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle, c_name, data, mpi};
use std::sync::{Mutex, PoisonError};

/// A grid that was reordered: the old communicator, the extent and periodicity of each dimension,
/// and the new rank of this process.
type Grid = (Handle, Vec<c_int>, Vec<c_int>, c_int);

/// All such grids, for `MPI_Cart_map`. The last one of a communicator counts.
static GRIDS: Mutex<Vec<Grid>> = Mutex::new(Vec::new());

handwritten! {
    Cart_create: (comm: Handle, number: c_int, extents: Address, periods: Address, reorder: c_int, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the program has passed an extent for every dimension.
        let sizes = unsafe { items(extents, number) };
        // SAFETY: the program has passed for every dimension whether it is periodic.
        let ends = unsafe { items(periods, number) };
        let grid = || on_all(comm, sizes.iter().product(), |rank| around(rank, &sizes, &ends));
        let Some(made) = better(comm, reorder, grid) else {
            // SAFETY: the arguments are those that the program passed to this function, with the
            // world exchanged.
            return unsafe { forward(comm, number, extents, periods, reorder, new) };
        };
        let mut grids = GRIDS.lock().unwrap_or_else(PoisonError::into_inner);
        grids.retain(|(known, ..)| *known != named(comm));
        grids.push((named(comm), sizes, ends, made.rank()));
        drop(grids);
        // SAFETY: the arguments are those of the program, on a communicator with the same number of
        // ranks.
        let code = unsafe { forward(made.comm, number, extents, periods, 0, new) };
        made.free();
        code
    };
    Cart_map: (comm: Handle, number: c_int, extents: Address, periods: Address, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the program has passed an extent for every dimension.
        let sizes = unsafe { items(extents, number) };
        // SAFETY: the program has passed for every dimension whether it is periodic.
        let ends = unsafe { items(periods, number) };
        let grids = GRIDS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = grids.iter().find(|grid| (grid.0, &grid.1, &grid.2) == (named(comm), &sizes, &ends));
        if let Some(&(.., rank)) = known {
            // SAFETY: the program has passed the address of an integer.
            unsafe { new.cast::<c_int>().write(rank) };
            return 0;
        }
        drop(grids);
        // SAFETY: the arguments are those that the program passed to this function, with the world
        // exchanged.
        unsafe { forward(comm, number, extents, periods, new) }
    };
    Graph_create: (comm: Handle, number: c_int, ends: Address, edges: Address, reorder: c_int, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the program has passed the end of its list of edges for every vertex.
        let ends_of = unsafe { items(ends, number) };
        // SAFETY: the program has passed as many edges as the end of the last list says.
        let to = unsafe { items(edges, ends_of.last().copied().unwrap_or(0)) };
        let graph = || on_all(comm, number, |rank| listed(rank, &ends_of, &to));
        let Some(made) = better(comm, reorder, graph) else {
            // SAFETY: the arguments are those that the program passed to this function, with the
            // world exchanged.
            return unsafe { forward(comm, number, ends, edges, reorder, new) };
        };
        // SAFETY: the arguments are those of the program, on a communicator with the same number of
        // ranks.
        let code = unsafe { forward(made.comm, number, ends, edges, 0, new) };
        made.free();
        code
    };
}

handwritten! {
    Dist_graph_create:
    (comm: Handle, number: c_int, nodes: Address, degrees: Address, to: Address, weights: Address, info: Handle, reorder: c_int, new: Address) {
        let comm = exchanged(comm);
        let graph = || {
            // SAFETY: the program has passed this number of vertices.
            let from = unsafe { items(nodes, number) };
            // SAFETY: the program has passed a degree for each of them.
            let degrees = unsafe { items(degrees, number) };
            let all = degrees.iter().sum();
            // SAFETY: the program has passed as many targets as the sum of all degrees.
            let to = unsafe { items(to, all) };
            // SAFETY: the program has passed a weight for each target, or none.
            let weights = unsafe { weighed(weights, all) };
            let each = from.iter().zip(&degrees).flat_map(|(&from, &degree)| (0..degree).map(move |_| from));
            let edges = each.zip(to).zip(weights).map(|((from, to), weight)| (from.cast_unsigned(), to.cast_unsigned(), weight));
            Some(Declared { edges: edges.collect() })
        };
        let Some(made) = better(comm, reorder, graph) else {
            // SAFETY: the arguments are those that the program passed to this function, with the
            // world exchanged.
            return unsafe { forward(comm, number, nodes, degrees, to, weights, info, reorder, new) };
        };
        // SAFETY: the arguments are those of the program, on a communicator with the same number of
        // ranks. The vertices are the ranks of the new communicator, so any process may declare an
        // edge.
        let code = unsafe { forward(made.comm, number, nodes, degrees, to, weights, info, 0, new) };
        made.free();
        code
    };
    Dist_graph_create_adjacent:
    (comm: Handle, into: c_int, sources: Address, source_weights: Address, out: c_int, to: Address, weights: Address, info: Handle,
     reorder: c_int, new: Address) {
        let comm = exchanged(comm);
        // SAFETY: the program has passed this number of sources.
        let from = unsafe { items(sources, into) };
        // SAFETY: the program has passed a weight for each source, or none.
        let from_weights = unsafe { weighed(source_weights, into) };
        // SAFETY: the program has passed this number of targets.
        let targets = unsafe { items(to, out) };
        // SAFETY: the program has passed a weight for each target, or none.
        let target_weights = unsafe { weighed(weights, out) };
        let row = [from, from_weights, targets, target_weights];
        let graph = || {
            let rank = rank_in(comm)?;
            let edges = row[2].iter().zip(&row[3]).map(|(&to, &weight)| (rank, to.cast_unsigned(), weight));
            Some(Declared { edges: edges.collect() })
        };
        // A process that becomes another vertex must declare the edges of that vertex, in the order
        // in which they were declared.
        let moved = better(comm, reorder, graph).and_then(|made| {
            let row = made.moved(&packed(&row));
            row.and_then(|row| unpacked(&row)).map(|row| (made, row))
        });
        let Some((made, [sources, source_weights_now, to, weights_now])) = moved else {
            // SAFETY: the arguments are those that the program passed to this function, with the
            // world exchanged.
            return unsafe { forward(comm, into, sources, source_weights, out, to, weights, info, reorder, new) };
        };
        let address = |list: &[c_int]| list.as_ptr().cast_mut().cast();
        let weights_at = |given: Address, list: &[c_int]| if is_unweighted(given) { given } else { address(list) };
        // SAFETY: the lists have the lengths that are passed, and the communicator was made for
        // this call.
        let code = unsafe {
            forward(
                made.comm,
                length(&sources),
                address(&sources),
                weights_at(source_weights, &source_weights_now),
                length(&to),
                address(&to),
                weights_at(weights, &weights_now),
                info,
                0,
                new,
            )
        };
        made.free();
        code
    };
}

/// A communicator in a better order, if the program allows one, the user wants it, and the mapper
/// answers.
fn better(
    comm: Handle,
    reorder: c_int,
    graph: impl FnOnce() -> Option<Declared>,
) -> Option<Reordered> {
    if reorder == 0 || !reorder::is_wanted(comm) {
        return None;
    }
    reorder::reordered(comm, &graph()?)
}

/// The edges that this process declares of a graph that every process knows as a whole: those of
/// its own vertex. `None` if the graph has not one vertex for every rank.
fn on_all(comm: Handle, vertices: c_int, of: impl Fn(u32) -> Vec<u32>) -> Option<Declared> {
    let mut size = 0;
    // SAFETY: the program is calling on the communicator, so it is alive.
    unsafe { mpi::comm_size(comm, &raw mut size) }.ok()?;
    let rank = rank_in(comm).filter(|_| size == vertices)?;
    let edges = of(rank).into_iter().map(|to| (rank, to, 1)).collect();
    Some(Declared { edges })
}

fn rank_in(comm: Handle) -> Option<u32> {
    let mut rank = 0;
    // SAFETY: the program is calling on the communicator, so it is alive.
    unsafe { mpi::comm_rank(comm, &raw mut rank) }.ok()?;
    u32::try_from(rank).ok()
}

/// The neighbours of a rank in a grid. The last dimension varies fastest.
fn around(rank: u32, sizes: &[c_int], ends: &[c_int]) -> Vec<u32> {
    let mut all = Vec::new();
    let mut stride = 1;
    for (&size, &end) in sizes.iter().zip(ends).rev() {
        let (size, here) = (i64::from(size), i64::from(rank) / stride % i64::from(size));
        for next in [here - 1, here + 1] {
            if end != 0 || (0..size).contains(&next) {
                let to = i64::from(rank) + (next.rem_euclid(size) - here) * stride;
                all.extend(u32::try_from(to));
            }
        }
        stride *= size;
    }
    all
}

/// The neighbours of a rank in a graph that is given as the end of each rank's list, and all lists.
fn listed(rank: u32, ends: &[c_int], to: &[c_int]) -> Vec<u32> {
    let rank = rank as usize;
    let begin = rank.checked_sub(1).map_or(0, |before| ends[before]);
    let list = to.get(begin as usize..ends[rank] as usize);
    list.unwrap_or_default()
        .iter()
        .map(|&to| to.cast_unsigned())
        .collect()
}

/// The bits of a handle that mean something.
fn named(comm: Handle) -> Handle {
    comm & abi::get().map_or(Handle::MAX, |abi| abi.mask)
}

fn length(list: &[c_int]) -> c_int {
    list.len() as c_int
}

/// Copies an array of the program.
///
/// # Safety
/// `at` is the address of this number of integers.
unsafe fn items(at: Address, number: c_int) -> Vec<c_int> {
    let number = usize::try_from(number).unwrap_or(0);
    let item = |index| {
        // SAFETY: the caller guarantees this number of integers.
        unsafe { at.cast::<c_int>().wrapping_add(index).read() }
    };
    (0..if at.is_null() { 0 } else { number })
        .map(item)
        .collect()
}

/// Copies an array of weights. Without weights, all are 1.
///
/// # Safety
/// `at` is the address of this number of integers, or one that stands for no weights.
unsafe fn weighed(at: Address, number: c_int) -> Vec<c_int> {
    if is_unweighted(at) {
        return vec![1; usize::try_from(number).unwrap_or(0)];
    }
    // SAFETY: the caller guarantees this number of integers.
    unsafe { items(at, number) }
}

/// Whether the address is `MPI_UNWEIGHTED`: a small number, or in the MPICH family the value of a
/// variable of this name.
fn is_unweighted(at: Address) -> bool {
    let variable = || data(c_name!("MPI_UNWEIGHTED"));
    match abi::get() {
        Some(abi) if abi.width == 4 => variable().is_some_and(|place| {
            // SAFETY: the variable of this name is a constant pointer in this family.
            unsafe { place.cast::<Address>().read() == at }
        }),
        _ => at.addr() < 4096,
    }
}

fn packed(row: &[Vec<c_int>; 4]) -> Vec<u8> {
    let lists = row.iter().flat_map(|list| {
        let head = [length(list)].into_iter();
        head.chain(list.iter().copied()).collect::<Vec<_>>()
    });
    lists.flat_map(c_int::to_le_bytes).collect()
}

fn unpacked(bytes: &[u8]) -> Option<[Vec<c_int>; 4]> {
    let (numbers, _) = bytes.as_chunks();
    let mut numbers = numbers.iter().map(|bytes| c_int::from_le_bytes(*bytes));
    let mut list = || {
        let length = usize::try_from(numbers.next()?).ok()?;
        Some(numbers.by_ref().take(length).collect::<Vec<_>>())
    };
    Some([list()?, list()?, list()?, list()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_a_grid_are_those_of_mpi() {
        // 2 by 3 ranks, of which the second dimension is periodic.
        assert_eq!(around(0, &[2, 3], &[0, 1]), [2, 1, 3]);
        assert_eq!(around(4, &[2, 3], &[0, 1]), [3, 5, 1]);
    }

    #[test]
    fn lists_end_where_the_next_begins() {
        assert_eq!(listed(0, &[2, 3], &[1, 1, 0]), [1, 1]);
        assert_eq!(listed(1, &[2, 3], &[1, 1, 0]), [0]);
    }

    #[test]
    fn a_row_comes_back_from_its_bytes() {
        let row = [vec![1, 2], vec![7, 8], vec![], vec![-3]];
        assert_eq!(unpacked(&packed(&row)), Some(row));
    }
}
