//! Version 5 (NCCL 2.28).

use super::descriptors::event;
use super::layouts::{KernelChannel, NetPlugin, ProxyOp, StepArguments};
use super::tables::{NumberedInit, STEP_MASK, Table, Version, numbered_init};
use super::{kinds, progress};
use crate::event::{Event, Progress};
use std::ffi::{c_char, c_int, c_void};

/// A collective.
#[derive(Clone, Copy)]
#[repr(C)]
struct Collective {
    sequence: u64,
    function: *const c_char,
    from: *const c_void,
    to: *mut c_void,
    count: usize,
    root: c_int,
    element: *const c_char,
    channels: u8,
    warps: u8,
    algorithm: *const c_char,
    protocol: *const c_char,
    group: *mut c_void,
}

/// A message.
#[derive(Clone, Copy)]
#[repr(C)]
struct Message {
    function: *const c_char,
    buffer: *mut c_void,
    element: *const c_char,
    count: usize,
    peer: c_int,
    channels: u8,
    group: *mut c_void,
}

#[repr(C)]
union Content {
    collective: Collective,
    message: Message,
    operation: ProxyOp,
    step: c_int,
    kernel: KernelChannel,
    plugin: NetPlugin,
}

/// The descriptor of an event.
#[repr(C)]
pub(super) struct Descriptor {
    kind: u64,
    parent: *mut c_void,
    rank: c_int,
    content: Content,
}

const _: () = assert!(size_of::<Descriptor>() == 112);
const _: () = assert!(std::mem::offset_of!(Descriptor, content) == 24);

pub(super) struct V5;

impl Version for V5 {
    const NUMBER: u32 = 5;
    const SUMS: bool = false;
    const MASK: u64 = STEP_MASK;
    type Descriptor = Descriptor;
    type Arguments = StepArguments;

    unsafe fn event(descriptor: &Descriptor) -> (Event, *mut c_void, c_int) {
        let event = event!(descriptor, without_id, in_texts);
        (event, descriptor.parent, descriptor.rank)
    }

    fn progress(state: c_int, arguments: Option<&StepArguments>) -> (Progress, bool) {
        progress::of_steps(state, arguments)
    }
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "NCCL looks this name up")]
pub(super) static ncclProfiler_v5: Table<V5, NumberedInit> = Table::new(numbered_init::<V5>);
