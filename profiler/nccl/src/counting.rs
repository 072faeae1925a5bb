//! From events to counters.

use crate::communicators::{Communicators, Identity};
use crate::event::{CollectiveCall, Event, MessageCall, Progress, ProxyOperation};
use crate::handle::{Context, Handle, Mark};
use crate::journal::{Head, Journal};
use crate::names::Function;
use crate::operations::Operations;
use crate::process::{self, Destination};
use crate::table::Table;
use rankfold_preload::process::host;
use rankfold_preload::warning::{warn, warn_once_a_host};
use rankfold_wire::journal::{Key, State};
use rankfold_wire::{
    NcclCommunicator, NcclLoss, NcclProcess, Note, OF_C10D, Operation, nccl_journal_name,
};
use std::ffi::c_void;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Everything that this process counts.
struct Counting {
    journal: Journal,
    table: Table,
    mark: Mark,
    pid: u32,
    /// Whether the journal says that PyTorch's c10d alone was counted.
    is_of_c10d: AtomicBool,
}

/// What the process counts; `None` if it counts nothing.
static COUNTING: OnceLock<Option<Counting>> = OnceLock::new();
static COMMUNICATORS: Communicators = Communicators::new();
static OPERATIONS: Operations = Operations::new();

/// What NCCL tells of a new communicator; versions 1 to 3 of the interface tell nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewCommunicator {
    pub(crate) id: u64,
    pub(crate) rank: i32,
    pub(crate) size: i32,
}

/// Begins to count on a communicator. Returns its context; null if nothing is counted.
pub(crate) fn begin(interface: u32, communicator: Option<NewCommunicator>) -> *mut c_void {
    let Some(own) = COUNTING.get_or_init(|| start(interface)) else {
        return ptr::null_mut();
    };
    if own.pid != std::process::id() {
        // A child of the process that made the journal must not count in it.
        return ptr::null_mut();
    }
    if interface != OF_C10D && own.is_of_c10d.swap(false, Relaxed) {
        own.describe(interface);
    }
    let Some(number) = COMMUNICATORS.begin() else {
        own.lose(NcclLoss::NoRoom, 0);
        own.journal.lacks_some();
        return ptr::null_mut();
    };
    own.journal.mark(State::Running);
    let id = communicator.map_or(0, |communicator| communicator.id);
    if let Some(NewCommunicator { id, rank, size }) = communicator
        && let (Ok(rank), Ok(size)) = (u32::try_from(rank), u32::try_from(size))
    {
        own.identify(number, Identity { id, rank }, size);
    }
    Context::new(own.mark, id, number).encode()
}

/// Opens the journal. Without one, the reason is one line on standard error.
fn start(interface: u32) -> Option<Counting> {
    let Some(Destination { directory, run }) = Destination::of_environment() else {
        warn(
            "NCCL_PROFILER_PLUGIN or RANKFOLD_C10D names this library, and neither RANKFOLD_RUN nor RANKFOLD_JOURNALS is set: nothing is counted",
        );
        return None;
    };
    let (host, pid, random) = (host(), std::process::id(), process::random());
    let path = directory.join(nccl_journal_name(&run, &host, pid, random));
    let head = Head {
        run: &run,
        host: &host,
        program: &process::program(),
    };
    let journal = match Journal::create(&path, &head) {
        Ok(journal) => journal,
        Err(error) => {
            let directory = directory.display();
            let text = format_args!(
                "no journals can be kept in {directory} ({error}): what NCCL sends is not counted"
            );
            warn_once_a_host(&run, "nccl-journals", text);
            return None;
        }
    };
    let table = Table::new(journal.slots);
    // Counters of losses have room even when the table is full.
    for loss in NcclLoss::ALL {
        table.find(Key::NcclLost(loss));
    }
    // SAFETY: the function takes no arguments and does not unwind.
    unsafe { libc::atexit(ended) };
    let own = Counting {
        journal,
        table,
        mark: Mark::of(process::random()),
        pid,
        is_of_c10d: AtomicBool::new(interface == OF_C10D),
    };
    own.describe(interface);
    Some(own)
}

