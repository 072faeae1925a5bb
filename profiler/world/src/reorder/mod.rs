//! Virtual topologies that the program lets MPI reorder. The mapper orders the ranks in place of
//! MPI.
//!
//! A vertex of the topology is a rank of the communicator on which the topology is made. The result
//! is a communicator in which rank r is the process that becomes vertex r, with the topology as the
//! program has declared it.

mod exchange;

use crate::config;
use crate::mapper::{FirstRank, Hosts, Mapper, budget};
use exchange::Members;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi, Handle};
use rankfold_preload::process;
use rankfold_preload::warning::warn;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether all processes of the world have loaded this library.
static ALL_HERE: AtomicBool = AtomicBool::new(false);

/// Notes that all processes of the world have loaded this library.
pub(crate) fn all_are_here() {
    ALL_HERE.store(true, Ordering::Release);
}

/// A communicator in another order.
pub(crate) struct Reordered {
    /// The communicator, which must be freed.
    pub(crate) comm: Handle,
    /// For each vertex, the rank in the old communicator of the process that becomes this vertex.
    pub(crate) order: Vec<u32>,
    members: Members,
}

/// The edges of a graph that one process declares.
#[derive(Default)]
pub(crate) struct Declared {
    /// Edges between any vertices: sender, receiver and weight.
    pub(crate) edges: Vec<(u32, u32, c_int)>,
}

