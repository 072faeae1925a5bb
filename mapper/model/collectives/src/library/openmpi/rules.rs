//! The fixed rules of Open MPI's component `tuned`: which algorithm for which members and bytes.
//!
//! Source: `ompi/mca/coll/tuned/coll_tuned_decision_fixed.c` of the branches v4.1.x and v5.0.x,
//! whose rules are the same. Reductions whose operator does not commute have rules of their own.

/// For each class of communicators: the most members in the class, and algorithms in ascending
/// order of the size from which on each is used. An algorithm has the number that Open MPI's
/// parameter gives it.
pub(super) type Rules = &'static [(usize, &'static [(u64, u8)])];

/// The number of the algorithm for a call of `size` bytes on a communicator of `members`.
pub(super) fn algorithm(rules: Rules, members: usize, size: u64) -> u8 {
    let class = rules.iter().find(|(most, _)| members <= *most);
    let sizes = class.map_or(&[][..], |(_, sizes)| sizes);
    let rule = sizes.iter().rev().find(|(from, _)| size >= *from);
    rule.map_or(1, |(_, algorithm)| *algorithm)
}

/// Numbers of `coll_tuned_allreduce_algorithm`, by the bytes of the vector.
#[rustfmt::skip]
pub(super) const ALLREDUCE: Rules = &[
    (3, &[(0, 4), (8, 3), (4096, 4), (8192, 3), (16384, 4), (65536, 5), (262144, 6)]),
    (7, &[(0, 4), (16, 3), (8192, 6)]),
    (15, &[(0, 3), (8192, 6)]),
    (31, &[(0, 5), (64, 3), (4096, 6)]),
    (63, &[(0, 5), (128, 6)]),
    (127, &[(0, 3), (262144, 6)]),
    (255, &[(0, 2), (131072, 3), (262144, 6)]),
    (511, &[(0, 2), (4096, 6)]),
    (2047, &[(0, 2), (2048, 3), (16384, 6)]),
    (4095, &[(0, 2), (2048, 5), (4096, 3), (16384, 6)]),
    (usize::MAX, &[(0, 2), (2048, 5), (16384, 3), (32768, 6)]),
];

/// As [`ALLREDUCE`], for operators that do not commute.
#[rustfmt::skip]
pub(super) const ALLREDUCE_IN_ORDER: Rules = &[
    (3, &[(0, 3), (131072, 1)]),
    (7, &[(0, 3)]),
    (15, &[(0, 3), (1048576, 2)]),
    (127, &[(0, 3)]),
    (255, &[(0, 2), (131072, 3), (524288, 2)]),
    (511, &[(0, 2), (4096, 3), (524288, 2)]),
    (usize::MAX, &[(0, 2), (2048, 3)]),
];

/// Numbers of `coll_tuned_alltoall_algorithm`, by the bytes of the block for one other member.
#[rustfmt::skip]
pub(super) const ALLTOALL: Rules = &[
    (2, &[(0, 2), (2, 5), (4, 2), (16, 5), (64, 2), (256, 5), (4096, 2), (32768, 4), (262144, 5),
        (1048576, 2)]),
    (7, &[(0, 4), (8192, 1), (16384, 4), (65536, 1), (524288, 2), (1048576, 1)]),
    (15, &[(0, 4), (262144, 1)]),
    (31, &[(0, 4), (4, 3), (512, 4), (8192, 1), (32768, 4), (262144, 1), (524288, 4)]),
    (63, &[(0, 3), (512, 1), (524288, 4)]),
    (127, &[(0, 3), (1024, 1), (2048, 4), (4096, 1), (262144, 2)]),
    (255, &[(0, 3), (1024, 4), (2048, 1), (262144, 2)]),
    (511, &[(0, 3), (1024, 4), (8192, 1), (32768, 2)]),
    (1023, &[(0, 3), (512, 4), (8192, 1), (16384, 4), (131072, 1), (262144, 2)]),
    (2047, &[(0, 3), (512, 4), (1024, 1), (2048, 4), (16384, 1), (262144, 4)]),
    (4095, &[(0, 3), (1024, 4), (4096, 1), (8192, 4), (131072, 1)]),
    (usize::MAX, &[(0, 3), (2048, 4), (8192, 1), (16384, 4), (32768, 1), (65536, 4)]),
];

