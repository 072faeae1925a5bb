//! The rules of Intel MPI by which it selects an algorithm, as they were measured.
//!
//! Measured with Intel MPI 2021.18.1 on this project's test bed of network namespaces: 2 to 16
//! hosts with 1 to 16 members each, at most 64 members, 8 bytes to 2 MiB in powers of two, messages
//! counted at libfabric (`tests/programs/collective_sends.c`). For every operation, kind of hosts
//! and size, the algorithm is the one that sends the same bytes between the same pairs in the
//! launches of that kind. Launches on 5 hosts of 3 members are left out: many of their choices are
//! others than on 5 to 8 hosts of 4. More hosts, members and bytes follow the last rule.

use super::algorithms::Algorithm::{self, *};
use super::algorithms::Choice::{self, Flat, Leaders};
use crate::Call;
use crate::library::hosts::Hosts;
use rankfold_wire::Operation;

/// The most hosts and the most members on a host for which choices hold, and choices in ascending
/// order of the size from which on each is used.
type Rules = &'static [(usize, usize, &'static [(u64, Choice)])];

/// More hosts or members than any rule tells apart.
const MANY: usize = usize::MAX;
/// Bytes of all blocks together from which on a reduce-scatter is pairwise.
const REDUCE_SCATTER_LONG: u64 = 512 << 10;

/// The bytes by which an operation is selected: of one block where the operation moves blocks.
pub(super) fn size(call: &Call<'_>) -> u64 {
    match call.op {
        Operation::Allgatherv => call.size() / call.members.max(1) as u64,
        _ => call.size(),
    }
}

/// The choice for a call. Members whose hosts are unknown count as alone on a host each, and so do
/// members that are all on one host, where messages through shared memory cannot be counted.
pub(super) fn choice(call: &Call<'_>) -> Choice {
    let groups = Hosts::of(call);
    let (hosts, most) = match groups.groups().count() {
        0 | 1 => (call.members, 1),
        hosts => (
            hosts,
            groups.groups().map(<[usize]>::len).max().unwrap_or(1),
        ),
    };
    by_rules(call, hosts, most)
}

/// The algorithm for the call among one member of every host.
pub(super) fn between_hosts(call: &Call<'_>) -> Algorithm {
    let hosts = Hosts::of(call).groups().count();
    match by_rules(call, hosts, 1) {
        Flat(algorithm) | Leaders(algorithm) => algorithm,
    }
}

fn by_rules(call: &Call<'_>, hosts: usize, members: usize) -> Choice {
    let size = size(call);
    let rules = match call.op {
        Operation::Bcast => BCAST,
        Operation::Reduce => REDUCE,
        Operation::Allreduce => ALLREDUCE,
        Operation::Allgather => ALLGATHER,
        Operation::Allgatherv => ALLGATHERV,
        Operation::Alltoall => ALLTOALL,
        Operation::Gather => GATHER,
        Operation::Scatter => SCATTER,
        Operation::ReduceScatter | Operation::ReduceScatterBlock
            if call.size() >= REDUCE_SCATTER_LONG =>
        {
            return Flat(Direct);
        }
        _ => return Flat(Doubling),
    };
    let mut fitting = rules
        .iter()
        .filter(|(most, on_host, _)| hosts <= *most && members <= *on_host);
    let sizes = fitting.next().map_or(&[][..], |(_, _, sizes)| sizes);
    let rule = sizes.iter().rev().find(|(from, _)| size >= *from);
    rule.map_or(Flat(Star), |&(_, choice)| choice)
}

