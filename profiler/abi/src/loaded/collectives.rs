//! Collectives of 32-bit integers on all ranks.
//!
//! Lengths are checked where a wrong one would reach beyond a slice; ranks that do not agree in the
//! collective, its root or its lengths get what MPI gives such programs.

use super::calls;
use super::world::{World, count};
use crate::mpi::Result;
use libc::c_int;

/// Which part of a slice belongs to each rank: how many integers, from which place on.
#[derive(Clone, Debug, Default)]
pub struct Share {
    numbers: Vec<c_int>,
    places: Vec<c_int>,
    /// One behind the last integer of any rank.
    end: usize,
}

impl Share {
    /// One (number, place) a rank.
    ///
    /// # Panics
    /// A number is beyond what an `int` holds.
    pub fn new(ranks: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut share = Self::default();
        for (number, place) in ranks {
            share.numbers.push(count(number));
            share.places.push(count(place));
            share.end = share.end.max(place + number);
        }
        share
    }

    /// Checks that every one of `ranks` ranks has a part, all within `length` integers.
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
        // SAFETY: as many integers as are counted, ours alone until MPI returns.
        unsafe { calls::bcast(data.as_mut_ptr().cast(), number, int, root, world) }
    }

    /// `MPI_Gather`: `all` has `own.len()` integers a rank on the root, and is empty elsewhere.
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
        // SAFETY: as many integers as are counted in `own`; the root, which alone receives, has
        // room for those of all.
        unsafe { calls::gather(from, number, int, into, number, int, root, world) }
    }

    /// `MPI_Gatherv`: `all` has the integers of every rank in its share on the root, and is empty
    /// elsewhere.
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
        // SAFETY: as many integers as are counted in `own`; all shares lie within `all` on the
        // root, which alone receives.
        unsafe { calls::gatherv(from, number, int, into, numbers, places, int, root, world) }
    }

    /// `MPI_Scatter`: `all` has `own.len()` integers a rank on the root, and is empty elsewhere.
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
        // SAFETY: as many integers as are counted in `own`; the root, which alone sends, has those
        // of all.
        unsafe { calls::scatter(from, number, int, into, number, int, root, world) }
    }

    /// `MPI_Scatterv`: `all` has the integers of every rank in its share on the root, and is empty
    /// elsewhere.
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
        // SAFETY: as many integers as are counted in `own`; all shares lie within `all` on the
        // root, which alone sends.
        unsafe { calls::scatterv(from, numbers, places, int, into, number, int, root, world) }
    }

    /// `MPI_Allgather`: `all` has `own.len()` integers a rank.
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
        // SAFETY: as many integers as are counted in `own`, and room for those of all.
        unsafe { calls::allgather(from, number, int, into, number, int, world) }
    }

    /// `MPI_Allgatherv`: `all` has the integers of every rank in its share.
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
        // SAFETY: as many integers as are counted in `own`, and all shares lie within `all`.
        unsafe { calls::allgatherv(from, number, int, into, numbers, places, int, world) }
    }

    /// `MPI_Alltoall`: as many integers from every rank to every rank, `size()` times that in both
    /// slices.
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
        // SAFETY: both slices have as many integers as are counted for each of all ranks.
        unsafe { calls::alltoall(from, number, int, into, number, int, world) }
    }

    /// `MPI_Alltoallv`: to and from every rank its share.
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

    /// `MPI_Reduce` with `MPI_SUM`: the root's `sum` is as long as `own`, and empty elsewhere.
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
        // SAFETY: as many integers as are counted in `own`, and in `sum` on the root, which alone
        // receives.
        unsafe { calls::reduce(own.as_ptr(), sum.as_mut_ptr(), number, int, op, root, world) }
    }

    /// `MPI_Scan` with `MPI_SUM`: the sums of all ranks up to this one.
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
        // SAFETY: both slices have as many integers as are counted.
        unsafe { calls::scan(own.as_ptr(), sum.as_mut_ptr(), number, int, op, world) }
    }
}