/// Numbers of `coll_tuned_bcast_algorithm`, by the bytes of the message.
#[rustfmt::skip]
pub(super) const BCAST: Rules = &[
    (3, &[(0, 3), (32, 5), (256, 3), (512, 7), (1024, 1), (32768, 5), (131072, 2), (262144, 1),
        (524288, 6), (1048576, 5)]),
    (7, &[(0, 5), (64, 6), (128, 5), (2048, 6), (8192, 1), (1048576, 2)]),
    (15, &[(0, 7), (8, 5), (64, 7), (4096, 5), (16384, 6), (32768, 1)]),
    (31, &[(0, 7), (4096, 6), (1048576, 8)]),
    (63, &[(0, 6), (2048, 7)]),
    (127, &[(0, 7)]),
    (255, &[(0, 6), (2, 5), (16384, 1), (32768, 5), (65536, 7)]),
    (1023, &[(0, 7), (16384, 4), (32768, 7)]),
    (2047, &[(0, 7), (524288, 8)]),
    (4095, &[(0, 7), (262144, 8)]),
    (usize::MAX, &[(0, 7), (8192, 5), (16384, 7), (262144, 8)]),
];

/// Numbers of `coll_tuned_reduce_algorithm`, by the bytes of the vector.
#[rustfmt::skip]
pub(super) const REDUCE: Rules = &[
    (3, &[(0, 7), (8, 4), (16, 3), (32, 1), (262144, 3), (524288, 2), (1048576, 3)]),
    (7, &[(0, 4), (4096, 2), (65536, 5), (262144, 1), (524288, 5), (1048576, 1)]),
    (15, &[(0, 4), (8192, 5)]),
    (31, &[(0, 4), (4096, 5)]),
    (255, &[(0, 5)]),
    (511, &[(0, 5), (8192, 6), (16384, 5)]),
    (2047, &[(0, 5)]),
    (4095, &[(0, 5), (512, 6), (1024, 5), (8192, 6), (16384, 5)]),
    (usize::MAX, &[(0, 5), (16, 6), (32, 5), (1024, 6), (2048, 5), (8192, 6), (16384, 5)]),
];

/// As [`REDUCE`], for operators that do not commute.
#[rustfmt::skip]
pub(super) const REDUCE_IN_ORDER: Rules = &[
    (3, &[(0, 6), (8, 1)]),
    (7, &[(0, 1)]),
    (15, &[(0, 6), (1024, 1), (8192, 6), (16384, 1), (262144, 6)]),
    (127, &[(0, 6)]),
    (255, &[(0, 6), (512, 1), (1024, 6)]),
    (usize::MAX, &[(0, 6)]),
];

/// Reduce-scatters of both kinds, for operators that do not commute.
pub(super) const REDUCE_SCATTER_IN_ORDER: Rules = &[(usize::MAX, &[(0, 1)])];

/// Numbers of `coll_tuned_reduce_scatter_algorithm`, by the bytes of the whole vector.
#[rustfmt::skip]
pub(super) const REDUCE_SCATTER: Rules = &[
    (3, &[(0, 3), (65536, 4), (131072, 3)]),
    (7, &[(0, 1), (8, 2), (262144, 3)]),
    (31, &[(0, 2), (262144, 3)]),
    (63, &[(0, 1), (64, 2), (2048, 4), (524288, 3)]),
    (127, &[(0, 1), (256, 2), (512, 4), (2048, 2), (4096, 4)]),
    (255, &[(0, 1), (256, 2), (512, 4)]),
    (511, &[(0, 1), (256, 2), (1024, 4)]),
    (1023, &[(0, 1), (512, 2), (2048, 4), (8192, 2), (16384, 4)]),
    (2047, &[(0, 1), (512, 2), (4096, 4), (16384, 2), (32768, 4)]),
    (4095, &[(0, 1), (512, 2), (4096, 4)]),
    (usize::MAX, &[(0, 1), (1024, 2), (8192, 4)]),
];