/// Choices by the bytes of the message.
#[rustfmt::skip]
pub(super) const BCAST: Rules = &[
    (2, 1, &[(0, Flat(Preorder(2)))]),
    (2, 2, &[(0, Flat(Nomial(2))), (512, Flat(Preorder(2))), (4096, Leaders(Preorder(2))),
        (8192, Flat(Preorder(2))), (16384, Leaders(Preorder(2))),
        (524288, Flat(ScatterDoubling))]),
    (2, 4, &[(0, Flat(Preorder(2))), (4096, Leaders(Preorder(2))), (524288, Flat(Scatter)),
        (2097152, Leaders(Preorder(2)))]),
    (2, 8, &[(0, Flat(Preorder(2))), (2048, Leaders(Preorder(2))), (1048576, Flat(Chain))]),
    (2, MANY, &[(0, Flat(Preorder(2))), (16, Leaders(Preorder(2)))]),
    (4, 1, &[(0, Flat(Preorder(4))), (32768, Flat(Nomial(2))), (131072, Flat(Preorder(2))),
        (524288, Flat(Nomial(2))), (2097152, Flat(ScatterDoubling))]),
    (4, 2, &[(0, Leaders(Preorder(4))), (32768, Leaders(Nomial(2))),
        (131072, Leaders(Preorder(2))), (524288, Flat(Scatter))]),
    (4, 4, &[(0, Flat(Kary(8))), (16, Flat(Kary(4))), (32, Leaders(Preorder(4))),
        (1024, Flat(Preorder(2))), (4096, Leaders(Preorder(4))), (32768, Leaders(Nomial(2))),
        (131072, Leaders(Preorder(2))), (524288, Leaders(Nomial(2))), (1048576, Flat(Scatter))]),
    (4, 8, &[(0, Leaders(Preorder(4))), (64, Flat(Kary(8))), (512, Leaders(Preorder(4))),
        (32768, Leaders(Nomial(2))), (131072, Leaders(Preorder(2))),
        (524288, Leaders(Nomial(2)))]),
    (4, MANY, &[(0, Leaders(Preorder(4))), (32768, Leaders(Nomial(2))),
        (131072, Leaders(Preorder(2)))]),
    (8, 1, &[(0, Flat(Preorder(8))), (1024, Flat(Preorder(4))), (32768, Flat(Preorder(2))),
        (262144, Flat(Kary(2))), (524288, Flat(Nomial(2))), (1048576, Flat(Scatter))]),
    (8, 2, &[(0, Flat(Preorder(2))), (16, Leaders(Preorder(8))), (128, Flat(Preorder(4))),
        (4096, Leaders(Preorder(4))), (8192, Flat(Preorder(4))), (16384, Leaders(Preorder(4))),
        (32768, Leaders(Preorder(2))), (262144, Flat(Scatter))]),
    (8, 4, &[(0, Flat(Preorder(2))), (4096, Leaders(Preorder(4))), (32768, Leaders(Preorder(2))),
        (262144, Leaders(Kary(2))), (524288, Flat(Scatter))]),
    (8, MANY, &[(0, Flat(Preorder(2))), (2048, Leaders(Preorder(4))),
        (32768, Leaders(Preorder(2)))]),
    (MANY, 1, &[(0, Flat(Star)), (8192, Flat(Nomial(4))), (65536, Flat(Kary(2))),
        (1048576, Flat(Scatter))]),
    (MANY, 2, &[(0, Flat(Kary(4))), (2048, Leaders(Star)), (16384, Leaders(Nomial(4))),
        (65536, Leaders(Kary(2))), (524288, Flat(Scatter))]),
    (MANY, MANY, &[(0, Flat(Preorder(8))), (512, Leaders(Star)), (16384, Leaders(Nomial(4))),
        (65536, Leaders(Kary(2)))]),
];

