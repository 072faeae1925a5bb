//! From the arguments of a send to a receiver in the world and bytes.

use crate::abi;
use crate::entry::Handle;
use crate::ranks::{Place, Ranks};
use crate::{attached, datatype, epoch, thread};
use libc::c_int;
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

    /// Counts it if nothing has to be asked for that, as nearly always, or does nothing if nothing is counted; whether that is all there is to do.
    #[inline(always)]
    pub(crate) fn count_known(&self) -> bool {
        let now = epoch::now();
        if now == 0 {
            return true;
        }
        let thread = thread::this();
        let (comm, ranks) = thread.comm.get();
        let (datatype, size) = thread.types.place(self.datatype).get();
        // One branch instead of four. Handles as they came: bits that mean nothing may hide that one is known, but
        // make none up.
        let strange = (thread.epoch.get() ^ now)
            | (comm ^ self.comm) as u64
            | (datatype ^ self.datatype) as u64
            | (self.number >> 63).cast_unsigned();
        if strange == 0
            && let Some(slot) = ranks
                .and_then(|ranks| ranks.world_rank(self.dest))
                .and_then(|rank| thread.counters.known(rank))
        {
            slot.add(self.bytes(size));
            return true;
        }
        false
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
            thread::this().comm.set((self.comm, Some(ranks)));
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