impl Declared {
    fn to_bytes(&self, host: &str) -> Vec<u8> {
        let mut bytes = (host.len() as u32).to_le_bytes().to_vec();
        bytes.extend(host.as_bytes());
        for (from, to, weight) in &self.edges {
            bytes.extend(from.to_le_bytes());
            bytes.extend(to.to_le_bytes());
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<(String, Self)> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (host, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let edge = |bytes: &[u8]| {
            let weight = number(&bytes[8..]).cast_signed();
            (number(bytes), number(&bytes[4..]), weight)
        };
        let edges = rest.chunks_exact(12).map(edge).collect();
        Some((String::from_utf8_lossy(host).into_owned(), Self { edges }))
    }
}

/// Whether topologies on `comm`, a handle as MPI knows it, are to be reordered. All processes of
/// `comm` get the same answer. The program must be calling on `comm`.
pub(crate) fn is_wanted(comm: Handle) -> bool {
    let Some(abi) = abi::get().filter(|_| ALL_HERE.load(Ordering::Acquire)) else {
        return false;
    };
    let asked = config::get().is_some_and(|config| config.reorder.is_some());
    asked && comm & abi.mask != abi.comm_null && is_of_world(comm, abi).unwrap_or(false)
}

/// Whether all processes of an intracommunicator belong to the world. Other processes may not have
/// loaded this library.
fn is_of_world(comm: Handle, abi: &Abi) -> Result<bool> {
    // SAFETY: the communicator is alive.
    if unsafe { mpi::is_inter(comm) }? {
        return Ok(false);
    }
    let (mut own, mut all, mut size) = (0, 0, 0);
    // SAFETY: the communicator is alive.
    unsafe { mpi::comm_size(comm, &raw mut size) }?;
    // SAFETY: the communicator is alive.
    unsafe { mpi::comm_group(comm, &raw mut own) }?;
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`.
    unsafe { mpi::comm_group(abi.comm_world, &raw mut all) }?;
    let ranks: Vec<c_int> = (0..size).collect();
    let mut found = vec![0; ranks.len()];
    // SAFETY: both groups were made above, and the lists have an item for each of the ranks.
    let result =
        unsafe { mpi::group_translate_ranks(own, size, ranks.as_ptr(), all, found.as_mut_ptr()) };
    for mut group in [own, all] {
        // SAFETY: both groups were made above, and are not used any more.
        unsafe { mpi::group_free(&raw mut group) }?;
    }
    result?;
    // `MPI_UNDEFINED` is negative in every MPI library.
    Ok(size > 1 && found.iter().all(|&rank| rank >= 0))
}

/// A communicator for the graph that the processes of `comm` declare together; `None` if the mapper
/// does not answer. Collective.
pub(crate) fn reordered(comm: Handle, declared: &Declared) -> Option<Reordered> {
    let abi = abi::get()?;
    let members = Members::of(comm, abi).ok()?;
    let own = declared.to_bytes(&process::host());
    let answer = match members.gather(&own).ok()? {
        Some(all) => ask(&all).unwrap_or_default(),
        None => Vec::new(),
    };
    let bytes: Vec<u8> = answer.into_iter().flat_map(u32::to_le_bytes).collect();
    let order = members.spread(bytes).ok()?;
    let (numbers, _) = order.as_chunks();
    let order: Vec<u32> = numbers
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    if order.len() != members.size {
        return None;
    }
    Some(Reordered {
        comm: members.permuted(&order).ok()?,
        order,
        members,
    })
}

impl Reordered {
    /// Returns the `row` of the process whose old rank is now the rank of this process. Collective.
    pub(crate) fn moved(&self, row: &[u8]) -> Option<Vec<u8>> {
        let rows = self.members.gather(row).ok()?;
        let moved = rows.map(|rows| {
            let mut moved = vec![Vec::new(); rows.len()];
            for (&process, row) in self.order.iter().zip(rows) {
                moved[process as usize] = row;
            }
            moved
        });
        self.members.deal(moved).ok()
    }

    /// The new rank of this process.
    pub(crate) fn rank(&self) -> c_int {
        let own = self.members.rank as u32;
        let place = self.order.iter().position(|&process| process == own);
        place.unwrap_or_default() as c_int
    }

    /// Frees the communicator.
    pub(crate) fn free(mut self) {
        // SAFETY: `reordered` has made the communicator, and no operation is under way on it.
        let _ = unsafe { mpi::comm_free(&raw mut self.comm) };
    }
}

/// Asks the mapper for the process of every vertex, by the edges that all processes have declared.
fn ask(all: &[Vec<u8>]) -> Option<Vec<u32>> {
    let config = config::get()?;
    let all: Vec<(String, Declared)> = all
        .iter()
        .map(|bytes| Declared::from_bytes(bytes))
        .collect::<Option<_>>()?;
    let hosts: Hosts = all.iter().map(|(host, _)| host.as_str()).collect();
    if hosts.names.len() < 2 {
        return None;
    }
    let matrix = as_matrix(all.iter().map(|(_, declared)| declared), all.len());
    let budget = budget(all.len(), config.budget);
    let answer = Mapper::read(config.reorder.as_deref()?)
        .and_then(|mapper| mapper.ask(Some(&matrix), &hosts, FirstRank::MayMove, budget));
    match answer {
        Ok(of_vertex) => processes(&of_vertex, &hosts.of_process),
        Err(reason) => {
            let ranks = all.len();
            warn(format_args!(
                "a topology of {ranks} ranks is not reordered: {reason}"
            ));
            None
        }
    }
}

/// All declared edges in the Matrix Market format. The row is the sender.
fn as_matrix<'a>(all: impl Iterator<Item = &'a Declared>, vertices: usize) -> String {
    let is_vertex = |vertex: u32| (vertex as usize) < vertices;
    let mut weights: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for &(from, to, weight) in all.flat_map(|declared| &declared.edges) {
        if from != to && is_vertex(from) && is_vertex(to) {
            *weights.entry((from, to)).or_default() += i64::from(weight.max(1));
        }
    }
    let number = weights.len();
    let mut text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{vertices} {vertices} {number}\n"
    );
    for ((from, to), weight) in weights {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {} {weight}", from + 1, to + 1);
    }
    text
}

/// The process of every vertex, which must be on the host of the vertex. Where possible, a vertex
/// stays with the process that has declared it.
fn processes(of_vertex: &[usize], of_process: &[usize]) -> Option<Vec<u32>> {
    let stays = |vertex: &usize| of_vertex[*vertex] == of_process[*vertex];
    let mut free: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for process in (0..of_process.len())
        .rev()
        .filter(|process| !stays(process))
    {
        free.entry(of_process[process])
            .or_default()
            .push(process as u32);
    }
    let process = |vertex| {
        if stays(&vertex) {
            Some(vertex as u32)
        } else {
            free.get_mut(&of_vertex[vertex])?.pop()
        }
    };
    (0..of_vertex.len()).map(process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_find_processes_on_their_hosts_and_stay_where_they_can() {
        assert_eq!(
            processes(&[0, 1, 0, 1], &[0, 0, 1, 1]),
            Some(vec![0, 2, 1, 3])
        );
        assert_eq!(
            processes(&[1, 1], &[0, 1]),
            None,
            "nobody is left on host 1"
        );
    }

    #[test]
    fn what_several_declare_is_added() {
        let declared = |edges| Declared { edges };
        let all = [
            declared(vec![(0, 1, 5), (1, 1, 2)]),
            declared(vec![(0, 1, 0), (0, 9, 1)]),
        ];
        assert!(as_matrix(all.iter(), 2).ends_with("\n2 2 1\n1 2 6\n"));
    }

    #[test]
    fn what_is_declared_comes_back_from_its_bytes() {
        let edges = vec![(0, 1, 5), (7, 0, -1)];
        let declared = Declared {
            edges: edges.clone(),
        };
        let (host, read) = Declared::from_bytes(&declared.to_bytes("n0")).expect("readable");
        assert_eq!((host.as_str(), read.edges), ("n0", edges));
    }
}