/// Choices by the bytes of the vector.
#[rustfmt::skip]
pub(super) const REDUCE: Rules = &[
    (2, 1, &[(0, Flat(Preorder(2)))]),
    (2, 2, &[(0, Flat(Preorder(4))), (32, Leaders(Preorder(2))), (128, Flat(Preorder(2))),
        (256, Flat(Preorder(4))), (32768, Leaders(Preorder(2))), (65536, Flat(Preorder(4))),
        (524288, Leaders(Preorder(2)))]),
    (2, 4, &[(0, Leaders(Preorder(2))), (16, Flat(Preorder(2))), (4096, Flat(Preorder(4))),
        (8192, Flat(Preorder(2))), (524288, Leaders(Preorder(2)))]),
    (2, 8, &[(0, Leaders(Preorder(2))), (512, Flat(Preorder(4))), (2048, Flat(Preorder(2))),
        (4096, Leaders(Preorder(2))), (16384, Flat(Rabenseifner)), (524288, Flat(Chain))]),
    (2, MANY, &[(0, Leaders(Preorder(2))), (256, Flat(Preorder(4))), (512, Leaders(Preorder(2))),
        (16384, Flat(Rabenseifner)), (262144, Flat(Chain)), (524288, Leaders(Preorder(2)))]),
    (4, 1, &[(0, Flat(Preorder(4))), (32768, Flat(Preorder(2))), (262144, Flat(Kary(2))),
        (524288, Flat(Preorder(4))), (1048576, Flat(Kary(2)))]),
    (4, 2, &[(0, Flat(Preorder(8))), (16, Leaders(Preorder(4))), (32768, Leaders(Preorder(2))),
        (131072, Flat(Chain))]),
    (4, 4, &[(0, Leaders(Preorder(4))), (16, Flat(Preorder(2))), (32768, Flat(Rabenseifner)),
        (262144, Flat(Chain))]),
    (4, 8, &[(0, Leaders(Preorder(4))), (16384, Flat(Rabenseifner)), (262144, Flat(Chain))]),
    (4, MANY, &[(0, Leaders(Preorder(4))), (16, Flat(Preorder(2))), (2048, Leaders(Preorder(4))),
        (16384, Flat(Rabenseifner))]),
    (8, 1, &[(0, Flat(Kary(4))), (16, Flat(Preorder(8))), (8192, Flat(Preorder(4))),
        (131072, Flat(Kary(2))), (262144, Flat(Chain))]),
    (8, 2, &[(0, Flat(Preorder(4))), (16, Leaders(Preorder(8))), (8192, Flat(Nomial(4))),
        (16384, Leaders(Preorder(4))), (65536, Flat(Rabenseifner)), (262144, Flat(Chain))]),
    (8, 4, &[(0, Flat(Preorder(4))), (16, Leaders(Preorder(8))), (16384, Flat(Rabenseifner)),
        (262144, Flat(Chain))]),
    (8, MANY, &[(0, Flat(Nomial(4))), (64, Flat(Preorder(2))), (512, Leaders(Preorder(8))),
        (16384, Flat(Rabenseifner))]),
    (MANY, 1, &[(0, Flat(Preorder(4))), (16, Flat(Kary(4))), (64, Flat(Preorder(4))),
        (2048, Flat(Kary(4))), (8192, Flat(Preorder(4))), (16384, Flat(Preorder(2))),
        (131072, Flat(Kary(2))), (262144, Flat(Chain))]),
    (MANY, 2, &[(0, Flat(Kary(8))), (2048, Leaders(Kary(4))), (16384, Flat(Rabenseifner)),
        (262144, Leaders(Chain)), (524288, Flat(Chain))]),
    (MANY, MANY, &[(0, Flat(Preorder(2))), (64, Flat(Preorder(4))), (512, Leaders(Kary(4))),
        (2048, Flat(Preorder(2))), (32768, Flat(Rabenseifner)), (131072, Flat(Kary(2)))]),
];

