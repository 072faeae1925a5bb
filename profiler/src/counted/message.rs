//! From the arguments of a send to a receiver in the world and bytes.

use super::increments::size_of;
use super::lookup;
use crate::journal::slot::Slot;
use crate::objects::attributes::CachedObject;
use crate::objects::ranks::RankLocation;
use crate::thread::Thread;
use crate::thread::burst;
use crate::thread::counters::Counters;
use crate::{epoch, thread};
use libc::c_int;
use rankfold_abi::{self as abi, Handle};
use rankfold_profile::SizeKind;
use rankfold_profile::journal::Key;

/// A send, as the program described it.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    /// The communicator, or the window of a remote memory access.
    comm: Handle,
    dest: c_int,
    number: i64,
    datatype: Handle,
    start: Start,
}

/// What the call that starts a message does besides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing: the message is on its way, or in a buffer, when the call returns.
    Alone,
    /// It waits for the receiver if the message is long.
    Blocking,
    /// It waits for the receiver, or for a message of another.
    Completing,
    /// It makes a request, which must be waited for.
    Request,
    /// It makes a request that receives as well.
    ReceiveToo,
}

/// A message that was counted before MPI has accepted it.
pub(crate) struct Counted {
    pub(crate) thread: &'static Thread,
    slot: &'static Slot,
    bytes: u64,
}

impl Counted {
    /// The call has returned `code`: a message that MPI has refused is taken back. The same code.
    #[inline(always)]
    pub(crate) fn ended(self, code: c_int) -> c_int {
        match code {
            0 => code,
            // Each by itself, and the code handed through: so a send that succeeds has nothing more
            // to keep in memory.
            _ => take_back(self.thread, self.slot, self.bytes, code),
        }
    }
}

