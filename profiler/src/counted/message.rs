//! What a send counts: its receiver, as a rank of the world, and its bytes.

use super::increments::size_of;
use super::lookup;
use super::receive::Receive;
use crate::journal::slot::Slot;
use crate::objects::attributes::CachedObject;
use crate::objects::ranks::{RankLocation, Translation};
use crate::thread::Thread;
use crate::thread::burst;
use crate::thread::communicators::Communicators;
use crate::thread::counters::Counters;
use crate::{epoch, thread, turns};
use libc::c_int;
use rankfold_abi::{self as abi, Address, Handle};
use rankfold_wire::SizeKind;
use rankfold_wire::journal::Key;
use std::ptr;

/// The arguments of a send, as the program passed them.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    /// The communicator, or the window of a remote memory access.
    comm: Handle,
    dest: c_int,
    number: i64,
    datatype: Handle,
    start: Start,
    /// What the call receives.
    receive: Option<Receive>,
    /// Where the call stores its request; null if it makes none.
    request: Address,
}

/// What the call that starts a message does besides starting it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// The call does nothing else: when it returns, the message is on its way or in a buffer.
    Alone,
    /// The call waits for the receiver if the message is longer than the eager limit.
    Blocking,
    /// The call waits for the receiver, or for a message from another rank.
    Completing,
    /// The call makes a request, for which the program must wait.
    Request,
    /// The call makes a request that also receives a message.
    ReceiveToo,
}

/// A message that was counted before MPI has accepted it.
pub(crate) struct Counted {
    pub(crate) thread: &'static Thread,
    slot: &'static Slot,
    bytes: u64,
}

impl Counted {
    /// The call has returned `code`. A message that MPI has refused is taken back. Returns `code`.
    #[inline(always)]
    pub(crate) fn ended(self, code: c_int) -> c_int {
        match code {
            0 => code,
            // The fields are passed one by one, and the code is returned by the other function, so
            // that a send that succeeds needs to keep nothing else in memory.
            _ => take_back(self.thread, self.slot, self.bytes, code),
        }
    }
}

#[cold]
#[inline(never)]
fn take_back(thread: &'static Thread, slot: &'static Slot, bytes: u64, code: c_int) -> c_int {
    if was_sent(code) {
        return code;
    }
    slot.sum.take_back(bytes);
    if let Some(by_size) = thread.tables.current.of_size(bytes) {
        by_size.take_back(bytes);
    }
    thread.burst.take_back(bytes);
    code
}