/// The process ends by itself: its counters are complete, whether or not it has ended its
/// communicators. A journal that was truncated has lost what it held.
extern "C" fn ended() {
    let own = counting().filter(|own| own.pid == std::process::id());
    let Some(own) = own else { return };
    own.journal.mark(State::Finalized);
    if own.journal.is_lost() {
        own.journal.lacks_some();
        // A panic while the line is written must not reach C.
        let _ = catch_unwind(|| {
            warn(
                "the journal of this process was truncated by another process: what it held is lost",
            );
        });
    }
}

fn counting() -> Option<&'static Counting> {
    COUNTING.get()?.as_ref()
}

/// Marks the journal of this process as incomplete: bytes were sent that no counter holds.
pub(crate) fn lacks_some() {
    if let Some(own) = counting() {
        own.journal.lacks_some();
    }
}

/// Ends counting on a communicator. Events that still come are counted all the same.
pub(crate) fn end(context: *mut c_void) {
    let Some(own) = counting() else { return };
    let context = Context::decode(context);
    if context.is_of(own.mark) && COMMUNICATORS.end(context.number) {
        own.journal.mark(State::Finalized);
    }
}

/// Counts an event. `rank` is the rank in the communicator that the event is of, `parent` the
/// handle of its parent. Returns the handle of the event; null if nothing more is to be told of it.
/// `sums` says whether progress is told as sums.
pub(crate) fn event(
    context: *mut c_void,
    parent: *mut c_void,
    rank: i32,
    event: Event,
    sums: bool,
) -> *mut c_void {
    let Some(own) = counting() else {
        return ptr::null_mut();
    };
    let context = Context::decode(context);
    let handle = match event {
        Event::Collective(call) => {
            own.collective(context, rank, &call);
            None
        }
        Event::Message(call) => {
            own.message(context, rank, &call);
            None
        }
        Event::ProxyOperation(operation) => own.operation(context, rank, operation, sums),
        Event::ProxyStep => match Handle::decode(parent, own.mark) {
            Some(Handle::Operation { slot, sends }) => Some(Handle::Step { slot, sends }),
            _ => None,
        },
        Event::Other => None,
    };
    handle.map_or(ptr::null_mut(), |handle| handle.encode(own.mark))
}

/// Counts the progress of an operation or a step. `sends` says for which direction it is; progress
/// of the other one is not counted, as both ends of a transfer tell of it.
pub(crate) fn progress(handle: *mut c_void, progress: Progress, sends: bool) {
    let Some(own) = counting() else { return };
    match (Handle::decode(handle, own.mark), progress) {
        (Some(Handle::Pooled { entry, turn }), Progress::Sum { bytes, completes }) => {
            match OPERATIONS.reach(entry, turn, bytes) {
                Some(added) if added.sends == sends => {
                    own.table.add(added.slot, added.bytes, u64::from(completes));
                }
                Some(_) => {}
                None => own.lose(NcclLoss::NotUnderstood, 0),
            }
        }
        (
            Some(Handle::Step {
                slot,
                sends: own_way,
            }),
            Progress::Step { bytes },
        ) if own_way == sends => {
            own.table.add(slot, bytes, 1);
        }
        _ => {}
    }
}

/// Ends an event.
pub(crate) fn stop(handle: *mut c_void) {
    let Some(own) = counting() else { return };
    if let Some(Handle::Pooled { entry, turn }) = Handle::decode(handle, own.mark) {
        OPERATIONS.end(entry, turn);
    }
}

impl Counting {
    /// Notes what this process is. The last such note of a journal counts.
    fn describe(&self, interface: u32) {
        let process = NcclProcess {
            pid: self.pid,
            interface,
            numbering: process::numbering(),
        };
        let note = Note::NcclProcess(process).encode();
        let length = (note.len() as u32).to_le_bytes();
        self.journal.append(&[&length, &note[..]].concat());
    }

    fn lose(&self, loss: NcclLoss, bytes: u64) {
        if let Some(slot) = self.table.find(Key::NcclLost(loss)) {
            self.table.add(slot, bytes, 1);
        }
    }

    /// Counts `bytes` and one message or call.
    fn count(&self, key: Key, bytes: u64) {
        match self.table.find(key) {
            Some(slot) => self.table.add(slot, bytes, 1),
            None => self.lose(NcclLoss::NoRoom, bytes),
        }
    }

