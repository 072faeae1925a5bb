//! Gather and scatter of Open MPI. Source: `ompi/mca/coll/base/coll_base_gather.c` and
//! `coll_base_scatter.c`.

use super::algorithm;
use super::rules::{GATHER, SCATTER};
use crate::{Call, Sink, binomial, star};

/// Number of the algorithm along a binomial tree. The others are linear.
const BINOMIAL: u8 = 2;

/// Expands a gather: linear, along a binomial tree, or linear with synchronisation.
pub(super) fn gather(call: &Call<'_>, sink: Sink<'_>) {
    let number = algorithm(call, GATHER, call.size());
    tree(number, call, sink);
}

/// Expands a scatter: linear, along a binomial tree, or linear with non-blocking sends.
pub(super) fn scatter(call: &Call<'_>, sink: Sink<'_>) {
    let number = algorithm(call, SCATTER, call.size());
    tree(number, call, sink);
}

fn tree(number: u8, call: &Call<'_>, sink: Sink<'_>) {
    let tree = if number == BINOMIAL {
        binomial::TREE
    } else {
        star::TREE
    };
    tree.expand(call, sink);
}