/// Numbers of `coll_tuned_reduce_scatter_block_algorithm`, by the bytes of one block.
#[rustfmt::skip]
pub(super) const REDUCE_SCATTER_BLOCK: Rules = &[
    (3, &[(0, 2), (4, 4), (8, 3), (16, 4), (128, 3), (256, 4), (4096, 3), (8192, 4), (131072, 1)]),
    (7, &[(0, 3), (8, 2), (32, 4), (256, 3), (8192, 4), (16384, 3), (1048576, 1)]),
    (15, &[(0, 1), (4, 3), (32, 4), (128, 3), (524288, 1), (4194304, 4)]),
    (31, &[(0, 1), (32, 3), (524288, 1), (2097152, 3), (4194304, 4)]),
    (usize::MAX, &[(0, 3), (4, 1), (16, 4), (65536, 1), (262144, 4)]),
];

/// Numbers of `coll_tuned_allgather_algorithm`, by the bytes of one block.
#[rustfmt::skip]
pub(super) const ALLGATHER: Rules = &[
    (2, &[(0, 6)]),
    (31, &[(0, 3)]),
    (63, &[(0, 3), (1024, 5), (65536, 4)]),
    (127, &[(0, 3), (512, 5), (65536, 4)]),
    (255, &[(0, 3), (512, 5), (131072, 4), (524288, 5), (1048576, 4)]),
    (511, &[(0, 3), (32, 2), (128, 3), (1024, 5), (131072, 4), (524288, 5), (1048576, 4)]),
    (1023, &[(0, 3), (64, 2), (256, 3), (2048, 5)]),
    (2047, &[(0, 3), (4, 2), (8, 3), (16, 2), (32, 3), (256, 2), (512, 3), (4096, 5)]),
    (4095, &[(0, 2), (32, 3), (128, 2), (512, 3), (4096, 5)]),
    (usize::MAX, &[(0, 3), (2, 2), (8, 3), (16, 2), (512, 3), (4096, 5)]),
];

/// Numbers of `coll_tuned_allgatherv_algorithm`, by the mean bytes of the blocks.
#[rustfmt::skip]
pub(super) const ALLGATHERV: Rules = &[
    (2, &[(0, 3), (2048, 5), (4096, 3), (8192, 5)]),
    (7, &[(0, 1), (256, 4), (4096, 3), (8192, 4), (16384, 2), (262144, 4)]),
    (15, &[(0, 1), (1024, 2)]),
    (31, &[(0, 1), (128, 2), (262144, 3)]),
    (63, &[(0, 1), (256, 2), (8192, 3)]),
    (127, &[(0, 1), (256, 2), (4096, 3)]),
    (255, &[(0, 2), (1024, 4), (65536, 3)]),
    (511, &[(0, 2), (1024, 3)]),
    (1023, &[(0, 2), (512, 1), (1024, 2), (4096, 4), (1048576, 3)]),
    (usize::MAX, &[(0, 2), (4096, 4)]),
];

/// Numbers of `coll_tuned_gather_algorithm`, by the bytes of one block.
#[rustfmt::skip]
pub(super) const GATHER: Rules = &[
    (3, &[(0, 3), (2, 1), (4, 2), (32768, 1), (65536, 2), (131072, 3)]),
    (7, &[(0, 2), (1024, 1), (8192, 2), (32768, 1), (262144, 3)]),
    (255, &[(0, 2)]),
    (511, &[(0, 2), (2048, 1), (8192, 2)]),
    (usize::MAX, &[(0, 2)]),
];

/// Numbers of `coll_tuned_scatter_algorithm`, by the bytes of one block.
#[rustfmt::skip]
pub(super) const SCATTER: Rules = &[
    (3, &[(0, 3), (2, 1), (131072, 3), (262144, 1)]),
    (7, &[(0, 2), (2048, 1), (4096, 2), (8192, 1), (32768, 3), (1048576, 1)]),
    (15, &[(0, 2), (16384, 3), (1048576, 1)]),
    (31, &[(0, 2), (16384, 1), (32768, 3)]),
    (63, &[(0, 2), (512, 3), (8192, 2), (16384, 3)]),
    (usize::MAX, &[(0, 2), (512, 3)]),
];
