//! `MPI_COMM_WORLD` of an opened library.

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

/// An MPI that this process has opened and initialised. It stays with the thread that opened it,
/// the only one MPI lets call.
#[derive(Debug)]
pub struct World {
    pub(super) abi: &'static Abi,
    rank: usize,
    size: usize,
    library: PathBuf,
    /// Neither shared nor sent between threads.
    _of_one_thread: PhantomData<*const ()>,
}

/// Whether some thread has opened an MPI before.
static OPENED: AtomicBool = AtomicBool::new(false);

/// No MPI writes longer texts.
const LONGEST_TEXT: usize = 8192;

impl World {
    /// Loads the first library of `found` that can be, and initialises it; where `through_tools`,
    /// libraries that are preloaded see the calls, and may give the ranks other numbers.
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
        // SAFETY: the library was loaded just now, and no other thread opens one; both arguments
        // may be null.
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

    /// This process's rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The library, as it was opened.
    #[must_use]
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The first line of what the library says it is.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn version(&self) -> Result<String> {
        let text = text(|into, length| {
            // SAFETY: the text has room for the longest any library writes, and the length is an
            // integer on the stack.
            unsafe { mpi::library_version(into, length) }
        })?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// What MPI calls the host.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn processor_name(&self) -> Result<String> {
        text(|into, length| {
            // SAFETY: the name has room for the longest any library writes, and the length is an
            // integer on the stack.
            unsafe { calls::get_processor_name(into, length) }
        })
    }

    /// Lowest rank of those the library lets share memory with this one. Collective.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn shares_memory_with(&self) -> Result<usize> {
        let (mut node, world, kind) = (0, self.abi.comm_world, self.abi.comm_type_shared);
        // The key keeps the order of the ranks, so the lowest is rank 0 of the node.
        let key = count(self.rank);
        let none = self.abi.info_null;
        // SAFETY: the world is alive, and the new communicator is a variable on this stack, as wide
        // as any handle.
        unsafe { mpi::comm_split_type(world, kind, key, none, &raw mut node) }?;
        let lowest = self.world_rank_of_first(node);
        // SAFETY: the communicator was made above, and nothing is under way on it.
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
            // SAFETY: the group was made above, and nobody has kept it.
            unsafe { mpi::group_free(&raw mut group) }?;
        }
        Ok(index(found))
    }

    /// Ends MPI: collective, and all messages must have arrived.
    ///
    /// # Errors
    /// [`mpi::MpiError`].
    pub fn finalize(self) -> Result {
        // SAFETY: initialised by `open`, and whoever could call MPI after this would need `self`.
        unsafe { calls::finalize() }
    }
}

/// A text that `write` puts where it is told, with its length.
fn text(write: impl FnOnce(*mut u8, *mut c_int) -> Result) -> Result<String> {
    let (mut text, mut length) = (vec![0; LONGEST_TEXT], 0);
    write(text.as_mut_ptr(), &raw mut length)?;
    text.truncate(index(length));
    let end = text.iter().position(|&byte| byte == 0);
    text.truncate(end.unwrap_or(text.len()));
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A number MPI gives that is not negative.
pub(super) fn index(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number as MPI takes it.
///
/// # Panics
/// It is beyond what an `int` holds.
pub(super) fn count(number: usize) -> c_int {
    c_int::try_from(number).expect("MPI counts in integers of 32 bits")
}
