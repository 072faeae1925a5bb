//! Version 1 (NCCL 2.23).

super::version::version! {
    V1 = 1, ncclProfiler_v1, u8, 120;
    plain_init: PlainInit, Sums, with_id, in_numbers;
    collective {
        name: *const c_char, id: u64, sequence: u64, function: u8,
        from: *const c_void, to: *mut c_void, count: usize, root: c_int, element: u8,
        reduction: u32, traffic: usize, channels: u8, warps: u8, algorithm: u8, protocol: u8,
        is_collnet: c_int, is_nvls: c_int,
    }
    message {
        name: *const c_char, id: u64, function: u8, buffer: *mut c_void, element: u8,
        count: usize, peer: c_int,
    }
    others {}
}

const _: () = assert!(std::mem::offset_of!(Collective, count) == 48);
