//! Broadcasts of long messages: the root scatters blocks, and all members gather them.

use crate::{Call, Sink, binomial, gathered, ring, share};
use std::ops::Range;

/// How all members gather the blocks of a broadcast.
#[derive(Clone, Copy)]
pub(super) enum Gathering {
    Doubling,
    Ring,
}

/// Blocks of equally many units, which are the elements or the bytes of the vector, the last ones
/// shorter or empty, go down the binomial tree and are gathered by all.
pub(super) fn scatter_allgather(call: &Call<'_>, units: u64, gathering: Gathering, sink: Sink<'_>) {
    let count = usize::try_from(units).unwrap_or(usize::MAX);
    let block = count.div_ceil(call.members);
    let end = |member: usize| (member * block).min(count);
    let blocks = |range: Range<usize>| share(call.whole(), count, end(range.start)..end(range.end));
    binomial::TREE.down(call.members, blocks, sink);
    match gathering {
        Gathering::Doubling => gathered::doubling(call.members, |own, _| blocks(own), sink),
        Gathering::Ring => {
            let all_but_next = |member: usize| {
                let next = (member + 1) % call.members;
                call.whole() - blocks(next..next + 1)
            };
            ring::around(call, all_but_next, sink);
        }
    }
}
