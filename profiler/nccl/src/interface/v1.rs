//! Version 1 (NCCL 2.23).

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
    function: u8,
    from: *const c_void,
    to: *mut c_void,
    count: usize,
    root: c_int,
    element: u8,
    reduction: u32,
    traffic: usize,
    channels: u8,
    warps: u8,
    algorithm: u8,
    protocol: u8,
    is_collnet: c_int,
    is_nvls: c_int,
}

/// A message.
#[derive(Clone, Copy)]
#[repr(C)]
struct Message {
    name: *const c_char,
    id: u64,
    function: u8,
    buffer: *mut c_void,
    element: u8,
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

const _: () = assert!(size_of::<Descriptor>() == 120);
const _: () = assert!(std::mem::offset_of!(Descriptor, content) == 24);
const _: () = assert!(std::mem::offset_of!(Collective, count) == 48);

pub(super) struct V1;

impl Version for V1 {
    const NUMBER: u32 = 1;
    const SUMS: bool = true;
    const MASK: u64 = SUM_MASK;
    type Descriptor = Descriptor;
    type Arguments = SumArguments;

    unsafe fn event(descriptor: &Descriptor) -> (Event, *mut c_void, c_int) {
        let event = event!(descriptor, with_id, in_numbers);
        (event, descriptor.parent, descriptor.rank)
    }

    fn progress(state: c_int, arguments: Option<&SumArguments>) -> (Progress, bool) {
        progress::of_sums(state, arguments)
    }
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "NCCL looks this name up")]
pub(super) static ncclProfiler_v1: Table<V1, PlainInit> = Table::new(plain_init::<V1>);
