//! Version 2 (NCCL 2.24 and 2.25).

super::version::version! {
    V2 = 2, ncclProfiler_v2, u8, 128;
    plain_init: PlainInit, Sums, with_id, in_texts;
    collective {
        name: *const c_char, id: u64, sequence: u64, function: *const c_char,
        from: *const c_void, to: *mut c_void, count: usize, root: c_int, element: *const c_char,
        traffic: usize, channels: u8, warps: u8,
        algorithm: *const c_char, protocol: *const c_char,
    }
    message {
        name: *const c_char, id: u64, function: *const c_char, buffer: *mut c_void,
        element: *const c_char, count: usize, peer: c_int,
    }
    others {}
}
