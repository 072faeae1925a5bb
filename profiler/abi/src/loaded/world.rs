//! `MPI_COMM_WORLD` of an MPI library that was opened at run time.

use super::calls;
use super::find::LibraryCandidates;
use super::library::{LoadError, load};
use crate::abi::{self, Abi};
use crate::handle::Handle;
use crate::mpi::{self, Result};
use crate::symbol::call_through_tools;
use libc::c_int;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// An MPI library that this process has opened and initialised. The value stays with the thread
/// that opened the library, because MPI allows calls of that thread only.
#[derive(Debug)]
pub struct World {
    pub(super) abi: &'static Abi,
    rank: usize,
    size: usize,
    library: PathBuf,
    /// Keeps the value from being shared with or sent to another thread.
    _of_one_thread: PhantomData<*const ()>,
}

/// Whether a thread of this process has opened an MPI library.
static OPENED: AtomicBool = AtomicBool::new(false);

/// The longest text that any MPI library writes, in bytes.
const LONGEST_TEXT: usize = 8192;

impl World {
    /// Loads the first library of `found` that can be loaded, and initialises it. With
    /// `through_tools`, preloaded libraries see the calls and may renumber the ranks.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn open(
        found: &LibraryCandidates,
        through_tools: bool,
    ) -> std::result::Result<Self, LoadError> {
        if OPENED.swap(true, Ordering::AcqRel) {
            return Err(LoadError::Again);
        }
        let library = load(found)?;
        if through_tools {
            call_through_tools();
        }
        let Some(abi) = abi::detect() else {
            return Err(LoadError::Unknown(library));
        };
        // SAFETY: the library was loaded above, and no other thread opens one. Both arguments may
        // be null.
        unsafe { calls::init(ptr::null_mut(), ptr::null_mut()) }?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI is initialised, and the rank is an integer on this stack.
        unsafe { mpi::comm_rank(abi.comm_world, &raw mut rank) }?;
        // SAFETY: MPI is initialised, and the size is an integer on this stack.
        unsafe { mpi::comm_size(abi.comm_world, &raw mut size) }?;
        Ok(Self {
            abi,
            rank: index(rank),
            size: index(size),
            library,
            _of_one_thread: PhantomData,
        })
    }

    /// The rank of this process.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The path or name by which the library was opened.
    #[must_use]
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The first line of the version that the library reports.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn version(&self) -> Result<String> {
        let text = text(|into, length| {
            // SAFETY: the text has room for the longest that any library writes, and the length is
            // an integer on the stack.
            unsafe { mpi::library_version(into, length) }
        })?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// The lowest rank among those that share memory with this one according to the library.
    /// Collective.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn shares_memory_with(&self) -> Result<usize> {
        let (mut node, world, kind) = (0, self.abi.comm_world, self.abi.comm_type_shared);
        // The key keeps the order of the ranks, so the lowest rank is rank 0 of the new
        // communicator.
        let key = count(self.rank);
        let none = self.abi.info_null;
        // SAFETY: the world is alive, and the new communicator is a variable on this stack, as wide
        // as any handle.
        unsafe { mpi::comm_split_type(world, kind, key, none, &raw mut node) }?;
        let lowest = self.world_rank_of_first(node);
        // SAFETY: the communicator was made above, and no operation is under way on it.
        unsafe { mpi::comm_free(&raw mut node) }?;
        lowest
    }

    /// World rank of rank 0 of `node`, a communicator that is alive.
    fn world_rank_of_first(&self, node: Handle) -> Result<usize> {
        let (mut group, mut all, rank, mut found) = (0, 0, 0, 0);
        // SAFETY: the caller has just made the communicator.
        unsafe { mpi::comm_group(node, &raw mut group) }?;
        // SAFETY: the world is alive.
        unsafe { mpi::comm_group(self.abi.comm_world, &raw mut all) }?;
        // SAFETY: both groups were made above, and any communicator has a rank 0.
        unsafe { mpi::group_translate_ranks(group, 1, &raw const rank, all, &raw mut found) }?;
        for mut group in [group, all] {
            // SAFETY: the group was made above, and is not used any more.
            unsafe { mpi::group_free(&raw mut group) }?;
        }
        Ok(index(found))
    }

    /// Ends MPI. Collective. All messages must have been received.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn finalize(self) -> Result {
        // SAFETY: `open` has initialised MPI, and every further call of MPI would need `self`.
        unsafe { calls::finalize() }
    }
}

/// The text that `write` stores at the address it gets, and whose length it stores too.
fn text(write: impl FnOnce(*mut u8, *mut c_int) -> Result) -> Result<String> {
    let (mut text, mut length) = (vec![0; LONGEST_TEXT], 0);
    write(text.as_mut_ptr(), &raw mut length)?;
    text.truncate(index(length));
    let end = text.iter().position(|&byte| byte == 0);
    text.truncate(end.unwrap_or(text.len()));
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A number from MPI, which is not negative.
pub(super) fn index(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number as an argument of MPI.
///
/// # Panics
/// The number does not fit into an `int`.
pub(super) fn count(number: usize) -> c_int {
    c_int::try_from(number).expect("MPI counts in integers of 32 bits")
}
