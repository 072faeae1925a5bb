//! Parts of descriptors that several versions share.

use crate::event::ProxyOperation;
use std::ffi::{c_int, c_void};

/// An operation of a proxy: the same in all versions.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ProxyOp {
    /// The process that the proxy works for.
    pub(super) pid: libc::pid_t,
    pub(super) channel: u8,
    pub(super) peer: c_int,
    pub(super) steps: c_int,
    pub(super) chunk_size: c_int,
    pub(super) is_send: c_int,
}

impl From<ProxyOp> for ProxyOperation {
    fn from(operation: ProxyOp) -> Self {
        Self {
            pid: operation.pid,
            peer: operation.peer,
            sends: operation.is_send != 0,
        }
    }
}

/// An event of a network plugin, from version 3 on.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct NetPlugin {
    pub(super) id: i64,
    pub(super) data: *mut c_void,
}

/// An event of a kernel, from version 4 on.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct KernelChannel {
    pub(super) channel: u8,
    pub(super) timer: u64,
}

/// What `recordEventState` passes in versions 1 to 3.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct SumArguments {
    pub(super) bytes: usize,
    pub(super) steps: c_int,
}

/// What `recordEventState` passes from version 4 on: a union, whose first word is the number of
/// bytes for steps of proxies.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct StepArguments {
    pub(super) bytes: usize,
}