#[cold]
#[inline(never)]
fn take_back(thread: &'static Thread, slot: &'static Slot, bytes: u64, code: c_int) -> c_int {
    slot.sum.take_back(bytes);
    if let Some(by_size) = thread.tables.current.of_size(bytes) {
        by_size.take_back(bytes);
    }
    thread.burst.take_back(bytes);
    code
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
            start: Start::Alone,
        }
    }

    /// The same, started by a call that does what `start` says.
    #[inline(always)]
    pub(crate) fn by(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Counts the message, if the program itself made the call and this thread already knows
    /// communicator, receiver and datatype: nothing is asked of MPI then, and no table grows.
    /// Nearly every send is counted here.
    #[inline(always)]
    pub(crate) fn count_known(&self) -> Option<Counted> {
        // SAFETY: this runs once a receiver was found, and the thread knows ranks only after it has
        // caught up with an epoch, which prepares the counters.
        let at_home = |counters: &Counters, rank| unsafe { counters.at_home(rank) };
        self.count_where(at_home, true)
    }

    /// As [`Self::count_known`], also where the counters of the receiver are not the first that the
    /// search looks at.
    pub(crate) fn count_found(&self) -> Option<Counted> {
        self.count_where(Counters::known, false)
    }

    /// Counts the message where `counters` finds those of its receiver, and, where it has to be
    /// `quick`, if nothing else is to be done. Handles are compared with all their bits, those that
    /// mean nothing included: a known handle may so be taken for an unknown one, which costs time,
    /// but never the reverse.
    #[inline(always)]
    fn count_where(
        &self,
        counters: impl FnOnce(&Counters, u32) -> Option<&'static Slot>,
        quick: bool,
    ) -> Option<Counted> {
        let thread = thread::this();
        if thread.state.get() != epoch::now() {
            return None;
        }
        let (comm, ranks) = thread.comm.get();
        if comm != self.comm {
            return None;
        }
        // SAFETY: the ranks are those of `comm`, and live until that is freed, which starts another
        // epoch; the thread is up to date with this one.
        let rank = unsafe { ranks.world_rank(self.dest) }?;
        let slot = counters(&thread.tables.current, rank)?;
        let (datatype, size) = thread.types.place(self.datatype).get();
        if datatype != self.datatype || self.number < 0 {
            return None;
        }
        let bytes = self.bytes(size);
        let waits = self.waits(bytes);
        if quick && waits {
            // The call that ends a burst would make every send save its arguments for the time
            // after it.
            return None;
        }
        slot.sum.add(bytes);
        // SAFETY: a slot was found.
        unsafe { thread.tables.current.of_known_size(bytes) }.add(bytes);
        thread.burst.add(bytes);
        self.started(thread, waits);
        Some(Counted {
            thread,
            slot,
            bytes,
        })
    }

    /// Counts the message, which MPI has accepted, whatever has to be asked of MPI for it.
    pub(crate) fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        match self.increment() {
            Some((key @ Key::Sent(_), bytes)) => {
                thread.count(key, bytes);
                thread.count(size_of(SizeKind::Message, bytes), bytes);
                thread.burst.add(bytes);
                self.started(thread, self.waits(bytes));
            }
            other => {
                if let Some((key, bytes)) = other {
                    thread.count(key, bytes);
                }
                self.started(thread, false);
            }
        }
    }

    /// Whether the call waits for the receiver because the message, of `bytes`, is long.
    #[inline(always)]
    fn waits(&self, bytes: u64) -> bool {
        self.start == Start::Blocking && burst::waits(bytes)
    }

    /// Notes what the call does besides starting the message; whether it [waits](Self::waits) is
    /// told.
    #[inline(always)]
    fn started(&self, thread: &Thread, waits: bool) {
        match self.start {
            Start::Alone => {}
            Start::Blocking if !waits => {}
            Start::Blocking => thread.close_rare_burst(),
            Start::Completing => thread.close_burst(),
            Start::Request => thread.burst.request(1, 0),
            Start::ReceiveToo => thread.burst.request(1, 1),
        }
    }

    /// The key under which it is counted, and its bytes; `None` as for [`Self::resolve`].
    pub(crate) fn increment(&self) -> Option<(Key, u64)> {
        let (place, bytes) = self.resolve(|comm| {
            let known = lookup::communicator(comm)?;
            thread::this()
                .comm
                .set((self.comm, known.ranks.translation()));
            Some(known)
        })?;
        Some((place.key(Key::Sent), bytes))
    }

    /// The same for a persistent send, to be counted whenever it starts: once by the receiver, and
    /// once by the size.
    pub(crate) fn increments(&self) -> impl Iterator<Item = (Key, u64)> {
        let increment = self.increment();
        let sent = increment.filter(|(key, _)| matches!(key, Key::Sent(_)));
        let by_size = sent.map(|(_, bytes)| (size_of(SizeKind::Message, bytes), bytes));
        increment.into_iter().chain(by_size)
    }

    /// Location of the receiver and bytes, `find` being asked for the ranks that the communicator or
    /// window addresses; `None` for `MPI_PROC_NULL`. MPI has accepted the arguments.
    pub(crate) fn resolve(
        &self,
        find: impl FnOnce(Handle) -> Option<&'static CachedObject>,
    ) -> Option<(RankLocation, u64)> {
        let abi = abi::get().filter(|abi| self.dest != abi.proc_null && self.number >= 0)?;
        thread::this().catch_up();
        let place = find(self.comm & abi.mask)?.ranks.place(self.dest)?;
        if self.number == 0 {
            // MPI may ignore the type of no items: it need not be one.
            return Some((place, 0));
        }
        let size = lookup::type_size(self.datatype & abi.mask)?;
        Some((place, self.bytes(size)))
    }

    /// Never wraps for a message that can exist: 64 bits hold the bytes of any.
    #[inline(always)]
    fn bytes(&self, size: u64) -> u64 {
        self.number.cast_unsigned().wrapping_mul(size)
    }
}
