//! From the arguments of a send to a receiver in the world and bytes.

use crate::counters::Counters;
use crate::guard::Guard;
use crate::journal::Slot;
use crate::ranks::{Place, Ranks};
use crate::{attached, datatype, epoch, thread};
use libc::c_int;
use rankfold_abi as abi;
use rankfold_abi::Handle;
use rankfold_profile::journal::Key;

/// A send, as the program described it.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    /// Or a window.
    comm: Handle,
    dest: c_int,
    number: i64,
    datatype: Handle,
}

impl Message {
    #[inline(always)]
    pub(crate) fn new(comm: Handle, dest: c_int, number: impl Into<i64>, datatype: Handle) -> Self {
        let number = number.into();
        Self {
            comm,
            dest,
            number,
            datatype,
        }
    }

    /// Counts it and enters the call, if that is the program's own and nothing has to be asked for it, as nearly always.
    #[inline(always)]
    pub(crate) fn count_known(&self) -> Option<Guard> {
        // SAFETY: catching up prepares the counters, and before that no communicator has any rank.
        self.count_where(|counters, rank| unsafe { counters.at_home(rank) })
    }

    /// As [`Self::count_known`], with a longer search.
    pub(crate) fn count_found(&self) -> Option<Guard> {
        self.count_where(Counters::known)
    }

    /// Handles are compared as they came: bits that mean nothing may hide that one is known, but make none up.
    #[inline(always)]
    fn count_where(
        &self,
        counters: impl FnOnce(&Counters, u32) -> Option<&'static Slot>,
    ) -> Option<Guard> {
        let thread = thread::this();
        if thread.state.get() != epoch::now() {
            return None;
        }
        let (comm, ranks) = thread.comm.get();
        if comm != self.comm {
            return None;
        }
        // SAFETY: the ranks of a communicator live until that is freed, and then there is another epoch.
        let rank = unsafe { ranks.world_rank(self.dest) }?;
        let slot = counters(&thread.counters, rank)?;
        let (datatype, size) = thread.types.place(self.datatype).get();
        if datatype != self.datatype || self.number < 0 {
            return None;
        }
        slot.add(self.bytes(size));
        Some(Guard::outermost(thread))
    }

    /// Counts it.
    pub(crate) fn count(&self) {
        if let Some((key, bytes)) = self.entry() {
            thread::this().counters.add(key, bytes);
        }
    }

    /// Where it is counted and its payload, as [`Self::resolve`].
    pub(crate) fn entry(&self) -> Option<(Key, u64)> {
        let (place, bytes) = self.resolve(|comm| {
            let ranks = attached::communicator(comm)?;
            thread::this().comm.set((self.comm, ranks.translation()));
            Some(ranks)
        })?;
        Some((place.key(Key::Sent), bytes))
    }

    /// Place of the receiver, among those `ranks` finds, and payload; `None` for `MPI_PROC_NULL` and arguments that
    /// MPI itself will refuse.
    pub(crate) fn resolve(
        &self,
        ranks: impl FnOnce(Handle) -> Option<&'static Ranks>,
    ) -> Option<(Place, u64)> {
        let abi = abi::get()
            .filter(|abi| epoch::counting() && self.dest != abi.proc_null && self.number >= 0)?;
        thread::this().catch_up();
        let place = ranks(self.comm & abi.mask)?.place(self.dest)?;
        let size = datatype::size(self.datatype & abi.mask)?;
        Some((place, self.bytes(size)))
    }

    /// What 64 bits cannot hold is no message.
    #[inline(always)]
    fn bytes(&self, size: u64) -> u64 {
        self.number.cast_unsigned().wrapping_mul(size)
    }
}