    /// Notes identifier, rank and size of a communicator, once.
    fn identify(&self, number: u16, identity: Identity, size: u32) {
        if COMMUNICATORS.identify(number, identity) {
            let note = NcclCommunicator {
                number: number.into(),
                id: identity.id,
                rank: identity.rank,
                size,
            };
            if !self.journal.append(&note.note()) {
                self.journal.lacks_some();
            }
        }
    }

    /// The number of the communicator of a call in this process. `id` is told by versions of the
    /// interface that do not tell it before.
    fn communicator(&self, context: Context, rank: i32, id: Option<u64>) -> Option<u16> {
        if !context.is_of(self.mark) || !COMMUNICATORS.has(context.number) {
            return None;
        }
        if let (Some(id @ 1..), Ok(rank)) = (id, u32::try_from(rank)) {
            self.identify(context.number, Identity { id, rank }, 0);
        }
        Some(context.number)
    }

    fn collective(&self, context: Context, rank: i32, call: &CollectiveCall) {
        let size = call.element.map_or(0, |element| element.0);
        let bytes = call.count.saturating_mul(size);
        let Some(comm) = self.communicator(context, rank, call.id) else {
            return self.lose(NcclLoss::UnknownCommunicator, bytes);
        };
        let (Some(Function::Collective(op)), Some(_)) = (call.function, call.element) else {
            return self.lose(NcclLoss::NotUnderstood, bytes);
        };
        let is_rooted = matches!(
            op,
            Operation::Bcast | Operation::Reduce | Operation::Gather | Operation::Scatter
        );
        let root = match u32::try_from(call.root) {
            Ok(root) if is_rooted => Some(root),
            Err(_) if is_rooted => return self.lose(NcclLoss::NotUnderstood, bytes),
            _ => None,
        };
        let key = Key::NcclCollective {
            comm: comm.into(),
            op,
            root,
            class: (u64::BITS - bytes.leading_zeros()) as u8,
        };
        self.count(key, bytes);
    }

    /// Counts a message as its sender tells it; the receiver tells of the same message.
    fn message(&self, context: Context, rank: i32, call: &MessageCall) {
        let size = call.element.map_or(0, |element| element.0);
        let bytes = call.count.saturating_mul(size);
        let Some(comm) = self.communicator(context, rank, call.id) else {
            return self.lose(NcclLoss::UnknownCommunicator, bytes);
        };
        match (call.function, call.element, u32::try_from(call.peer)) {
            (Some(Function::Send), Some(_), Ok(peer)) if is_rank(peer) => {
                let comm = comm.into();
                self.count(Key::NcclSent { peer, comm }, bytes);
            }
            (Some(Function::Receive), ..) => {}
            _ => self.lose(NcclLoss::NotUnderstood, bytes),
        }
    }

    /// Finds the counter of an operation of a proxy.
    fn operation(
        &self,
        context: Context,
        rank: i32,
        operation: ProxyOperation,
        sums: bool,
    ) -> Option<Handle> {
        let comm = if u32::try_from(operation.pid) == Ok(self.pid) {
            self.communicator(context, rank, None)
        } else {
            // The proxy works for another process of the same communicator, which this process
            // knows by the identifier in the context.
            COMMUNICATORS.with_identifier(context.identifier)
        };
        let Some(comm) = comm.map(u32::from) else {
            self.lose(NcclLoss::UnknownCommunicator, 0);
            return None;
        };
        let (Ok(from), Ok(peer)) = (u32::try_from(rank), u32::try_from(operation.peer)) else {
            self.lose(NcclLoss::NotUnderstood, 0);
            return None;
        };
        if !is_rank(from) || !is_rank(peer) {
            self.lose(NcclLoss::NotUnderstood, 0);
            return None;
        }
        let sends = operation.sends;
        let key = if sends {
            Key::NetworkSent { peer, comm, from }
        } else {
            Key::NetworkReceived { peer, comm, from }
        };
        let handle = self.table.find(key).and_then(|slot| {
            if sums {
                OPERATIONS.begin(slot, sends)
            } else {
                Some(Handle::Operation { slot, sends })
            }
        });
        if handle.is_none() {
            self.lose(NcclLoss::NoRoom, 0);
        }
        handle
    }
}

/// Whether a number can be a rank of any job.
fn is_rank(number: u32) -> bool {
    number < rankfold_wire::journal::layout::MAX_RANKS
}
