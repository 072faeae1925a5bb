//! Events of NCCL, the same for all versions of its profiler interface.

use crate::names::{Element, Function};

/// What `startEvent` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A collective is carried out.
    Collective(CollectiveCall),
    /// An `ncclSend` or `ncclRecv` is carried out.
    Message(MessageCall),
    /// A proxy begins to send to a rank, or to receive from it.
    ProxyOperation(ProxyOperation),
    /// A proxy begins one transfer of an operation, which is the parent of the event.
    ProxyStep,
    /// Anything else: groups, kernels, and types of later versions.
    Other,
}

/// A collective, as its caller gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CollectiveCall {
    /// The identifier of the communicator, in versions that tell it here.
    pub(crate) id: Option<u64>,
    pub(crate) function: Option<Function>,
    /// Number of elements.
    pub(crate) count: u64,
    pub(crate) element: Option<Element>,
    pub(crate) root: i32,
}

/// A message, as its caller gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageCall {
    /// As in [`CollectiveCall`].
    pub(crate) id: Option<u64>,
    pub(crate) function: Option<Function>,
    /// Number of elements.
    pub(crate) count: u64,
    pub(crate) element: Option<Element>,
    /// The rank in the communicator that the message goes to or comes from.
    pub(crate) peer: i32,
}

/// An operation of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProxyOperation {
    /// The process for which the proxy works; the context of the event is that of this process.
    pub(crate) pid: i32,
    /// The rank in the communicator at the other end.
    pub(crate) peer: i32,
    pub(crate) sends: bool,
}

/// What `recordEventState` tells of an operation or a step of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The operation has moved this many bytes so far. `completes` says whether one more transfer
    /// has just ended.
    Sum { bytes: u64, completes: bool },
    /// This step has moved this many bytes.
    Step { bytes: u64 },
    /// Nothing that is counted.
    Nothing,
}