/// Choices by the bytes of the vector.
#[rustfmt::skip]
pub(super) const ALLREDUCE: Rules = &[
    (2, 1, &[(0, Flat(Multiplying(8)))]),
    (2, 2, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner)), (1048576, Flat(Direct))]),
    (2, 4, &[(0, Leaders(Multiplying(8))), (8192, Flat(Rabenseifner)), (2097152, Flat(Ring))]),
    (2, 8, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner))]),
    (2, MANY, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner))]),
    (4, 1, &[(0, Flat(Multiplying(8))), (16384, Flat(Rabenseifner)), (32768, Flat(Ring)),
        (65536, Flat(ReduceBcast)), (131072, Flat(Ring)), (262144, Flat(Rabenseifner)),
        (524288, Flat(Ring))]),
    (4, 2, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner)), (1048576, Flat(Direct))]),
    (4, 4, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner))]),
    (4, 8, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner))]),
    (4, MANY, &[(0, Leaders(Multiplying(8))), (16384, Flat(Rabenseifner))]),
    (8, 1, &[(0, Flat(Multiplying(8))), (16, Flat(Multiplying(4))), (16384, Flat(Rabenseifner)),
        (65536, Flat(Ring)), (131072, Flat(Rabenseifner))]),
    (8, 2, &[(0, Leaders(Multiplying(8))), (16, Leaders(Multiplying(4))),
        (16384, Flat(Rabenseifner)), (2097152, Flat(Direct))]),
    (8, 4, &[(0, Leaders(Multiplying(8))), (16, Leaders(Multiplying(4))),
        (16384, Flat(Rabenseifner))]),
    (8, MANY, &[(0, Leaders(Multiplying(8))), (64, Leaders(Multiplying(4))),
        (16384, Flat(Rabenseifner))]),
    (MANY, 1, &[(0, Flat(Multiplying(4))), (16384, Flat(Rabenseifner))]),
    (MANY, 2, &[(0, Leaders(Multiplying(4))), (16384, Flat(Rabenseifner))]),
    (MANY, MANY, &[(0, Leaders(Multiplying(4))), (16384, Flat(Rabenseifner))]),
];

/// Choices by the bytes of one block.
#[rustfmt::skip]
pub(super) const ALLGATHER: Rules = &[
    (2, 1, &[(0, Flat(Exchange))]),
    (2, 2, &[(0, Flat(Exchange)), (8192, Flat(Bruck)), (16384, Flat(Exchange))]),
    (2, 4, &[(0, Flat(Doubling)), (64, Flat(Exchange)), (4096, Flat(Doubling)),
        (262144, Flat(Ring))]),
    (2, 8, &[(0, Flat(Exchange)), (65536, Flat(Ring)), (1048576, Flat(Exchange))]),
    (2, MANY, &[(0, Flat(Exchange)), (8192, Flat(Ring)), (16384, Flat(Exchange)),
        (32768, Flat(Ring))]),
    (4, 1, &[(0, Flat(Exchange)), (2048, Flat(Doubling)), (131072, Flat(Exchange))]),
    (4, 2, &[(0, Flat(Exchange)), (512, Flat(Doubling)), (2048, Flat(Exchange)),
        (4096, Flat(Doubling)), (16384, Flat(Exchange)), (262144, Flat(Doubling))]),
    (4, 4, &[(0, Flat(Exchange)), (131072, Flat(Ring)), (1048576, Flat(Doubling))]),
    (4, 8, &[(0, Flat(Exchange)), (32768, Flat(Ring))]),
    (4, MANY, &[(0, Flat(Exchange)), (8192, Flat(Ring))]),
    (8, 1, &[(0, Flat(Exchange)), (2048, Flat(Doubling)), (16384, Flat(Exchange))]),
    (8, 2, &[(0, Flat(Doubling)), (64, Flat(Exchange)), (4096, Flat(Doubling)),
        (16384, Flat(Exchange))]),
    (8, 4, &[(0, Flat(Exchange)), (262144, Flat(Ring)), (524288, Flat(Exchange))]),
    (8, MANY, &[(0, Flat(Exchange)), (32768, Flat(Ring))]),
    (MANY, 1, &[(0, Flat(Exchange)), (4096, Flat(Doubling)), (16384, Flat(Exchange))]),
    (MANY, 2, &[(0, Flat(Exchange))]),
    (MANY, MANY, &[(0, Flat(Exchange)), (65536, Flat(Ring))]),
];

