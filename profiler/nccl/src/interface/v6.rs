//! Version 6 (NCCL 2.29 and later).

super::version::version! {
    V6 = 6, ncclProfiler_v6, u64, 112;
    numbered_init: NumberedInit, Steps, without_id, in_texts;
    collective {
        sequence: u64, function: *const c_char,
        from: *const c_void, to: *mut c_void, count: usize, root: c_int, element: *const c_char,
        channels: u8, warps: u8, algorithm: *const c_char, protocol: *const c_char,
        group: *mut c_void,
    }
    message {
        function: *const c_char, buffer: *mut c_void, element: *const c_char, count: usize,
        peer: c_int, channels: u8, group: *mut c_void,
    }
    copy_engine {
        sequence: u64, function: *const c_char,
        from: *const c_void, to: *mut c_void, count: usize, root: c_int, element: *const c_char,
        strategy: *const c_char, syncs: bool, batch_size: u32, batches: u32, number: u32,
        stream: *mut c_void,
    }
    others { kernel: KernelChannel, plugin: NetPlugin, by_copy_engine: CopyEngineCollective }
}