/// Whether the message of a call that has returned `code` was sent. A call that also receives
/// fails if what arrives is too long for its buffer, and its own message is on its way then. The
/// class is read from the code, since `MPI_Error_class` ends a program for a code that no MPI
/// library has.
pub(crate) fn was_sent(code: c_int) -> bool {
    let is_truncated = |abi: &abi::Abi| code > 0 && code & abi.class_bits == abi.err_truncate;
    code == 0 || abi::get().is_some_and(is_truncated)
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
            receive: None,
            request: ptr::null_mut(),
        }
    }

    /// Sets what the call does besides starting the message.
    #[inline(always)]
    pub(crate) fn by(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Sets what the call receives as well.
    #[inline(always)]
    pub(crate) fn and_receives(self, source: c_int) -> Self {
        let receive = Some(Receive::new(self.comm, source));
        Self { receive, ..self }
    }

    /// Sets where the call stores its request.
    #[inline(always)]
    pub(crate) fn request(self, request: Address) -> Self {
        Self { request, ..self }
    }

    /// Counts the message if the program itself made the call and this thread has cached the
    /// communicator, the receiver and the datatype. Nothing is asked of MPI then, and no table
    /// grows. Nearly every send is counted here.
    #[inline(always)]
    pub(crate) fn count_known(&self) -> Option<Counted> {
        // SAFETY: the closures run only in a thread that is up to date with an epoch, and catching
        // up with an epoch prepares both tables.
        let ranks = |comms: &Communicators| unsafe { comms.at_home(self.comm) };
        // SAFETY: as above.
        let at_home = |counters: &Counters, rank| unsafe { counters.at_home(rank) };
        self.count_where(ranks, at_home, true)
    }

    /// As [`Self::count_known`], but also where the communicator or the counters of the receiver
    /// are not in the place that the search looks at first.
    pub(crate) fn count_found(&self) -> Option<Counted> {
        let comm = self.comm & abi::get()?.mask;
        self.count_where(|comms| comms.ranks(comm), Counters::known, false)
    }

    /// Counts the message if the thread has cached all that is needed, `ranks` finds the
    /// communicator, and `counters` finds the counters of the receiver. With `quick` it does so
    /// only if nothing else is to be done. Handles are compared with all their bits, including
    /// those without a meaning. So a cached handle may be taken for an unknown one, which costs
    /// time, but never the reverse.
    #[inline(always)]
    fn count_where(
        &self,
        ranks: impl FnOnce(&Communicators) -> Option<Translation>,
        counters: impl FnOnce(&Counters, u32) -> Option<&'static Slot>,
        quick: bool,
    ) -> Option<Counted> {
        let thread = thread::this();
        if thread.state.get() != epoch::now() {
            return None;
        }
        let ranks = ranks(&thread.comms)?;
        // SAFETY: the ranks are those of the communicator, and live until it is freed, which starts
        // another epoch. The thread is up to date with the current epoch.
        let rank = unsafe { ranks.world_rank(self.dest) }?;
        let slot = counters(&thread.tables.current, rank)?;
        let (datatype, size) = thread.types.place(self.datatype).get();
        if datatype != self.datatype || self.number < 0 {
            return None;
        }
        let bytes = self.bytes(size);
        let waits = self.waits(bytes);
        if quick && waits {
            // A call that ends a burst would make every send save its arguments over that call.
            return None;
        }
        slot.sum.add(bytes);
        // SAFETY: a slot was found, so there is a table.
        unsafe { thread.tables.current.of_known_size(bytes) }.add(bytes);
        thread.burst.add(bytes);
        self.started(thread, waits);
        Some(Counted {
            thread,
            slot,
            bytes,
        })
    }

    /// Counts the message, which MPI has accepted, and asks MPI for all that the thread has not
    /// cached.
    pub(crate) fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        let increment = self.increment();
        if epoch::watching() {
            self.record(increment);
        }
        match increment {
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

    /// Records the turn of the message. What leaves the world has none.
    fn record(&self, increment: Option<(Key, u64)>) {
        let sent = match increment {
            Some((Key::Sent(rank), bytes)) => Some((rank, bytes)),
            _ => None,
        };
        let from = self.receive.and_then(super::receive::Receive::from);
        turns::record(|log| match (self.start, sent) {
            (Start::Completing, _) => log.exchange(sent.as_slice(), from.as_slice()),
            (Start::Request | Start::ReceiveToo, _) => {
                let request = turns::request_at(self.request, 0);
                if let Some((rank, bytes)) = sent {
                    log.send(rank, bytes, request);
                }
                if let Some(rank) = from {
                    log.receive(rank, request);
                }
            }
            (Start::Alone | Start::Blocking, Some((rank, bytes))) => {
                log.send(rank, bytes, None);
                if self.waits(bytes) {
                    log.end_turn();
                }
            }
            (Start::Alone | Start::Blocking, None) => {}
        });
    }

    /// Whether the call waits for the receiver because the message is longer than the eager limit.
    #[inline(always)]
    fn waits(&self, bytes: u64) -> bool {
        self.start == Start::Blocking && burst::waits(bytes)
    }

    /// Notes what the call does besides starting the message. Returns whether the call
    /// [waits](Self::waits).
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

    /// The key under which the message is counted, and its bytes; `None` as for [`Self::resolve`].
    pub(crate) fn increment(&self) -> Option<(Key, u64)> {
        let (place, bytes) = self.resolve(lookup::communicator)?;
        Some((place.key(Key::Sent), bytes))
    }

    /// The same for a persistent send: the key of its receiver and the key of its size, both
    /// counted whenever the request is started.
    pub(crate) fn increments(&self) -> impl Iterator<Item = (Key, u64)> {
        let increment = self.increment();
        let sent = increment.filter(|(key, _)| matches!(key, Key::Sent(_)));
        let by_size = sent.map(|(_, bytes)| (size_of(SizeKind::Message, bytes), bytes));
        increment.into_iter().chain(by_size)
    }

    /// Location of the receiver, and bytes of the message. `find` looks up the communicator or
    /// window. `None` for `MPI_PROC_NULL`. MPI must have accepted the arguments.
    pub(crate) fn resolve(
        &self,
        find: impl FnOnce(Handle) -> Option<&'static CachedObject>,
    ) -> Option<(RankLocation, u64)> {
        let abi = abi::get().filter(|abi| self.dest != abi.proc_null && self.number >= 0)?;
        thread::this().catch_up();
        let place = find(self.comm & abi.mask)?.ranks.place(self.dest)?;
        if self.number == 0 {
            // For zero items MPI ignores the type, so it may be invalid.
            return Some((place, 0));
        }
        let size = lookup::type_size(self.datatype & abi.mask)?;
        Some((place, self.bytes(size)))
    }

    /// The product cannot wrap for a message that exists: 64 bits hold the length of any.
    #[inline(always)]
    fn bytes(&self, size: u64) -> u64 {
        self.number.cast_unsigned().wrapping_mul(size)
    }
}