/// Choices by the mean bytes of the blocks.
#[rustfmt::skip]
pub(super) const ALLGATHERV: Rules = &[
    (2, 1, &[(0, Flat(Doubling))]),
    (2, 2, &[(0, Flat(Doubling)), (8192, Flat(Bruck)), (16384, Flat(Doubling)),
        (262144, Flat(Ring))]),
    (2, 4, &[(0, Flat(Doubling)), (131072, Flat(Ring))]),
    (2, 8, &[(0, Flat(Doubling)), (32768, Flat(Ring))]),
    (2, MANY, &[(0, Flat(Doubling)), (8192, Flat(Ring)), (16384, Flat(Doubling)),
        (32768, Flat(Ring))]),
    (4, 1, &[(0, Flat(Doubling)), (512, Flat(Bruck)), (1024, Flat(Doubling)), (4096, Flat(Bruck)),
        (8192, Flat(Ring)), (16384, Flat(Bruck)), (32768, Flat(Ring))]),
    (4, 2, &[(0, Flat(Doubling)), (524288, Flat(Ring))]),
    (4, 4, &[(0, Flat(Doubling)), (65536, Flat(Ring))]),
    (4, 8, &[(0, Flat(Doubling)), (16384, Flat(Ring))]),
    (4, MANY, &[(0, Flat(Doubling)), (256, Flat(Bruck)), (1024, Flat(Doubling)),
        (4096, Flat(Ring))]),
    (8, 1, &[(0, Flat(Bruck)), (16, Flat(Doubling)), (16384, Flat(Bruck)), (131072, Flat(Ring))]),
    (8, 2, &[(0, Flat(Doubling)), (4096, Flat(Bruck)), (16384, Flat(Doubling)),
        (131072, Flat(Bruck)), (262144, Flat(Ring))]),
    (8, 4, &[(0, Flat(Doubling)), (32768, Flat(Ring))]),
    (8, MANY, &[(0, Flat(Doubling)), (4096, Flat(Bruck)), (16384, Flat(Ring))]),
    (MANY, 1, &[(0, Flat(Doubling)), (32768, Flat(Bruck)), (131072, Flat(Ring))]),
    (MANY, 2, &[(0, Flat(Doubling)), (16384, Flat(Bruck)), (65536, Flat(Doubling)),
        (131072, Flat(Ring))]),
    (MANY, MANY, &[(0, Flat(Doubling)), (16384, Flat(Bruck)), (32768, Flat(Ring))]),
];

/// Choices by the bytes of the block for one other member.
#[rustfmt::skip]
pub(super) const ALLTOALL: Rules = &[
    (2, 1, &[(0, Flat(Direct))]),
    (2, 2, &[(0, Flat(Direct))]),
    (2, 4, &[(0, Flat(Direct)), (64, Flat(Bruck)), (256, Flat(Direct))]),
    (2, 8, &[(0, Flat(Bruck)), (64, Flat(Direct))]),
    (2, MANY, &[(0, Flat(Direct))]),
    (4, 1, &[(0, Flat(Direct))]),
    (4, 2, &[(0, Flat(Bruck)), (32, Flat(Direct))]),
    (4, 4, &[(0, Flat(Bruck)), (16, Leaders(Direct)), (512, Flat(Direct))]),
    (4, 8, &[(0, Flat(Bruck)), (512, Flat(Direct))]),
    (4, MANY, &[(0, Flat(Bruck)), (256, Flat(Direct))]),
    (8, 1, &[(0, Flat(Direct))]),
    (8, 2, &[(0, Flat(Bruck)), (16, Leaders(Direct)), (512, Flat(Direct))]),
    (8, 4, &[(0, Leaders(Direct)), (32, Flat(Bruck)), (64, Leaders(Direct)), (256, Flat(Bruck)),
        (512, Flat(Direct))]),
    (8, MANY, &[(0, Flat(Bruck)), (512, Flat(Direct))]),
    (MANY, 1, &[(0, Flat(Direct)), (16, Flat(Bruck)), (128, Flat(Direct))]),
    (MANY, 2, &[(0, Flat(Bruck)), (512, Flat(Direct))]),
    (MANY, MANY, &[(0, Flat(Bruck)), (512, Flat(Direct))]),
];

