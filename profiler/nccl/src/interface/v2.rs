//! Version 2 (NCCL 2.24 and 2.25).

use super::descriptors::event;
use super::layouts::{ProxyOp, SumArguments};
use super::tables::{PlainInit, SUM_MASK, Table, Version, plain_init};
use super::{kinds, progress};
use crate::event::{Event, Progress};
use std::ffi::{c_char, c_int, c_void};

/// A collective.
#[derive(Clone, Copy)]
#[repr(C)]
struct Collective {
    name: *const c_char,
    id: u64,
    sequence: u64,
    function: *const c_char,
    from: *const c_void,
    to: *mut c_void,
    count: usize,
    root: c_int,
    element: *const c_char,
    traffic: usize,
    channels: u8,
    warps: u8,
    algorithm: *const c_char,
    protocol: *const c_char,
}

/// A message.
#[derive(Clone, Copy)]
#[repr(C)]
struct Message {
    name: *const c_char,
    id: u64,
    function: *const c_char,
    buffer: *mut c_void,
    element: *const c_char,
    count: usize,
    peer: c_int,
}

#[repr(C)]
union Content {
    collective: Collective,
    message: Message,
    operation: ProxyOp,
    step: c_int,
}

/// The descriptor of an event.
#[repr(C)]
pub(super) struct Descriptor {
    kind: u8,
    parent: *mut c_void,
    rank: c_int,
    content: Content,
}

const _: () = assert!(size_of::<Descriptor>() == 128);
const _: () = assert!(std::mem::offset_of!(Descriptor, content) == 24);

pub(super) struct V2;

impl Version for V2 {
    const NUMBER: u32 = 2;
    const SUMS: bool = true;
    const MASK: u64 = SUM_MASK;
    type Descriptor = Descriptor;
    type Arguments = SumArguments;

    unsafe fn event(descriptor: &Descriptor) -> (Event, *mut c_void, c_int) {
        let event = event!(descriptor, with_id, in_texts);
        (event, descriptor.parent, descriptor.rank)
    }

    fn progress(state: c_int, arguments: Option<&SumArguments>) -> (Progress, bool) {
        progress::of_sums(state, arguments)
    }
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "NCCL looks this name up")]
pub(super) static ncclProfiler_v2: Table<V2, PlainInit> = Table::new(plain_init::<V2>);
