//! Gather and scatter of Open MPI. Source: `ompi/mca/coll/base/coll_base_gather.c` and
//! `coll_base_scatter.c`.

use super::algorithm;
use crate::{Call, Sink, binomial, star};

/// Number of the algorithm along a binomial tree. The others are linear.
const BINOMIAL: u8 = 2;

/// Expands a gather or scatter by the table of this name: linear, along a binomial tree, or linear
/// with synchronisation or non-blocking sends.
pub(super) fn expand(call: &Call<'_>, table: &str, sink: Sink<'_>) {
    match algorithm(call, table, call.size()) {
        BINOMIAL => binomial::TREE.expand(call, sink),
        _ => star::TREE.expand(call, sink),
    }
}
