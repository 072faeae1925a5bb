//! Version 4 (NCCL 2.27).

super::version::version! {
    V4 = 4, ncclProfiler_v4, u8, 104;
    named_init: NamedInit, Steps, without_id, in_texts;
    collective {
        sequence: u64, function: *const c_char,
        from: *const c_void, to: *mut c_void, count: usize, root: c_int, element: *const c_char,
        channels: u8, warps: u8, algorithm: *const c_char, protocol: *const c_char,
    }
    message {
        function: *const c_char, buffer: *mut c_void, element: *const c_char, count: usize,
        peer: c_int, channels: u8,
    }
    others { kernel: KernelChannel, plugin: NetPlugin }
}
