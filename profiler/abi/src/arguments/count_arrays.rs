//! Arrays of counts for the plain form of a `_c` function that the loaded MPI lacks. They are
//! copies whose items are of type `int`.

use crate::abi;
use crate::handle::{Address, Handle};
use crate::mpi;
use crate::neighbourhood;
use libc::c_int;
use std::cell::RefCell;

/// The lengths of the arrays of one call, and the copies made of them.
pub struct CountArrays {
    pub(super) sends: usize,
    pub(super) receives: usize,
    copies: RefCell<Vec<Box<[c_int]>>>,
    /// Variables that replace single counts, each with the address to which its final value is
    /// copied.
    variables: RefCell<Vec<(Box<c_int>, *mut i64)>>,
    /// Whether MPI reads the copies after the call has returned.
    kept: bool,
}

impl CountArrays {
    const fn new(sends: usize, receives: usize) -> Self {
        Self {
            sends,
            receives,
            copies: RefCell::new(Vec::new()),
            variables: RefCell::new(Vec::new()),
            kept: false,
        }
    }

    /// For a call that takes no arrays.
    #[must_use]
    pub const fn none() -> Self {
        Self::new(0, 0)
    }

    /// For a call whose arrays hold a count for every rank that `comm` addresses. If `buffer` is
    /// `MPI_IN_PLACE`, MPI ignores the counts of what is sent.
    #[must_use]
    pub fn of_others(comm: Handle, buffer: Address) -> Self {
        let others = addressed(comm);
        let in_place = abi::detect().is_some_and(|abi| buffer.addr() == abi.in_place);
        Self::new(if in_place { 0 } else { others }, others)
    }

    /// For a call whose arrays are used at the root only, and hold a count for every rank that
    /// `comm` addresses.
    #[must_use]
    pub fn at_root(comm: Handle, root: c_int) -> Self {
        if is_none(comm) {
            return Self::none();
        }
        let mut rank = -1;
        // SAFETY: `comm` is a communicator on which the program is calling.
        let _ = unsafe { mpi::comm_rank(comm, &raw mut rank) };
        // SAFETY: `comm` is a communicator on which the program is calling.
        let inter = unsafe { mpi::is_inter(comm) }.unwrap_or(false);
        let here = abi::detect().filter(|_| inter).map_or(rank, |abi| abi.root);
        if root == here {
            let others = addressed(comm);
            Self::new(others, others)
        } else {
            Self::none()
        }
    }

    /// For a call whose arrays hold a count for every rank of the caller's own group.
    #[must_use]
    pub fn of_own(comm: Handle) -> Self {
        if is_none(comm) {
            return Self::none();
        }
        let mut size = 0;
        // SAFETY: `comm` is a communicator on which the program is calling.
        let _ = unsafe { mpi::comm_size(comm, &raw mut size) };
        let size = size.unsigned_abs() as usize;
        Self::new(size, size)
    }

    /// For a neighbourhood collective, whose arrays hold a count for every neighbour.
    #[must_use]
    pub fn of_neighbours(comm: Handle) -> Self {
        let Some(abi) = abi::detect().filter(|_| !is_none(comm)) else {
            return Self::none();
        };
        let (sends, receives) = neighbourhood::degrees(comm, abi).unwrap_or_default();
        Self::new(sends, receives)
    }

    /// For a nonblocking or persistent call. MPI reads the arrays after the call has returned, and
    /// until when is unknown, so the copies are never freed.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// A copy of `length` numbers from `at`, which lives as long as `self`; `None` if a number does
    /// not fit into an `int`.
    pub(super) fn copy<T: Copy + TryInto<c_int>>(
        &self,
        at: *const T,
        length: usize,
    ) -> Option<*const c_int> {
        // If the array is missing, MPI must see that, so null is passed on.
        let length = if at.is_null() { 0 } else { length };
        let number = |index| {
            // SAFETY: `at` is not null, and MPI asks for an array of `length` items here, so the
            // program has passed one.
            let number: T = unsafe { at.wrapping_add(index).read_unaligned() };
            number.try_into().ok()
        };
        let copy: Box<[c_int]> = (0..length).map(number).collect::<Option<_>>()?;
        let address = copy.as_ptr();
        self.copies.borrow_mut().push(copy);
        // MPI may compare the address of an array of which it reads nothing, so the program's own
        // address is passed on.
        Some(if length == 0 { at.cast() } else { address })
    }
}

impl CountArrays {
    /// A variable that replaces the count at `at`. With `read` it starts with that count. When
    /// `self` is dropped, the value of the variable is copied to `at`. `None` if the count does not
    /// fit into an `int`.
    pub(super) fn variable(&self, at: *mut i64, read: bool) -> Option<*mut c_int> {
        if at.is_null() {
            return Some(at.cast());
        }
        // SAFETY: `at` is not null, and MPI asks for the address of a count here, so the program
        // has passed one.
        let value = if read { unsafe { at.read() } } else { 0 };
        let mut variable = Box::new(c_int::try_from(value).ok()?);
        let address = &raw mut *variable;
        self.variables.borrow_mut().push((variable, at));
        Some(address)
    }
}

impl Drop for CountArrays {
    fn drop(&mut self) {
        for (variable, at) in self.variables.take() {
            // SAFETY: the program has passed the address of a count, and the call has returned.
            unsafe { at.write(i64::from(*variable)) };
        }
        if self.kept {
            self.copies.take().into_iter().for_each(|copy| {
                Box::leak(copy);
            });
        }
    }
}

/// Whether MPI cannot be asked about `comm`: it is `MPI_COMM_NULL`, or the MPI belongs to no known
/// family.
fn is_none(comm: Handle) -> bool {
    abi::detect().is_none_or(|abi| comm & abi.mask == abi.comm_null)
}

/// Number of ranks that a rank argument on `comm` may name. On an intercommunicator these are the
/// ranks of the remote group.
fn addressed(comm: Handle) -> usize {
    if is_none(comm) {
        return 0;
    }
    let mut size = 0;
    // SAFETY: `comm` is a communicator on which the program is calling.
    let asked = match unsafe { mpi::is_inter(comm) } {
        // SAFETY: `comm` is an intercommunicator on which the program is calling.
        Ok(true) => unsafe { mpi::comm_remote_size(comm, &raw mut size) },
        // SAFETY: `comm` is a communicator on which the program is calling.
        _ => unsafe { mpi::comm_size(comm, &raw mut size) },
    };
    asked.map_or(0, |()| size.unsigned_abs() as usize)
}
