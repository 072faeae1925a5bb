//! Arrays of counts for the plain form of a `_c` function that the loaded MPI lacks: copies in which they are `int`.

use crate::abi::{self, Abi};
use crate::entry::{Address, Handle};
use crate::{mpi, neighbours};
use libc::c_int;
use std::cell::RefCell;

/// How many counts the arrays of one call hold, and the copies made of them.
pub(crate) struct Lengths {
    pub(crate) sends: usize,
    pub(crate) receives: usize,
    copies: RefCell<Vec<Box<[c_int]>>>,
    /// Whether MPI may read the copies after the call.
    kept: bool,
}

impl Lengths {
    const fn new(sends: usize, receives: usize) -> Self {
        Self {
            sends,
            receives,
            copies: RefCell::new(Vec::new()),
            kept: false,
        }
    }

    /// Of a call without arrays.
    pub(crate) const fn none() -> Self {
        Self::new(0, 0)
    }

    /// One for every rank that `comm` addresses; none to send where `buffer` is `MPI_IN_PLACE`.
    pub(crate) fn of_others(comm: Handle, buffer: Address) -> Self {
        let others = addressed(comm);
        let in_place = buffer.addr() == abi::detect().in_place;
        Self::new(if in_place { 0 } else { others }, others)
    }

    /// The same at the root; none elsewhere.
    pub(crate) fn at_root(comm: Handle, root: c_int) -> Self {
        let mut rank = -1;
        // SAFETY: a communicator the program is calling on.
        let _ = unsafe { mpi::comm_rank(comm, &raw mut rank) };
        let inter = mpi::is_inter(comm).unwrap_or(false);
        let here = if inter { abi::detect().root } else { rank };
        if root == here {
            let others = addressed(comm);
            Self::new(others, others)
        } else {
            Self::none()
        }
    }

    /// One for every rank of its own group.
    pub(crate) fn of_own(comm: Handle) -> Self {
        let mut size = 0;
        // SAFETY: as above.
        let _ = unsafe { mpi::comm_size(comm, &raw mut size) };
        let size = size.unsigned_abs() as usize;
        Self::new(size, size)
    }

    /// One for every neighbour.
    pub(crate) fn of_neighbours(comm: Handle) -> Self {
        let abi: &Abi = abi::detect();
        let (sends, receives) = neighbours::degrees(comm, abi).unwrap_or_default();
        Self::new(sends, receives)
    }

    /// For a call that returns before MPI is done with its arrays. Nobody tells when it is: the copies leak.
    pub(crate) fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// A copy of `length` numbers from `at`; `None` when one does not fit.
    pub(crate) fn copy<T: Copy + TryInto<c_int>>(
        &self,
        at: *const T,
        length: usize,
    ) -> Option<*const c_int> {
        let number = |index| {
            // SAFETY: the program has passed an array of `length`.
            let number: T = unsafe { at.wrapping_add(index).read_unaligned() };
            number.try_into().ok()
        };
        let copy: Box<[c_int]> = (0..length).map(number).collect::<Option<_>>()?;
        let address = copy.as_ptr();
        self.copies.borrow_mut().push(copy);
        // An array that does not matter is as good as another.
        Some(if length == 0 { at.cast() } else { address })
    }
}

impl Drop for Lengths {
    fn drop(&mut self) {
        if self.kept {
            self.copies.take().into_iter().for_each(|copy| {
                Box::leak(copy);
            });
        }
    }
}

/// Ranks that a rank argument on `comm` may name.
fn addressed(comm: Handle) -> usize {
    let mut size = 0;
    let asked = match mpi::is_inter(comm) {
        // SAFETY: as above, an intercommunicator.
        Ok(true) => unsafe { mpi::comm_remote_size(comm, &raw mut size) },
        // SAFETY: as above.
        _ => unsafe { mpi::comm_size(comm, &raw mut size) },
    };
    asked.map_or(0, |()| size.unsigned_abs() as usize)
}
