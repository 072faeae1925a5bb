//! Collectives of 32-bit integers on all ranks.
//!
//! Lengths are checked where a wrong one would reach beyond a slice. If the ranks do not call the
//! same collective with the same root and lengths, MPI does what it does with any such program.

use super::calls;
use super::world::{World, count};
use crate::mpi::Result;
use libc::c_int;

/// The part of a slice that belongs to each rank: the number of integers, and the place of the
/// first.
#[derive(Clone, Debug, Default)]
pub struct Share {
    numbers: Vec<c_int>,
    places: Vec<c_int>,
    /// The place behind the last integer of any rank.
    end: usize,
}

impl Share {
    /// Takes a number and a place for each rank.
    ///
    /// # Panics
    /// A number does not fit into an `int`.
    pub fn new(ranks: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut share = Self::default();
        for (number, place) in ranks {
            share.numbers.push(count(number));
            share.places.push(count(place));
            share.end = share.end.max(place + number);
        }
        share
    }

    /// Checks that there is a part for each of `ranks` ranks, and that all parts lie within
    /// `length` integers.
    fn check(&self, ranks: usize, length: usize) {
        assert!(self.numbers.len() == ranks && self.end <= length);
    }
}

impl World {
    /// `MPI_Barrier`.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    pub fn barrier(&self) -> Result {
        // SAFETY: the world is alive.
        unsafe { calls::barrier(self.abi.comm_world) }
    }

    /// `MPI_Bcast`.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    pub fn broadcast(&self, data: &mut [i32], root: usize) -> Result {
        let (number, root) = (count(data.len()), self.peer(root));
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `data` holds this many integers, and is borrowed exclusively until MPI returns.
        unsafe { calls::bcast(data.as_mut_ptr().cast(), number, int, root, world) }
    }

    /// `MPI_Gather`: on the root `all` has `own.len()` integers for each rank; elsewhere it is
    /// empty.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short.
    pub fn gather(&self, own: &[i32], all: &mut [i32], root: usize) -> Result {
        assert!(root != self.rank() || all.len() >= self.size() * own.len());
        let (number, root) = (count(own.len()), self.peer(root));
        let (from, into) = (own.as_ptr(), all.as_mut_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` holds this many integers. The root, which alone receives, has room for
        // those of all ranks.
        unsafe { calls::gather(from, number, int, into, number, int, root, world) }
    }

    /// `MPI_Gatherv`: on the root `all` has the integers of every rank in the share of that rank;
    /// elsewhere it is empty.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short for the shares.
    pub fn gather_shares(
        &self,
        own: &[i32],
        (all, shares): (&mut [i32], &Share),
        root: usize,
    ) -> Result {
        if root == self.rank() {
            shares.check(self.size(), all.len());
        }
        let (number, root) = (count(own.len()), self.peer(root));
        let (from, into) = (own.as_ptr(), all.as_mut_ptr());
        let (numbers, places) = (shares.numbers.as_ptr(), shares.places.as_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` holds this many integers, and on the root, which alone receives, all shares
        // lie within `all`.
        unsafe { calls::gatherv(from, number, int, into, numbers, places, int, root, world) }
    }

    /// `MPI_Scatter`: on the root `all` has `own.len()` integers for each rank; elsewhere it is
    /// empty.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short.
    pub fn scatter(&self, all: &[i32], own: &mut [i32], root: usize) -> Result {
        assert!(root != self.rank() || all.len() >= self.size() * own.len());
        let (number, root) = (count(own.len()), self.peer(root));
        let (from, into) = (all.as_ptr(), own.as_mut_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` has room for this many integers. The root, which alone sends, has those of
        // all ranks.
        unsafe { calls::scatter(from, number, int, into, number, int, root, world) }
    }

    /// `MPI_Scatterv`: on the root `all` has the integers of every rank in the share of that rank;
    /// elsewhere it is empty.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short for the shares.
    pub fn scatter_shares(
        &self,
        (all, shares): (&[i32], &Share),
        own: &mut [i32],
        root: usize,
    ) -> Result {
        if root == self.rank() {
            shares.check(self.size(), all.len());
        }
        let (number, root) = (count(own.len()), self.peer(root));
        let (from, into) = (all.as_ptr(), own.as_mut_ptr());
        let (numbers, places) = (shares.numbers.as_ptr(), shares.places.as_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` has room for this many integers, and on the root, which alone sends, all
        // shares lie within `all`.
        unsafe { calls::scatterv(from, numbers, places, int, into, number, int, root, world) }
    }

    /// `MPI_Allgather`: `all` has `own.len()` integers for each rank.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short.
    pub fn gather_to_all(&self, own: &[i32], all: &mut [i32]) -> Result {
        assert!(all.len() >= self.size() * own.len());
        let number = count(own.len());
        let (from, into) = (own.as_ptr(), all.as_mut_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` holds this many integers, and `all` has room for those of all ranks.
        unsafe { calls::allgather(from, number, int, into, number, int, world) }
    }

    /// `MPI_Allgatherv`: `all` has the integers of every rank in the share of that rank.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `all` is too short for the shares.
    pub fn gather_shares_to_all(&self, own: &[i32], all: &mut [i32], shares: &Share) -> Result {
        shares.check(self.size(), all.len());
        let number = count(own.len());
        let (from, into) = (own.as_ptr(), all.as_mut_ptr());
        let (numbers, places) = (shares.numbers.as_ptr(), shares.places.as_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: `own` holds this many integers, and all shares lie within `all`.
        unsafe { calls::allgatherv(from, number, int, into, numbers, places, int, world) }
    }

    /// `MPI_Alltoall`: every rank sends the same number of integers to every rank. Both slices have
    /// `size()` times as many integers.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// The slices have different lengths.
    pub fn all_to_all(&self, from: &[i32], into: &mut [i32]) -> Result {
        assert!(from.len() == into.len());
        let number = count(from.len() / self.size());
        let (from, into) = (from.as_ptr(), into.as_mut_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: both slices have this many integers for each of all ranks.
        unsafe { calls::alltoall(from, number, int, into, number, int, world) }
    }

    /// `MPI_Alltoallv`: sends its share to every rank, and receives one from every rank.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// A slice is too short for its shares.
    pub fn all_to_all_shares(
        &self,
        (from, sent): (&[i32], &Share),
        (into, received): (&mut [i32], &Share),
    ) -> Result {
        sent.check(self.size(), from.len());
        received.check(self.size(), into.len());
        let (from, into) = (from.as_ptr(), into.as_mut_ptr());
        let (numbers, places) = (sent.numbers.as_ptr(), sent.places.as_ptr());
        let (expected, rooms) = (received.numbers.as_ptr(), received.places.as_ptr());
        let (int, world) = (self.abi.int, self.abi.comm_world);
        // SAFETY: the shares of all ranks lie within their slices.
        unsafe {
            calls::alltoallv(
                from, numbers, places, int, into, expected, rooms, int, world,
            )
        }
    }

    /// `MPI_Reduce` with `MPI_SUM`: on the root `sum` is as long as `own`; elsewhere it is empty.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// The root's `sum` is too short.
    pub fn reduce(&self, own: &[i32], sum: &mut [i32], root: usize) -> Result {
        assert!(root != self.rank() || sum.len() >= own.len());
        let (number, root) = (count(own.len()), self.peer(root));
        let (int, op, world) = (self.abi.int, self.abi.sum, self.abi.comm_world);
        // SAFETY: `own` holds this many integers, and so does `sum` on the root, which alone
        // receives.
        unsafe { calls::reduce(own.as_ptr(), sum.as_mut_ptr(), number, int, op, root, world) }
    }

    /// `MPI_Scan` with `MPI_SUM`: the sums over the ranks up to this one.
    ///
    /// # Errors
    /// [`crate::mpi::MpiError`].
    ///
    /// # Panics
    /// `sum` is too short.
    pub fn scan(&self, own: &[i32], sum: &mut [i32]) -> Result {
        assert!(sum.len() >= own.len());
        let number = count(own.len());
        let (int, op, world) = (self.abi.int, self.abi.sum, self.abi.comm_world);
        // SAFETY: both slices have this many integers.
        unsafe { calls::scan(own.as_ptr(), sum.as_mut_ptr(), number, int, op, world) }
    }
}