/// Choices by the bytes of one block.
#[rustfmt::skip]
pub(super) const GATHER: Rules = &[
    (2, 1, &[(0, Flat(Star))]),
    (2, 2, &[(0, Flat(Nomial(2))), (16, Leaders(Star)), (32, Flat(Nomial(2))), (512, Flat(Star)),
        (1024, Leaders(Star)), (16384, Flat(Star))]),
    (2, 4, &[(0, Flat(Nomial(2))), (512, Leaders(Star)), (2048, Flat(Nomial(2))),
        (8192, Flat(Star))]),
    (2, 8, &[(0, Flat(Nomial(2))), (512, Leaders(Star)), (2048, Flat(Star))]),
    (2, MANY, &[(0, Flat(Nomial(2))), (1024, Flat(Star))]),
    (4, 1, &[(0, Flat(Star))]),
    (4, 2, &[(0, Flat(Star))]),
    (4, 4, &[(0, Leaders(Star)), (1024, Flat(Star))]),
    (4, 8, &[(0, Leaders(Star)), (2048, Flat(Star))]),
    (4, MANY, &[(0, Leaders(Star)), (2048, Flat(Star))]),
    (8, 1, &[(0, Flat(Star))]),
    (8, 2, &[(0, Flat(Star))]),
    (8, 4, &[(0, Leaders(Star)), (2048, Flat(Star))]),
    (8, MANY, &[(0, Flat(Nomial(2))), (512, Leaders(Star)), (2048, Flat(Star))]),
    (MANY, 1, &[(0, Flat(Star))]),
    (MANY, 2, &[(0, Flat(Star)), (64, Flat(Nomial(2))), (2048, Flat(Star))]),
    (MANY, MANY, &[(0, Flat(Nomial(2))), (2048, Leaders(Star)), (4096, Flat(Star))]),
];

/// Choices by the bytes of one block.
#[rustfmt::skip]
pub(super) const SCATTER: Rules = &[
    (2, 1, &[(0, Flat(Star))]),
    (2, 2, &[(0, Flat(Star)), (128, Flat(Nomial(2))), (512, Flat(Star)), (2048, Flat(Nomial(2))),
        (32768, Flat(Star))]),
    (2, 4, &[(0, Flat(Star)), (128, Flat(Nomial(2))), (256, Flat(Star)), (1024, Flat(Nomial(2))),
        (4096, Flat(Star))]),
    (2, 8, &[(0, Flat(Nomial(2))), (2048, Flat(Star))]),
    (2, MANY, &[(0, Flat(Nomial(2))), (2048, Flat(Star))]),
    (4, 1, &[(0, Flat(Star))]),
    (4, 2, &[(0, Flat(Star))]),
    (4, 4, &[(0, Leaders(Star)), (256, Flat(Star))]),
    (4, 8, &[(0, Leaders(Star)), (512, Flat(Nomial(2))), (2048, Flat(Star))]),
    (4, MANY, &[(0, Leaders(Star)), (64, Flat(Nomial(2))), (32768, Flat(Star))]),
    (8, 1, &[(0, Flat(Star))]),
    (8, 2, &[(0, Flat(Star))]),
    (8, 4, &[(0, Leaders(Star)), (32, Flat(Nomial(2))), (64, Flat(Star)), (128, Leaders(Star)),
        (256, Flat(Star))]),
    (8, MANY, &[(0, Leaders(Star)), (512, Flat(Nomial(2))), (2048, Flat(Star)),
        (16384, Flat(Nomial(2))), (32768, Flat(Star))]),
    (MANY, 1, &[(0, Flat(Star))]),
    (MANY, 2, &[(0, Flat(Star))]),
    (MANY, MANY, &[(0, Leaders(Star)), (64, Flat(Nomial(2))), (2048, Flat(Star))]),
];
